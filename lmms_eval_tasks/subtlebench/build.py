"""`pairbench build subtle`: write synthetic image pairs in the file layout of VLM-SubtleBench.

    data/test.jsonl    a row per pair, fields as on the hub; generation_info is JSON text
    images/<set>/      the images, PNG, as image_1 and image_2 name them
    README.md          what it is, and how it was made

A pair depends on the set, the seed and its number alone.
"""

import json
from pathlib import Path
from typing import Annotated

from lmms_eval_tasks.build.repository import new_repository, write_card
from lmms_eval_tasks.subtlebench.scenes import NAMES, VERSION, SyntheticRows
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import option

TABLE = "data/test.jsonl"


def build(
    kind: Annotated[str, option(f"What to draw: {', '.join(NAMES)}.", "--type", metavar="TYPE")],
    out: Annotated[Path, option("Output folder.")],
    axes: Annotated[
        str,
        option(
            "Other values of the axes that a controlled set varies, as JSON: "
            '{"size": [20, 40], "brightness": [0.05, 0.1]}.'
        ),
    ] = "{}",
    n: Annotated[
        int | None,
        option(
            "Number of pairs; in a controlled set, of pairs per combination of axis values. "
            "Default: as in the paper."
        ),
    ] = None,
    seed: Annotated[int, option("Random seed.")] = 0,
) -> None:
    """Write synthetic pairs with questions, answers and captions, in the hub's schema.

    pairbench build subtle --type mix --out subtle
    """
    with fail_on(ValueError, OSError):
        rows = SyntheticRows(kind, n, seed, json.loads(axes))
        table = build_subtle(rows, out.expanduser())
    console.print(f"{counted(len(rows), 'pair')}: {table}")
    console.print(f"Next: SUBTLEBENCH_DATA={out} lmms-eval --model ... --tasks subtlebench")


def build_subtle(rows: SyntheticRows, out: Path) -> Path:
    """Write the images, the table and the description of a synthetic set; return the table.

    Raises:
        OutputError: if the folder holds something.
        OSError: if a file cannot be written.
    """
    with new_repository(out) as folder:
        (folder / TABLE).parent.mkdir()
        with (folder / TABLE).open("w", encoding="utf-8") as file:
            for index, row in enumerate(tracked(rows, "drawing pairs")):
                names = row["image_1"], row["image_2"]
                for name, image in zip(names, rows.images(index), strict=True):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    image.save(folder / name, compress_level=1)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        title = f"VLM-SubtleBench, synthetic: {rows.name}"
        write_card(folder, title, _about(rows), {"default": {"test": TABLE}})
    return out / TABLE


def _about(rows: SyntheticRows) -> str:
    return (
        f"{len(rows)} pairs of scenes of plain shapes, each with a question, an answer, "
        "distractors and a caption, in the schema of KRAFTON/VLM-SubtleBench. They were drawn by "
        "rules, as Section 4.4 and Appendices A and C.4 of VLM-SubtleBench describe. They are not "
        "the benchmark's own files, and the benchmark's authors did not write their texts.\n\n"
        f"Made with `pairbench build subtle --type {rows.name}`: seed {rows.seed}, axes "
        f"{json.dumps(rows.axes)}, version {VERSION} of the scenes."
    )
