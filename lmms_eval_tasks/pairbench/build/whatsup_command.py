"""`pairbench build whatsup`: pairs that differ in a spatial relation."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.pairbench.build import whatsup
from lmms_eval_tasks.pairbench.build.images import Settings
from lmms_eval_tasks.pairbench.build.images_command import (
    ALL,
    SIZE,
    Jobs,
    Out,
    Seed,
    Size,
    Transforms,
    building,
    check_size,
    choose_transforms,
    say_skipped,
)
from lmms_eval_tasks.pairbench.build.spatial import build_spatial
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE, spatial_prompts
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.show.cli.console import console
from pairbench_ext.synthetic.transforms import TRANSFORMS
from pairbench_ext.synthetic.wording import SUBSETS


class Subset(str, Enum):
    """The subsets to build."""

    A = "a"
    B = "b"
    BOTH = "both"


def build_whatsup(
    folder: Annotated[
        Path, typer.Option("--whatsup", help="The download: JSON files and folders of photographs.")
    ],
    out: Out,
    subset: Annotated[
        Subset, typer.Option(help="a: left, right, on, under; b: left, right, in front, behind.")
    ] = Subset.BOTH,
    splits: Transforms = ALL,
    size: Size = SIZE,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> None:
    """Build PairBench's image-image and image-text pairs from WhatsUp's photographs.

    To resume an interrupted build, run the same command again.

    pairbench build whatsup --whatsup whatsup_vlms/data --out whatsup
    """
    with building():
        check_folder(out, [folder])
        side = check_size(size)
        transforms = choose_transforms(splits)
        settings = Settings("WhatsUp", transforms, seed, side, licence=whatsup.LICENCE)
        subsets = {
            name: whatsup.read_views(folder, name, seed=seed, size=side, jobs=jobs or 1)
            for name in (SUBSETS if subset is Subset.BOTH else [subset.value])
        }
        build_spatial(subsets, out, settings, spatial_prompts(), whatsup.ABOUT)
    say_skipped([picture for views in subsets.values() for picture in views.selection.skipped], out)
    whole = set(subsets) == set(SUBSETS) and set(transforms) == set(TRANSFORMS)
    tasks = "pairbench_wu_ii,pairbench_wu_it" if whole else "pairbench_custom"
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks {tasks}")
