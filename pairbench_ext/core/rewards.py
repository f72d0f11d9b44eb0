"""Judges that give a number for one answer at a time: of two, the higher one wins."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from PIL.Image import Image

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.plurals import counted
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


class Candidate(NamedTuple):
    """What a reward model judges: an answer to a prompt with images, or the last of the images."""

    images: Callable[[], Sequence[Image]]
    prompt: str
    answer: str = ""


def reward_reply(rewards: Sequence[Any], of: str = "the reward model") -> str:
    """The reply of a reward model: a number for each answer that a trial shows, in its order.

    Raises:
        ValueError: naming what gave them, if one is no finite number.
    """
    try:
        numbers = [float(reward) for reward in rewards]
    except (TypeError, ValueError):
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{of} must give finite numbers, not {rewards!r:.60}")
    return json.dumps({_REWARDS: numbers})


def rewards_of(exchanges: Sequence[Exchange]) -> list[float] | None:
    """The numbers in such a reply; None in any other."""
    if len(exchanges) != 1 or not exchanges[0].reply.startswith(f'{{"{_REWARDS}"'):
        return None
    try:
        return [float(reward) for reward in json.loads(exchanges[0].reply)[_REWARDS]]
    except (KeyError, TypeError, ValueError):
        return None


def rewarded(outcomes: Iterable[Outcome]) -> bool:
    """Whether a reward model gave outcomes, of which nothing was read."""
    return any("rewards" in outcome.measured for outcome in outcomes)


def by_rewards(unread: Reading, rewards: Sequence[float], labels: str) -> Reading:
    """What rewards say: the higher of two wins, equal ones tie; one alone is a rating by rank.

    Args:
        unread: what the benchmark makes of an empty reply.
        rewards: in the order shown.
        labels: of answers that are to be ranked, in the order shown.
    """
    judged = {outcome.kind for outcome in unread.outcomes} - ({"text"} if not labels else set())
    wanted = {"chosen": 2, "rated": 1, "text": len(labels)}
    said: dict[str, Any] = {}
    if judged and all(wanted[kind] == len(rewards) for kind in judged):
        ranked = sorted(range(len(rewards)), key=lambda place: -rewards[place])
        said["chosen"] = TIE if len({*rewards}) == 1 else ranked[0]
        said["rated"] = rewards[0]
        said["text"] = "".join(labels[place : place + 1] for place in ranked)

    def of(outcome: Outcome) -> Outcome:
        answer = said.get(outcome.kind)
        return replace(outcome, said=answer, measured={"answer": answer, "rewards": (*rewards,)})

    outcomes = tuple(of(each) if each.kind in judged else each for each in unread.outcomes)
    unusable = () if said else (f"{counted(len(rewards), 'reward')}, which say nothing here",)
    log = {"said": list(rewards), "unusable": unusable[0] if unusable else None}
    return replace(unread, outcomes=outcomes, log=log, unusable=unusable)
