"""What VIEScore's paper prints: Tables 1 to 11.

Averages are its authors': tanh of the mean, of numbers that are rounded to four decimals.
"""

from __future__ import annotations

from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table

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
    not_models=frozenset(["human", "CLIP_Score", "LPIPS", "DINO", "CLIP_I", "CLIP"]),
)
