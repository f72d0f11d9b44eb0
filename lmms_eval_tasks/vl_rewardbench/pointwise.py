"""Pointwise judging: each answer is scored by itself, and the higher score wins.

Paper: VL-RewardBench, Section 4.3: "a pointwise critic that independently scores individual
answers", with LLaVA-Critic's template. From the scores of a pair's two answers follows a vote: for
the higher one; equal scores are a tie, and a score that cannot be read leaves the pair undecided.

The paper counts the pairs whose scores could be extracted, and says nothing about ties: numbers
here leave them out, count them as wrong, or count them as half right, each under its own name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Interval

from lmms_eval_tasks.preference.numbers import (
    BREAKDOWNS,
    K_OPTION,
    Preferences,
    accuracies,
    length_numbers,
)
from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.preference.votes import MOST_REPEATS, ORDERS, OTHER, Tag, Vote
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING
from lmms_eval_tasks.vl_rewardbench.prompts import CRITIC_POINTWISE
from lmms_eval_tasks.vl_rewardbench.rows import PairRows
from lmms_eval_tasks.vl_rewardbench.tags import BY_TAG
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Decoding,
    Number,
    Rated,
    Request,
    SampleView,
    Task,
    Trial,
)
from pairbench_ext.core.items import ItemEntry
from pairbench_ext.core.old_readers import one_reply, row_fields
from pairbench_ext.core.outcome_table import OutcomeTable
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.trials import Plan
from pairbench_ext.runs.card.model import READABLE, number_alone
from pairbench_ext.statistics.shares import share

GRAMMAR = "points"


@dataclass(frozen=True)
class PointwiseEntry(ItemEntry):
    """What a task's entry says.

    Attributes:
        k: how often each answer is scored; the n-th scores of a pair are its n-th vote.
        split: of the data set.
        tag: column of the types of errors.
    """

    k: Annotated[int, Ge(1)] = 1
    split: str = "test"
    tag: str | None = None


class PointwiseTrials(PairRows):
    """One answer each: pair by pair, and within a pair repeat by repeat."""

    entry_type: ClassVar[type[Any]] = PointwiseEntry

    def plan(self) -> Plan:
        """Both answers of every pair, K times."""
        return Plan({"repeat": tuple(range(self.entry.k)), "answer": (0, 1)})

    def show(self, item: Pair, trial: Trial) -> Request:
        """The image, then the question and one answer."""
        answer = item.responses[trial["answer"]]
        text = CRITIC_POINTWISE.format(query=item.query, answer=answer)
        return Request((self.rows.picture(trial["row"], "image"), text))

    def target(self, trial: Trial) -> str:
        """Whether the answer is the better one."""
        return "better" if trial["answer"] == trial["truth"] else "worse"


@dataclass(frozen=True)
class Score:
    """The score of one answer of a pair; `said` is None where the reply could not be read."""

    item: int | str
    source: str
    repeat: Annotated[int, Interval(ge=0, le=MOST_REPEATS)]
    answer: Literal[0, 1]
    truth: Literal[0, 1]
    longer: Literal[0, 1] | None = None
    tag: Tag = None
    said: float | None = None


class Pointwise(Preferences):
    """The scores of one run, as votes on pairs.

    Args:
        scores: in any order.
        k: use the first k scores of each answer; None for all.

    Raises:
        ValueError: if scores contradict each other, or no answer has as many as `k`.
    """

    def __init__(self, scores: Iterable[Score], k: int | None = None) -> None:
        facts: tuple[str, ...] = ("source", "truth", "longer", "tag")
        self.scores = OutcomeTable(scores, ("item", "repeat", "answer"), {"item": facts})
        both: dict[tuple[Any, int], list[Score]] = {}
        for score in self.scores.rows:
            both.setdefault((score.item, score.repeat), []).append(score)
        #: How many pairs have one answer scored, and the other not asked about.
        self.halves = sum(len(pair) < 2 for pair in both.values())
        super().__init__((_vote(*pair) for pair in both.values() if len(pair) == 2), GROUPING, k)

    @cached_property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether both scores of a vote could be read."""
        return self.table.verdict >= OTHER

    @cached_property
    def worth(self) -> npt.NDArray[np.float64]:
        """Shape (n,): 1 for a vote for the better answer, 0.5 for a tie, else 0."""
        right = self.table.winner == self.table.truth[self.table.item]
        return np.where(self.table.verdict == OTHER, 0.5, right.astype(np.float64))

    def ties_half(self, group: str | None = None) -> float:
        """The mean worth of the votes with two scores, of a group or all; NaN if there are none."""
        groups = np.array([GROUPING.of(source) for source in self.table.sources], dtype=object)
        kept = self.scored & ((groups == group)[self.table.item] if group else True)
        return float(self.worth[kept].mean()) if kept.any() else math.nan

    def macro_ties_half(self) -> float:
        """The mean of `ties_half` over the groups that occur; NaN if one has none."""
        found = dict.fromkeys(map(GROUPING.of, self.table.sources))
        return float(np.mean([self.ties_half(group) for group in found])) if found else math.nan

    def tie_rate(self) -> float:
        """The share of ties among the votes with two scores; NaN if there are none."""
        return share(self.table.verdict[self.scored] == OTHER)


