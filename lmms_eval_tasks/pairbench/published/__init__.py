"""Tables 1 to 9 of PairBench's paper (arXiv 2502.15210).

Table 1 draws a template for each pair; it is near the mean of Table 8, which averages over the
templates, over 24 leaves. Tables 3 to 7 are called
MMScores, too, but are on another scale than Table 8 for the same models: by all signs normalised
mutual information. Runs are placed in them where MMScore is that (`--metric nmi`).
"""

import csv
from pathlib import Path

from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from pairbench_ext.runs.published import Place, Published, Table

_FOLDER = Path(__file__).parent
_DECODING = "open models with greedy decoding, others with the defaults of their APIs (Section 3.1)"


def _leaf_places(file: str) -> tuple[Place, ...]:
    """Each column of a table by leaf and condition: where runs of the leaf's task are placed."""
    with (_FOLDER / file).open(encoding="utf-8") as lines:
        columns = next(csv.reader(lines))[1:]
    by_task: dict[str, dict[str, str]] = {}
    for column in columns:
        leaf, _, condition = column.rpartition("_")
        by_task.setdefault(f"pairbench_{leaf}", {})[column] = f"mmscore_{condition}"
    return tuple(Place(task, names, options={"metric": "nmi"}) for task, names in by_task.items())


def _table_10() -> dict[str, dict[str, dict[str, tuple[float, float]]]]:
    table: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}
    with (_FOLDER / "table_10.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            table.setdefault(row["feature"], {})[row["pair"]] = {
                condition: (float(row[condition]), float(row[f"{condition}_std"]))
                for condition in CONDITIONS
            }
    return table


#: What 76 people said of pairs of ImageNet-100: mean and standard deviation by feature, kind of
#: pair and condition.
TABLE_10 = _table_10()

_OTHER = "on another scale than Table 1"
_MEANS = {"mmscore": "mmscore", "relaxsym": "relaxsym"}
_BY_SET = tuple(
    Place(
        f"pairbench_{x}_all_prompts",
        {"mmscore": "mmscore"},
        part=x,
        authors=f"pairbench_{x}_authors",
    )
    for x in ("coco", "in100", "wu_ii", "wu_it")
)
_TABLES: tuple[tuple[str, str, tuple[Place, ...] | None], ...] = (  # None: by leaf and condition
    (
        "10 models over all splits; 1-RelaxSym",
        "6",
        (Place("pairbench_all_prompts", _MEANS, authors="pairbench_authors"),),
    ),
    ("rank correlations between PairBench's numbers and other benchmarks", "6", ()),
    (f"COCO and ImageNet-100, sensitive; {_OTHER}", "24", None),
    (f"COCO and ImageNet-100, invariant; {_OTHER}", "25", None),
    (f"WhatsUp, image-image pairs, sensitive; {_OTHER}", "26", None),
    (f"WhatsUp, image-image pairs, invariant; {_OTHER}", "27", None),
    (f"WhatsUp, image-text pairs; {_OTHER}", "28", None),
    (
        "15 models by data set, mean and standard deviation over prompt templates; 0-RelaxSym",
        "30-32",
        _BY_SET,
    ),
    ("numbers of pairs", "33", ()),
)


def _table(number: int, about: str, page: str, places: tuple[Place, ...] | None) -> Table:
    file = f"table_{number}.csv"
    decoding = "" if number == 2 else _DECODING
    placed = _leaf_places(file) if places is None else places
    return Table(f"Table {number}", file, about, page, placed, decoding)


PUBLISHED = Published(
    folder=_FOLDER,
    tables=tuple(_table(number, *table) for number, table in enumerate(_TABLES, start=1)),
    titles={
        "mmscore_sens": "MMScore, Sens.",
        "mmscore_inv": "MMScore, Invar.",
        "relaxsym": "1-RelaxSym",
        "relaxsym0": "0-RelaxSym",
    },
)
