"""What a build will take, said before it begins: time, memory and disk, from the pixels.

Rates were measured on photographs of 0.8 and 12 megapixels (`python -m benchmarks.build_images`
measures the time); they are meant to tell minutes from hours.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import typer
from rich.filesize import decimal

from lmms_eval_tasks.build.pairs.machine import fitting_jobs
from lmms_eval_tasks.build.pairs.pictures import MIN_SIDE
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import errors

if TYPE_CHECKING:
    from lmms_eval_tasks.build.pairs.images import Settings
    from lmms_eval_tasks.build.pairs.usable import Usable

SIZE = 1024  # pixels of the longer side: a megapixel is about what models take in
ORIGINAL = "original"
Size: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Reduce larger pictures to so many pixels on the longer side; 'original' keeps them."
    ),
]
_WORTH_A_PROCESS = 20  # seconds of work
_START = 7.0  # seconds that a process takes to load its libraries
_BASE_SECONDS = 0.15  # of a version of a picture, whatever its size
_SECONDS = 0.1  # of a megapixel of it, with its encoding and its embedding
_BASE_BYTES = 1_000_000_000  # of a process with its libraries
_BYTES = 50  # of a pixel of the largest picture
_STORED = 0.6, 1.8  # bytes of a pixel of a version: as JPEG, without loss


class Cost(NamedTuple):
    """What a build takes.

    Attributes:
        seconds: of a processor.
        memory: bytes of one process, at most.
        disk: bytes of the result; while it is built, twice as much is needed.
    """

    seconds: float
    memory: int
    disk: int

    def sentence(self, jobs: int) -> str:
        """For people.

        >>> Cost(600, 900_000_000, 125_000_000).sentence(2)
        'about 10 minutes of a processor on 2 processes, 1.8 GB of memory, 125.0 MB on disk'
        """
        many = "process" if jobs == 1 else "processes"
        return (
            f"about {_said(self.seconds)} of a processor on {jobs} {many}, "
            f"{decimal(jobs * self.memory)} of memory, {decimal(self.disk)} on disk"
        )


def cost(used: Sequence[Usable], settings: Settings) -> Cost:
    """What a build of these pictures takes."""
    versions = 2 + len(settings.transforms)  # with the original and the identical copy
    pixels = sum(one.pixels for one in used)
    lossy, lossless = _STORED
    rate = lossless if settings.lossless else lossy
    # Every split holds the original and its copy again.
    stored = 4 * len(settings.transforms) * pixels * rate
    return Cost(
        _START + versions * (_BASE_SECONDS * len(used) + _SECONDS * pixels / 1e6),
        _BASE_BYTES + _BYTES * max(one.pixels for one in used),
        round(stored),
    )


def announced_jobs(
    used: Sequence[Usable], settings: Settings, out: Path, wanted: int | None
) -> int:
    """How many processes build, once people were told what it takes.

    Args:
        used: the pictures.
        settings: what is made of them.
        out: where to; a disk that is too full is said, too.
        wanted: how many at most; None leaves it to the work and the machine.
    """
    found = cost(used, settings)
    jobs = fitting_jobs(found.memory, wanted)
    if wanted is None:
        jobs = max(1, min(jobs, int(found.seconds // _WORTH_A_PROCESS)))
    elif jobs < wanted:
        errors.print(f"{jobs} instead of {wanted} processes: there is memory for no more")
    errors.print(found.sentence(jobs))
    free = shutil.disk_usage(next(p for p in (out, *out.absolute().parents) if p.exists())).free
    if free < 2 * found.disk:
        errors.print(f"warning: {decimal(free)} are free there, and a build needs twice its result")
    return jobs


def read_size(text: str) -> int | None:
    """The value of --size: pixels of the longer side, or None for pictures as they are.

    Raises:
        SourceError: if it is neither.

    >>> read_size("1024"), read_size("original")
    (1024, None)
    """
    if text == ORIGINAL:
        return None
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < MIN_SIDE:
        raise SourceError(
            f"--size {text!r} must be pixels of the longer side, {MIN_SIDE} or more, or "
            f"{ORIGINAL!r}"
        )
    return int(text)


def _said(seconds: float) -> str:
    """A duration in the unit that people would use.

    >>> _said(20), _said(600), _said(9000)
    ('20 seconds', '10 minutes', '2.5 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
