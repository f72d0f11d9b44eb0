"""Scenes: images with a description each, from a folder that holds both.

Two layouts are read. DOCCI as it is downloaded: `docci_descriptions.jsonlines` with the fields
`example_id`, `split`, `image_file`, `description`, and the folder `images`. Or any folder of images
with one table, `descriptions.csv`, `descriptions.jsonl`, `metadata.csv` or `metadata.jsonl`, with
the fields `image` (or `file_name`, `image_file`; relative to the folder), `description` and, if the
image's path should not name the scene, `id`.

DOCCI: Onoe et al., "DOCCI: Descriptions of Connected and Contrasting Images" (2024), CC BY 4.0.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from pairbench_ext.core.media import read_image
from pairbench_ext.core.records import Record, read_jsonl
from pairbench_ext.core.sources import SourceError

DOCCI_TABLE = "docci_descriptions.jsonlines"
DOCCI_IMAGES = "images"
TABLES = ("descriptions.csv", "descriptions.jsonl", "metadata.csv", "metadata.jsonl")
IMAGE_FIELDS = ("image", "file_name", "image_file")


class Scene(NamedTuple):
    """An image with its description.

    Attributes:
        id: name, unique among the scenes.
        image: the image's file.
        description: what it shows.
    """

    id: str
    image: Path
    description: str


def read_scenes(folder: Path, split: str = "train") -> list[Scene]:
    """The scenes of a folder, sorted by id.

    Args:
        folder: a DOCCI download, or images with a table; see the module's text.
        split: which split of DOCCI; the paper's is "train".

    Raises:
        SourceError: naming the folder, table, line or file that is missing or of no use.
        RecordError: naming the line and the field of a JSON table that is missing or wrong.
    """
    if not folder.is_dir():
        raise SourceError(f"no folder {str(folder)!r} with images and descriptions")
    scenes = _docci(folder, split) if (folder / DOCCI_TABLE).is_file() else _any_folder(folder)
    known: dict[str, Scene] = {}
    for scene in scenes:
        if known.setdefault(scene.id, scene) is not scene:
            raise SourceError(f"{folder}: two scenes are called {scene.id!r}; give them an 'id'")
        if not scene.image.is_file():
            raise SourceError(f"{folder}: no image {scene.image} (scene {scene.id!r})")
    return [known[name] for name in sorted(known)]


def open_image(scene: Scene) -> Image.Image:
    """The image of a scene as RGB, upright by its EXIF orientation.

    Raises:
        SourceError: naming the file, if it is not a readable image.
    """
    return read_image(scene.image, str(scene.image))


def _docci(folder: Path, split: str) -> Iterator[Scene]:
    images = folder / DOCCI_IMAGES
    if not images.is_dir():
        raise SourceError(f"{folder} has no folder {DOCCI_IMAGES!r}: unpack DOCCI's images there")
    splits = set()
    for record in read_jsonl(folder / DOCCI_TABLE):
        splits.add(record.get("split", str))
        if record.fields["split"] == split:
            image = images / record.get("image_file", str)
            yield Scene(record.get("example_id", str), image, record.get("description", str))
    if split not in splits:
        raise SourceError(f"{folder / DOCCI_TABLE} has no split {split!r}, only {sorted(splits)}")


def _any_folder(folder: Path) -> Iterator[Scene]:
    found = [folder / name for name in TABLES if (folder / name).is_file()]
    if len(found) != 1:
        have = " and ".join(table.name for table in found) or "none of them"
        raise SourceError(
            f"{folder} must have one table of descriptions, {', '.join((DOCCI_TABLE, *TABLES))}; "
            f"it has {have}"
        )
    records = _read_csv(found[0]) if found[0].suffix == ".csv" else read_jsonl(found[0])
    for record in records:
        image = record.get(_image_field(record.fields), str)
        # A table may name some of its scenes: an empty cell is no name.
        named = record.fields.get("id") not in (None, "")
        name = record.get("id", str, int) if named else image
        yield Scene(str(name), folder / image, record.get("description", str))


def _image_field(fields: Mapping[str, object]) -> str:
    return next((name for name in IMAGE_FIELDS if name in fields), IMAGE_FIELDS[0])


def _read_csv(path: Path) -> Iterator[Record]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                given = {name: text for name, text in row.items() if name and text is not None}
                yield Record(f"{path}, line {reader.line_num}", given)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{path} cannot be read: {error}; save it as CSV in UTF-8") from error
