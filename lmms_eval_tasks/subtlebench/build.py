"""Synthetic pairs of VLM-SubtleBench on disk, in the layout of the hub's repository.

    data/test.jsonl    a row per pair, fields as on the hub; generation_info is JSON text
    images/<set>/      the images, PNG, as image_1 and image_2 name them
    README.md          what it is, how it was made, how many pairs of what
    sheet.png          some of the pairs, to look at

A pair follows from the set, the seed and its number alone, so a build that was interrupted goes on
where it was, and any number of threads writes the same files, bit by bit.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from lmms_eval_tasks.build.hub_layout import card
from lmms_eval_tasks.build.jobs import in_order
from lmms_eval_tasks.build.repository import build_repository
from lmms_eval_tasks.subtlebench.sets.axes import Axes, label
from lmms_eval_tasks.subtlebench.sets.rows import VERSION, SyntheticRows
from pairbench_ext.core.files import appearing, appearing_together, write_atomically
from pairbench_ext.show.figures.contact_sheet import Tile, pair_sheet, save_sheet

TABLE = "data/test.jsonl"
_CHUNK = 16  # pairs that a thread makes at a time
_IN_DIGEST = 29  # pairs; the mix has all its types among so many
_ON_SHEET = 12
_CELLS_ON_SHEET = 36


def build_subtle(
    name: str,
    out: Path,
    *,
    n: int | None = None,
    seed: int = 0,
    axes: Axes | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> Path:
    """Write a synthetic set as the module's text says; images that are there are kept.

    Args:
        name: the set, one of `sets.rows.NAMES`.
        out: the repository's folder, made if needed.
        n: how many pairs, per cell of a controlled set; None takes the benchmark's own numbers.
        seed: of everything that is drawn.
        axes: other values of a controlled set's axes, by name.
        jobs: how many threads render.
        progress: show a progress bar on standard error once it takes more than two seconds.

    Returns:
        The table; it appears after all other files, complete or not at all.

    Raises:
        ValueError: naming what is wrong with the name, n, an axis, a cell or jobs.
        BuildError: if the folder holds something else, or is being built.
        OSError: if a file cannot be written.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be 1 or more, not {jobs}")
    rows = SyntheticRows(name, n, seed, axes)
    recipe = {
        "command": "pairbench build subtle",
        "set": name,
        "size": len(rows),
        "seed": seed,
        "axes": {} if rows.control is None else {a: list(v) for a, v in rows.control.axes.items()},
        "scenes": VERSION,
        "version": _digest(SyntheticRows(name, None, seed, axes)),
    }
    make = partial(_made, (name, n, seed, axes), out)

    def build() -> None:
        _write(out, rows, in_order(make, _chunks(len(rows)), jobs), progress)

    build_repository(out, recipe, build)
    return out / TABLE


def _digest(rows: SyntheticRows) -> str:
    """Of the first pairs and images: other ones come from another version of the generator."""
    digest = hashlib.blake2b(digest_size=8)
    for pair in map(rows.pair, range(_IN_DIGEST)):
        digest.update(repr(pair).encode())
    for image in rows.images(rows[0]):
        digest.update(image.tobytes())
    return digest.hexdigest()


def _chunks(total: int) -> Iterator[range]:
    return (range(start, min(start + _CHUNK, total)) for start in range(0, total, _CHUNK))


def _made(arguments: tuple[Any, ...], out: Path, chunk: range) -> list[str]:
    """The lines of some rows of a set, once their images are on disk."""
    rows = SyntheticRows(*arguments)
    lines = []
    with appearing_together(out) as scratch:
        for row in map(rows.__getitem__, chunk):
            names = (row["image_1"], row["image_2"])
            if not all((out / name).exists() for name in names):
                for name, image in zip(names, rows.images(row), strict=True):
                    (scratch / name).parent.mkdir(parents=True, exist_ok=True)
                    image.save(scratch / name, compress_level=1)
            lines.append(json.dumps(row, ensure_ascii=False))
    return lines


def _write(out: Path, rows: SyntheticRows, chunks: Iterator[list[str]], progress: bool) -> None:
    """Write what chunks of lines say, and the sheet and the card before they take their place."""
    from tqdm import tqdm

    counts: Counter[str] = Counter()
    bar = tqdm(total=len(rows), desc="Pairs", unit="pair", delay=2, disable=not progress)
    with bar, appearing(out / TABLE) as part, part.open("w", encoding="utf-8") as file:
        for lines in chunks:
            file.writelines(f"{line}\n" for line in lines)
            counts.update(_counted(json.loads(line)) for line in lines)
            bar.update(len(lines))
        file.flush()
        save_sheet(_sheet(rows), out / "sheet.png")
        write_atomically(out / "README.md", _card(rows, counts))


def _counted(row: Mapping[str, Any]) -> str:
    """What a row counts as in the README: its cell, else its type."""
    cell = json.loads(row["generation_info"]).get("cell")
    return label(cell) if cell else str(row["category"])


def _card(rows: SyntheticRows, counts: Mapping[str, int]) -> str:
    what = "type" if rows.control is None else f"cell of {' x '.join(rows.control.axes)}"
    table = f"| {what} | pairs |\n| --- | --- |\n"
    table += "".join(f"| {name} | {count} |\n" for name, count in counts.items())
    text = (
        f"{len(rows)} pairs of scenes of plain shapes, each with a question, an answer, "
        "distractors and a caption, in the schema of KRAFTON/VLM-SubtleBench. They were drawn by "
        "rule as Section 4.4 and Appendices A and C.4 of VLM-SubtleBench describe; they are not "
        "the benchmark's own files, and their wording is not its authors'.\n\n"
        f"Made with `pairbench build subtle {_options(rows)}`. sheet.png shows some of them."
        f"\n\n{table}"
    )
    return card(f"VLM-SubtleBench, synthetic: {rows.name}", text, {"default": {"test": TABLE}})


def _options(rows: SyntheticRows) -> str:
    given = f"--type {rows.name} --seed {rows.seed}"
    if rows.n is not None:
        given += f" --n {rows.n}"
    if rows.control is None:
        return given
    axes = (f"{axis}={','.join(map(str, v))}" for axis, v in rows.control.axes.items())
    return f'{given} --axes "{";".join(axes)}"'


def _sheet(rows: SyntheticRows) -> Image.Image:
    """The first pairs with questions and answers; of a controlled set, one per cell."""
    if rows.control is None:
        shown, columns, width = range(min(len(rows), _ON_SHEET)), 2, 320
    else:
        shown = range(min(len(rows.control.cells), _CELLS_ON_SHEET))
        columns, width = len(list(rows.control.axes.values())[-1]), 200
    return pair_sheet([_tile(rows, rows[index]) for index in shown], columns, width)


def _tile(rows: SyntheticRows, row: Mapping[str, Any]) -> Tile:
    cell = json.loads(row["generation_info"]).get("cell")
    title = label(cell) if cell else str(row["source_id"])
    words = (row["question"], row["answer"]) if cell is None else (row["answer"],)
    return Tile(*rows.images(row), title, words)
