"""PairBench's numbers, declared; `metrics` and `authors` define them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lmms_eval_tasks.pairbench import asymmetry, intervals, metrics
from lmms_eval_tasks.pairbench.leaf import EPS, TEMPLATES, Leaf
from lmms_eval_tasks.pairbench.ratings import (
    CONDITIONS,
    Condition,
    RatingTable,
)
from lmms_eval_tasks.pairbench.reading import AUTHORS
from lmms_eval_tasks.pairbench.variants import Statistic
from pairbench_ext.core.benchmark import Number, TaskTrials
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered, clustered_interval


def _mmscore_of_rows(condition: Condition | None = None) -> Callable[[Leaf], Clustered | None]:
    return lambda leaf: intervals.mmscore_of_rows(
        leaf.table, condition, by_template=bool(leaf.templates), statistic=leaf.metric
    )


def _relaxsym_of_rows(eps: float | None = None) -> Callable[[Leaf], Clustered]:
    return lambda leaf: intervals.relaxsym_of_rows(leaf.table, leaf.eps if eps is None else eps)


def _unless_authors(of: Callable[[Leaf], Clustered | None]) -> Callable[[Leaf], Interval]:
    """The interval of a number; the authors' definitions have none."""

    def interval(leaf: Leaf) -> Interval:
        found = None if leaf.pool == AUTHORS else of(leaf)
        return Interval(math.nan, math.nan) if found is None else clustered_interval(found)

    return interval


Measure = Callable[[Leaf, RatingTable], float]  # of the ratings of one template, or of all


def _mmscore(condition: Condition | None = None) -> Measure:
    return lambda leaf, part: leaf.mmscore(part, condition)


def relaxsym_at(eps: float | None = None) -> Measure:
    """RelaxSym at an eps; at that of the leaf if None."""

    def measure(leaf: Leaf, part: RatingTable) -> float:
        # The authors' 0 for orders that were not asked would look measured.
        if not metrics.n_both_orders(part):
            return math.nan
        return float(leaf.rules.relaxsym(part, leaf.eps if eps is None else eps))

    return measure


def _smoothness(leaf: Leaf, part: RatingTable) -> float:
    return float(leaf.rules.smoothness(part))


def _controllability(leaf: Leaf, part: RatingTable) -> float:
    sens, inv = (leaf.mmscore(part, condition) for condition in CONDITIONS)
    return float(leaf.rules.controllability(sens, inv))


# What Table 8 prints, as mean and standard deviation over the five templates.
STUDIED: dict[str, Measure] = {
    "mmscore": _mmscore(),
    "relaxsym0": relaxsym_at(0),
    "smoothness": _smoothness,
    "controllability": _controllability,
}


def mean_over_templates(measure: Measure) -> Callable[[Leaf], float]:
    """The mean over the templates, or the number of all ratings; NaN if any is undefined."""
    return lambda leaf: float(np.mean([measure(leaf, part) for part in leaf.parts]))


def _of_template(number: int) -> Callable[[Leaf], float]:
    measure = STUDIED["mmscore"]
    return lambda leaf: (
        measure(leaf, leaf.templates[number]) if number in leaf.templates else math.nan
    )


def _prompt_std(leaf: Leaf) -> float:
    return spread([STUDIED["mmscore"](leaf, part) for part in leaf.templates.values()])


