"""Read the pictures of a folder as upright RGB images; skip duplicates."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from PIL import Image, ImageOps

from lmms_eval_tasks.build.crops import Small, of_one_photograph, small
from pairbench_ext.core.contents import image_digest
from pairbench_ext.core.foreign import NOT_A_PICTURE, UnreadableError, decoded
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.threads import in_order
from pairbench_ext.core.visual import encoded, rgb
from pairbench_ext.statistics import seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

Size: TypeAlias = int | tuple[int, int] | None

MIN_SIDE = 32  # pixels; below, neither a person nor a model sees what changed
LEAST = 2  # an irrelevant picture is another picture


class UnusableError(ValueError):
    """Raised if a picture cannot be used; the message says why."""


class Source(NamedTuple):
    """A file that may be a picture."""

    name: str
    path: Path


class Picture(NamedTuple):
    """A picture as an upright RGB image, and whether its file was a JPEG."""

    image: Image.Image
    lossy: bool


class Usable(NamedTuple):
    """A picture that can be used, with its digest and embedding.

    Attributes:
        source: where it is.
        digest: of its pixels, once converted.
        vector: its embedding by the classical encoder.
        details: by which crops of one photograph are found; None where nobody looked.
    """

    source: Source
    digest: bytes
    vector: NDArray[Any]
    details: Small | None = None

    @property
    def name(self) -> str:
        """Return the name of the picture's file."""
        return self.source.name

    def shares_photograph(self, other: Usable) -> bool:
        """Return whether this and another picture look like crops of one photograph."""
        if self.details is None or other.details is None:
            return False
        return of_one_photograph(self.details, other.details)


class Skipped(NamedTuple):
    """A picture that is not used, with the reason."""

    name: str
    why: str


class Selection(NamedTuple):
    """The pictures that were examined: used and skipped ones, each sorted by name."""

    used: list[Usable]
    skipped: list[Skipped]


def find_sources(folder: Path) -> list[Source]:
    """Return all visible files of a folder and its subfolders, sorted by name.

    Raises:
        SourceError: if there is none.
    """
    names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    shown = sorted(
        name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts)
    )
    if not shown:
        raise SourceError(f"{str(folder)!r} is no folder, or has no files")
    return [Source(name, (folder / name).absolute()) for name in shown]


def load_picture(source: Source, size: Size = None) -> Picture:
    """Read a picture, check it, and convert it to an upright RGB image.

    All become 8-bit RGB as `core.visual` says; the orientation of the EXIF header is applied; of an
    animation the first frame is taken.

    Args:
        source: where it is.
        size: pixels that the longer side may have, or width and height; None keeps the size.

    Raises:
        UnusableError: with the reason.
    """
    try:
        opened = decoded(source.path)
        lossy, image = opened.format == "JPEG", rgb(opened)
    except UnreadableError as error:
        unread = f"cannot be read ({error})"
        raise UnusableError("not an image" if str(error) == NOT_A_PICTURE else unread) from error
    if isinstance(size, tuple):
        image = ImageOps.fit(image, size, Image.Resampling.LANCZOS)
    elif size is not None:
        image.thumbnail((size, size), Image.Resampling.LANCZOS)
    if min(image.size) < MIN_SIDE:
        raise UnusableError(f"too small: the shorter side has fewer than {MIN_SIDE} pixels")
    image.info = {}
    return Picture(image, lossy)


def select(
    pictures: Sequence[Source],
    *,
    least: int = LEAST,
    most: int | None = None,
    seed: int = 0,
    size: Size = None,
) -> Selection:
    """Read pictures in an order drawn by seed until there are enough usable ones.

    Which are chosen does not depend on the order of `pictures` nor on the number of threads. Of
    several with the same pixels one is used: an irrelevant picture must not be the same picture.

    Args:
        pictures: where they are.
        least: how many are needed.
        most: how many are enough; None looks at all.
        seed: of the choice.
        size: pixels that the longer side may have, or width and height; None keeps the size.

    Raises:
        SourceError: if there are too few.
    """
    ordered = sorted(pictures, key=lambda source: seeds.stable_hash(seed, "picture", source.name))
    used: dict[bytes, Usable] = {}
    skipped: list[Skipped] = []
    work = (partial(look, source, size) for source in ordered)
    looked_at = in_order(work, threads=os.cpu_count())
    for seen in tracked(looked_at, "looking at pictures", most or len(ordered)):
        if isinstance(seen, Skipped):
            skipped.append(seen)
        elif seen.digest in used:
            skipped.append(Skipped(seen.name, f"has the same pixels as {used[seen.digest].name}"))
        else:
            used[seen.digest] = seen
        if len(used) == most:
            break
    if len(used) < least:
        reasons = Counter(picture.why for picture in skipped)
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
        raise SourceError(
            f"{len(pictures)} pictures were found, {len(used)} of them "
            f"usable{(f' ({why})' if why else '')}; at least {least} different pictures are needed"
        )
    return Selection(sorted(used.values(), key=lambda picture: picture.name), sorted(skipped))


def look(source: Source, size: Size = None) -> Usable | Skipped:
    """Return a picture if it is usable, or else the reason why it is not."""
    from pairbench_ext.judges.encoders import ClassicalEncoder

    try:
        picture = load_picture(source, size)
        # Crops of one photograph have its scale, before they are brought to one size.
        details = small(picture.image if size is None else load_picture(source).image)
    except UnusableError as error:
        return Skipped(source.name, str(error))
    vector = ClassicalEncoder().embed([picture.image])[0]
    return Usable(source, image_digest(picture.image), vector, details)


def encode(image: Image.Image, *, lossy: bool = False) -> bytes:
    """Return an RGB image as the bytes of a high-quality JPEG or lossless WebP file."""
    if lossy:
        return encoded(image, "JPEG", quality=95, subsampling=0)
    return encoded(image, "WEBP", lossless=True, method=0, quality=0)


@lru_cache(maxsize=4)
def stored(file: Path) -> bytes:
    """Read a picture and return it as the bytes of an image file.

    Raises:
        SourceError: naming the file, if it cannot be used.
    """
    try:
        picture = load_picture(Source(file.name, file))
    except UnusableError as error:
        raise SourceError(f"{file}: {error}") from error
    return encode(picture.image, lossy=picture.lossy)
