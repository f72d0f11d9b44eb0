"""Accuracy by type of error (Figure 5a), and by temperature and top-p (Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.votes import Tag, votes
from lmms_eval_tasks.vl_rewardbench.groups import group_of
from lmms_eval_tasks.vl_rewardbench.published import PUBLISHED
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable
from pairbench_ext.runs.completeness import results_of
from pairbench_ext.runs.files import task_name
from pairbench_ext.runs.scoring import Run

_TABLE = "Table 4"
_DEFAULT = "temperature 0.2, top-p 0.2"  # of the paper, where a row does not say (Section 3.2)


def _by_tag(table: OutcomeTable) -> dict[str, float]:
    """Accuracy by type of error.

    Untagged items of the reasoning group have the type `reasoning`, as in Section 4.1; other
    untagged items are left out. An item with several types counts for each. The paper's error rates
    are over all items of a type, so they are not 1 minus this where items are undecided.
    """
    cast = votes(table)
    labels: list[Tag] = [
        "reasoning" if not tag and group_of(source) == "reasoning" else tag
        for source, tag in zip(cast.sources, cast.tags, strict=True)
    ]
    return accuracy.accuracy_by_label(cast, labels)


def _by_decoding(runs: Sequence[Run]) -> dict[str, float]:
    """Macro accuracy of each run with its temperature and top-p; then the printed rows.

    Empty where all runs decode alike. Runs whose results do not say how are left out.
    """
    decoded = {run.name: _decoding(run) for run in runs}
    if len({settings for settings in decoded.values() if settings}) < 2:
        return {}
    measured = {
        f"{run.name}, {decoded[run.name]}": run.numbers["macro_accuracy"]
        for run in sorted(runs, key=lambda run: decoded[run.name])
        if decoded[run.name]
    }
    printed = {
        f"printed ({_TABLE}): {cell.model}, {cell.setting or _DEFAULT}": cell.middle
        for cell in PUBLISHED.cells
        if cell.table == _TABLE
    }
    return {**measured, **printed}


def _decoding(run: Run) -> str:
    """The temperature and top-p of a run, as its results say; empty if they do not."""
    settings: Mapping[str, Any] = results_of(run.file).at(
        "configs", task_name(run.file), "generation_kwargs"
    )
    known = {"temperature": settings.get("temperature"), "top-p": settings.get("top_p")}
    return ", ".join(f"{name} {value}" for name, value in known.items() if value is not None)


BY_TAG = Breakdown(
    "by_tag",
    "accuracy by type of error",
    _by_tag,
    shown=lambda table: any(tag is not None for tag in votes(table).tags),
)
BY_DECODING = Breakdown(
    "by_decoding", "macro accuracy by temperature and top-p (Table 4)", _by_decoding
)
