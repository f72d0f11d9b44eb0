"""Find the two answers in a prompt, and the verdicts among which the prompt asks to choose.

For judges that know the words of a prompt and nothing else. Of two images there are no answers to
find: only the verdict's form is known.
"""

import re
from typing import NamedTuple


class PairForm(NamedTuple):
    """One form of prompt that asks which of two answers is better.

    Attributes:
        found: finds a prompt of this form; its groups `first` and `second` are the answers, if they
            are texts.
        verdicts: for the first, for the second, and for neither.
    """

    found: re.Pattern[str]
    verdicts: tuple[str, str, str]


class PairPrompt(NamedTuple):
    """The two answers in a prompt (None if they are images), and the verdicts it allows."""

    answers: tuple[str, str] | None
    verdicts: tuple[str, str, str]


def _form(pattern: str, first: str, second: str, tie: str) -> PairForm:
    return PairForm(re.compile(pattern, re.DOTALL | re.MULTILINE), (first, second, tie))


_TIE = "Both answers are alike: it is a tie."
_FIRST, _SECOND = r"(?P<first>.*?)", r"(?P<second>.*?)"
_ASSISTANT = (
    r"\[The Start of Assistant {0}['\u2019]s Answer\]\n{1}\n"
    r"\[The End of Assistant {0}['\u2019]s Answer\]"
)
FORMS = (
    _form(  # VL-RewardBench (Tables 18 and 19), best of N
        rf"^Answer 1: {_FIRST}\n\nAnswer 2: {_SECOND}\n\nPlease evaluate both answers",
        "Overall Judgment: Answer 1 is better.",
        "Overall Judgment: Answer 2 is better.",
        "Overall Judgment: both answers are equally long, it is a tie.",
    ),
    _form(  # LLaVA-Critic, two answers
        rf"^The first response: \[{_FIRST}\]\nThe second response: \[{_SECOND}\]\nASSISTANT:",
        "The first response is better.",
        "The second response is better.",
        _TIE,
    ),
    _form(  # Multimodal RewardBench, MLLM-as-a-Judge; a third answer is a ranking
        rf"{_ASSISTANT.format('A', _FIRST)}\s+{_ASSISTANT.format('B', _SECOND)}"
        r"(?!.*\[The Start of Assistant C)",
        "[[A]]",
        "[[B]]",
        "[[C]]",
    ),
    _form(  # MM-RLHF-RewardBench
        rf"^###### \[Response 1\]:\n{_FIRST}  \n\n###### \[Response 2\]:\n{_SECOND}  \n\n######",
        "<answer>1</answer>",
        "<answer>2</answer>",
        _TIE,
    ),
    _form(  # Multi-Crit
        rf"^\[Response 1\]: {_FIRST}\n\[Response 2\]: {_SECOND}\n\nFirst, provide",
        "Response 1 is better.",
        "Response 2 is better.",
        _TIE,
    ),
    _form(  # Multimodal RewardBench 2: responses may hold images, too
        rf"\[RESPONSE A:\]{_FIRST}\[RESPONSE B:\](?P<second>.*)\Z",
        '{"better_response": "A"}',
        '{"better_response": "B"}',
        _TIE,
    ),
    _form(  # OmniRewardBench: images stand in their places, and leave no text there
        rf"\[\[RESPONSE A\]\]{_FIRST}\[\[END OF RESPONSE A\]\]\s*"
        rf"\[\[RESPONSE B\]\]{_SECOND}\[\[END OF RESPONSE B\]\]",
        "[[A]]",
        "[[B]]",
        "[[C]]",
    ),
    _form(r"\[\[A=B=Good\]\]", "[[A>B]]", "[[B>A]]", "[[A=B=Good]]"),  # GenAI-Bench
    _form(r"\[\[A>B\]\].*\[\[A=B\]\]", "[[A>B]]", "[[B>A]]", "[[A=B]]"),  # EditReward-Bench
    _form(r"\[\[Left>Right\]\]", "[[Left>Right]]", "[[Right>Left]]", _TIE),  # its groups
)


def read_pair(prompt: str) -> PairPrompt | None:
    """Return the two answers in a prompt and the verdicts it allows; None for other prompts."""
    for form in FORMS:
        if found := form.found.search(prompt):
            texts = found.groupdict()
            words = any(text.strip() for text in texts.values())
            return PairPrompt((texts["first"], texts["second"]) if words else None, form.verdicts)
    return None
