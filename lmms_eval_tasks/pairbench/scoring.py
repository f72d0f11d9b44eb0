"""Scores without a model: ratings from logged samples or plain rows, and their numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.pairbench.leaf import CONDITIONS, ORDERS
from pairbench_ext import parsing
from pairbench_ext.metrics import notebook, pairbench
from pairbench_ext.metrics.ratings import Rating, RatingTable
from pairbench_ext.records import Record, RecordError, read_jsonl

_TASK_OF_FILE = re.compile(r"samples_(?P<task>.+)$")


@dataclass(frozen=True)
class LeafScores:
    """One file's ratings and their numbers."""

    name: str
    table: RatingTable
    scores: Mapping[str, float]


Numbers = Mapping[str, Callable[[RatingTable], float]]
COUNTS = ("ratings", "pairs", "pairs_both_orders")
# What Table 8 prints, as mean and standard deviation over the five templates.
STUDIED = ("mmscore", "relaxsym0", "smoothness", "controllability")


def numbers(parser: str, eps: float = 1.0) -> Numbers:
    """PairBench's numbers by name, each a function of the ratings.

    Under `parser="notebook"` ratings are pooled as the authors' notebook does too; it has no
    intervals.
    """
    counts = {
        "ratings": len,
        "pairs": pairbench.n_pairs,
        "pairs_both_orders": pairbench.n_both_orders,
    }
    shared: Numbers = {"coverage": pairbench.coverage, **counts}
    if parser == "notebook":
        return {
            "mmscore": notebook.mmscore,
            "mmscore_sens": lambda table: notebook.mmscore(table.only("sens")),
            "mmscore_inv": lambda table: notebook.mmscore(table.only("inv")),
            "ci95_low": lambda _: math.nan,
            "ci95_high": lambda _: math.nan,
            "relaxsym": lambda table: notebook.relaxed_symmetry(table, eps),
            "relaxsym0": lambda table: notebook.relaxed_symmetry(table, 0),
            "smoothness": notebook.smoothness,
            "controllability": lambda table: notebook.controllability(
                notebook.mmscore(table.only("inv")), notebook.mmscore(table.only("sens"))
            ),
            **shared,
        }
    return {
        "mmscore": pairbench.mmscore,
        "mmscore_sens": lambda table: pairbench.mmscore(table, "sens"),
        "mmscore_inv": lambda table: pairbench.mmscore(table, "inv"),
        "ci95_low": lambda table: pairbench.mmscore_interval(table).low,
        "ci95_high": lambda table: pairbench.mmscore_interval(table).high,
        "relaxsym": lambda table: pairbench.relaxsym(table, eps),
        "relaxsym0": lambda table: pairbench.relaxsym(table, 0),
        "smoothness": pairbench.smoothness,
        "controllability": lambda table: pairbench.controllability(
            pairbench.mmscore(table, "sens"), pairbench.mmscore(table, "inv")
        ),
        **shared,
    }


def prompt_numbers(parser: str) -> Numbers:
    """MMScore per template and its spread, for trials in which all templates were asked."""
    mmscore = numbers(parser)["mmscore"]

    def of_template(template: int, table: RatingTable) -> float:
        return mmscore(table.of_template(template))

    def spread(table: RatingTable) -> float:
        templates = np.unique(table.template).tolist()
        return _spread([of_template(template, table) for template in templates])

    by_template = {f"mmscore_v{k + 1}": partial(of_template, k) for k in range(5)}
    return {**by_template, "prompt_std": spread}


def prompt_study(leaves: Sequence[LeafScores], parser: str) -> dict[str, tuple[float, float]]:
    """Table 8 for these leaves: each number's mean and standard deviation over the templates.

    A template's number is the unweighted mean over the leaves. Empty unless every pair was asked
    with every template: templates drawn per pair were not asked about the same pairs.
    """
    templates = sorted({t for leaf in leaves for t in np.unique(leaf.table.template).tolist()})
    complete = all(leaf.table.is_crossed_with(templates) for leaf in leaves)
    if not complete or len(templates) < 2:
        return {}
    study = {}
    for name in STUDIED:
        number = numbers(parser)[name]
        means = [
            _mean([number(leaf.table.of_template(template)) for leaf in leaves])
            for template in templates
        ]
        study[name] = (_mean(means), _spread(means))
    return study


def _mean(values: Sequence[float]) -> float:
    """Mean of the defined values; NaN if there is none."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _spread(values: Sequence[float]) -> float:
    """Standard deviation with n - 1 (the paper does not say); NaN for fewer than two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def score_file(path: Path, *, parser: str = "strict", eps: float = 1.0) -> LeafScores:
    """Read one file of samples or plain rows and score it.

    With `parser="notebook"` ratings are read and pooled by the authors' rules.

    Raises:
        RecordError: naming file, line and field of what cannot be used.
    """
    table = RatingTable.from_ratings(rating(record, parser) for record in read_jsonl(path))
    if len(table) == 0:
        raise RecordError(f"{path}: no samples in it")
    scores = {name: number(table) for name, number in numbers(parser, eps).items()}
    return LeafScores(_task_name(path), table, scores)


def mean_scores(leaves: Sequence[LeafScores]) -> dict[str, float]:
    """The unweighted mean over leaves of every number; NaN leaves are left out, counts are summed.

    Interval ends have no mean: resampling leaves one by one says nothing about their mean.
    """
    mean: dict[str, float] = {}
    for key in leaves[0].scores:
        values = [leaf.scores[key] for leaf in leaves]
        if key in COUNTS:
            mean[key] = sum(values)
        elif not key.startswith("ci95"):
            mean[key] = _mean(values)
    return mean


def rating(record: Record, parser: str) -> Rating:
    """One logged sample or plain row as a rating, its response read by rule `parser`.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    logged = record.fields.get("trial")
    trial = Record(f"{record.where}, trial", logged) if isinstance(logged, dict) else record
    parsed = parsing.parse("rating", _response(record), parser)
    shown = trial.fields.get("order_shown")
    if shown is None and trial.fields.get("image_text"):
        shown = False  # nobody saw whether the text could come first: not measurable
    checked = {
        "row": trial.get("row", int, str),
        "pair": trial.get("pair", str),
        "condition": _one_of(trial, "condition", CONDITIONS),
        "order": _one_of(trial, "order", ORDERS),
        "template": trial.get("template", int) if "template" in trial.fields else 0,
        "truth": trial.get("truth", int, float),
    }
    return to_rating(checked, parsed.value, shown)


def to_rating(trial: Mapping[str, Any], value: Any, order_shown: bool | None) -> Rating:
    """A trial and what was read from its response; the notebook's -1 is None here."""
    return Rating(
        row=trial["row"],
        pair=trial["pair"],
        condition=trial["condition"],
        order=trial["order"],
        template=trial["template"],
        truth=float(trial["truth"]),
        value=None if value is None or value < 0 else float(value),
        order_shown=order_shown,
    )


def _response(record: Record) -> str:
    """The model's reply: `response` in plain rows, `filtered_resps` in the harness's samples."""
    if "response" in record.fields or "filtered_resps" not in record.fields:
        return str(record.get("response", str))
    responses: Any = record.get("filtered_resps", str, list)
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else ""


def _one_of(record: Record, field: str, allowed: Sequence[str]) -> str:
    value: str = record.get(field, str)
    if value not in allowed:
        raise RecordError(f"{record.where}: {field} {value!r} is none of {list(allowed)}")
    return value


def _task_name(path: Path) -> str:
    found = _TASK_OF_FILE.search(path.stem)
    return found["task"] if found else path.stem
