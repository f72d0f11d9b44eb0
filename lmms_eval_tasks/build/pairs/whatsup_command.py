"""`pairbench build whatsup` and `build scenes`: pairs that differ in a spatial relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.build.common.jobs import JobError
from lmms_eval_tasks.build.common.repository import BuildError
from lmms_eval_tasks.build.pairs import rendered, whatsup
from lmms_eval_tasks.build.pairs.cost import SIZE, Size, read_size
from lmms_eval_tasks.build.pairs.images import Settings
from lmms_eval_tasks.build.pairs.ranges import choose_transforms
from lmms_eval_tasks.build.pairs.spatial import Views
from lmms_eval_tasks.build.pairs.spatial_pairs import build_spatial
from lmms_eval_tasks.build.pairs.usable import count_kinds
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from lmms_eval_tasks.pairbench.spatial_prompts import spatial_prompts
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.synthetic.objects.render import WIDTH
from pairbench_ext.synthetic.objects.scenes import MOST
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform
from pairbench_ext.synthetic.wording import SUBSETS

_N = 25  # sets: 100 pictures per subset
_ALL = ",".join(TRANSFORMS)


class Subset(str, Enum):
    """The subsets to build."""

    A = "a"
    B = "b"
    BOTH = "both"


Out = Annotated[Path, typer.Option(help="The folder to make.")]
Which = Annotated[
    Subset,
    typer.Option(help="a: left, right, on, under; b: left, right, in front, behind."),
]
Changes = Annotated[
    str, typer.Option(help="Transformations beside the change of position, separated by commas.")
]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Jobs = Annotated[int, typer.Option(help="How many processes.", min=1)]
Params = Annotated[
    Path | None, typer.Option(help="YAML with other ranges for the transformations.")
]


def build_whatsup(
    folder: Annotated[
        Path, typer.Option("--whatsup", help="The download: JSON files and folders of photographs.")
    ],
    out: Out,
    subset: Which = Subset.BOTH,
    splits: Changes = _ALL,
    size: Size = str(SIZE),
    seed: Seed = 0,
    jobs: Jobs = 1,
    params: Params = None,
    lossless: Annotated[
        bool, typer.Option(help="Store changed versions of JPEG files without loss, too.")
    ] = False,
) -> None:
    """Make PairBench's image-image and image-text pairs of WhatsUp's photographs.

    pairbench build whatsup --whatsup whatsup_vlms/data --out whatsup

    A build that was interrupted continues when the same command is run again.
    """
    with _failing():
        check_folder(out, [folder])
        side = read_size(size)
        settings = Settings(
            "WhatsUp", _transforms(splits, params), seed, side, lossless, whatsup.LICENCE
        )
        subsets = {
            name: whatsup.read_views(folder, name, seed=seed, size=side, jobs=jobs, progress=True)
            for name in _chosen(subset)
        }
        _build(subsets, out, settings, whatsup.ABOUT, jobs)


def build_scenes(
    out: Out,
    n: Annotated[
        int,
        typer.Option(help="Pairs of objects per subset, each in four relations.", min=2, max=MOST),
    ] = _N,
    subset: Which = Subset.BOTH,
    splits: Changes = _ALL,
    size: Annotated[int, typer.Option(help="Width of a picture in pixels.", min=96)] = WIDTH,
    seed: Seed = 0,
    jobs: Jobs = 1,
    params: Params = None,
) -> None:
    """Make pairs like those of WhatsUp of rendered scenes: nothing is downloaded.

    pairbench build scenes --out scenes --n 25

    A build that was interrupted continues when the same command is run again.
    """
    with _failing():
        transforms = _transforms(splits, params)
        settings = Settings("Rendered scenes", transforms, seed, licence=rendered.LICENCE)
        subsets = {
            name: rendered.rendered_views(name, n, seed=seed, width=size, jobs=jobs, progress=True)
            for name in _chosen(subset)
        }
        _build(subsets, out, settings, rendered.ABOUT, jobs)


def _failing() -> AbstractContextManager[None]:
    return fail_on(SourceError, RecordError, BuildError, JobError, OSError)


def _transforms(splits: str, params: Path | None) -> dict[str, Transform]:
    """The transformations beside the change of position; there may be none."""
    names = [part.strip() for part in splits.split(",") if part.strip()]
    return choose_transforms(names, params) if names else {}


def _chosen(subset: Subset) -> list[str]:
    return list(SUBSETS) if subset is Subset.BOTH else [subset.value]


def _build(
    subsets: Mapping[str, Views], out: Path, settings: Settings, about: str, jobs: int
) -> None:
    """Build, and say what was built and what was left out."""
    counts = build_spatial(
        subsets, out, settings, spatial_prompts(), about, jobs=jobs, progress=True
    )
    skipped = [one for views in subsets.values() for one in views.selection.skipped]
    if skipped:
        errors.print(f"left out: {count_kinds(skipped)}; {out / 'README.md'} names them")
    for (config, split), rows in counts.items():
        console.print(f"{config} {split}: {counted(rows, 'row')}")
    console.print(f"Look at: {out / 'sheets'}")
    tasks = _tasks(subsets, settings.transforms)
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks {tasks}")


def _tasks(subsets: Iterable[str], transforms: Iterable[str]) -> str:
    """The paper's groups, which need all of their splits, or else the task for all there are."""
    from lmms_eval_tasks.pairbench.tasks import CUSTOM_TASK

    if set(subsets) == set(SUBSETS) and set(transforms) == set(TRANSFORMS):
        return "pairbench_wu_ii,pairbench_wu_it"
    return CUSTOM_TASK
