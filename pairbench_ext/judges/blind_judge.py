"""A judge that never looks at the image: its score shows what the text alone achieves.

A judge that sees must beat it. What it scores above a half by length or position says how far the
data can be solved by these alone; what it scores at random, how far chance goes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pairbench_ext.judges.choice_prompt import ChoicePrompt, read_prompt
from pairbench_ext.judges.local_judge import CannotAnswer, LocalJudge
from pairbench_ext.judges.pair_prompts import PairPrompt, read_pair
from pairbench_ext.statistics.seeds import draw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lmms_eval.api.instance import Instance

POLICIES = ("random", "longer", "shorter", "first", "second")

# The one answer of a prompt in the form of LLaVA-Critic's.
_ANSWER = re.compile(r"^The LMM response: \[(?P<answer>.*)\]\nASSISTANT:", re.DOTALL | re.MULTILINE)
_MOST = 100  # points


class BlindJudge(LocalJudge):
    """A judge that chooses an answer or an option from the prompt's text alone, by a fixed policy.

    Policies: `random` (by seed and prompt, the same for the same prompt), `longer` and `shorter` by
    words (equal lengths are a tie, or no choice), `first`, `second`. One answer that is to be
    scored out of 100 gets a point per word, or is docked one; all get 50 from `first` and `second`.
    A prompt with neither answers nor options gets a reply without a verdict.
    """

    NAME = "blind_judge"

    def __init__(self, policy: str = "random", seed: int | str = 0, **harness: Any) -> None:
        """Take the policy by which the judge answers.

        Raises:
            ValueError: for an unknown policy.
        """
        super().__init__(**harness)
        if policy not in POLICIES:
            raise ValueError(f"unknown policy {policy!r}; choose from {', '.join(POLICIES)}")
        self.policy = policy
        self.seed = int(seed)

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """Return the judge's reply to each request, in the order of the requests."""
        return [self._judge(str(request.args[0])) for request in requests]

    def _judge(self, prompt: str) -> str:
        if pair := read_pair(prompt):
            return self._verdict(prompt, pair)
        if answer := _ANSWER.search(prompt):
            return f"Score: {self._points(prompt, answer['answer'])}"
        if choice := read_prompt(prompt):
            return self._choose(prompt, choice)
        return CannotAnswer(
            "This judge compares two answers or chooses an option, but the prompt has neither."
        )

    def _choose(self, prompt: str, choice: ChoicePrompt) -> str:
        options = choice.options
        if self.policy in ("first", "second"):
            position = min(("first", "second").index(self.policy), len(options) - 1)
        elif self.policy == "random":
            position = draw(len(options), self.seed, "blind_judge", prompt)
        else:
            lengths = [len(option.split()) for option in options]
            most = max(lengths) if self.policy == "longer" else min(lengths)
            if lengths.count(most) > 1:
                return "Several options are equally long, so none is chosen."
            position = lengths.index(most)
        return choice.answer(position, f"The judge looked at nothing; its policy is {self.policy}.")

    def _points(self, prompt: str, answer: str) -> int:
        if self.policy == "random":
            return draw(_MOST + 1, self.seed, "blind_judge", prompt)
        words = min(len(answer.split()), _MOST)
        return {"longer": words, "shorter": _MOST - words}.get(self.policy, _MOST // 2)

    def _verdict(self, prompt: str, pair: PairPrompt) -> str:
        if self.policy in ("first", "second"):
            return pair.verdicts[("first", "second").index(self.policy)]
        if self.policy == "random":
            return pair.verdicts[draw(2, self.seed, "blind_judge", prompt)]
        if pair.answers is None:
            return CannotAnswer(
                "The policy compares the lengths of answers, but these answers are images."
            )
        first, second = (len(answer.split()) for answer in pair.answers)
        if first == second:
            return pair.verdicts[2]
        return pair.verdicts[int((second > first) == (self.policy == "longer"))]
