"""How a question is put: any way of prompting with any way of showing the images.

A strategy is named by its parts, joined by "+": `reasoning+concat`, `two_step+grid+camera_hint`.

    prompt      standard (Figure 8), reasoning (9), two_step (10), language_only (Appendix C.2)
    images      none, grid, concat, overlap, subtract, highlight (Figures 11-15)
    hint        camera_hint: the line on camera movement of the authors' code

What is not named is `standard`, `none` and no hint, so the figures' own strategies are called
`standard`, `reasoning`, `two_step`, `grid`, `concat` and so on.
"""

from __future__ import annotations

from typing import NamedTuple

from lmms_eval_tasks.subtlebench.visual.strategies import STRATEGIES

STANDARD, REASONING, TWO_STEP, LANGUAGE_ONLY = "standard", "reasoning", "two_step", "language_only"
PROMPTS = (STANDARD, REASONING, TWO_STEP, LANGUAGE_ONLY)
PLAIN = "none"
IMAGES = tuple(STRATEGIES)
CAMERA_HINT = "camera_hint"
_OF_ONE_IMAGE = (PLAIN, "grid")  # the others show both images in one


class Strategy(NamedTuple):
    """A strategy.

    Attributes:
        prompt: one of `PROMPTS`.
        images: one of `IMAGES`.
        camera_hint: whether the line on camera movement is among the guidelines.
    """

    prompt: str = STANDARD
    images: str = PLAIN
    camera_hint: bool = False

    @property
    def name(self) -> str:
        """Its parts, in the order of the module's text; `standard` if it has none.

        >>> Strategy("two_step", "grid").name, Strategy().name
        ('two_step+grid', 'standard')
        """
        parts = [part for part in (self.prompt, self.images) if part not in (STANDARD, PLAIN)]
        return "+".join(parts + [CAMERA_HINT] * self.camera_hint) or STANDARD

    @property
    def in_steps(self) -> bool:
        """Whether there are several requests, which depend on the replies."""
        return self.prompt in (TWO_STEP, LANGUAGE_ONLY)


def read_strategy(text: str) -> Strategy:
    """The strategy of a name, with its parts in any order.

    Raises:
        ValueError: naming the part that there is not, or that does not go with the others.

    >>> read_strategy("camera_hint + concat")
    Strategy(prompt='standard', images='concat', camera_hint=True)
    """
    parts = [part.strip() for part in text.split("+")]
    known = (*PROMPTS, *IMAGES, CAMERA_HINT)
    for part in parts:
        if part not in known:
            raise ValueError(f"unknown strategy {part!r} in {text!r}: join {', '.join(known)} by +")
    prompts = [part for part in parts if part in PROMPTS]
    images = [part for part in parts if part in IMAGES]
    if max(len(prompts), len(images)) > 1 or parts.count(CAMERA_HINT) > 1:
        raise ValueError(f"strategy {text!r} has two prompts, two kinds of images or two hints")
    prompt, shown = (*prompts, STANDARD)[0], (*images, PLAIN)[0]
    found = Strategy(prompt, shown, CAMERA_HINT in parts)
    if found.prompt == LANGUAGE_ONLY and found.images not in _OF_ONE_IMAGE:
        raise ValueError(
            f"strategy {text!r}: {LANGUAGE_ONLY} describes each image alone, and "
            f"{found.images} shows both in one"
        )
    return found
