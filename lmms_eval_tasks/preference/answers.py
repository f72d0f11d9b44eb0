"""Votes on pairs of answers, as several judges' votes are put together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from lmms_eval_tasks.preference.votes import Vote
from pairbench_ext.benchmark import Answers


def _question(vote: Vote) -> Hashable:
    return vote.item, vote.repeat, vote.order


def _winner(vote: Vote) -> int | None:
    """The response that is preferred, 0 or 1."""
    return int(vote.verdict == 2) ^ (vote.order == "rev") if vote.usable else None


def _saying(votes: Sequence[Vote], winner: int | None) -> Vote:
    verdict = None if winner is None else 1 + (winner ^ (votes[0].order == "rev"))
    return votes[0]._replace(verdict=verdict, authors=verdict)


ANSWERS = Answers("choice", _question, _winner, lambda vote: vote.truth, _saying)
