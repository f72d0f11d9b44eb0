"""Marks in texts that backends take for the place of an image.

Queries and answers of data sets hold them (`<image>` in VL-RewardBench's), and so may what a model
said a moment ago. A backend that finds one in a prompt puts an image there, or one image too few
behind it, or raises: the whole run is lost then. Our images stand where a request has them, so its
texts need none. What only looks like one stays: `<image 1>`, an HTML tag with attributes.
"""

from __future__ import annotations

import re

#: The marks, each with the models whose backends or processors put an image in its place.
SLOTS = (
    "<image>",  # LLaVA, InternVL, Idefics, Aria, Mantis, Phi-3; of lmms-eval Claude and GPT-4V
    "<img>",  # Qwen-VL, which opens the file that is named up to ...
    "</img>",
    "<IMG_CONTEXT>",  # InternVL
    "<ImageHere>",  # XComposer
    "<|image|>",  # Llama, GLM
    "<|image_pad|>",  # Qwen2-VL and later
    "<|vision_start|>",
    "<|vision_end|>",
    "<start_of_image>",  # Gemma 3
    "<image_soft_token>",
    "<image_placeholder>",  # Janus
    "<fake_token_around_image>",  # Idefics
    "[IMG]",  # Pixtral, Mistral
)
_NUMBERED = r"<\|image_\d+\|>"  # Phi-3, Phi-4
_SLOT = re.compile(rf"(?:{'|'.join(map(re.escape, SLOTS))}|{_NUMBERED})\n?")


def without_image_slots(text: str) -> str:
    r"""A text without such marks, each with the line break after it, as VL-RewardBench's code does.

    >>> without_image_slots("<image>\nIs <image 1> a cat? <image>")
    'Is <image 1> a cat? '
    """
    replaced = 1
    while replaced:  # what is left may close up to a mark
        text, replaced = _SLOT.subn("", text)
    return text
