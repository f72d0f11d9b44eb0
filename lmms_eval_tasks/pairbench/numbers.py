"""Declare PairBench's metrics, such as MMScore, RelaxSym, smoothness and controllability."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lmms_eval_tasks.pairbench import authors, metrics
from lmms_eval_tasks.pairbench.intervals import (
    controllability_of_rows,
    mmscore_of_rows,
    relaxsym_of_rows,
    smoothness_of_rows,
)
from lmms_eval_tasks.pairbench.ratings import (
    AUTHORS,
    CONDITIONS,
    EPS,
    HIGHEST,
    LOWEST,
    PAPER,
    Condition,
    by_template,
    conditions,
    definitions,
    is_cut_study,
    parts,
    under,
)
from lmms_eval_tasks.pairbench.statistic import Statistic, definition
from pairbench_ext.core.benchmark import Estimator, Mean, Number, OutcomeTable, TaskTrials
from pairbench_ext.core.numbers import closeness
from pairbench_ext.core.table import without_ties
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.kendall import highest_tau_b, somers_d_from_counts
from pairbench_ext.statistics.means import mean_of

TEMPLATES = 5  # of the paper
Measure = Callable[[OutcomeTable], float]  # of the ratings of one template, or of all
_DEFINITIONS: dict[str, Any] = {PAPER: metrics, AUTHORS: authors}


def defined(table: OutcomeTable) -> Any:
    """Return the module whose definitions apply to a table: `metrics` or `authors`."""
    return _DEFINITIONS[definitions(table)]


def mmscore_by(statistic: str | None = None, condition: Condition | None = None) -> Measure:
    """Return a function that computes MMScore with `statistic`, or else the table's `metric`."""

    def measure(part: OutcomeTable) -> float:
        return float(defined(part).mmscore(part, condition, statistic or part.options["metric"]))

    return measure


def relaxsym_at(eps: float | None = None) -> Measure:
    """Return a function that computes RelaxSym with tolerance `eps`, or else the table's `eps`."""

    def measure(part: OutcomeTable) -> float:
        # The authors' 0 for orders that were not asked would look measured.
        if not metrics.n_both_orders(part):
            return math.nan
        return float(defined(part).relaxsym(part, part.options["eps"] if eps is None else eps))

    return measure


def _smoothness(part: OutcomeTable) -> float:
    return float(defined(part).smoothness(part))


def _controllability(part: OutcomeTable) -> float:
    sens, inv = (mmscore_by(condition=condition)(part) for condition in CONDITIONS)
    return float(defined(part).controllability(sens, inv))


def _readable(part: OutcomeTable) -> float:
    return mmscore_by()(part.where(lambda rating: rating.usable))


def _once(measure: Measure, of_rows: Callable[[OutcomeTable], Clustered | None]) -> Estimator:
    """Return an estimator that weighs all items the same if the table counts each item once."""

    def value(table: OutcomeTable) -> float:
        clustered = of_rows(table) if table.by_item and definitions(table) == PAPER else None
        return measure(table) if clustered is None else clustered.statistic.estimate()

    return Estimator(value, of_rows)


def _somers_of_rows(table: OutcomeTable) -> Clustered | None:
    return mmscore_of_rows(table, of_counts=somers_d_from_counts)


def _somers_d(table: OutcomeTable) -> float:
    clustered = _somers_of_rows(table)
    return math.nan if clustered is None else clustered.statistic.estimate()


# What Table 8 prints, as mean and standard deviation over the five templates.
STUDIED: dict[str, Measure] = {
    "mmscore": mmscore_by(),
    "relaxsym0": relaxsym_at(0),
    "smoothness": _smoothness,
    "controllability": _controllability,
}


def mean_over_templates(measure: Measure) -> Measure:
    """Return a function that averages `measure` over templates, if each rated all pairs.

    Otherwise it measures the ratings of all templates together.
    """
    return lambda table: mean_of(map(measure, parts(table)))


def _of_template(template: int) -> Measure:
    measure = STUDIED["mmscore"]
    return lambda table: (
        measure(by_template(table)[template]) if template in by_template(table) else math.nan
    )


def _prompt_std(table: OutcomeTable) -> float:
    return spread([STUDIED["mmscore"](part) for part in by_template(table).values()])


