"""Numbers of MLLM-as-a-Judge: agreement with people on pairs, scores and rankings."""

from __future__ import annotations

from functools import partial

from lmms_eval_tasks.preference.ties import TIES
from pairbench_ext.core.benchmark import Number, Outcome, OutcomeTable
from pairbench_ext.core.outcome_numbers import (
    by_field,
    correlation_number,
    count_number,
    mean_number,
)
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


_mean = partial(mean_number, interval=True)
_PEARSON = correlation_number("pearson", "Pearson, all", pearson, _scores, interval=True)
_READ = (
    mean_number("coverage", "coverage", lambda outcome: outcome.usable),
    count_number("judgments", "judgments"),
)
PAIR: tuple[Number, ...] = (*TIES, *_READ)
SCORE: tuple[Number, ...] = (
    _mean("closeness", "1 - |difference| / 4", _closeness),
    _PEARSON,
    Number("pearson_by_source", "Pearson, mean of data sets", _over_sources, "correlation"),
    correlation_number("spearman", "Spearman, all", spearman, _scores, interval=True),
    *_READ,
)
BATCH: tuple[Number, ...] = (
    _mean("levenshtein", "distance", _distance, better="lower"),
    _mean(
        "levenshtein_readable",
        "of readable ones",
        lambda outcome: _distance(outcome) if outcome.usable else None,
        better="lower",
    ),
    *_READ,
)
