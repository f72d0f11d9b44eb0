"""Pointwise judging: the judge scores each answer by itself; the higher score wins.

Paper: VL-RewardBench, Section 4.3: "a pointwise critic that independently scores individual
answers", with LLaVA-Critic's template. The scores of a pair's two answers make a vote: for the
answer with the higher score. Equal scores are a tie; if a score cannot be read, the pair is
undecided.

The paper counts the pairs whose scores could be extracted, and does not say how it counts ties.
Here there is a number for each way: ties left out, counted as wrong, or counted as half right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.numbers import K_OPTION, accuracies, breakdowns, length_numbers
from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.preference.votes import votes
from lmms_eval_tasks.vl_rewardbench.groups import BY_TAG, GROUPING
from lmms_eval_tasks.vl_rewardbench.prompts import ASKS_POINTS, CRITIC_POINTWISE
from lmms_eval_tasks.vl_rewardbench.rows import PairRows
from pairbench_ext.core.benchmark import (
    TIE,
    Answers,
    Benchmark,
    Decoding,
    Mean,
    Number,
    OutcomeFields,
    OutcomeTable,
    PlainRows,
    Request,
    Task,
    Trial,
    View,
    one_reply,
)
from pairbench_ext.core.items import ItemEntry
from pairbench_ext.core.texts import counted
from pairbench_ext.core.trials import Plan
from pairbench_ext.runs.card.model import READABLE, number_alone
from pairbench_ext.statistics.means import mean_of
from pairbench_ext.statistics.shares import share

GRAMMAR = "points"


@dataclass(frozen=True)
class PointwiseEntry(ItemEntry):
    """The settings of a task in which a judge scores one answer at a time.

    Attributes:
        k: how often each answer is scored; the n-th scores of a pair are its n-th vote.
    """

    k: Annotated[int, Ge(1)] = 1


class PointwiseTrials(PairRows):
    """The trials in which a judge scores one answer at a time."""

    entry_type: ClassVar[type[Any]] = PointwiseEntry

    def plan(self) -> Plan:
        """Return the plan: each answer of each pair is scored k times."""
        return Plan({"repeat": tuple(range(self.entry.k)), "answer": (0, 1)})

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the request: the image, then the question and one answer."""
        text = CRITIC_POINTWISE.format(query=item.query, answer=item.responses[trial["answer"]])
        return Request((self.rows.picture(trial["row"], item.images[0]), text))

    def target(self, trial: Trial) -> str:
        """Return "better" or "worse": is the scored answer the better one of its pair?"""
        return "better" if trial["answer"] == trial["truth"] else "worse"


@dataclass(frozen=True)
class PointwiseRow:
    """The fields of the score of one answer, in logs and plain JSONL files."""

    item: int | str
    source: str
    repeat: Annotated[int, Ge(0)]
    answer: Literal[0, 1]
    truth: Literal[0, 1]
    longer: Literal[0, 1] | None = None
    tag: str | tuple[str, ...] | None = None


SCORE = OutcomeFields(
    "rated",
    PointwiseRow,
    variant=("answer",),
    facets=("source", "tag", "truth"),
    truth="",
    scale=(0, 100),
)


def _scored(table: OutcomeTable) -> npt.NDArray[np.bool_]:
    """Return shape (n,): whether both scores of a vote could be read."""
    return np.array([vote.usable for vote in votes(table)], dtype=np.bool_)


def _tied(table: OutcomeTable) -> npt.NDArray[np.bool_]:
    return np.array([vote.said == TIE for vote in votes(table)], dtype=np.bool_)


def _ties_half(table: OutcomeTable, group: str | None = None) -> float:
    """The mean of votes with two scores, in a group or all: 1 if right, 0.5 if tied, else 0."""
    cast = votes(table)
    worth = np.where(_tied(table), 0.5, accuracy.right(cast))
    groups = np.array([GROUPING.of(vote["source"]) for vote in cast], dtype=object)
    return mean_of(worth[_scored(table) & (groups == group if group else True)])


def _macro_ties_half(table: OutcomeTable) -> float:
    """Return the mean of `_ties_half` over the groups that occur; NaN if one has none."""
    groups = dict.fromkeys(map(GROUPING.of, accuracy.sources(votes(table))))
    return mean_of(_ties_half(table, group) for group in groups)


def _remarks(table: OutcomeTable) -> Iterator[str]:
    scored, n = int(_scored(table).sum()), len(votes(table))
    ties = int(_tied(table).sum())
    if ties:
        yield (
            f"{ties} of {counted(scored, 'scored pair')} are tied. Ties are left out of the "
            "accuracy, count as wrong under `strict`, and as half right under `ties half`; the "
            "paper does not say how it counts ties"
        )
    if scored < n:
        yield (
            f"{n - scored} of {counted(n, 'pair')} lack a readable score. They count as "
            "undecided, and as wrong under `strict`; the paper leaves them out (Section 4.3)"
        )


def _mean_score(table: OutcomeTable, *, better: bool) -> float:
    return mean_of(s.said for s in table if s.usable and (s["answer"] == s["truth"]) == better)


_COUNTED = "votes on pairs with two readable scores; a tie counts as half right"
_SCORES = "the scores"
_score = partial(Number, kind="mean", better=None, section=_SCORES, digits=1)
_NUMBERS = (
    *accuracies(GROUPING),
    Number("overall_accuracy_ties_half", "overall", _ties_half, section=_COUNTED),
    Number("macro_accuracy_ties_half", "macro", _macro_ties_half, section=_COUNTED),
    Number(
        "tie_rate",
        "ties",
        lambda table: share(_tied(table)[_scored(table)]),
        better=None,
        section=_COUNTED,
    ),
    Number("votes_scored", "votes", lambda t: int(_scored(t).sum()), "count", None, _COUNTED),
    Number("coverage", "coverage", Mean(lambda score: score.usable), section=_SCORES),
    _score("score_better", "of the better", partial(_mean_score, better=True)),
    _score("score_worse", "of the worse", partial(_mean_score, better=False)),
    *length_numbers(_SCORES),
    Number("scores", "scores", len, "count", None, _SCORES),
)

_CARD_DECODING = Decoding("critic", 4096, why="LLaVA-Critic's model card decodes greedily.")
POINTWISE = Benchmark(
    name="vl_rewardbench_pointwise",
    title="VL-RewardBench, pointwise",
    trials=PointwiseTrials,
    read=one_reply(SCORE, GRAMMAR, asks=ASKS_POINTS),
    numbers=_NUMBERS,
    breakdowns=(*breakdowns(GROUPING), BY_TAG),
    remarks=_remarks,
    answers=Answers(numbers=("overall_accuracy", "macro_accuracy")),
    card=(
        READABLE,
        number_alone("sees", "overall_accuracy", "the better answer gets the higher score"),
    ),
    view=View(condition=lambda trial: f"answer {trial['answer'] + 1}"),
    options=(K_OPTION,),
    plain=PlainRows(
        "Plain rows hold the score of one answer. They are JSON lines with the fields `item`, "
        "`source`, `repeat`, `answer`, `truth` and `response`. `answer` is 0 or 1 (the answer of "
        "the item that was scored). `truth` is 0 or 1 (the better answer)."
    ),
    tasks=(
        Task(
            "vl_rewardbench_pointwise",
            {},
            "each answer scored alone, out of 100, by LLaVA-Critic's template (Section 4.3)",
            _CARD_DECODING,
        ),
        Task(
            "vl_rewardbench_demo_pointwise",
            {"data": "demo"},
            "each answer scored alone, on 30 pairs on the package's photographs",
            _CARD_DECODING,
        ),
    ),
)
