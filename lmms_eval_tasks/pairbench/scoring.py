"""Scores without a model: ratings from logged samples or plain rows, and their numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from lmms_eval_tasks.harness import request_failed
from pairbench_ext import parsing
from pairbench_ext.metrics import notebook, pairbench
from pairbench_ext.metrics.ratings import CONDITIONS, ORDERS, Rating, RatingTable
from pairbench_ext.records import Record, RecordError, read_jsonl
from pairbench_ext.seeds import stable_hash

Scores = dict[str, float]
_TASK_OF_FILE = re.compile(r"samples_(?P<task>.+)$")


@dataclass(frozen=True)
class LeafScores:
    """One file's ratings and their numbers."""

    name: str
    table: RatingTable
    scores: Scores
    failed: int = 0

    def of_template(self, template: int, parser: str) -> LeafScores:
        """The same with one template's ratings alone."""
        part = self.table.of_template(template)
        return LeafScores(self.name, part, scores_of(part, parser=parser))


COUNTS = ("ratings", "pairs", "pairs_both_orders")
# What Table 8 prints, as mean and standard deviation over the five templates.
STUDIED = ("mmscore", "relaxsym0", "smoothness", "controllability")


def scores_of(table: RatingTable, *, parser: str = "strict", eps: float = 1.0) -> Scores:
    """PairBench's numbers by name.

    If every pair was asked with every template, numbers are means over the templates (Table 8), and
    `mmscore_v1` ... and `prompt_std` say how they differ. Under `parser="notebook"` ratings are
    pooled as the authors' notebook does too.
    """
    rule = _notebook_scores if parser == "notebook" else _paper_scores
    templates = _crossed_templates([table])
    if not templates:
        return rule(table, eps)
    parts = [rule(table.of_template(template), eps) for template in templates]
    scores = {key: float(np.mean([part[key] for part in parts])) for key in parts[0]}
    scores |= {
        f"mmscore_v{t + 1}": part["mmscore"] for t, part in zip(templates, parts, strict=True)
    }
    scores["prompt_std"] = _spread([part["mmscore"] for part in parts])
    interval = pairbench.mmscore_interval(table, by_template=True)
    scores |= {"ratings": len(table), "pairs": pairbench.n_pairs(table)}
    scores["pairs_both_orders"] = pairbench.n_both_orders(table)
    if not math.isnan(scores["ci95_low"]):
        scores |= {"ci95_low": interval.low, "ci95_high": interval.high}
    return scores


def _paper_scores(table: RatingTable, eps: float) -> Scores:
    return cast(Scores, dict(pairbench.score(table, eps=eps)))


def _notebook_scores(table: RatingTable, eps: float) -> Scores:
    """The notebook's numbers by our names; it has no intervals."""
    invariant, variant = (notebook.mmscore(table.only(name)) for name in ("inv", "sens"))
    both_orders = pairbench.n_both_orders(table)
    return {
        "mmscore": notebook.mmscore(table),
        "mmscore_sens": variant,
        "mmscore_inv": invariant,
        "ci95_low": math.nan,
        "ci95_high": math.nan,
        # The notebook's 0 for orders that were not asked would look measured.
        "relaxsym": notebook.relaxed_symmetry(table, eps) if both_orders else math.nan,
        "relaxsym0": notebook.relaxed_symmetry(table, 0) if both_orders else math.nan,
        "smoothness": notebook.smoothness(table),
        "controllability": notebook.controllability(invariant, variant),
        "coverage": pairbench.coverage(table),
        "ratings": len(table),
        "pairs": pairbench.n_pairs(table),
        "pairs_both_orders": both_orders,
    }


def _crossed_templates(tables: Sequence[RatingTable]) -> list[int]:
    """The templates, if there are several and every pair was asked with each; else none.

    Templates drawn per pair were not asked about the same pairs and are not compared.
    """
    templates = sorted({t for table in tables for t in np.unique(table.template).tolist()})
    crossed = len(templates) > 1 and all(table.is_crossed_with(templates) for table in tables)
    return templates if crossed else []