def spread(values: Sequence[float]) -> float:
    """Standard deviation with n - 1 (the paper does not say); NaN if any is, or below two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def _asks_both_orders(trials: TaskTrials[Any]) -> bool:
    return bool(trials.entry.orders == "both")


def _asks_all_templates(trials: TaskTrials[Any]) -> bool:
    return bool(trials.entry.templates == "all")


_TRIALS, _PROMPTS = "trials", "the five templates"

NUMBERS = (
    Number(
        "mmscore",
        "MMScore",
        mean_over_templates(STUDIED["mmscore"]),
        "correlation",
        clustered=_mmscore_of_rows(),
        interval=_unless_authors(_mmscore_of_rows()),
        ci95="ci95",
    ),
    *(
        Number(
            f"mmscore_{condition}",
            condition,
            mean_over_templates(_mmscore(condition)),
            "correlation",
            clustered=_mmscore_of_rows(condition),
        )
        for condition in CONDITIONS
    ),
    Number(
        "mmscore_readable",
        "of usable ones",
        mean_over_templates(lambda leaf, part: leaf.mmscore(part.where(lambda one: one.valid))),
        "correlation",
    ),
    Number(
        "relaxsym",
        "RelaxSym",
        mean_over_templates(relaxsym_at()),
        clustered=_relaxsym_of_rows(),
        interval=_unless_authors(_relaxsym_of_rows()),
        when=_asks_both_orders,
    ),
    Number(
        "relaxsym0",
        "eps=0",
        mean_over_templates(STUDIED["relaxsym0"]),
        clustered=_relaxsym_of_rows(0),
        when=_asks_both_orders,
    ),
    Number("smoothness", "SM", mean_over_templates(_smoothness), "score", None, digits=2),
    Number("controllability", "Cont", mean_over_templates(_controllability), "score"),
    Number(
        "coverage",
        "coverage",
        mean_over_templates(lambda _, part: metrics.coverage(part)),
        section=_TRIALS,
        per_trial=lambda rating: float(rating.valid),
        interval=lambda leaf: intervals.coverage_interval(leaf.table),
    ),
    Number(
        "closeness",
        "closeness",
        lambda leaf: metrics.closeness(leaf.table),
        "mean",
        section=_TRIALS,
        per_trial=lambda rating: rating.closeness,
    ),
    Number("ratings", "ratings", lambda leaf: len(leaf.table), "count", None, _TRIALS),
    Number("pairs", "pairs", lambda leaf: metrics.n_pairs(leaf.table), "count", None, _TRIALS),
    Number(
        "pairs_both_orders",
        "pairs in both orders",
        lambda leaf: metrics.n_both_orders(leaf.table),
        "count",
        None,
        _TRIALS,
        when=_asks_both_orders,
    ),
    *(
        Number(
            f"mmscore_v{number + 1}",
            f"MMScore v{number + 1}",
            _of_template(number),
            "correlation",
            section=_PROMPTS,
            when=_asks_all_templates,
        )
        for number in range(TEMPLATES)
    ),
    Number(
        "prompt_std",
        "their std",
        _prompt_std,
        "score",
        None,
        _PROMPTS,
        when=_asks_all_templates,
    ),
)


def remarks(leaf: Leaf) -> Iterator[str]:
    """What to say beside the numbers: orders that were not shown, templates that are pooled."""
    if any(rating.order_shown is False for rating in leaf.table.rows):
        same = leaf.table.same_replies
        why = "it is no chat backend" if math.isnan(same) else f"{same:.1%} of replies are the same"
        yield (
            f"the backend seems not to show text before image ({why}): RelaxSym is not measurable "
            "on these pairs and reported as nan"
        )
    if leaf.table.is_cut_study:
        yield (
            "not every pair was asked with every template (--limit?): numbers are pooled over the "
            "templates instead of being means over them"
        )
    if leaf.eps != EPS:
        yield f"RelaxSym is at eps = {leaf.eps:g}"
    if leaf.metric != Statistic.KENDALL:
        printed = "" if leaf.metric == Statistic.NMI else "; no values of it are printed"
        yield f"MMScore is {leaf.metric_title} (Appendix C.2), not Kendall's tau-b{printed}"
    lacking = asymmetry.n_without_difference(leaf.table) if leaf.asymmetric else 0
    if lacking:
        yield (
            f"{lacking} of {len(leaf.table.both_orders[0])} trials asked in both orders have no "
            "usable rating in one of them: they are not among the pairs that differ most"
        )
    if leaf.pool == AUTHORS:
        yield "ratings are pooled as in the authors' notebook, not as in the paper"
