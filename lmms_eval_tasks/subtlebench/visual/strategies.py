"""Which images a prompting strategy shows, in which order.

Paper: VLM-SubtleBench, Section 4.1 and Appendix B.2. Each strategy turns the two images of an item
into what a request shows:

    none        the two images                     1, 2
    grid        each under a 4x4 grid              grid of 1, grid of 2
    concat      one canvas                         1 | 2
    overlap     and their 50/50 blend              1, 2, blend
    subtract    and their difference in grey       1, 2, difference
    highlight   and where they differ, boxed       1, 2, boxes on 1, boxes on 2

Variant `paper`, the default, follows the text; `authors` what the authors' code does
(`lmms_eval_tasks.subtlebench.visual.authors` lists where it differs; it has no `highlight`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from PIL import Image

from lmms_eval_tasks.subtlebench.visual import authors
from lmms_eval_tasks.subtlebench.visual.grid import grid
from lmms_eval_tasks.subtlebench.visual.highlight import highlight
from lmms_eval_tasks.subtlebench.visual.overlap import overlap
from lmms_eval_tasks.subtlebench.visual.subtract import subtract
from pairbench_ext.core.visual.aligned import rgb
from pairbench_ext.core.visual.concat import concat

Strategy: TypeAlias = Callable[[Image.Image, Image.Image], list[Image.Image]]


def shown(
    strategy: str, first: Image.Image, second: Image.Image, variant: str = "paper"
) -> list[Image.Image]:
    """The images that a request shows under `strategy`, in order.

    Args:
        strategy: one of `STRATEGIES`.
        first: first image of the item, of any size and mode; it is not changed.
        second: the same for the second image.
        variant: `paper` or `authors`.

    Returns:
        One to four RGB images; none of them is a given one, so a caller may draw on them.

    Raises:
        ValueError: for an unknown strategy, or a variant that it does not have; the message lists
            what there is.
    """
    if strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise ValueError(f"unknown prompting strategy {strategy!r}: choose from {known}")
    variants = STRATEGIES[strategy]
    if variant not in variants:
        raise ValueError(
            f"prompting strategy {strategy!r} has no variant {variant!r}: "
            f"choose from {', '.join(variants)}"
        )
    return variants[variant](first, second)


def _own(image: Image.Image) -> Image.Image:
    """An RGB image that nobody else has."""
    converted = rgb(image)
    return converted.copy() if converted is image else converted


def _originals(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    return [_own(first), _own(second)]


def _each(make: Callable[[Image.Image], Image.Image]) -> Strategy:
    return lambda first, second: [make(first), make(second)]


def _alone(make: Callable[[Image.Image, Image.Image], Image.Image]) -> Strategy:
    return lambda first, second: [make(first, second)]


def _added(make: Callable[[Image.Image, Image.Image], Image.Image]) -> Strategy:
    return lambda first, second: [*_originals(first, second), make(first, second)]


STRATEGIES: Mapping[str, Mapping[str, Strategy]] = {
    "none": {"paper": _originals, "authors": _originals},
    "grid": {"paper": _each(grid), "authors": _each(authors.grid)},
    "concat": {"paper": _alone(concat), "authors": _alone(authors.concat)},
    "overlap": {"paper": _added(overlap), "authors": _added(authors.overlap)},
    "subtract": {"paper": _added(subtract), "authors": _added(authors.subtract)},
    "highlight": {"paper": lambda one, other: [*_originals(one, other), *highlight(one, other)]},
}
