"""What PairBench's paper prints: arXiv 2502.15210, Tables 1 to 9.

Table 1 is, within about half a point, the mean of Table 8 over 24 leaves. Tables 3 to 7 are called
MMScores, too, but are on another scale than Table 8 for the same models: by all signs normalised
mutual information. Runs are placed in them where MMScore is that (`--metric nmi`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.orders import AtMost, Same
from pairbench_ext.runs.published.relations import Averaged, Relation, Summed
from pairbench_ext.runs.published.tables import (
    Cells,
    Place,
    Published,
    Table,
    all_of,
    row_relations,
)

_FOLDER = Path(__file__).parent
#: Leaves of each data set: Table 1 is the mean over all of them.
_LEAVES = {"coco": 5, "in100": 5, "wu_ii": 12, "wu_it": 2}
_AVERAGED = ("mmscore", "smoothness", "controllability")
_ALL = "all splits"
_DECODING = "open models greedily, others by their interface's defaults (Section 3.1)"


def _relations(cells: Cells, _: float) -> Iterable[Relation]:
    yield from (Same(first, again) for first, again in cells.twice())
    yield from row_relations(cells, _row)
    for cell in cells:
        if not cell.part and not cell.setting:
            yield from _of_leaves(cells, cell)
    for number in ("new_data_points", "comparisons"):
        splits = [cell for cell in cells if cell.number == number]
        total = next((cell for cell in splits if cell.part == _ALL), None)
        if total is not None:
            yield Summed(tuple(cell for cell in splits if cell is not total), total)


def _row(row: Mapping[str, Cell]) -> Iterator[Relation]:
    """What holds of any task or group, in tables that print it."""
    conditions = all_of(row, ("mmscore_sens", "mmscore_inv"))
    if conditions is not None and "mmscore" in row:
        yield Averaged(conditions, row["mmscore"], how="mean of both conditions")
    if "relaxsym0" in row and "relaxsym" in row:
        yield AtMost(row["relaxsym0"], row["relaxsym"])


def _of_leaves(cells: Cells, total: Cell) -> Iterator[Relation]:
    number = "relaxsym0" if total.number == "relaxsym" else total.number
    found = [cells.find(total.model, number, part=part) for part in _LEAVES]
    parts = tuple(filter(None, found))
    if len(parts) < len(_LEAVES):
        return
    weights = tuple(_LEAVES.values())
    if total.number in _AVERAGED:
        yield Averaged(parts, total, weights, how="mean over 24 leaves")
    elif total.number == "relaxsym":  # of eps 1, from eps 0: relaxed symmetry only grows with eps
        mean = Averaged(parts, total, weights).expected
        low = float(mean.low) * 100
        yield AtMost(
            total._replace(number="relaxsym0", value=f"{low:.4f}%", table="Table 8"), total
        )


def _places() -> tuple[Place, ...]:
    return tuple(
        Place(
            f"pairbench_{part}_all_prompts",
            {"mmscore": "mmscore"},
            part=part,
            authors=f"pairbench_{part}_authors",
        )
        for part in _LEAVES
    )


def _leaf_places(file: str) -> tuple[Place, ...]:
    """Each column of a table by leaf and condition: where runs of the leaf's task are placed."""
    with (_FOLDER / file).open(encoding="utf-8") as lines:
        columns = next(csv.reader(lines))[1:]
    by_task: dict[str, dict[str, str]] = {}
    for column in columns:
        leaf, _, condition = column.rpartition("_")
        by_task.setdefault(f"pairbench_{leaf}", {})[column] = f"mmscore_{condition}"
    return tuple(Place(task, own, options={"metric": "nmi"}) for task, own in by_task.items())


def _split(name: str, about: str, page: str) -> Table:
    file = f"{name.lower().replace(' ', '_')}.csv"
    return Table(name, file, about, page, _leaf_places(file), _DECODING)


PUBLISHED = Published(
    source="the paper",
    folder=_FOLDER,
    tables=(
        Table(
            "Table 1",
            "table_1.csv",
            "10 models over all splits; 1-RelaxSym",
            "6",
            (
                Place(
                    "pairbench_all_prompts",
                    {"mmscore": "mmscore", "relaxsym": "relaxsym"},
                    authors="pairbench_authors",
                ),
            ),
            _DECODING,
        ),
        Table("Table 2", "table_2.csv", "rank correlations with other benchmarks", "6"),
        _split("Table 3", "COCO and ImageNet-100, sensitive; another scale", "24"),
        _split("Table 4", "COCO and ImageNet-100, invariant; another scale", "25"),
        _split("Table 5", "WhatsUp, image and image, sensitive; another scale", "26"),
        _split("Table 6", "WhatsUp, image and image, invariant; another scale", "27"),
        _split("Table 7", "WhatsUp, image and text; another scale", "28"),
        Table(
            "Table 8",
            "table_8.csv",
            "15 models by data set, mean and deviation over templates; 0-RelaxSym",
            "30-32",
            _places(),
            _DECODING,
        ),
        Table("Table 9", "table_9.csv", "numbers of pairs", "33", decoding=_DECODING),
    ),
    relations=_relations,
    percent=frozenset(["mmscore_sens", "mmscore_inv"]),
    names={"1-rs": "relaxsym", "sm": "smoothness", "cont": "controllability"},
    served="on one H100 (Section 3.1); with what, the paper does not say",
)
