"""Declare best of N's metrics: how good are the answers that a judge picks?

Paper: VL-RewardBench, Section 3.3. A question has N candidate answers, each with a score in [0, 1]
(1 is correct, 0 is not). The judge compares two at a time; from its verdicts one candidate is
picked by round-robin, by knockout (`picking` defines both), or by each.

    gain  = mean score of the picked candidates - mean score of all candidates
    share = gain / (mean score of each question's best candidate - mean score of all candidates)

So the gain is over a random pick, and a share of 1 is all that picking can bring. The paper
correlates the gains of several judges with their accuracies on VL-RewardBench.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.best_of_n.contests import identical_pairs, questions, unequal, winners
from lmms_eval_tasks.best_of_n.picking import KNOCKOUT, METHODS, ROUND_ROBIN, pick
from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.numbers import position_numbers
from lmms_eval_tasks.preference.votes import votes
from pairbench_ext.core.benchmark import ByCluster, Mean, Number, OutcomeTable
from pairbench_ext.core.table import once_per_table
from pairbench_ext.core.texts import counted, plural
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic
from pairbench_ext.statistics.means import mean_of
from pairbench_ext.statistics.shares import mean_of_clusters, ratio_of_sums

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Picks:
    """The scores of the answers that each method, such as a knockout, picks in one run.

    Every pick is over the same questions: those in which each method of the run can pick. A run
    that asked a knockout's comparisons alone cannot be read as a round-robin.

    Attributes:
        complete: the names of the questions in which all comparisons are there that picks need.
        worth: the score of each picked candidate, keyed by method; NaN for a method that
            the comparisons of the run do not allow.
        random, worst, best: the scores of a random pick, the worst and the best candidate.
    """

    complete: tuple[str, ...]
    worth: Mapping[str, FloatArray]
    random: FloatArray
    worst: FloatArray
    best: FloatArray

    def mean_worth(self, method: str) -> Clustered:
        """Return the mean score of the answers that a method picks; each question is a cluster."""
        return self._mean(self.worth[method], 0.0)

    def gain(self, method: str) -> Clustered:
        """Return the mean score of a method's picks minus the mean score of random picks."""
        return self._mean(self.worth[method] - self.random, self.random)

    def share(self, method: str) -> Clustered:
        """Return a method's gain over random picks, divided by the largest possible gain."""
        possible = self.best - self.random
        gain = self.worth[method] - self.random
        ends = [
            np.array([(end - self.random).sum(), possible.sum()]) for end in (self.worst, self.best)
        ]
        statistic = SumStatistic(np.stack([gain, possible], axis=1), ratio_of_sums, *ends)
        return Clustered(self.complete, statistic)

    def _mean(self, values: FloatArray, less: FloatArray | float) -> Clustered:
        lowest, highest = (mean_of(ends - less) for ends in (self.worst, self.best))
        places = np.arange(len(values))
        return mean_of_clusters(values, places, self.complete, lowest=lowest, highest=highest)


@once_per_table
def picks(table: OutcomeTable) -> Picks:
    """Return the scores of the answers that each method picks for each question of a run."""
    offered = questions(table)
    knockout = any(question["knockout"] for question in offered.values())
    methods = (KNOCKOUT,) if knockout else METHODS
    won = winners(table)
    picked = {
        name: {method: pick(method, len(question["worth"]), won[name]) for method in methods}
        for name, question in offered.items()
    }
    complete = tuple(name for name, chosen in picked.items() if None not in chosen.values())
    worths = [offered[name]["worth"] for name in complete]

    def worth_of(method: str) -> FloatArray:
        if method not in methods:
            return np.full(len(complete), math.nan)
        chosen = [cast(int, picked[name][method]) for name in complete]
        return np.array([worth[n] for worth, n in zip(worths, chosen, strict=True)], np.float64)

    return Picks(
        complete,
        {method: worth_of(method) for method in METHODS},
        *(np.array([f(worth) for worth in worths], np.float64) for f in (np.mean, min, max)),
    )


def _unread(table: OutcomeTable) -> int:
    """Return the number of candidates with an unreadable final answer."""
    return sum(question["unread"] for question in questions(table).values())


def _incomplete(table: OutcomeTable) -> int:
    """Return the number of questions in which a comparison is missing."""
    return len(questions(table)) - len(picks(table).complete)


def _picks(method: str) -> Iterator[Number]:
    """Yield the numbers of the picks of one method."""
    way = method.replace("_", "-")
    number = partial(
        Number,
        kind="mean",
        section=f"mean score of the answers picked by {way}",
        when=(lambda trials: trials.entry.method != KNOCKOUT) if method == ROUND_ROBIN else None,
    )
    worth = ByCluster(lambda table: picks(table).mean_worth(method))
    gain = ByCluster(lambda table: picks(table).gain(method))
    share = ByCluster(lambda table: picks(table).share(method))
    yield number(method, f"{way}: score", worth, interval=True)
    yield number(f"{method}_gain", f"{way}: gain over a random pick", gain, interval=True)
    yield number(f"{method}_share", f"{way}: gain / best possible gain", share)


_POSSIBLE, _VOTES = "the candidates", "numbers of comparisons and votes"

_count = partial(Number, kind="count", better=None)

NUMBERS = (
    *(number for method in METHODS for number in _picks(method)),
    Number("random", "random pick", lambda t: mean_of(picks(t).random), "mean", None, _POSSIBLE),
    Number("oracle", "best pick", lambda t: mean_of(picks(t).best), "mean", None, _POSSIBLE),
    _count("questions", "questions", lambda t: len(picks(t).complete), section=_POSSIBLE),
    _count("questions_incomplete", "left out", _incomplete, section=_POSSIBLE),
    _count(
        "pairs_identical",  # with the same text: ties that no judge is asked about
        "identical pairs",
        lambda t: sum(len(identical_pairs(each["alike"])) for each in questions(t).values()),
        section=_POSSIBLE,
    ),
    _count("unread_candidates", "unread candidates", _unread, section=_POSSIBLE),
    Number(
        "pairwise_accuracy",
        "pairwise accuracy",
        lambda table: accuracy.accuracy_over(votes(table), unequal(table)),
        section=_VOTES,
    ),
    Number(
        "pairwise_accuracy_strict",
        "pairwise, strict",
        lambda table: accuracy.accuracy_over(votes(table), unequal(table), strict=True),
        section=_VOTES,
    ),
    Number(
        "vote_accuracy",
        "accuracy per vote",
        Mean(lambda outcome: None if outcome.truth is None else outcome.right),
        section=_VOTES,
    ),
    *position_numbers(_VOTES),
    _count("comparisons", "comparisons", lambda t: len(votes(t).items), section=_VOTES),
    _count(
        "comparisons_decided",
        "decided",
        lambda t: int((accuracy.pair_winner(votes(t)) >= 0).sum()),
        section=_VOTES,
    ),
    _count("votes", "votes", lambda t: len(votes(t)), section=_VOTES),
)


def remarks(table: OutcomeTable) -> Iterator[str]:
    """Yield remarks on questions left out and on unreadable candidate answers."""
    incomplete = _incomplete(table)
    if incomplete:
        yield (
            f"{counted(incomplete, 'question', 'is')} left out of the picks, because the run "
            "lacks comparisons that a pick needs (was --limit used?)"
        )
    unread = _unread(table)
    if unread:
        yield (
            f"{counted(unread, 'candidate', 'has')} no final answer that "
            f"could be read: {plural('it', unread)} {plural('is', unread)} scored 0. "
            "To change this, give the scores of candidates in the field 'correct'"
        )
