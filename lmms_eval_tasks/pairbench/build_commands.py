"""The commands `pairbench build images` and `pairbench build whatsup`."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from lmms_eval_tasks.build import whatsup
from lmms_eval_tasks.build.balanced import SUFFIX, without_traces
from lmms_eval_tasks.build.images import Settings, build_images
from lmms_eval_tasks.build.layout import KINDS, TEMPLATES, Prompts
from lmms_eval_tasks.build.pictures import LEAST, Size, Skipped, find_sources, select
from lmms_eval_tasks.build.repository import new_repository
from lmms_eval_tasks.build.spatial import PICTURES, build_balanced, build_spatial, of_one_size
from lmms_eval_tasks.pairbench import prompts, size_control
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import option
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform
from pairbench_ext.synthetic.wording import SUBSETS

N = 500  # as the paper takes of COCO and of ImageNet-100
ALL = ",".join(TRANSFORMS)
ONE_SIZE = "512x512"  # of all pictures: sizes then say nothing about what a pair is
LONGER_SIDE = "1024"  # pixels: a megapixel is about what models take in

Out: TypeAlias = Annotated[Path, option("Folder to write.")]
Pixels: TypeAlias = Annotated[
    str,
    option(
        "Size of all pictures, such as 512x512, or limit of the longer side, such as 1024. 0 "
        "keeps pictures as they are."
    ),
]
Seed: TypeAlias = Annotated[int, option("Random seed.")]
Balanced: TypeAlias = Annotated[
    bool,
    option(
        "Make balanced pairs: neither image sizes nor traces of a transformation reveal the "
        "ground truth. The paper has no such pairs, so they have tasks of their own.",
        "--balanced",
    ),
]


def images(
    images: Annotated[Path, option("Folder of images.")],
    name: Annotated[str, option("Name of the config. Its tasks are called pairbench_NAME.")],
    out: Out,
    n: Annotated[
        int | None, option(f"Number of pictures. Default: {N}, or all if fewer.", min=LEAST)
    ] = None,
    splits: Annotated[str, option("Comma-separated transformations.")] = ALL,
    size: Pixels = ONE_SIZE,
    seed: Seed = 0,
    licence: Annotated[str | None, option("Licence of the pictures.")] = None,
    balanced: Balanced = False,
) -> None:
    """Build a PairBench data set from your own images.

    Each image is paired with an identical copy, a transformed version and an irrelevant image.

    pairbench build images --images photos --name birds --out birds
    """
    with fail_on(SourceError, RecordError), new_repository(out, [images]) as folder:
        name = _checked_name(name, balanced=balanced)
        sources, pixels = find_sources(images), _pixels(size)
        selection = select(sources, least=n or LEAST, most=n or N, seed=seed, size=pixels)
        features = _transforms(splits)
        if balanced:
            if not isinstance(pixels, tuple):
                raise SourceError(
                    f"--balanced needs one size for all pictures, such as --size {ONE_SIZE}, not "
                    f"{size}"
                )
            selection = without_traces(selection, pixels, list(features))
            asked_with = prompts.balanced_prompts(name, features)
        else:
            conditions = {feature: prompts.IMAGE_IMAGE_CONDITIONS[feature] for feature in features}
            asked_with = Prompts(name, prompts.IMAGE_IMAGE_TEMPLATES, conditions)
        settings = Settings(name, features, seed, pixels, licence=licence, balanced=balanced)
        build_images(selection, folder, settings, asked_with)
        size_control.add_to_card(folder, [name])
    pictures = counted(len(selection.used), "picture")
    pairs = counted(len(selection.used) * len(features) * len(KINDS) * len(CONDITIONS), "pair")
    _print_skipped(selection.skipped, out)
    splits_made = counted(len(features), "split")
    console.print(f"{pictures}, {splits_made}, {pairs}: {out}")
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks pairbench_{name}")


def spatial(
    folder: Annotated[
        Path, option("Folder of the download: JSON files and folders of photographs.", "--whatsup")
    ],
    out: Out,
    size: Pixels = LONGER_SIDE,
    seed: Seed = 0,
    balanced: Balanced = False,
) -> None:
    """Build PairBench's image-image and image-text pairs from WhatsUp's photographs.

    pairbench build whatsup --whatsup whatsup_vlms/data --out whatsup
    """
    with fail_on(SourceError, RecordError), new_repository(out, [folder]) as repository:
        pixels = _pixels(size)
        settings = Settings("WhatsUp", TRANSFORMS, seed, pixels, licence=whatsup.LICENCE)
        subsets = {key: whatsup.read_views(folder, key, seed=seed, size=pixels) for key in SUBSETS}
        if balanced:
            alike = {name: of_one_size(views, pixels) for name, views in subsets.items()}
            subsets = {name: views for name, (views, _) in alike.items()}
            asked_with = prompts.balanced_spatial_prompts()
            build_balanced(alike, repository, settings, asked_with, whatsup.ABOUT)
        else:
            build_spatial(subsets, repository, settings, prompts.spatial_prompts(), whatsup.ABOUT)
        size_control.add_to_card(repository, [PICTURES + (SUFFIX if balanced else "")])
    skipped = [picture for views in subsets.values() for picture in views.selection.skipped]
    _print_skipped(skipped, out)
    tasks = f"pairbench_{PICTURES}{SUFFIX}" if balanced else "pairbench_wu_ii,pairbench_wu_it"
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks {tasks}")


def _pixels(text: str) -> Size:
    """Return the size in pixels that `--size` gives.

    Raises:
        SourceError: if it is none.
    """
    match = re.fullmatch(r"(\d{1,5})(?:x(\d{1,5}))?", text.strip().lower())
    if match is None:
        raise SourceError(
            f"--size must be WIDTHxHEIGHT such as {ONE_SIZE}, one number such as 1024, or 0, not "
            f"{text!r:.40}"
        )
    width, height = match.groups()
    return (int(width), int(height)) if height else int(width) or None


def _transforms(names: str) -> dict[str, Transform]:
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in chosen if name not in TRANSFORMS]
    if unknown:
        names = ", ".join(TRANSFORMS)
        raise SourceError(f"unknown transformation {unknown[0]!r}: choose from {names}")
    return {name: TRANSFORMS[name] for name in chosen}


def _print_skipped(skipped: Sequence[Skipped], out: Path) -> None:
    if skipped:
        pictures = counted(len(skipped), "picture")
        errors.print(f"{pictures} left out; {out / 'README.md'} lists them with the reasons")


def _checked_name(name: str, *, balanced: bool) -> str:
    """Return the config's name after checking that it can name a folder and tasks.

    Raises:
        SourceError: if it cannot be one, or is taken.
    """
    from lmms_eval_tasks.pairbench.tasks import NAMES, SUFFIXES, design

    if not re.fullmatch(r"[A-Za-z0-9]+([_-][A-Za-z0-9]+)*", name):
        raise SourceError(f"--name {name!r} must be letters and digits, joined by _ or -")
    if not balanced and design(name) == "balanced":
        raise SourceError(
            f"--name {name!r} is reserved for balanced pairs: add --balanced, or choose another "
            "name"
        )
    name = f"{name.removesuffix(SUFFIX)}{SUFFIX}" if balanced else name
    if name == TEMPLATES or f"pairbench_{name}" in NAMES or name.endswith(SUFFIXES):
        raise SourceError(f"--name {name!r} is taken by other tasks: choose another name")
    return name
