"""What a judge is worth that picks the best of N candidate answers, two at a time.

Paper: VL-RewardBench, Section 3.3. A question has N candidate answers, each of a worth in [0, 1]
(1 is correct, 0 is not). The judge compares two at a time; from its verdicts one candidate is
picked by round-robin, by knockout (`picking` defines both), or by each.

    gain  = mean worth of the picked candidates - mean worth of all candidates
    share = gain / (mean worth of each question's best candidate - mean worth of all candidates)

So the gain is over a random pick, and a share of 1 is all that picking can bring. The paper
correlates the gains of several judges with their accuracies on VL-RewardBench.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.best_of_n.contests import (
    Choices,
    Comparison,
    Contests,
    identical_pairs,
    pair_winner,
)
from lmms_eval_tasks.best_of_n.picking import KNOCKOUT, METHODS, ROUND_ROBIN, pick
from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.candidates import pair_name
from lmms_eval_tasks.preference.numbers import position_numbers
from lmms_eval_tasks.preference.votes import NONE, VoteTable
from pairbench_ext.core.benchmark import Number, TaskTrials
from pairbench_ext.core.plurals import counted, plural
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic
from pairbench_ext.statistics.shares import mean_of_clusters, ratio_of_sums

FloatArray = npt.NDArray[np.float64]
_FACTS = ("worth", "alike", "unread")


class Picks:
    """The questions and comparisons of one run, and what is picked.

    Every pick is over the same questions: those in which each of `methods` can pick. A run that
    asked a knockout's comparisons alone cannot be read as a round-robin.

    Args:
        outcomes: in any order.

    Raises:
        ValueError: if outcomes contradict each other.
    """

    def __init__(self, outcomes: Iterable[Choices | Comparison]) -> None:
        self.questions: dict[str, Choices] = {}
        self.comparisons: list[Comparison] = []
        for outcome in outcomes:
            if isinstance(outcome, Comparison):
                self.comparisons.append(outcome)
            else:
                self._add(outcome)
        knockout = any(choices.knockout for choices in self.questions.values())
        self.methods = (KNOCKOUT,) if knockout else METHODS
        self.contests = self._contests(self.comparisons)

    def _add(self, choices: Choices) -> None:
        known = self.questions.setdefault(choices.question, choices)
        for fact in _FACTS:
            one, other = getattr(known, fact), getattr(choices, fact)
            if one != other:
                raise ValueError(
                    f"{fact!r} of the candidates of question {choices.question!r} is "
                    f"{one} and {other}"
                )

    def _contests(self, comparisons: Iterable[Comparison]) -> Contests:
        return Contests.from_comparisons(
            {name: choices.worth for name, choices in self.questions.items()},
            comparisons,
            {name: choices.alike for name, choices in self.questions.items()},
        )

    @property
    def table(self) -> VoteTable:
        """All votes."""
        return self.contests.table

    @cached_property
    def unequal(self) -> npt.NDArray[np.bool_]:
        """Shape (m,): which of the pairs have one candidate that is worth more."""
        return self.contests.unequal()

    @cached_property
    def every(self) -> VoteTable:
        """The votes on pairs of unequal worth, of which one is the better: a preference task's."""
        pairs = zip(self.table.items, self.unequal, strict=True)
        kept = {name for name, differ in pairs if differ}
        return self._contests(
            one for one in self.comparisons if pair_name(one.question, *one.pair) in kept
        ).table

    @property
    def equal_worth(self) -> int:
        """How many pairs are left out of `every`."""
        return int((~self.unequal).sum())

    @cached_property
    def _picked(self) -> dict[str, dict[str, int | None]]:
        winners = self.contests.winners()
        return {
            name: {method: pick(method, len(worth), winners[name]) for method in self.methods}
            for name, worth in self.contests.worth.items()
        }

    @cached_property
    def complete(self) -> list[str]:
        """The questions in which all comparisons are there that the picks need."""
        return [name for name, picked in self._picked.items() if None not in picked.values()]

    def worth(self, method: str) -> FloatArray:
        """What a method's picks are worth, by question; NaN if the run cannot be read so."""
        if method not in self.methods:
            return np.full(len(self.complete), math.nan)
        chosen = {name: cast(int, self._picked[name][method]) for name in self.complete}
        return np.array([self.contests.worth[name][c] for name, c in chosen.items()], np.float64)

    @cached_property
    def random(self) -> FloatArray:
        """What a random pick is worth, by question."""
        return np.array([np.mean(self.contests.worth[name]) for name in self.complete], np.float64)

    @cached_property
    def worst(self) -> FloatArray:
        """What the worst candidate is worth, by question."""
        return np.array([min(self.contests.worth[name]) for name in self.complete], np.float64)

    @cached_property
    def best(self) -> FloatArray:
        """What the best candidate is worth, by question."""
        return np.array([max(self.contests.worth[name]) for name in self.complete], np.float64)

    def gain(self, method: str) -> FloatArray:
        """What a method's picks are worth, less a random pick, by question."""
        return self.worth(method) - self.random

    def share(self, method: str) -> float:
        """The gain as a share of what is possible; NaN if nothing is."""
        possible = _mean(self.best - self.random)
        return _mean(self.gain(method)) / possible if possible > 0 else math.nan

    @property
    def unread(self) -> int:
        """How many candidates have no final answer that could be read."""
        return sum(choices.unread for choices in self.questions.values())

    @property
    def identical(self) -> int:
        """How many pairs of candidates are the same text: ties that nobody is asked about."""
        return sum(len(identical_pairs(choices.alike)) for choices in self.questions.values())

    def vote_accuracy(self) -> float:
        """Share of votes for the better candidate, over pairs of unequal worth."""
        return accuracy.vote_accuracy(self.every)


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else math.nan


