"""`pairbench build subtle`: synthetic pairs on disk, in the layout of the hub's repository.

    data/test.jsonl    a row per pair, fields as on the hub; generation_info is JSON text
    images/<set>/      the images, PNG, as image_1 and image_2 name them
    README.md          what it is, and how it was made

A pair follows from the set, the seed and its number alone, so a build that was interrupted goes on
where it was.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.build.hub_layout import card
from lmms_eval_tasks.build.repository import RECIPE, build_repository
from lmms_eval_tasks.subtlebench.scenes import NAMES, VERSION, SyntheticRows
from pairbench_ext.core.files import appearing, appearing_together, write_atomically
from pairbench_ext.core.plurals import counted
from pairbench_ext.show.cli.console import console, fail_on

TABLE = "data/test.jsonl"
_CHUNK = 16  # pairs whose images are brought to disk together


def build(
    kind: Annotated[
        str, typer.Option("--type", help=f"What to draw: {', '.join(NAMES)}.", metavar="TYPE")
    ],
    out: Annotated[Path, typer.Option(help="Output folder: new, or from an interrupted build.")],
    axes: Annotated[
        str,
        typer.Option(
            help="Other values of the axes of a controlled set, as JSON: "
            '{"size": [20, 40], "brightness": [0.05, 0.1]}.'
        ),
    ] = "{}",
    n: Annotated[
        int | None,
        typer.Option(help="Number of pairs, per cell of a controlled set. Default: the paper's."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Write synthetic pairs with questions, answers and captions, in the schema of the hub's data.

    A build that was interrupted goes on where it was.

    pairbench build subtle --type mix --out subtle
    """
    with fail_on(ValueError, OSError):
        rows = SyntheticRows(kind, n, seed, json.loads(axes))
        table = build_subtle(rows, out.expanduser())
    console.print(f"{counted(len(rows), 'pair')}: {table}")
    console.print(f"Next: SUBTLEBENCH_DATA={out} lmms-eval --model ... --tasks subtlebench")


def build_subtle(rows: SyntheticRows, out: Path) -> Path:
    """Write a synthetic set as the module's text says; images that are there are kept.

    Args:
        rows: the set.
        out: the repository's folder, made if needed.

    Returns:
        The table; it appears after all other files, complete or not at all.

    Raises:
        BuildError: if the folder holds something else, or is being built.
        OSError: if a file cannot be written.
    """
    recipe = {
        "command": "pairbench build subtle",
        "set": rows.name,
        "size": len(rows),
        "seed": rows.seed,
        "axes": {axis: list(values) for axis, values in rows.axes.items()},
        "scenes": VERSION,
    }
    build_repository(out, recipe, lambda: _write(out, rows))
    return out / TABLE


def _write(out: Path, rows: SyntheticRows) -> None:
    """Write the images that are not there yet, the card, and the table that lists all of them."""
    from tqdm import tqdm

    bar = tqdm(total=len(rows), desc="Pairs", unit="pair", delay=2, disable=None)
    with bar, appearing(out / TABLE) as part, part.open("w", encoding="utf-8") as file:
        for start in range(0, len(rows), _CHUNK):
            with appearing_together(out) as scratch:
                for index in range(len(rows))[start : start + _CHUNK]:
                    row = rows[index]
                    _draw(rows, index, (row["image_1"], row["image_2"]), out, scratch)
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    bar.update()
        file.flush()
        write_atomically(out / "README.md", _card(rows))


def _draw(
    rows: SyntheticRows, index: int, names: tuple[str, str], out: Path, scratch: Path
) -> None:
    if all((out / name).exists() for name in names):
        return
    for name, image in zip(names, rows.images(index), strict=True):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        image.save(scratch / name, compress_level=1)


def _card(rows: SyntheticRows) -> str:
    text = (
        f"{len(rows)} pairs of scenes of plain shapes, each with a question, an answer, "
        "distractors and a caption, in the schema of KRAFTON/VLM-SubtleBench. They were drawn by "
        "rule as Section 4.4 and Appendices A and C.4 of VLM-SubtleBench describe; they are not "
        "the benchmark's own files, and their wording is not its authors'.\n\n"
        f"Made with `pairbench build subtle`; {RECIPE} says with which options."
    )
    return card(f"VLM-SubtleBench, synthetic: {rows.name}", text, {"default": {"test": TABLE}})
