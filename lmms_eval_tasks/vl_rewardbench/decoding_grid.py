"""Runs of one task by temperature and top-p, beside what the paper prints (Table 4)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lmms_eval_tasks.vl_rewardbench.published import PUBLISHED
from pairbench_ext.core.benchmark import Breakdown
from pairbench_ext.core.fields import is_number
from pairbench_ext.core.natural_order import natural_key
from pairbench_ext.runs.completeness import judge_of, results_of
from pairbench_ext.runs.files import task_name
from pairbench_ext.runs.scoring import Run

_NUMBER, _TABLE = "macro_accuracy", "Table 4"
_PRINTED = re.compile(r"temperature (?P<temperature>[\d.]+), top-p (?P<top_p>[\d.]+)")
_DEFAULT = "temperature 0.2, top-p 0.2"  # of the paper, where a row does not say (Section 3.2)


def _by_decoding(runs: Sequence[Run]) -> dict[str, dict[str, float]]:
    """Macro accuracy by top-p, in a row per judge, task and temperature; then the printed rows.

    Empty where all runs decode alike, or do not say how. Runs with the same settings stand in rows
    of their own.
    """
    settings = [
        (run, results_of(run.file).at("configs", task_name(run.file), "generation_kwargs"))
        for run in runs
    ]
    known = [(run, one) for run, one in settings if _are_numbers(one)]
    if len({(one["temperature"], one.get("top_p")) for _, one in known}) < 2:
        return {}
    found: dict[str, dict[str, float]] = {}
    for run, one in sorted(known, key=lambda pair: _order(*pair)):
        row = f"{judge_of(run.file)}, {task_name(run.file)}, temperature {one['temperature']:g}"
        column = _column(one.get("top_p"))
        names = (row, *(f"{row} ({number})" for number in range(2, len(known) + 1)))
        name = next(name for name in names if column not in found.get(name, {}))
        found.setdefault(name, {})[column] = run.numbers[_NUMBER]
    rows = {**found, **_printed()}
    columns = sorted({column for row in rows.values() for column in row}, key=natural_key)
    return {name: {c: row.get(c, math.nan) for c in columns} for name, row in rows.items()}


def _are_numbers(settings: Mapping[str, Any]) -> bool:
    """Whether settings say a temperature, and no top-p that is no number."""
    top_p = settings.get("top_p")
    return all(map(is_number, (settings.get("temperature"), 1 if top_p is None else top_p)))


def _order(run: Run, settings: Mapping[str, Any]) -> tuple[Any, ...]:
    top_p = settings.get("top_p")
    return judge_of(run.file), task_name(run.file), settings["temperature"], top_p or 2


def _column(top_p: float | None) -> str:
    return "no top-p" if top_p is None else f"top-p {top_p:g}"


def _printed() -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}
    for cell in PUBLISHED.cells:
        said = _PRINTED.fullmatch(cell.setting or _DEFAULT) if cell.table == _TABLE else None
        if said is not None:
            row = f"printed ({_TABLE}): {cell.model}, temperature {said['temperature']}"
            rows.setdefault(row, {})[_column(float(said["top_p"]))] = cell.middle
    return rows


BY_DECODING = Breakdown(
    "by_decoding", "macro accuracy by temperature and top-p (Table 4)", _by_decoding
)
