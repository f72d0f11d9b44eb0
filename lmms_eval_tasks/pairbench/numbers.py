"""PairBench's numbers, declared; `metrics` and `authors` define them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from lmms_eval_tasks.pairbench import asymmetry, authors, metrics
from lmms_eval_tasks.pairbench.ratings import (
    CONDITIONS,
    Condition,
    Rating,
    RatingTable,
    crossed_templates,
)
from lmms_eval_tasks.pairbench.reading import AUTHORS
from lmms_eval_tasks.pairbench.variants import Statistic, variant
from pairbench_ext.benchmark import Breakdown, Number, Option, Pool, TaskTrials
from pairbench_ext.plurals import counted
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.means import mean_of_defined

TEMPLATES = 5  # of the paper
EPS = 1.0  # of the headline
_POOLS: dict[str, ModuleType] = {"paper": metrics, AUTHORS: authors}

EPSILONS = range(10)  # of Figure 9

_OF_MMSCORE = (
    "mmscore",
    "mmscore_sens",
    "mmscore_inv",
    "mmscore_readable",
    "controllability",
    "prompt_std",
    *(f"mmscore_v{number + 1}" for number in range(TEMPLATES)),
)
OPTIONS = (
    Option("eps", float, EPS, "Tolerance of RelaxSym.", 0, ("relaxsym",)),
    Option(
        "metric",
        Statistic,
        Statistic.KENDALL,
        "The statistic that MMScore is: Kendall's tau-b, or a variant of Appendix C.2.",
        numbers=_OF_MMSCORE,
    ),
    Option(
        "asymmetric",
        int,
        None,
        "List so many pairs whose scores differ most between the orders (Appendix A); JSON has "
        f"{asymmetry.MOST} unless told otherwise.",
        0,
    ),
)


class Leaf:
    """The ratings of one task, and how they are pooled.

    If every pair was asked with every template, numbers are means over the templates (Table 8).

    Args:
        ratings: in any order.
        eps: tolerance of `relaxsym`.
        metric: the statistic that MMScore is (`variants`).
        asymmetric: how many of the most asymmetric pairs to list; as many as JSON has if None.
        pool: "paper" or "authors"; None as the rule that read the ratings.

    Raises:
        ValueError: if eps is negative, there is no such statistic, or a trial was rated twice,
            differently.
    """

    def __init__(
        self,
        ratings: Iterable[Rating],
        eps: float = EPS,
        metric: str = Statistic.KENDALL,
        asymmetric: int | None = None,
        pool: str | None = None,
    ) -> None:
        if not eps >= 0:
            raise ValueError(f"eps must not be negative, got {eps}")
        self.metric_title = variant(metric).title
        self.metric = Statistic(metric)
        self.asymmetric = asymmetric
        self.table = RatingTable(ratings)
        self.eps = eps
        rules = {rating.rule for rating in self.table.rows}
        self.pool = pool or (AUTHORS if rules == {AUTHORS} else "paper")
        self.rules: Any = _POOLS[self.pool]

    @cached_property
    def templates(self) -> dict[int, RatingTable]:
        """The ratings by template, if every pair was asked with every template; else none."""
        return {t: self.table.of_template(t) for t in crossed_templates([self.table])}

    @cached_property
    def parts(self) -> tuple[RatingTable, ...]:
        """What numbers are means over: the templates, or all ratings at once."""
        return tuple(self.templates.values()) or (self.table,)

    @cached_property
    def config(self) -> str:
        """The config of the data set that the ratings are of; empty if the log does not say."""
        return next((rating.config for rating in self.table.rows), "")

    @cached_property
    def interval(self) -> Interval:
        """The interval of MMScore."""
        return self._unless_authors(
            partial(
                metrics.mmscore_interval,
                by_template=bool(self.templates),
                statistic=self.metric,
            )
        )

    @cached_property
    def relaxsym_interval(self) -> Interval:
        """The interval of RelaxSym."""
        return self._unless_authors(partial(metrics.relaxsym_interval, eps=self.eps))

    def mmscore(self, part: RatingTable, condition: Condition | None = None) -> float:
        """MMScore of some of the ratings, by the statistic that was chosen."""
        return float(self.rules.mmscore(part, condition, self.metric))

    def _unless_authors(self, of: Callable[[RatingTable], Interval]) -> Interval:
        """An interval of all ratings; the authors' definitions have none."""
        return Interval(math.nan, math.nan) if self.pool == AUTHORS else of(self.table)


