"""What VIEScore's paper prints: Tables 1 to 11.

Averages are its authors': tanh of the mean, of numbers that are rounded to four decimals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.orders import Same
from pairbench_ext.runs.published.relations import Averaged, Relation
from pairbench_ext.runs.published.tables import Cells, Place, Published, Table

_FILE = "tables.csv"
_ABOUT = {
    1: "averages over tasks",
    2: "averages by task",
    3: "averages by task, continued",
    4: "with the inputs in the prompt of perceptual quality",
    5: "rankings of image models",
    6: "GPT-4v by image model",
    7: "raters by image model",
    8: "CLIP-Score by image model",
    9: "LPIPS by image model",
    10: "DINO by image model",
    11: "CLIP-I by image model",
}
_CORRELATIONS = {f"spearman_{a}": f"spearman_{a}_authors" for a in ("sc", "pq", "o")}


def _relations(cells: Cells, _: float) -> Iterable[Relation]:
    yield from (Same(first, again) for first, again in cells.twice())
    models: dict[tuple[str, str, str, str], dict[str, Cell]] = {}
    for cell in cells:
        task, _sep, image_model = cell.part.partition("/")
        if image_model:
            key = (cell.model, cell.setting, task, cell.number)
            models.setdefault(key, {}).setdefault(cell.part, cell)
    tasks: dict[tuple[str, str, str], dict[str, Cell]] = {}
    for cell in cells:
        if cell.part and "/" not in cell.part and cell.number.startswith("spearman"):
            tasks.setdefault((cell.model, cell.setting, cell.number), {}).setdefault(
                cell.part, cell
            )
            own = models.get((cell.model, cell.setting, cell.part, cell.number))
            if own:
                yield _mean(tuple(own.values()), cell)
    for cell in cells:
        own = tasks.get((cell.model, cell.setting, cell.number), {})
        if not cell.part and len(own) > 1:
            yield _mean(tuple(own.values()), cell)


def _mean(parts: tuple[Cell, ...], total: Cell) -> Averaged:
    return Averaged(parts, total, outside=math.tanh, how="tanh of the mean")


def _table(number: int) -> Table:
    return Table(f"Table {number}", _FILE, _ABOUT[number])


PUBLISHED = Published(
    source="the paper",
    folder=Path(__file__).parent,
    tables=(
        _table(1)._replace(
            places=(
                Place("viescore", _CORRELATIONS, setting="0shot", authors="viescore_authors"),
                Place(
                    "viescore_1shot",
                    _CORRELATIONS,
                    setting="1shot",
                    authors="viescore_1shot_authors",
                ),
            )
        ),
        *map(_table, range(2, 12)),
    ),
    relations=_relations,
    not_models=frozenset(["human", "CLIP_Score", "LPIPS", "DINO", "CLIP_I", "CLIP"]),
    served="the paper does not say; the authors' code loads 16-bit floats with transformers",
)
