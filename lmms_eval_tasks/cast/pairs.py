"""Load pairs of scenes with descriptions: your table, the authors' repository or the demo.

A table (a data set with the config `cast` and the split `test`) has the columns `pair` (a unique
name), `image_1`, `image_2`, `description_1` and `description_2`, one row per pair.

In the folder `data` of github.com/gautierdag/cast, pair N is `N.json` with `description_0`,
`description_1`, `img_pair_similarity` and the scenes' places in DOCCI's train split; its images are
`imgs/N_0.jpg` and `imgs/N_1.jpg`. `data_prompt`, of the same form, has the pairs that the examples
in prompts are from. Images and descriptions are DOCCI's (Onoe et al., 2024), CC BY 4.0.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.sources import LeftOut, PlainTable, SourceError

CONFIG, SPLIT = "cast", "test"
IMAGES = ("image_1", "image_2")
REQUIRED = ("pair", "description_1", "description_2")


class ScenePair(NamedTuple):
    """A pair of scenes with its name, descriptions and images."""

    key: str
    descriptions: tuple[str, str]
    images: Sequence[str | Path] = IMAGES


def pairs_table(pairs: Sequence[ScenePair]) -> PlainTable:
    """Return a table of pairs of scenes; an image file is read when the image is shown."""
    rows = (
        {
            "pair": pair.key,
            **{name: str(file) for name, file in zip(IMAGES, pair.images, strict=True)},
            **{k: text.strip() for k, text in zip(REQUIRED[1:], pair.descriptions, strict=True)},
        }
        for pair in pairs
    )
    return PlainTable(rows, IMAGES)


def read_authors(folder: str | Path, left_out: LeftOut) -> list[ScenePair]:
    """Return the authors' pairs of scenes, sorted by the number that names each pair.

    Raises:
        SourceError: if no pair can be used.
    """
    data = authors_data(folder)
    assert data is not None
    files = (file for file in data.glob("*.json") if file.stem.isdecimal())
    pairs = []
    for file in sorted(files, key=lambda file: int(file.stem)):
        with left_out.unless_usable(str(file)):
            pairs.append(_authors_pair(file))
    if not pairs:
        raise SourceError(left_out[0])
    return pairs


def demo_pairs() -> list[ScenePair]:
    """Return the pairs of scenes of the demo, which needs no download.

    Descriptions have 500 characters or more, as those of the paper's data set; they name no person
    and nothing that cannot be seen.

    Raises:
        MissingPackageError: if a photograph is not installed.
    """
    from lmms_eval_tasks.build.photos import SOURCES, locate

    files = {source.name: locate(source) for source in SOURCES}
    demo = json.loads(Path(__file__).with_name("demo.json").read_text(encoding="utf-8"))
    texts = demo["descriptions"]
    return [
        ScenePair(f"{a} + {b}", (texts[a], texts[b]), (files[a], files[b]))
        for a, b in demo["pairs"]
    ]


def example_files(folder: str | Path) -> tuple[Path, Path]:
    """Return the image files of the example that the authors show before the pair.

    Raises:
        SourceError: if it is neither, or an image is missing.
    """
    data = authors_data(folder)
    images = (data or Path(folder)).parent / "data_prompt" / "imgs"
    first, second = (images / f"7_{side}.jpg" for side in (0, 1))
    for file in (first, second):
        if data is None or not file.is_file():
            raise SourceError(
                f"{folder}: the authors' example is missing (data_prompt/imgs/{file.name} of "
                "their repository). Run `git clone https://github.com/gautierdag/cast`, and set "
                "CAST_DATA to the copy"
            )
    return first, second


def authors_data(folder: str | Path) -> Path | None:
    """Return the folder `data` in a copy of the authors' repository; None if it is missing."""
    given = Path(folder).expanduser()
    for data in (given / "data", given):
        if (data / "imgs").is_dir() and any(f.stem.isdecimal() for f in data.glob("*.json")):
            return data
    return None


def _authors_pair(file: Path) -> ScenePair:
    row = json.loads(file.read_text(encoding="utf-8"))
    first, second = (file.parent / "imgs" / f"{file.stem}_{side}.jpg" for side in (0, 1))
    for image in (first, second):
        if not image.is_file():
            raise SourceError(f"{file}: no image {image}")
    return ScenePair(file.stem, (row["description_0"], row["description_1"]), (first, second))