def _usable_alone(ratings: Iterable[Rating], **options: Any) -> Leaf:
    return Leaf((rating for rating in ratings if rating.valid), pool="paper", **options)


# Unless one is chosen, what rule authors read is pooled by the authors' definitions.
POOLS = (
    Pool("paper", "-1 for MMScore, not symmetric, not in Smoothness", partial(Leaf, pool="paper")),
    Pool("authors", "-1 in every definition of the notebook", partial(Leaf, pool=AUTHORS)),
    Pool("readable", "left out, and counted", _usable_alone),
)


def _mmscore_of_rows(condition: Condition | None = None) -> Callable[[Leaf], Clustered | None]:
    return lambda leaf: metrics.mmscore_of_rows(
        leaf.table, condition, by_template=bool(leaf.templates), statistic=leaf.metric
    )


def _relaxsym_of_rows(eps: float | None = None) -> Callable[[Leaf], Clustered]:
    return lambda leaf: metrics.relaxsym_of_rows(leaf.table, leaf.eps if eps is None else eps)


Measure = Callable[[Leaf, RatingTable], float]  # of the ratings of one template, or of all


def _mmscore(condition: Condition | None = None) -> Measure:
    return lambda leaf, part: leaf.mmscore(part, condition)


def _relaxsym(eps: float | None = None) -> Measure:
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
    "relaxsym0": _relaxsym(0),
    "smoothness": _smoothness,
    "controllability": _controllability,
}


def _mean(measure: Measure) -> Callable[[Leaf], float]:
    """The mean over the templates, or the number of all ratings; NaN if any is undefined."""
    return lambda leaf: float(np.mean([measure(leaf, part) for part in leaf.parts]))


def _of_template(number: int) -> Callable[[Leaf], float]:
    measure = STUDIED["mmscore"]
    return lambda leaf: (
        measure(leaf, leaf.templates[number]) if number in leaf.templates else math.nan
    )


def _prompt_std(leaf: Leaf) -> float:
    return _spread([STUDIED["mmscore"](leaf, part) for part in leaf.templates.values()])


