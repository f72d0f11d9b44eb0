"""Judges that give a number for one answer at a time: of two, the higher one wins."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from PIL.Image import Image

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.readings import Reading
from pairbench_ext.core.requests import Exchange

Reward: TypeAlias = Callable[[Sequence[Image], str, str], float]
#: Of the images shown with an answer, the prompt and the answer (empty for an image by itself).

#: Numbers of reading, position and the scale that the instructions ask for: undefined of rewards.
NOT_OF_REWARDS = frozenset(
    {
        *("coverage", "refusals", "first_position_rate", "position_consistency"),
        *("relaxsym", "relaxsym0", "closeness", "smoothness"),
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


def rewarded(outcomes: Iterable[Outcome]) -> bool:
    """Whether a reward model gave outcomes, of which nothing was read."""
    return any("rewards" in outcome.measured for outcome in outcomes)


def by_rewards(read: Callable[[str], Reading], rewards: Sequence[float], labels: str) -> Reading:
    """What rewards say: the higher of two wins, equal ones tie; one alone is a rating by rank.

    Args:
        read: what the benchmark makes of a reply.
        rewards: in the order shown.
        labels: of answers that are to be ranked, in the order shown.
    """
    known = read("")
    shown = {"chosen": 2, "rated": 1, "text": len(labels)}
    judged = {outcome.kind for outcome in known.outcomes} - ({"text"} if not labels else set())
    why = f"{len(rewards)} rewards, which are no answer here"
    said: dict[str, Any] = {}
    if judged and all(shown[kind] == len(rewards) for kind in judged):
        ranked = sorted(range(len(rewards)), key=lambda place: -rewards[place])
        place = TIE if len({*rewards}) == 1 else ranked[0]
        ranking = "".join(labels[n] for n in ranked) if "text" in judged else None
        said, why = {"chosen": place, "rated": rewards[0], "text": ranking}, ""
        if "chosen" in judged:
            known = next((made for made in map(read, _SAYS[place]) if _all_say(made, place)), known)
    outcomes = tuple(
        replace(
            outcome,
            said=said.get(outcome.kind),
            measured={**outcome.measured, "answer": said.get(outcome.kind), "rewards": (*rewards,)},
        )
        if outcome.kind in judged
        else outcome
        for outcome in known.outcomes
    )
    log = {**known.log, "said": list(rewards), "unusable": why or None}
    return replace(known, outcomes=outcomes, log=log, unusable=(why,) if why else ())


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
