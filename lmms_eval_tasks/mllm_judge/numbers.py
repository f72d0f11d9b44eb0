"""Measure how well a judge agrees with people on pairs, scores and rankings of answers."""

from lmms_eval_tasks.preference.ties import TIES
from pairbench_ext.core.benchmark import Correlation, Mean, Number, Outcome, OutcomeTable, by_field
from pairbench_ext.core.numbers import closeness
from pairbench_ext.statistics.correlation import pearson
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.ranking import levenshtein, spearman


def ratings(outcome: Outcome) -> tuple[float, float] | None:
    """Return the judge's rating and people's rating of an answer; None if one is missing."""
    rated = outcome.usable and outcome.truth is not None
    return (float(outcome.said), float(outcome.truth)) if rated else None


def _over_sources(table: OutcomeTable) -> float:
    return mean_of_defined(list(by_field("source", _PEARSON, "").of(table).values()))


def distance(outcome: Outcome) -> float | None:
    """Return the normalised Levenshtein distance between the judge's ranking and people's.

    It is divided by the length of the longer ranking.
    """
    ranked, truth = outcome.said or "", outcome.truth
    return None if truth is None else levenshtein(ranked, truth) / max(len(truth), len(ranked))


_PEARSON = Number(
    "pearson", "Pearson, all", Correlation(pearson, ratings), "correlation", interval=True
)
_READ = (
    Number("coverage", "coverage", Mean(lambda outcome: outcome.usable)),
    Number("judgments", "judgments", len, "count", None),
)
PAIR: tuple[Number, ...] = (*TIES, *_READ)
SCORE: tuple[Number, ...] = (
    Number("closeness", "1 - |difference| / 4", closeness(4), interval=True),
    _PEARSON,
    Number("pearson_by_source", "Pearson, mean over data sets", _over_sources, "correlation"),
    Number(
        "spearman", "Spearman, all", Correlation(spearman, ratings), "correlation", interval=True
    ),
    *_READ,
)
BATCH: tuple[Number, ...] = (
    Number("levenshtein", "distance", Mean(distance), better="lower", interval=True),
    Number(
        "levenshtein_readable",
        "of readable ones",
        Mean(lambda outcome: distance(outcome) if outcome.usable else None),
        better="lower",
        interval=True,
    ),
    *_READ,
)
