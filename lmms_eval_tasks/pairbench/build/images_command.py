"""`pairbench build images`: PairBench from any pictures."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lmms_eval_tasks.build.repository import BuildError
from lmms_eval_tasks.pairbench import prompts
from lmms_eval_tasks.pairbench.build.images import Settings, build_images
from lmms_eval_tasks.pairbench.build.layout import TEMPLATES, Prompts
from lmms_eval_tasks.pairbench.build.pictures import LEAST, MIN_SIDE, Skipped, find_sources, select
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform

N = 500  # as the paper takes of COCO and of ImageNet-100
ALL = ",".join(TRANSFORMS)
SIZE = 1024  # pixels of the longer side: a megapixel is about what models take in

Out: TypeAlias = Annotated[Path, typer.Option(help="Folder to write.")]
Transforms: TypeAlias = Annotated[str, typer.Option(help="Comma-separated transformations.")]
Size: TypeAlias = Annotated[
    int, typer.Option(help="Largest longer side in pixels; 0 keeps pictures as they are.", min=0)
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Random seed.")]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Number of threads. Default: number of CPU cores.", min=1),
]


def build(
    images: Annotated[
        str, typer.Option(help="Folder, pattern ('*.jpg'), or with --split a data set.")
    ],
    name: Annotated[str, typer.Option(help="Name of the config; the tasks are pairbench_NAME.")],
    out: Out,
    n: Annotated[
        int | None,
        typer.Option(help=f"Number of pictures. Default: {N}, or all if fewer.", min=LEAST),
    ] = None,
    splits: Transforms = ALL,
    size: Size = SIZE,
    seed: Seed = 0,
    jobs: Jobs = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the pictures.")] = None,
    column: Annotated[str, typer.Option(help="Image column of a data set.")] = "image",
    config: Annotated[str | None, typer.Option(help="Config of a data set.")] = None,
    split: Annotated[str | None, typer.Option(help="Split of a data set.")] = None,
) -> None:
    """Build a PairBench dataset from your own images.

    Each image is paired with an identical copy, a transformed version and an irrelevant image. To
    resume an interrupted build, run the same command again.

    pairbench build images --images photos --name birds --out birds
    """
    with building():
        check_folder(out, [Path(images).expanduser()])
        _check_name(name)
        transforms = choose_transforms(splits)
        sources = find_sources(images, column=column, config=config, split=split)
        jobs = jobs or os.cpu_count() or 1
        selection = select(
            sources,
            least=n or LEAST,
            most=n or N,
            seed=seed,
            size=check_size(size),
            jobs=jobs,
            embedded=True,
        )
        conditions = {feature: prompts.IMAGE_IMAGE_CONDITIONS[feature] for feature in transforms}
        asked_with = Prompts(name, prompts.IMAGE_IMAGE_TEMPLATES, conditions)
        settings = Settings(name, transforms, seed, check_size(size), licence=licence)
        build_images(selection, out, settings, asked_with, jobs=jobs)
    say_skipped(selection.skipped, out)
    console.print(f"{counted(len(selection.used), 'picture')}, {len(transforms)} splits: {out}")
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks pairbench_{name}")


@contextmanager
def building() -> Iterator[None]:
    """Turn errors of a build into one line, and say after Ctrl-C that nothing is lost."""
    with fail_on(SourceError, RecordError, BuildError, OSError):
        try:
            yield
        except KeyboardInterrupt as interrupt:
            errors.print("interrupted: run the same command again to resume")
            raise typer.Exit(130) from interrupt


def choose_transforms(names: str) -> dict[str, Transform]:
    """The transformations in a text with commas.

    Raises:
        SourceError: if one is unknown.
    """
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in chosen if name not in TRANSFORMS]
    if unknown:
        known = ", ".join(TRANSFORMS)
        raise SourceError(f"unknown transformation {unknown[0]!r}: choose from {known}")
    return {name: TRANSFORMS[name] for name in chosen}


def check_size(size: int) -> int | None:
    """Pixels of the longer side, None for pictures as they are.

    Raises:
        SourceError: if no picture could be so small.
    """
    if 0 < size < MIN_SIDE:
        raise SourceError(f"--size must be 0 or at least {MIN_SIDE} pixels, not {size}")
    return size or None


def say_skipped(skipped: Sequence[Skipped], out: Path) -> None:
    """Say how many pictures were left out."""
    if skipped:
        pictures = counted(len(skipped), "picture")
        errors.print(f"{pictures} left out; {out / 'README.md'} lists them with the reasons")


def _check_name(name: str) -> None:
    """A name becomes a folder and a part of tasks' names, which must not be taken."""
    from lmms_eval_tasks.pairbench.tasks import NAMES, SUFFIXES

    if not re.fullmatch(r"[A-Za-z0-9]+([_-][A-Za-z0-9]+)*", name):
        raise SourceError(f"--name {name!r} must be letters and digits, joined by _ or -")
    if name == TEMPLATES or f"pairbench_{name}" in NAMES or name.endswith(SUFFIXES):
        raise SourceError(f"--name {name!r} is the name of other tasks: choose another")