def _vote(first: Score, second: Score) -> Vote:
    """The vote of two scores: for the place of the higher one, 0 for a tie, None if unreadable."""
    if first.said is None or second.said is None:
        verdict = None
    elif first.said == second.said:
        verdict = OTHER
    else:
        verdict = 1 if first.said > second.said else 2
    one = first
    return Vote(
        one.item, one.source, one.repeat, ORDERS[0], one.truth, verdict, one.longer, one.tag
    )


def _remarks(run: Pointwise) -> Iterator[str]:
    scored, votes = int(run.scored.sum()), len(run.table)
    ties = int((run.table.verdict == OTHER).sum())
    if ties:
        yield (
            f"{ties} of {counted(scored, 'scored pair')} tied: out of the denominator, wrong under "
            "`strict`, half right under `ties half`; the paper does not say how it counts them"
        )
    if scored < votes:
        yield (
            f"{votes - scored} of {counted(votes, 'pair')} without two readable scores: undecided, "
            "wrong under `strict`; the paper leaves them out (Section 4.3)"
        )
    if run.halves:
        yield f"{counted(run.halves, 'pair', 'was')} scored by half (--limit?): left out"


def _mean_score(better: bool) -> Callable[[Pointwise], float]:
    def of(run: Pointwise) -> float:
        said = [
            score.said
            for score in run.scores.rows
            if score.said is not None and (score.answer == score.truth) == better
        ]
        return float(np.mean(said)) if said else math.nan

    return of


_COUNTED = "pairs with two readable scores; a tie is half right"
_SCORES = "the scores"
_NUMBERS = (
    *accuracies(GROUPING),
    Number("overall_accuracy_ties_half", "overall", Pointwise.ties_half, section=_COUNTED),
    Number("macro_accuracy_ties_half", "macro", Pointwise.macro_ties_half, section=_COUNTED),
    Number("tie_rate", "ties", Pointwise.tie_rate, better=None, section=_COUNTED),
    Number("votes_scored", "votes", lambda run: int(run.scored.sum()), "count", None, _COUNTED),
    Number(
        "coverage",
        "coverage",
        lambda run: share(np.array([one.said is not None for one in run.scores.rows])),
        section=_SCORES,
        per_trial=lambda score: float(score.said is not None),
    ),
    Number("score_better", "of the better", _mean_score(True), "mean", None, _SCORES, digits=1),
    Number("score_worse", "of the worse", _mean_score(False), "mean", None, _SCORES, digits=1),
    *length_numbers(_SCORES),
    Number("scores", "scores", lambda run: len(run.scores), "count", None, _SCORES),
)


def _rated(score: Score) -> Rated:
    return Rated(score.item, score.answer, score.said, None, template=score.repeat)


def _put(scores: Sequence[Score], said: float | None) -> Score:
    return replace(scores[0], said=said)


def _recognises(trial: Mapping[str, Any]) -> bool:
    return {"truth", "repeat", "answer"} <= set(trial)


_CARD_DECODING = Decoding("critic", 4096, why="As LLaVA-Critic's model card decodes: greedily.")
POINTWISE = Benchmark(
    name="vl_rewardbench_pointwise",
    title="VL-RewardBench, pointwise",
    trials=PointwiseTrials,
    grammar=GRAMMAR,
    fields=row_fields(Score),
    read=one_reply(Score, GRAMMAR),
    table=Pointwise,
    numbers=_NUMBERS,
    breakdowns=(*BREAKDOWNS, BY_TAG),
    remarks=_remarks,
    cluster=lambda score: score.item,
    answers=Answers("rating", _rated, _put, numbers=("overall_accuracy", "macro_accuracy")),
    counts_as="scores that could not be read",
    usable=lambda score: score.said is not None,
    card=(READABLE, number_alone("sees", "overall_accuracy", "higher score for the better")),
    view=SampleView(condition=lambda trial: f"answer {trial['answer'] + 1}"),
    options=(K_OPTION,),
    recognises=_recognises,
    row=(
        "Plain rows of pointwise scores are JSON lines {item, source, repeat, answer, truth, "
        "response}, with answer 0 or 1 (which of the item's answers was scored)."
    ),
    tasks=(
        Task(
            "vl_rewardbench_pointwise",
            {},
            "each answer scored by itself out of 100, LLaVA-Critic's template (Section 4.3)",
            _CARD_DECODING,
        ),
        Task(
            "vl_rewardbench_demo_pointwise",
            {"data": "demo"},
            "the same on 30 pairs on embedded photographs",
            _CARD_DECODING,
        ),
    ),
)
