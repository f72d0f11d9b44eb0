"""PairBench from any pictures: a config with a split for each transformation (Appendix D.1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lmms_eval_tasks.build.common.repository import build_repository
from lmms_eval_tasks.build.pairs.gallery import Gallery
from lmms_eval_tasks.build.pairs.images_card import images_card
from lmms_eval_tasks.build.pairs.ranges import ranges
from lmms_eval_tasks.build.pairs.repository_files import (
    Prompts,
    split_file,
    write_card,
    write_split,
    write_templates,
)
from lmms_eval_tasks.build.pairs.self_check import SelfCheck, check
from lmms_eval_tasks.build.pairs.splits import SplitRows
from lmms_eval_tasks.build.pairs.usable import Selection, Usable
from lmms_eval_tasks.build.pairs.variants import Variants
from pairbench_ext.core.files import write_atomically
from pairbench_ext.show.figures.contact_sheet import SheetRow, contact_sheet, save_sheet, sheet_file
from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform

FORMAT = 2  # raise when the same recipe would give other files
CHECKS = "self_check.json"
SHEET_ROWS = 8
SHOWN = ("img1", "img2", "img3", "img4")
COLUMNS = ("original", "identical", "transformed", "irrelevant")


@dataclass(frozen=True)
class Settings:
    """What is made of the pictures.

    Attributes:
        name: of the config.
        transforms: the transformations, one split each, by name.
        seed: of the parameters and of the irrelevant pictures.
        size: pixels that the longer side may have; None keeps the size.
        lossless: store changed versions of JPEG files without loss, too.
        licence: of the pictures, for the card; None if unsaid.
        apart: whether irrelevant pictures that look like the same scene are drawn again.
    """

    name: str
    transforms: Mapping[str, Transform] = field(default_factory=lambda: dict(TRANSFORMS))
    seed: int = 0
    size: int | None = None
    lossless: bool = False
    licence: str | None = None
    apart: bool = True


def build_images(
    selection: Selection,
    out: Path,
    settings: Settings,
    prompts: Prompts,
    *,
    jobs: int = 1,
    progress: bool = False,
) -> dict[str, SelfCheck]:
    """Build a repository of one config, or bring it to completion.

    The files are the same bytes for any number of jobs and after interruptions. What an
    interruption loses is at most a chunk of pictures per process, and the split being written.

    Args:
        selection: the pictures.
        out: the repository's folder, made if needed.
        settings: what is made of them.
        prompts: what the config is asked with.
        jobs: how many processes.
        progress: show progress bars on standard error for what takes more than two seconds.

    Returns:
        The self-check of each split.

    Raises:
        BuildError: if the folder holds something else, or was built from something else.
        JobError: if a process ended before its work was done.
        SourceError: if a picture was changed meanwhile.
    """
    recipe = {
        "command": "build images",
        "format": FORMAT,
        "name": settings.name,
        "transforms": {name: ranges(value) for name, value in settings.transforms.items()},
        "seed": settings.seed,
        "size": settings.size,
        "lossless": settings.lossless,
        "licence": settings.licence,
        "apart": settings.apart,
        "prompts": _digest(prompts),
        "number of pictures": len(selection.used),
        "pictures": _digest([(one.name, one.digest) for one in selection.used]),
        "pictures left out": _digest([selection.found, selection.skipped]),
    }
    build_repository(
        out, recipe, partial(_build, selection, out, settings, prompts, jobs, progress)
    )
    return _read_checks(out / CHECKS)


def _digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=16).hexdigest()


def _build(
    selection: Selection,
    out: Path,
    settings: Settings,
    prompts: Prompts,
    jobs: int,
    progress: bool,
    scratch: Path,
) -> None:
    gallery = fill_gallery(scratch, selection.used, settings, jobs=jobs, progress=progress)
    checks = write_splits(out, scratch, gallery, selection.used, settings, progress=progress)
    _write_sheets(out, gallery, selection.used, settings)
    write_templates(out, [prompts])
    write_atomically(out / CHECKS, _checks_text(checks))
    text = images_card(selection, settings, checks)
    write_card(out, settings.name, text, {settings.name: list(checks)}, settings.licence)
    gallery.close()


def fill_gallery(
    scratch: Path,
    used: Sequence[Usable],
    settings: Settings,
    *,
    embedded: bool = True,
    jobs: int = 1,
    progress: bool = False,
) -> Gallery[Usable]:
    """Make all that the splits show, as far as it is not in the folder `scratch` yet.

    Args:
        scratch: a folder that is kept between runs.
        used: the pictures.
        settings: what is made of them.
        embedded: also make what the self-check needs.
        jobs: how many processes.
        progress: show a progress bar on standard error once it takes more than two seconds.
    """
    make = Variants(settings.transforms, settings.seed, settings.size, settings.lossless, embedded)
    gallery = Gallery(scratch / "gallery", used, make)
    gallery.fill(jobs=jobs, progress=f"Building {settings.name}" if progress else None)
    return gallery


def write_splits(
    out: Path,
    scratch: Path,
    gallery: Gallery[Usable],
    used: Sequence[Usable],
    settings: Settings,
    *,
    progress: bool = False,
) -> dict[str, SelfCheck]:
    """Write the splits that are not there yet; the self-check of each.

    Args:
        out: the repository.
        scratch: a folder that is kept between runs.
        gallery: from `fill_gallery`.
        used: the pictures, in the gallery's order.
        settings: what is made of them.
        progress: show a progress bar on standard error once it takes more than two seconds.
    """
    from tqdm import tqdm

    checks: dict[str, SelfCheck] = {}
    splits = list(settings.transforms)
    for split in tqdm(splits, "Writing", unit="split", delay=2, disable=not progress):
        rows = SplitRows(gallery, used, split, settings.seed, apart=settings.apart)
        path = out / split_file(settings.name, split)
        if not path.is_file():
            write_split(path, map(rows.row, range(len(rows))))
        found = scratch / f"{split}.json"
        if not found.is_file():
            named = ((name, rows.distances(k)) for k, name in enumerate(rows.names))
            checked = check(named, rows.alike())
            write_atomically(found, _checks_text({split: checked}))
        checks |= _read_checks(found)
    return checks


def _checks_text(checks: Mapping[str, SelfCheck]) -> str:
    return json.dumps({split: found.as_json() for split, found in checks.items()}) + "\n"


def _read_checks(path: Path) -> dict[str, SelfCheck]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return {split: SelfCheck.from_json(value) for split, value in found.items()}


def _write_sheets(
    out: Path, gallery: Gallery[Usable], used: Sequence[Usable], settings: Settings
) -> None:
    """A page per split, with the same rows, drawn by seed."""
    rng = seeds.generator(settings.seed, "contact sheet", settings.name)
    n = min(SHEET_ROWS, len(used))
    chosen = sorted(rng.choice(len(used), n, replace=False).tolist())
    for split in settings.transforms:
        rows = SplitRows(gallery, used, split, settings.seed, apart=settings.apart)
        shown = [SheetRow(rows.names[k], [rows.row(k)[name] for name in SHOWN]) for k in chosen]
        subtitle = f"{n} of {len(used):,} rows, drawn with seed {settings.seed}"
        sheet = contact_sheet(f"{settings.name}: {split}", COLUMNS, shown, subtitle=subtitle)
        save_sheet(sheet, out / sheet_file(settings.name, split))