def spread(values: Sequence[float]) -> float:
    """Return the sample standard deviation (n - 1), or NaN for fewer than two values."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def _under(condition: Condition) -> Number:
    return Number(
        f"mmscore_{condition}",
        condition,
        _once(
            mean_over_templates(mmscore_by(condition=condition)),
            lambda table: mmscore_of_rows(table, condition),
        ),
        "correlation",
    )


def _asks_both_orders(trials: TaskTrials[Any]) -> bool:
    return bool(trials.entry.orders == "both")


def _asks_all_templates(trials: TaskTrials[Any]) -> bool:
    return bool(trials.entry.templates == "all")


_TRIALS, _PROMPTS = "trials", "the five templates"

NUMBERS = (
    Number(
        "mmscore",
        "MMScore",
        _once(mean_over_templates(STUDIED["mmscore"]), mmscore_of_rows),
        "correlation",
        interval="ci95",
        if_some_tie=Number(
            "mmscore_d",
            "Somers' D given the truth",
            Estimator(_somers_d, _somers_of_rows),
            "correlation",
            interval=True,
        ),
    ),
    *map(_under, CONDITIONS),
    Number("mmscore_readable", "readable only", mean_over_templates(_readable), "correlation"),
    Number(
        "relaxsym",
        "RelaxSym",
        _once(
            mean_over_templates(relaxsym_at()),
            lambda table: relaxsym_of_rows(table, table.options["eps"]),
        ),
        interval=True,
        when=_asks_both_orders,
    ),
    Number(
        "relaxsym0",
        "eps=0",
        _once(mean_over_templates(STUDIED["relaxsym0"]), lambda table: relaxsym_of_rows(table, 0)),
        when=_asks_both_orders,
    ),
    Number(
        "smoothness",
        "SM",
        Estimator(mean_over_templates(_smoothness), smoothness_of_rows),
        "score",
        None,
        resampled=True,
        digits=2,
    ),
    Number(
        "controllability",
        "Cont",
        Estimator(mean_over_templates(_controllability), controllability_of_rows),
        "score",
        resampled=True,
    ),
    Number("coverage", "coverage", Mean(lambda r: r.usable), section=_TRIALS, interval=True),
    Number("closeness", "closeness", closeness(HIGHEST - LOWEST), "mean", section=_TRIALS),
    Number("ratings", "ratings", len, "count", None, _TRIALS),
    Number("pairs", "pairs", lambda table: len(table.labels("item")), "count", None, _TRIALS),
    Number(
        "pairs_both_orders",
        "pairs shown in both orders",
        metrics.n_both_orders,
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
        "prompt_std", "their std", _prompt_std, "score", None, _PROMPTS, when=_asks_all_templates
    ),
)


def remarks(table: OutcomeTable) -> Iterator[str]:
    """Yield remarks on image orders that were not shown, on pooled templates and on options."""
    if any(rating.measured.get("order_shown") is False for rating in table):
        yield (
            "RelaxSym is not measured on image-text pairs (nan), because the backend seems not to "
            "show text before the image: it is not a chat backend, or nearly all its replies are "
            "the same in both orders"
        )
    if is_cut_study(table):
        yield (
            "not every pair was asked with every template (--limit?), so numbers are computed "
            "from the ratings of all templates together, not averaged over templates"
        )
    eps, metric = table.options["eps"], table.options["metric"]
    if metric == Statistic.KENDALL and without_ties(table):
        most = mean_of(highest_tau_b(under(table, c).column("truth")) for c in conditions(table))
        yield (
            "the ratings have hardly any ties, but the true scores have many. So MMScore "
            f"(tau-b) is at most {most:.2f}, not 1; do not compare it with that of a judge "
            "whose ratings have ties"
        )
    if eps != EPS:
        yield f"RelaxSym is computed with eps = {eps:g}"
    if metric != Statistic.KENDALL:
        printed = "" if metric == Statistic.NMI else "; the paper prints no values for this variant"
        yield f"MMScore is {definition(metric).title} (Appendix C.2), not Kendall's tau-b{printed}"
    if definitions(table) == AUTHORS:
        yield "numbers are computed as in the authors' notebook, not as in the paper"