def _by_question(run: Picks, values: FloatArray, less: FloatArray | float = 0.0) -> Clustered:
    """The mean over questions of what picks are worth, less something."""
    lowest, highest = (_mean(ends - less) for ends in (run.worst, run.best))
    questions = np.arange(len(values))
    return mean_of_clusters(values, questions, run.complete, lowest=lowest, highest=highest)


def _share_by_question(run: Picks, method: str) -> Clustered:
    """The gain as a share of what is possible, by question."""
    possible = run.best - run.random
    gain = run.gain(method)
    ends = [np.array([(end - run.random).sum(), possible.sum()]) for end in (run.worst, run.best)]
    statistic = SumStatistic(np.stack([gain, possible], axis=1), ratio_of_sums, *ends)
    return Clustered(tuple(run.complete), statistic)


def _asks_all_pairs(trials: TaskTrials[Any]) -> bool:
    return bool(trials.entry.method != KNOCKOUT)


def _picks(method: str) -> Iterator[Number]:
    """What the picks of one method are worth."""
    way = method.replace("_", "-")
    number = partial(
        Number,
        kind="mean",
        section=f"what the picks by {way} are worth",
        when=_asks_all_pairs if method == ROUND_ROBIN else None,
    )
    yield number(
        method,
        f"{way}: worth",
        lambda run: _mean(run.worth(method)),
        clustered=lambda run: _by_question(run, run.worth(method)),
        interval=True,
    )
    yield number(
        f"{method}_gain",
        f"{way}: gain",
        lambda run: _mean(run.gain(method)),
        clustered=lambda run: _by_question(run, run.gain(method), run.random),
        interval=True,
    )
    yield number(
        f"{method}_share",
        f"{way}: share of possible gain",
        lambda run: run.share(method),
        clustered=lambda run: _share_by_question(run, method),
    )


def _counts(section: str, *counts: tuple[str, str, Callable[[Picks], int]]) -> Iterator[Number]:
    for name, title, of in counts:
        yield Number(name, title, of, "count", None, section)


_POSSIBLE, _VOTES = "what there is to pick from", "what the picks are made of"

NUMBERS = (
    *(number for method in METHODS for number in _picks(method)),
    Number("random", "random pick", lambda run: _mean(run.random), "mean", None, _POSSIBLE),
    Number("oracle", "best pick", lambda run: _mean(run.best), "mean", None, _POSSIBLE),
    *_counts(
        _POSSIBLE,
        ("questions", "questions", lambda run: len(run.complete)),
        (
            "questions_incomplete",
            "left out",
            lambda run: len(run.questions) - len(run.complete),
        ),
        ("pairs_identical", "identical pairs", lambda run: run.identical),
        ("unread_candidates", "unread candidates", lambda run: run.unread),
    ),
    Number(
        "pairwise_accuracy",
        "pairwise accuracy",
        lambda run: accuracy.accuracy_over(run.table, run.unequal),
        section=_VOTES,
    ),
    Number(
        "pairwise_accuracy_strict",
        "pairwise, strict",
        lambda run: accuracy.accuracy_over(run.table, run.unequal, strict=True),
        section=_VOTES,
    ),
    Number(
        "vote_accuracy",
        "accuracy per vote",
        lambda run: run.vote_accuracy(),
        section=_VOTES,
        per_trial=lambda outcome: getattr(outcome, "right", None),
    ),
    *position_numbers(_VOTES),
    *_counts(
        _VOTES,
        ("comparisons", "comparisons", lambda run: len(run.table.items)),
        (
            "comparisons_decided",
            "decided",
            lambda run: int((pair_winner(run.table) != NONE).sum()),
        ),
        ("votes", "votes", lambda run: len(run.table)),
    ),
)


def remarks(run: Picks) -> Iterator[str]:
    """What to say beside the numbers: questions left out, and candidates that cannot be read."""
    incomplete = len(run.questions) - len(run.complete)
    if incomplete:
        yield (
            f"{counted(incomplete, 'question', 'is')} left out of the picks: "
            "comparisons that a pick needs are missing (--limit?)"
        )
    if run.unread:
        yield (
            f"{counted(run.unread, 'candidate', 'has')} no final answer that "
            f"could be read: {plural('it', run.unread)} {plural('is', run.unread)} worth 0 "
            "(say what they are worth under 'correct'?)"
        )
