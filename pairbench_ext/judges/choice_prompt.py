"""Parse and answer multiple-choice prompts without a language model.

The prompts are those of VLM-SubtleBench (Figures 8-15): a line "Question: ...", options as lines
"A. ..." after a line "Options:", and, where the model is to reason, a format with the headings
"### Reasoning" and "### Answer".
"""

import re
import string
from typing import NamedTuple

_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_OPTIONS = re.compile(r"^Options:\n(.*)", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^([A-Z])\. (.*)$")
_REASONING, _ANSWER = "### Reasoning", "### Answer"


class ChoicePrompt(NamedTuple):
    """A multiple-choice question in a prompt; `question` is empty if there are only options."""

    question: str
    options: tuple[str, ...]
    wants_reasons: bool

    def answer(self, position: int, reasons: str) -> str:
        """Return a reply that chooses an option, in the format that the prompt asks for."""
        letter = string.ascii_uppercase[position]
        if not self.wants_reasons:
            return letter
        return f"{_REASONING}\n{reasons}\n\n{_ANSWER}\n{letter}"


def read_prompt(prompt: str) -> ChoicePrompt | None:
    r"""Return the question and the options of a prompt; None if it has no options.

    >>> read_prompt("Question: Which?\n\nOptions:\nA. this\nB. that").options
    ('this', 'that')
    """
    listed = _OPTIONS.search(prompt)
    options: list[str] = []
    for line in listed[1].splitlines() if listed else ():
        option = _OPTION.match(line)
        if option is None or option[1] != string.ascii_uppercase[len(options)]:
            break
        options.append(option[2])
    if not options:
        return None
    question = _QUESTION.search(prompt)
    wants_reasons = _REASONING in prompt and _ANSWER in prompt
    return ChoicePrompt(question[1] if question else "", tuple(options), wants_reasons)
