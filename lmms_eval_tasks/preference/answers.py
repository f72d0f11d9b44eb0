"""What votes on pairs of answers say."""

from __future__ import annotations

from collections.abc import Sequence

from lmms_eval_tasks.preference.votes import Vote
from pairbench_ext.core.benchmark import Answers, Chosen
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import READABLE


def shown_place(verdict: int | None) -> int | None:
    """The place that a verdict names, from 0; None for neither of the two."""
    return verdict - 1 if verdict in (1, 2) else None


def _answer(vote: Vote) -> Chosen:
    said, reverse = shown_place(vote.verdict), vote.order == "rev"
    return Chosen(vote.item, 2, vote.truth, said, reverse, vote.longer, vote.repeat)


def _put(votes: Sequence[Vote], place: int | None) -> Vote:
    verdict = None if place is None else place + 1
    return votes[0]._replace(verdict=verdict, authors=verdict)


ANSWERS = Answers("choice", _answer, _put)
CARD = (READABLE, *choice_evidence("vote_accuracy", same="position_consistency"))
