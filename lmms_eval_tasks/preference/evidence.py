"""What votes on pairs of answers say on the card of a judge."""

from __future__ import annotations

from typing import Any

from lmms_eval_tasks.preference.votes import Vote
from pairbench_ext.evidence.choices import Answer, choice_evidence
from pairbench_ext.evidence.replies import READABLE


def answers(run: Any) -> list[Answer]:
    """The votes of a run as answers with two options, one for each request."""
    found = {}
    for reading in run.readings:
        for vote in reading.outcomes[:1]:  # under greedy decoding one reply is several votes
            found[vote.item, vote.repeat, vote.order] = _answer(vote)
    return list(found.values())


def _answer(vote: Vote) -> Answer:
    reverse = vote.order == "rev"
    return Answer(
        item=vote.item,
        options=2,
        right=vote.truth ^ reverse,
        said=vote.verdict - 1 if vote.verdict in (1, 2) else None,
        reverse=reverse,
        longer=None if vote.longer is None else vote.longer ^ reverse,
        repeat=vote.repeat,
    )


CARD = (READABLE, *choice_evidence(answers, "vote_accuracy", same="position_consistency"))
