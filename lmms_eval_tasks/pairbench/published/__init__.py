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
#: Leaves of each data set: Table 1 is the mean over all of them.
_LEAVES = {"coco": 5, "in100": 5, "wu_ii": 12, "wu_it": 2}
_DECODING = "open models with greedy decoding, others with the defaults of their APIs (Section 3.1)"


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
    return tuple(
        Place(task, columns, options={"metric": "nmi"}) for task, columns in by_task.items()
    )


def _split(name: str, about: str, page: str) -> Table:
    file = f"{name.lower().replace(' ', '_')}.csv"
    return Table(name, file, about, page, _leaf_places(file), _DECODING)


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

PUBLISHED = Published(
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
        Table(
            "Table 2",
            "table_2.csv",
            "rank correlations between PairBench's numbers and other benchmarks",
            "6",
        ),
        _split("Table 3", "COCO and ImageNet-100, sensitive; on another scale than Table 1", "24"),
        _split("Table 4", "COCO and ImageNet-100, invariant; on another scale than Table 1", "25"),
        _split(
            "Table 5", "WhatsUp, image-image pairs, sensitive; on another scale than Table 1", "26"
        ),
        _split(
            "Table 6", "WhatsUp, image-image pairs, invariant; on another scale than Table 1", "27"
        ),
        _split("Table 7", "WhatsUp, image-text pairs; on another scale than Table 1", "28"),
        Table(
            "Table 8",
            "table_8.csv",
            "15 models by data set, mean and standard deviation over prompt templates; 0-RelaxSym",
            "30-32",
            _places(),
            _DECODING,
        ),
        Table("Table 9", "table_9.csv", "numbers of pairs", "33", decoding=_DECODING),
    ),
    titles={
        "mmscore_sens": "MMScore, Sens.",
        "mmscore_inv": "MMScore, Invar.",
        "relaxsym": "1-RelaxSym",
        "relaxsym0": "0-RelaxSym",
    },
)
