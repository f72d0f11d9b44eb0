"""Numbers of MLLM-as-a-Judge: agreement with people on pairs, scores and rankings."""

from __future__ import annotations

from lmms_eval_tasks.preference.ties import TIES
from pairbench_ext.core.benchmark import Correlation, Mean, Number, Outcome, OutcomeTable, by_field
from pairbench_ext.statistics.correlation import pearson
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.ranking import levenshtein, spearman


def _scores(outcome: Outcome) -> tuple[float, float] | None:
    return (float(outcome.said), float(outcome.truth)) if outcome.usable else None


def _closeness(outcome: Outcome) -> float:
    scores = _scores(outcome)
    return 0.0 if scores is None else 1 - abs(scores[0] - scores[1]) / 4


def _over_sources(table: OutcomeTable) -> float:
    return mean_of_defined(list(by_field("source", _PEARSON, "").of(table).values()))


def _distance(outcome: Outcome) -> float:
    """Levenshtein distance of two rankings, by their length; 1 for an unreadable one."""
    ranking = outcome.said or ""
    return levenshtein(ranking, outcome.truth) / max(len(outcome.truth), len(ranking))


_PEARSON = Number(
    "pearson", "Pearson, all", Correlation(pearson, _scores), "correlation", interval=True
)
_READ = (
    Number("coverage", "coverage", Mean(lambda outcome: outcome.usable)),
    Number("judgments", "judgments", len, "count", None),
)
PAIR: tuple[Number, ...] = (*TIES, *_READ)
SCORE: tuple[Number, ...] = (
    Number("closeness", "1 - |difference| / 4", Mean(_closeness), interval=True),
    _PEARSON,
    Number("pearson_by_source", "Pearson, mean of data sets", _over_sources, "correlation"),
    Number(
        "spearman", "Spearman, all", Correlation(spearman, _scores), "correlation", interval=True
    ),
    *_READ,
)
BATCH: tuple[Number, ...] = (
    Number("levenshtein", "distance", Mean(_distance), better="lower", interval=True),
    Number(
        "levenshtein_readable",
        "of readable ones",
        Mean(lambda outcome: _distance(outcome) if outcome.usable else None),
        better="lower",
        interval=True,
    ),
    *_READ,
)
