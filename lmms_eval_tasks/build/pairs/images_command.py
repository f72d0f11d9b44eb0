"""`pairbench build images`: PairBench from any folder of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.build.common.jobs import JobError
from lmms_eval_tasks.build.common.repository import BuildError
from lmms_eval_tasks.build.pairs.cost import SIZE, Size, announced_jobs, read_size
from lmms_eval_tasks.build.pairs.images import Settings, build_images
from lmms_eval_tasks.build.pairs.machine import fitting_jobs
from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.pictures import HEIC_HINT
from lmms_eval_tasks.build.pairs.ranges import choose_transforms
from lmms_eval_tasks.build.pairs.repository_files import TEMPLATES, Prompts
from lmms_eval_tasks.build.pairs.self_check import LEAST_SHARE, SelfCheck
from lmms_eval_tasks.build.pairs.usable import LEAST, count_kinds, select
from lmms_eval_tasks.pairbench import prompts
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.synthetic.transforms import TRANSFORMS

N = 500  # as the paper takes of COCO and of ImageNet-100
_LONGEST = 100  # letters of a name: it is a part of files' names
_MANY = 200  # pictures that several processes look at
_LOOKING = 1_000_000_000  # bytes that such a process takes
_REDUCED = (
    "pictures have at most {} pixels on the longer side, about what models take in; "
    "--size original keeps them as they are"
)
_NAMED = 5  # rows and pictures that are named on the screen; the card names all


def build(
    images: Annotated[
        str, typer.Option(help="A folder, a pattern ('*.jpg'), a data set on the hub or here.")
    ],
    name: Annotated[str, typer.Option(help="Of the config; the tasks are pairbench_NAME.")],
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    n: Annotated[
        int | None,
        typer.Option(
            help=f"How many pictures, drawn by seed; by default {N}, or all if there are fewer.",
            min=LEAST,
        ),
    ] = None,
    splits: Annotated[str, typer.Option(help="Transformations, separated by commas.")] = ",".join(
        TRANSFORMS
    ),
    size: Size = str(SIZE),
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of processes. Default: chosen from CPU cores and memory.",
            min=1,
        ),
    ] = None,
    params: Annotated[
        Path | None, typer.Option(help="YAML with other ranges for the transformations.")
    ] = None,
    licence: Annotated[str | None, typer.Option(help="Of the pictures, for the card.")] = None,
    lossless: Annotated[
        bool, typer.Option(help="Store changed versions of JPEG files without loss, too.")
    ] = False,
    any_irrelevant: Annotated[
        bool,
        typer.Option(
            "--any-irrelevant",
            help="Draw irrelevant pictures among all others, not only among other scenes.",
        ),
    ] = False,
    column: Annotated[str, typer.Option(help="The image column of a data set.")] = "image",
    config: Annotated[str | None, typer.Option(help="The config of a data set.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of a data set.")] = None,
) -> None:
    """Build a PairBench data set from your own images.

    pairbench build images --images photos --name birds --out birds

    A build that was interrupted continues when the same command is run again.
    """
    with can_be_continued(), fail_on(SourceError, BuildError, JobError, OSError):
        check_folder(out, [Path(images).expanduser()])
        side = read_size(size)
        transforms = choose_transforms([part.strip() for part in splits.split(",")], params)
        _check_name(name)
        settings = Settings(name, transforms, seed, side, lossless, licence, not any_irrelevant)
        found = find_sources(images, column=column, config=config, split=split, leave_out=out)
        selection = select(
            found,
            least=n or LEAST,
            most=n or N,
            seed=seed,
            size=side,
            jobs=_to_look(len(found), jobs),
            progress=True,
        )
        if side is not None:
            errors.print(_REDUCED.format(side))
        many = announced_jobs(selection.used, settings, out, jobs)
        asked_with = Prompts(
            name,
            prompts.IMAGE_IMAGE_TEMPLATES,
            {feature: prompts.IMAGE_IMAGE_CONDITIONS[feature] for feature in transforms},
        )
        checks = build_images(selection, out, settings, asked_with, jobs=many, progress=True)
    if selection.skipped:
        errors.print(f"left out: {count_kinds(selection.skipped)}; {out / 'README.md'} names them")
        if any(one.kind == "in HEIC" for one in selection.skipped):
            errors.print(HEIC_HINT)
    _report(checks)
    console.print(
        f"{counted(len(selection.used), 'picture')}, {counted(len(checks), 'split')}: {out}"
    )
    console.print(f"Look at: {out / 'sheets'}")
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks pairbench_{name}")


def _to_look(found: int, wanted: int | None) -> int:
    """Processes that look at pictures; few pictures are looked at before others have started."""
    return fitting_jobs(_LOOKING, wanted) if wanted or found > _MANY else 1


@contextmanager
def can_be_continued() -> Iterator[None]:
    """Say after Ctrl-C that nothing is lost, and exit with its usual status."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        errors.print("interrupted: run the same command again, it continues")
        raise typer.Exit(130) from interrupt


def _check_name(name: str) -> None:
    """A name becomes a folder and a part of tasks' names, which must not be taken."""
    from lmms_eval_tasks.pairbench.tasks import NAMES, SUFFIXES

    if not re.fullmatch(r"[A-Za-z0-9]+([_-][A-Za-z0-9]+)*", name):
        raise SourceError(f"--name {name!r} must be letters and digits, joined by _ or -")
    if len(name) > _LONGEST:
        raise SourceError(f"--name {name!r:.30} has {len(name)} letters, at most {_LONGEST} may be")
    if name == TEMPLATES or f"pairbench_{name}" in NAMES:
        raise SourceError(f"--name {name!r} is taken: choose another")
    if name.endswith(SUFFIXES):
        raise SourceError(f"--name {name!r} ends as variants of tasks do: choose another")


def _report(checks: Mapping[str, SelfCheck]) -> None:
    """What the self-check has found; what is not in order is said on standard error."""
    for split, found in checks.items():
        console.print(f"{split}: {counted(found.rows, 'row')}, {found.share:.1%} in order")
        if found.wrong:
            names = [name for name, _ in found.wrong[:_NAMED]]
            more = len(found.wrong) - len(names)
            listed = ", ".join(names) + (f" and {more} more" if more else "")
            errors.print(
                f"{split}: identical < transformed < irrelevant does not hold for {listed}"
            )
        if found.alike:
            named = [f"{name} and {other}" for name, other, _ in found.alike[:_NAMED]]
            more = len(found.alike) - len(named)
            listed = ", ".join(named) + (f" and {more} more" if more else "")
            errors.print(
                f"{split}: {len(found.alike)} irrelevant pictures may show the same scene: {listed}"
            )
        if not found.passed:
            errors.print(
                f"warning: {split} has fewer than {LEAST_SHARE:.0%} of its rows in order: look at "
                "its contact sheet, and give other ranges with --params"
            )