def _spread(values: Sequence[float]) -> float:
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
        _mean(STUDIED["mmscore"]),
        "correlation",
        clustered=_mmscore_of_rows(),
        interval=lambda leaf: leaf.interval,
        ci95="ci95",
    ),
    *(
        Number(
            f"mmscore_{condition}",
            condition,
            _mean(_mmscore(condition)),
            "correlation",
            clustered=_mmscore_of_rows(condition),
        )
        for condition in CONDITIONS
    ),
    Number(
        "mmscore_readable",
        "of usable ones",
        _mean(lambda leaf, part: leaf.mmscore(part.where(lambda rating: rating.valid))),
        "correlation",
    ),
    Number(
        "relaxsym",
        "RelaxSym",
        _mean(_relaxsym()),
        clustered=_relaxsym_of_rows(),
        interval=lambda leaf: leaf.relaxsym_interval,
        when=_asks_both_orders,
    ),
    Number(
        "relaxsym0",
        "eps=0",
        _mean(STUDIED["relaxsym0"]),
        clustered=_relaxsym_of_rows(0),
        when=_asks_both_orders,
    ),
    Number("smoothness", "SM", _mean(_smoothness), "score", None, digits=2),
    Number("controllability", "Cont", _mean(_controllability), "score"),
    Number(
        "coverage",
        "coverage",
        _mean(lambda _, part: metrics.coverage(part)),
        section=_TRIALS,
        per_trial=lambda rating: float(rating.valid),
        interval=lambda leaf: metrics.coverage_interval(leaf.table),
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


class Spread(NamedTuple):
    """A number's mean and standard deviation over the templates."""

    mean: float
    std: float


def _by_template(leaf: Leaf) -> dict[int, dict[str, float]]:
    return {
        template + 1: {name: measure(leaf, part) for name, measure in STUDIED.items()}
        for template, part in leaf.templates.items()
    }


def prompt_study(leaves: Sequence[Leaf]) -> dict[str, Spread]:
    """Table 8 for some leaves: each number's mean and standard deviation over the templates.

    A template's number is the unweighted mean over the leaves. Empty unless every pair was asked
    with every template.
    """
    templates = crossed_templates([leaf.table for leaf in leaves])
    parts = {t: [(leaf, leaf.table.of_template(t)) for leaf in leaves] for t in templates}
    study = {}
    for name, measure in STUDIED.items() if templates else ():
        values = [mean_of_defined([measure(*one) for one in found]) for found in parts.values()]
        study[name] = Spread(float(np.mean(values)), _spread(values))
    return study


def _every_metric(leaf: Leaf) -> dict[str, dict[str, float]]:
    """MMScore by every statistic, as the mean and under each condition (Figure 10)."""
    parts: tuple[Condition | None, ...] = (None, *CONDITIONS)
    return {
        name.value: {
            "mmscore" + (f"_{part}" if part else ""): _mean(_by_statistic(name, part))(leaf)
            for part in parts
        }
        for name in Statistic
    }


def _by_statistic(name: Statistic, condition: Condition | None) -> Measure:
    return lambda leaf, part: float(leaf.rules.mmscore(part, condition, name))


def _curve(leaf: Leaf) -> dict[int, float]:
    """eps-RelaxSym by eps (Figure 9)."""
    return {eps: _mean(_relaxsym(eps))(leaf) for eps in EPSILONS}


def _never(_: object) -> bool:
    return False


BREAKDOWNS = (
    Breakdown("by_template", "by template", _by_template),
    Breakdown("metrics", "MMScore by statistic (Figure 10)", _every_metric, shown=_never),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", _curve, shown=_never),
)


def _mean_curve(runs: Sequence[Any]) -> dict[int, float]:
    curves = [_curve(run.table) for run in runs]
    return {eps: mean_of_defined([curve[eps] for curve in curves]) for eps in EPSILONS}


def _by_data(runs: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Coverage by data set and over all, each the mean over its tasks (Figure 8)."""
    found: dict[str, list[Any]] = {}
    for run in runs:
        if run.table.config:
            found.setdefault(run.table.config, []).append(run)
    return {
        config: {
            "coverage": mean_of_defined([run.numbers["coverage"] for run in own]),
            "ratings": sum(len(run.table.table) for run in own),
        }
        for config, own in {**found, "all": list(runs)}.items()
    }


def _most_asymmetric(runs: Sequence[Any]) -> dict[int, dict[str, Any]]:
    asked = runs[0].table.asymmetric
    most = asymmetry.MOST if asked is None else asked
    tables = {run.name: run.table.table for run in runs}
    return asymmetry.as_rows(asymmetry.most_asymmetric(tables, most))


ACROSS = (
    Breakdown(
        "prompt_study",
        "over the templates (Table 8)",
        lambda runs: prompt_study([run.table for run in runs]),
    ),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", _mean_curve, shown=_never),
    Breakdown("coverage_by_data", "coverage by data set (Figure 8)", _by_data, shown=_never),
    Breakdown(
        "asymmetric",
        "pairs whose scores differ most between the orders",
        _most_asymmetric,
        shown=lambda runs: bool(runs[0].table.asymmetric),
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
            f"{counted(lacking, 'trial')} of {len(leaf.table.both_orders[0])} asked in both orders "
            "lack a usable rating, and are not among the pairs that differ most"
        )
    if leaf.pool == AUTHORS:
        yield "ratings are pooled as in the authors' notebook, not as in the paper"
