"""Which pictures of all that were found are used: the readable ones, each once, some by seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from lmms_eval_tasks.build.common.jobs import in_order
from lmms_eval_tasks.build.pairs.picture_sources import Source, describe
from lmms_eval_tasks.build.pairs.pictures import HEIC_HINT, UnusableError, load_picture
from pairbench_ext.core.contents import image_digest
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics import seeds

LEAST = 2  # an irrelevant picture is another picture


class Usable(NamedTuple):
    """A picture that is used.

    Attributes:
        name: unique among the pictures.
        source: where it is.
        digest: of its pixels, once converted.
        converted: whether it is stored otherwise than as the file it came from.
        pixels: how many it has, once converted.
    """

    name: str
    source: Source
    digest: str
    converted: bool
    pixels: int = 0


class Skipped(NamedTuple):
    """An image that is not used, and why, in two words and in detail."""

    name: str
    kind: str
    detail: str


class Selection(NamedTuple):
    """What was looked at.

    Attributes:
        used: sorted by name.
        skipped: sorted by name.
        found: how many there were, looked at or not.
    """

    used: list[Usable]
    skipped: list[Skipped]
    found: int


def select(
    found: Sequence[Source],
    *,
    least: int = LEAST,
    most: int | None = None,
    seed: int = 0,
    size: int | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> Selection:
    """Look at images, in an order by seed and name, until there are enough usable ones.

    Which are chosen does not depend on the order of `found` nor on the number of jobs. Of several
    with the same pixels one is used: an irrelevant picture must not be the same picture.

    Args:
        found: where the images are.
        least: how many are needed.
        most: how many are enough; None looks at all.
        seed: of the choice.
        size: pixels that the longer side may have; None keeps the size.
        jobs: how many processes.
        progress: show a progress bar on standard error once it takes more than two seconds.

    Raises:
        SourceError: if there are too few; the message says how many were found and needed.
        JobError: if a process ended before its work was done.
    """
    from tqdm import tqdm

    needed = max(least, LEAST)
    ordered = sorted(found, key=lambda source: seeds.stable_hash(seed, "picture", source.name))
    used: dict[str, Usable] = {}
    skipped: list[Skipped] = []
    total = len(found) if most is None else min(len(found), most)
    with tqdm(total=total, desc="Looking", unit="image", delay=2, disable=not progress) as bar:
        for seen in _looked_at(ordered, size, jobs):
            if isinstance(seen, Skipped):
                skipped.append(seen)
            elif seen.digest in used:
                skipped.append(Skipped(seen.name, "duplicate", f"of {used[seen.digest].name}"))
            else:
                used[seen.digest] = seen
                bar.update()
            if len(used) == most:
                break
    if len(used) < needed:
        raise SourceError(_too_few(found, len(used), needed, skipped))
    return Selection(
        sorted(used.values(), key=lambda one: one.name),
        sorted(skipped),
        len(found),
    )


def count_kinds(skipped: Sequence[Skipped]) -> str:
    """How many were skipped, by kind, the most frequent first.

    >>> count_kinds([Skipped("a", "damaged", "no end"), Skipped("b", "damaged", "no data")])
    '2 damaged'
    """
    kinds = Counter(one.kind for one in skipped)
    listed = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {kind}" for kind, count in listed)


def _looked_at(
    ordered: Sequence[Source], size: int | None, jobs: int
) -> Iterator[Usable | Skipped]:
    return in_order(partial(look, size=size), ordered, jobs)


def look(source: Source, size: int | None = None) -> Usable | Skipped:
    """Look at one image, reduced to `size` pixels on the longer side if it is larger."""
    try:
        picture = load_picture(source, size)
    except UnusableError as error:
        return Skipped(source.name, error.kind, error.detail)
    digest = image_digest(picture.image).hex()
    width, height = picture.image.size
    return Usable(source.name, source, digest, picture.original is None, width * height)


def _too_few(found: Sequence[Source], usable: int, needed: int, skipped: Sequence[Skipped]) -> str:
    why = f" ({count_kinds(skipped)})" if skipped else ""
    hint = f"; {HEIC_HINT}" if any(one.kind == "in HEIC" for one in skipped) else ""
    return (
        f"{describe(found)} found and {usable} usable{why}, but {needed} different pictures are "
        f"needed: add pictures, or ask for fewer{hint}"
    )
