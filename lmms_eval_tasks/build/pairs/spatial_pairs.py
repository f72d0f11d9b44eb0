"""A repository with the configs `wu_img_img` and `wu_img_text`, from views of two objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lmms_eval_tasks.build.common.repository import build_repository
from lmms_eval_tasks.build.pairs.images import SHEET_ROWS, Settings, fill_gallery
from lmms_eval_tasks.build.pairs.ranges import ranges
from lmms_eval_tasks.build.pairs.repository_files import (
    Prompts,
    Row,
    split_file,
    write_card,
    write_split,
    write_templates,
)
from lmms_eval_tasks.build.pairs.spatial import Views, caption_rows, picture_rows
from lmms_eval_tasks.build.pairs.spatial_card import spatial_card
from lmms_eval_tasks.build.pairs.spatial_rows import (
    CAPTIONS,
    HEADS,
    PICTURES,
    CaptionRows,
    PictureRows,
    RowSource,
    split_name,
)
from lmms_eval_tasks.build.pairs.usable import count_kinds
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.user_cache import fingerprint
from pairbench_ext.show.figures.contact_sheet import SheetRow, contact_sheet, save_sheet, sheet_file
from pairbench_ext.statistics import seeds

FORMAT = 2  # raise when the same recipe would give other files
Counts = Mapping[tuple[str, str], int]


def build_spatial(
    subsets: Mapping[str, Views],
    out: Path,
    settings: Settings,
    prompts: Sequence[Prompts],
    about: str,
    *,
    jobs: int = 1,
    progress: bool = False,
) -> Counts:
    """Build a repository, or bring it to completion.

    The files are the same bytes for any number of jobs and after interruptions.

    Args:
        subsets: the views by subset, "a" or "b".
        out: the repository's folder, made if needed.
        settings: what is made of the pictures; its name is the card's title.
        prompts: what each config is asked with, from `spatial_rows.logistics`.
        about: a paragraph of the card: where the views come from.
        jobs: how many processes.
        progress: show progress bars on standard error for what takes more than two seconds.

    Returns:
        The number of rows by config and split.

    Raises:
        SourceError: if a subset has no row, or a picture was changed meanwhile.
        BuildError: if the folder holds something else, or was built from something else.
        JobError: if a process ended before its work was done.
    """
    for subset, views in subsets.items():
        _require_rows(subset, views, settings.seed)
    recipe = {
        "command": f"build {settings.name}",
        "format": FORMAT,
        "subsets": list(subsets),
        "transforms": {name: ranges(value) for name, value in settings.transforms.items()},
        "seed": settings.seed,
        "size": settings.size,
        "lossless": settings.lossless,
        "licence": settings.licence,
        "about": about,
        "prompts": fingerprint(*prompts, libraries=()),
        "views": fingerprint(*map(_contents, subsets.values()), libraries=()),
    }
    counts = _count_rows(subsets, settings)

    def build(scratch: Path) -> None:
        for subset, views in subsets.items():
            used = views.selection.used
            gallery = fill_gallery(scratch / subset, used, settings, jobs=jobs, progress=progress)
            _write_splits(out, subset, RowSource(gallery, views.views, settings.seed), settings)
            gallery.close()
        write_templates(out, prompts)
        files: dict[str, list[str]] = {}
        for config, split in counts:
            files.setdefault(config, []).append(split)
        text = spatial_card(about, subsets, counts, settings)
        write_card(out, settings.name, text, files, settings.licence)

    build_repository(out, recipe, build)
    return counts


def _require_rows(subset: str, views: Views, seed: int) -> None:
    rows, missing = picture_rows(views.views, seed)
    if not rows:
        why = count_kinds([*views.selection.skipped, *missing])
        raise SourceError(
            f"subset {subset}: none of {views.selection.found} pictures can be used ({why})"
        )


def _contents(views: Views) -> tuple[object, ...]:
    """What the files of a subset depend on."""
    used, skipped, found = views.selection
    return tuple(views.views), [(one.name, one.digest) for one in used], skipped, found


def _count_rows(subsets: Mapping[str, Views], settings: Settings) -> Counts:
    """The number of rows by config and split, in the order of the card."""
    pictures = {x: len(picture_rows(v.views, settings.seed)[0]) for x, v in subsets.items()}
    captions = {x: len(caption_rows(v.views, settings.seed)[0]) for x, v in subsets.items()}
    changes = (None, *settings.transforms)
    counts = {(PICTURES, split_name(x, c)): n for x, n in pictures.items() for c in changes}
    return counts | {(CAPTIONS, split_name(x)): n for x, n in captions.items()}


def _write_splits(out: Path, subset: str, source: RowSource, settings: Settings) -> None:
    """The splits of a subset and their contact sheets, as far as they are not there yet."""
    for transform in (None, *settings.transforms):
        rows = PictureRows(source, transform)
        _write_split(out, PICTURES, split_name(subset, transform), rows, settings)
    _write_split(out, CAPTIONS, split_name(subset), CaptionRows(source), settings)


def _write_split(
    out: Path, config: str, split: str, rows: PictureRows | CaptionRows, settings: Settings
) -> None:
    path = out / split_file(config, split)
    if not path.is_file():
        write_split(path, map(rows.row, range(len(rows))), rows.columns)
    n = min(SHEET_ROWS, len(rows))
    rng = seeds.generator(settings.seed, "contact sheet", config, split)
    chosen = sorted(rng.choice(len(rows), n, replace=False).tolist())
    shown = [rows.row(index) for index in chosen]
    sheet = contact_sheet(
        f"{config}: {split}",
        list(HEADS.values()),
        [SheetRow(_label(row), [row[column] for column in HEADS]) for row in shown],
        subtitle=f"{n} of {len(rows):,} rows, drawn with seed {settings.seed}",
    )
    save_sheet(sheet, out / sheet_file(config, split))


def _label(row: Row) -> str:
    return str(row["name"]).replace("_", " ")
