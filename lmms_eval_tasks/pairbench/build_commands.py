"""`pairbench build images` and `pairbench build whatsup`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lmms_eval_tasks.build import whatsup
from lmms_eval_tasks.build.images import Settings, build_images
from lmms_eval_tasks.build.layout import KINDS, TEMPLATES, Prompts
from lmms_eval_tasks.build.pictures import LEAST, Skipped, find_sources, select
from lmms_eval_tasks.build.repository import new_repository
from lmms_eval_tasks.build.spatial import build_spatial
from lmms_eval_tasks.pairbench import prompts
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform
from pairbench_ext.synthetic.wording import SUBSETS

N = 500  # as the paper takes of COCO and of ImageNet-100
ALL = ",".join(TRANSFORMS)
SIZE = 1024  # pixels of the longer side: a megapixel is about what models take in

Out: TypeAlias = Annotated[Path, typer.Option(help="Folder to write.")]
Size: TypeAlias = Annotated[
    int, typer.Option(help="Largest longer side in pixels; 0 keeps pictures as they are.", min=0)
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Random seed.")]


def images(
    images: Annotated[Path, typer.Option(help="Folder of images.")],
    name: Annotated[str, typer.Option(help="Name of the config; the tasks are pairbench_NAME.")],
    out: Out,
    n: Annotated[
        int | None,
        typer.Option(help=f"Number of pictures. Default: {N}, or all if fewer.", min=LEAST),
    ] = None,
    splits: Annotated[str, typer.Option(help="Comma-separated transformations.")] = ALL,
    size: Size = SIZE,
    seed: Seed = 0,
    licence: Annotated[str | None, typer.Option(help="Licence of the pictures.")] = None,
) -> None:
    """Build a PairBench dataset from your own images.

    Each image is paired with an identical copy, a transformed version and an irrelevant image.

    pairbench build images --images photos --name birds --out birds
    """
    with fail_on(SourceError, RecordError), new_repository(out, [images]) as folder:
        _check_name(name)
        sources = find_sources(images)
        settings = Settings(name, _transforms(splits), seed, size or None, licence=licence)
        selection = select(sources, least=n or LEAST, most=n or N, seed=seed, size=settings.size)
        features = settings.transforms
        conditions = {feature: prompts.IMAGE_IMAGE_CONDITIONS[feature] for feature in features}
        asked_with = Prompts(name, prompts.IMAGE_IMAGE_TEMPLATES, conditions)
        build_images(selection, folder, settings, asked_with)
    pictures = counted(len(selection.used), "picture")
    pairs = counted(len(selection.used) * len(features) * len(KINDS) * len(CONDITIONS), "pair")
    _print_skipped(selection.skipped, out)
    splits_made = counted(len(features), "split")
    console.print(f"{pictures}, {splits_made}, {pairs}: {out}")
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks pairbench_{name}")


def spatial(
    folder: Annotated[
        Path, typer.Option("--whatsup", help="The download: JSON files and folders of photographs.")
    ],
    out: Out,
    size: Size = SIZE,
    seed: Seed = 0,
) -> None:
    """Build PairBench's image-image and image-text pairs from WhatsUp's photographs.

    pairbench build whatsup --whatsup whatsup_vlms/data --out whatsup
    """
    with fail_on(SourceError, RecordError), new_repository(out, [folder]) as repository:
        settings = Settings("WhatsUp", TRANSFORMS, seed, size or None, licence=whatsup.LICENCE)
        subsets = {
            name: whatsup.read_views(folder, name, seed=seed, size=settings.size)
            for name in SUBSETS
        }
        build_spatial(subsets, repository, settings, prompts.spatial_prompts(), whatsup.ABOUT)
    skipped = [picture for views in subsets.values() for picture in views.selection.skipped]
    _print_skipped(skipped, out)
    tasks = "pairbench_wu_ii,pairbench_wu_it"
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks {tasks}")


def _transforms(names: str) -> dict[str, Transform]:
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in chosen if name not in TRANSFORMS]
    if unknown:
        known = ", ".join(TRANSFORMS)
        raise SourceError(f"unknown transformation {unknown[0]!r}: choose from {known}")
    return {name: TRANSFORMS[name] for name in chosen}


def _print_skipped(skipped: Sequence[Skipped], out: Path) -> None:
    if skipped:
        pictures = counted(len(skipped), "picture")
        errors.print(f"{pictures} left out; {out / 'README.md'} lists them with the reasons")


def _check_name(name: str) -> None:
    """Check a name, which becomes a folder and a part of tasks' names that must not be taken."""
    from lmms_eval_tasks.pairbench.tasks import NAMES, SUFFIXES

    if not re.fullmatch(r"[A-Za-z0-9]+([_-][A-Za-z0-9]+)*", name):
        raise SourceError(f"--name {name!r} must be letters and digits, joined by _ or -")
    if name == TEMPLATES or f"pairbench_{name}" in NAMES or name.endswith(SUFFIXES):
        raise SourceError(f"--name {name!r} is the name of other tasks: choose another")