def prompt_study(leaves: Sequence[LeafScores], parser: str) -> dict[str, tuple[float, float]]:
    """Table 8 for these leaves: each number's mean and standard deviation over the templates.

    A template's number is the unweighted mean over the leaves. Empty unless every pair was asked
    with every template.
    """
    by_template = [
        mean_scores([leaf.of_template(template, parser) for leaf in leaves])
        for template in _crossed_templates([leaf.table for leaf in leaves])
    ]
    return {
        name: (
            _mean([scores[name] for scores in by_template]),
            _spread([s[name] for s in by_template]),
        )
        for name in (STUDIED if by_template else ())
    }


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
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    items = [item(record, parser) for record in read_jsonl(path)]
    if not items:
        raise RecordError(f"{path}: no samples in it")
    try:
        table = RatingTable.from_ratings(settle_orders(items))
        scores = scores_of(table, parser=parser, eps=eps)
    except (ValueError, OverflowError) as error:
        raise RecordError(f"{path}: {error}") from error
    return LeafScores(_task_name(path), table, scores, sum(one.failed for one in items))


def mean_scores(leaves: Sequence[LeafScores]) -> Scores:
    """The unweighted mean over leaves of every number; NaN leaves are left out, counts are summed.

    Interval ends have no mean: resampling leaves one by one says nothing about their mean.
    """
    mean: Scores = {}
    for key in leaves[0].scores:
        values = [leaf.scores[key] for leaf in leaves]
        if key in COUNTS:
            mean[key] = sum(values)
        elif not key.startswith("ci95"):
            mean[key] = _mean(values)
    return mean


class RatedItem(NamedTuple):
    """A rating and what else its trial's reply says.

    Attributes:
        rating: the rating; its `order_shown` is None where that is not known yet.
        parser: the rule that reads and pools.
        reply: digest of the reply to an image-text pair, else None.
        failed: whether the request failed, so that there was no reply.
    """

    rating: Rating
    parser: str
    reply: int | None
    failed: bool


def to_item(trial: Mapping[str, Any], reply: str, parser: str) -> RatedItem:
    """Read the reply to a trial; the notebook's -1 is None here."""
    failed = request_failed(reply)
    value = None if failed else parsing.parse("rating", reply, parser).value
    rating = Rating(
        row=trial["row"],
        pair=trial["pair"],
        condition=trial["condition"],
        order=trial["order"],
        template=trial["template"],
        truth=float(trial["truth"]),
        value=None if value is None or float(value) < 0 else float(value),
        order_shown=trial["order_shown"],
    )
    return RatedItem(rating, parser, stable_hash(0, reply) if trial["image_text"] else None, failed)


def settle_orders(items: Sequence[RatedItem]) -> list[Rating]:
    """The ratings, with `order_shown` settled for image-text pairs.

    Whether a text came before the image is known for simple backends only: they cannot. A chat
    backend may still move the image to the front (its model's template does); then both orders are
    one prompt and, decoded greedily, every pair gets the same reply twice. So if all replies are
    the same in both orders, the orders count as not shown, and RelaxSym as not measurable.
    """
    pairs: dict[tuple[Any, ...], list[int]] = {}
    for item in items:
        if item.reply is not None and item.rating.order_shown is not False:
            rating = item.rating
            key = (rating.row, rating.pair, rating.condition, rating.template)
            pairs.setdefault(key, []).append(item.reply)
    both = [replies for replies in pairs.values() if len(replies) > 1]
    if not both:
        return [item.rating for item in items]
    shown = any(len(set(replies)) > 1 for replies in both)
    return [
        item.rating if item.reply is None else item.rating._replace(order_shown=shown)
        for item in items
    ]


def item(record: Record, parser: str) -> RatedItem:
    """One logged sample or plain row, its reply read by rule `parser`.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    if "bypass" in record.fields:
        raise RecordError(
            f"{record.where}: a run with --predict_only logs replies without their trials; "
            "run it again with --log_samples instead"
        )
    logged = record.fields.get("trial")
    trial = Record(f"{record.where}, trial", logged) if isinstance(logged, dict) else record
    checked = {
        "row": trial.get("row", int, str),
        "pair": trial.get("pair", str),
        "condition": _one_of(trial, "condition", CONDITIONS),
        "order": _one_of(trial, "order", ORDERS),
        "template": trial.get("template", int) if "template" in trial.fields else 0,
        "truth": trial.get("truth", int, float),
        "order_shown": trial.fields.get("order_shown"),
        "image_text": bool(trial.fields.get("image_text")),
    }
    return to_item(checked, _response(record), parser)


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
