"""The prompts of VLM-SubtleBench as the paper and the authors' code have them: `prompt_texts/*.txt`.

Source: "VLM-SubtleBench: How Far Are VLMs from Human-Level Subtle Comparative Reasoning?", Appendix
B.1, Figures 8-15 (multiple choice) and 16 (captions), B.3 (the judge of captions) and C.2
(descriptions of one image). Line breaks, the headings of Figure 9 and the lines of the options ("A.
text") are those of the authors' code. It lacks the two-step, the highlighting and the language-only
prompts; these are laid out in the same way.

A file has the system prompt, a line `---`, and the user prompt; names in braces are filled in.
Appendix C.2 prints the prompts about single images for three types of difference, but neither those
for the other types nor the final question: `_OTHER_TYPES` and `language_only.txt` are ours. The
paper prints the judge's prompt in one line, with typographic quotation marks.
"""

import string
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).with_name("prompt_texts")

#: The question about each image alone, by the type of difference (Appendix C.2).
ONE_IMAGE: Mapping[str, str] = {
    "emotion": "Describe the emotion expressed in the image in detail and rate its intensity on a "
    "scale of 1–10.",
    "existence": "Carefully list all objects visible in the image, including their approximate "
    "locations.",
    "quality": "Analyze the quality of the image and rate it on a scale of 1–10, considering blur, "
    "noise, overexposure, compression artifacts, and other quality issues.",
}
_OTHER_TYPES = "Describe the image in detail."


class Prompt(NamedTuple):
    """A system prompt and a user prompt."""

    system: str
    user: str


@cache
def template(name: str) -> Prompt:
    """Return the prompts of a file, with the names in braces that are to be filled in."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")
    system, _, user = text.partition("\n---\n")
    return Prompt(system, user)


def render(name: str, question: str, options: Sequence[str], **described: str) -> Prompt:
    """Return a prompt of a multiple-choice question, filled in."""
    system, user = template(name)
    lines = (f"{name}. {text}" for name, text in zip(string.ascii_uppercase, options, strict=False))
    filled = {"question": question, "options": "\n".join(lines), **described}
    return Prompt(system, user.format(**filled))


def one_image(category: str) -> str:
    """Return the question about each image alone, for a type of difference (Appendix C.2)."""
    return ONE_IMAGE.get(category, _OTHER_TYPES)


def render_judge(reference: str, candidate: str) -> str:
    """Return what the judge of a caption is asked (Appendix B.3)."""
    return template("judge").user.format(reference=reference, candidate=candidate)
