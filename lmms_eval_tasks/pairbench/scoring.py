"""Scores without a model: ratings from logged samples or plain rows, and their numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lmms_eval_tasks.harness import request_failed
from pairbench_ext import parsing
from pairbench_ext.metrics import notebook, pairbench
from pairbench_ext.metrics.bootstrap import Interval
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
    templates = _crossed_templates([table])
    scores = _scores_of_part(table, parser, eps)
    if templates:
        parts = [_scores_of_part(table.of_template(t), parser, eps) for t in templates]
        of_templates = [part["mmscore"] for part in parts]
        averaged = set(scores) - set(COUNTS)
        scores |= {key: float(np.mean([part[key] for part in parts])) for key in averaged}
        scores |= {f"mmscore_v{t + 1}": v for t, v in zip(templates, of_templates, strict=True)}
        scores["prompt_std"] = _spread(of_templates)
    interval = Interval(math.nan, math.nan)
    if parser != "notebook":  # it has none
        interval = pairbench.mmscore_interval(table, by_template=bool(templates))
    return scores | {"ci95_low": interval.low, "ci95_high": interval.high}


def is_partial_study(table: RatingTable) -> bool:
    """Whether some pairs were asked with several templates, but not all with all.

    A `--limit` can cut a prompt study so; its numbers are then pooled over the templates.
    """
    asked = np.stack([table.row, table.pair, table.condition, table.order], axis=1)
    several = len(np.unique(asked, axis=0)) < len(table)
    return several and not _crossed_templates([table])


def _scores_of_part(table: RatingTable, parser: str, eps: float) -> Scores:
    """The numbers of pooled templates, without the interval."""
    if parser == "notebook":
        return _notebook_scores(table, eps)
    sens, inv = pairbench.mmscore(table, "sens"), pairbench.mmscore(table, "inv")
    return {
        "mmscore": pairbench.mmscore(table),
        "mmscore_sens": sens,
        "mmscore_inv": inv,
        "relaxsym": pairbench.relaxsym(table, eps),
        "relaxsym0": pairbench.relaxsym(table, 0),
        "smoothness": pairbench.smoothness(table),
        "controllability": pairbench.controllability(sens, inv),
        **_counts(table),
    }


def _counts(table: RatingTable) -> Scores:
    return {
        "coverage": pairbench.coverage(table),
        "ratings": len(table),
        "pairs": pairbench.n_pairs(table),
        "pairs_both_orders": pairbench.n_both_orders(table),
    }


def _notebook_scores(table: RatingTable, eps: float) -> Scores:
    """The notebook's numbers by our names; it has no intervals."""
    invariant, variant = (notebook.mmscore(table.only(name)) for name in ("inv", "sens"))
    both_orders = pairbench.n_both_orders(table)
    return {
        "mmscore": notebook.mmscore(table),
        "mmscore_sens": variant,
        "mmscore_inv": invariant,
        # The notebook's 0 for orders that were not asked would look measured.
        "relaxsym": notebook.relaxed_symmetry(table, eps) if both_orders else math.nan,
        "relaxsym0": notebook.relaxed_symmetry(table, 0) if both_orders else math.nan,
        "smoothness": notebook.smoothness(table),
        "controllability": notebook.controllability(invariant, variant),
        **_counts(table),
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
    study = {}
    for name in STUDIED if by_template else ():
        values = [scores[name] for scores in by_template]
        study[name] = (float(np.mean(values)), _spread(values))
    return study


def _mean(values: Sequence[float]) -> float:
    """Mean of the defined values; NaN if there is none."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _spread(values: Sequence[float]) -> float:
    """Standard deviation with n - 1 (the paper does not say); NaN if any is, or below two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def score_file(path: Path, *, parser: str = "strict", eps: float = 1.0) -> LeafScores:
    """Read one file of samples or plain rows and score it.

    With `parser="notebook"` ratings are read and pooled by the authors' rules.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    try:
        items = [read_item(record, parser) for record in read_jsonl(path)]
        if not items:
            raise RecordError(f"{path}: no samples in it")
        table = RatingTable.from_ratings(settle_orders(items))
        scores = scores_of(table, parser=parser, eps=eps)
    except RecordError:
        raise
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
    value: Any = None if failed else parsing.parse("rating", reply, parser).value
    rating = Rating(
        row=trial["row"],
        pair=trial["pair"],
        condition=trial["condition"],
        order=trial["order"],
        template=trial["template"],
        truth=trial["truth"],
        value=None if value is None or value < 0 else value,
        order_shown=trial["order_shown"],
    )
    return RatedItem(rating, parser, stable_hash(0, reply) if trial["image_text"] else None, failed)


# Greedy replies to one prompt are not always the same to the letter: batches change rounding.
SAME_PROMPT = 0.95


def settle_orders(items: Sequence[RatedItem]) -> list[Rating]:
    """The ratings, with `order_shown` settled for image-text pairs where it is not known.

    Simple backends cannot show a text before an image. A chat backend may still move the image to
    the front (its model's template does); then both orders are one prompt and, decoded greedily,
    get the same reply. So if nearly all pairs have the same reply in both orders to the letter, the
    orders count as not shown, and RelaxSym as not measurable. (A judge that always writes the same
    words is called not measurable, too.)
    """
    share = share_of_same_replies(items)
    if math.isnan(share):
        return [item.rating for item in items]
    shown = share < SAME_PROMPT
    return [
        item.rating._replace(order_shown=shown) if _is_open(item) else item.rating for item in items
    ]


def share_of_same_replies(items: Sequence[RatedItem]) -> float:
    """Share of image-text trials whose replies to both orders are the same to the letter.

    Failed requests and trials whose orders are known to be shown or not are left out; NaN without
    any.
    """
    replies: dict[tuple[Any, ...], dict[str, int | None]] = {}
    for item in items:
        if _is_open(item) and not item.failed:
            rating = item.rating
            key = (rating.row, rating.pair, rating.condition, rating.template)
            replies.setdefault(key, {})[rating.order] = item.reply
    same = [len(set(both.values())) == 1 for both in replies.values() if len(both) == len(ORDERS)]
    return sum(same) / len(same) if same else math.nan


def _is_open(item: RatedItem) -> bool:
    return item.reply is not None and item.rating.order_shown is None


def read_item(record: Record, parser: str) -> RatedItem:
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
