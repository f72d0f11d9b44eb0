"""Draft labels of new pairs: which answer is better, said by a judge that knows the right one.

Paper: VL-RewardBench, Section 2.2.2 and Table 19. GPT-4o drafted the labels of the reasoning tasks
so; people then checked each. Pairs are what `pairbench build response-pairs` writes, with an image
and the right answer (`ground_truth`); nobody has said yet which answer is better, so nothing here
is an accuracy. `pairbench build draft-labels` puts the drafts beside the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Len

from lmms_eval_tasks.preference.accuracy import pair_winner
from lmms_eval_tasks.preference.numbers import position_numbers
from lmms_eval_tasks.preference.trials import Pair, PreferenceTrials, in_order, text_of, two_of
from lmms_eval_tasks.preference.votes import GRAMMAR, NONE, IntArray, place_of, votes
from lmms_eval_tasks.vl_rewardbench.prompts import TABLE_19
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Decoding,
    Number,
    OutcomeFields,
    OutcomeTable,
    Request,
    SampleView,
    Task,
    Trial,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.readers import one_reply
from pairbench_ext.core.records import Record
from pairbench_ext.runs.card.model import READABLE, number_alone
from pairbench_ext.statistics.shares import share

PAIRS = "pairs.jsonl"
_SOURCE = "pairs"


class LabelTrials(PreferenceTrials):
    """The trials of pairs that are to be labelled."""

    name = "vl_rewardbench_label"
    strata: ClassVar[tuple[str, ...]] = ()
    source = Source(
        variable="VL_REWARDBENCH_PAIRS",
        files=(PAIRS,),
        how=f"Name the folder of {PAIRS}, as `pairbench build response-pairs --out` writes it.",
    )

    def read(self, record: Record) -> Pair:
        """A row: `id`, `query`, `response` (two), `ground_truth`, and `image`, a file's path."""
        return Pair(
            key=text_of(record, "id"),
            query=text_of(record, "query"),
            responses=two_of(record, "response", str),
            source=_SOURCE,
            truth=NONE,  # nobody has said
            images=(text_of(record, "image"),),
            ground_truth=text_of(record, "ground_truth"),
        )

    def describe_item(self, item: Pair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """What scoring needs to know of a pair."""
        return {"item": item.key}

    def show(self, item: Pair, trial: Trial) -> Request:
        """The image, then Table 19 with the answers in the order of the trial."""
        answers = in_order(item.responses, trial["order"])
        text = TABLE_19.format(query=item.query, answers=answers, ground_truth=item.ground_truth)
        return Request((self.rows.picture(trial["row"], item.images[0]), text))

    def target(self, trial: Trial) -> str:  # noqa: ARG002
        """Nobody has said."""
        return ""


@dataclass(frozen=True)
class Row:
    """A judgment of a pair that nobody has labelled, as logs have it."""

    item: int | str
    order: Literal["fwd", "rev"]
    repeats: Annotated[tuple[Annotated[int, Ge(0)], ...], Len(1)]


DRAFT = OutcomeFields("chosen", Row, options=2)


def preferred(table: OutcomeTable) -> IntArray:
    """Shape (m,): the response with more than half of a pair's votes, 0 or 1; -1 for none."""
    return pair_winner(votes(table))


def _labelled(table: OutcomeTable) -> float:
    return share(preferred(table) != NONE)


def _remarks(table: OutcomeTable) -> Iterator[str]:
    left = int((preferred(table) == NONE).sum())
    if left:
        yield f"{counted(left, 'pair', 'has')} no draft: the votes are split or unusable"


_DRAFTS = "drafts"
LABELS = Benchmark(
    name="vl_rewardbench_label",
    title="VL-RewardBench, draft labels",
    trials=LabelTrials,
    grammar=GRAMMAR,
    outcome=DRAFT,
    read=one_reply(DRAFT, GRAMMAR, said=lambda verdict, _: place_of(verdict)),
    numbers=(
        Number("labelled", "pairs with a draft", _labelled, section=_DRAFTS),
        *position_numbers(_DRAFTS),
        Number("pairs", "pairs", lambda table: len(votes(table).items), "count", None, _DRAFTS),
        Number("votes", "votes", lambda table: len(votes(table)), "count", None, _DRAFTS),
    ),
    remarks=_remarks,
    answers=Answers(why_not="nobody has said which answers are better: these are drafts of that"),
    card=(
        READABLE,
        number_alone("order", "position_consistency", "same winner in both orders"),
        number_alone("order", "first_position_rate", "says first"),
    ),
    view=SampleView(answer=lambda vote: vote.option),
    tasks=(
        Task(
            "vl_rewardbench_label",
            {"orders": "both", "greedy": True},
            "draft labels of new pairs by Table 19, both orders, greedy",
            Decoding("greedy", 2048),
        ),
    ),
)
