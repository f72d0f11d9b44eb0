"""Judges that give a number for one answer at a time: of two, the higher one wins."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from PIL.Image import Image

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.core.readings import Reading
from pairbench_ext.core.requests import Exchange

Reward: TypeAlias = Callable[[Sequence[Image], str, str], float]
#: Of the images shown with an answer, the prompt and the answer (empty for an image by itself).

NOT_OF_REWARDS = frozenset(
    {
        *("coverage", "coverage_swapped", "refusals", "first_position_rate", "first_option_rate"),
        *("position_consistency", "letter_bias", "accuracy_both_orders", "relaxsym"),
    }
)
_REWARDS = "pairbench_rewards"
_SAYS = {  # replies in which some grammar says the place
    0: ("Overall Judgment: Answer 1 is better.", "[[A]]", "[[A>B]]", "A"),
    1: ("Overall Judgment: Answer 2 is better.", "[[B]]", "[[B>A]]", "B"),
    TIE: ("[[C]]", "[[A=B=Good]]", "A tie."),
}


class Candidate(NamedTuple):
    """What a reward model judges: an answer to a prompt with images, or an image by itself."""

    images: Callable[[], Sequence[Image]]
    prompt: str
    answer: str = ""


def reward_reply(rewards: Sequence[float]) -> str:
    """The reply of a reward model: a number for each answer that a trial shows, in its order.

    Raises:
        ValueError: if one is not finite.
    """
    return json.dumps({_REWARDS: [float(reward) for reward in rewards]}, allow_nan=False)


def rewards_of(exchanges: Sequence[Exchange]) -> list[float] | None:
    """The numbers in such a reply; None in any other."""
    if len(exchanges) != 1 or not exchanges[0].reply.startswith(f'{{"{_REWARDS}"'):
        return None
    try:
        rewards = json.loads(exchanges[0].reply)[_REWARDS]
        return [float(reward) for reward in rewards]
    except (KeyError, TypeError, ValueError):
        return None


def by_rewards(read: Callable[[str], Reading], rewards: Sequence[float], labels: str) -> Reading:
    """What rewards say: the higher of two wins, equal ones tie; one alone is a rating by rank.

    Args:
        read: what the benchmark makes of a reply.
        rewards: in the order shown.
        labels: of answers that are to be ranked, in the order shown.
    """
    unread = read("")
    if len(rewards) != 2 and any(outcome.kind == "chosen" for outcome in unread.outcomes):
        why = f"rewards of {len(rewards)}, where two are compared"
        return replace(unread, unusable=(why,), rewarded=True)
    log = {**unread.log, "said": list(rewards), "unusable": None}
    if len(rewards) == 2:
        margin = rewards[0] - rewards[1]
        said: Any = TIE if margin == 0 else int(margin < 0)
        readings = (read(reply) for reply in _SAYS[said])
        known = next((reading for reading in readings if _all_say(reading, said)), unread)
        measured = {"margin": abs(margin)}
    else:
        ranked = sorted(range(len(rewards)), key=lambda place: -rewards[place])
        texts = "".join(labels[place] for place in ranked if place < len(labels))
        said, known = (rewards[0] if len(rewards) == 1 else texts), unread
        measured = {"answer": said}
    outcomes = tuple(
        replace(outcome, said=said, measured={**outcome.measured, **measured})
        if outcome.kind != "text" or (known is unread and len(rewards) > 2)
        else outcome
        for outcome in known.outcomes
    )
    return replace(known, outcomes=outcomes, log=log, unusable=(), rewarded=True)


def _all_say(reading: Reading, said: Any) -> bool:
    return all(outcome.said == said for outcome in reading.outcomes if outcome.kind != "text")


def finite(reward: Any, of: str) -> float:
    """A reward as a number.

    Raises:
        ValueError: naming what gave it, if it is none.
    """
    try:
        number = float(reward)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{of} must give a finite number, not {reward!r:.60}")
    return number
