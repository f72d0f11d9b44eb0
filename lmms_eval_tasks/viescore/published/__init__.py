"""The numbers that VIEScore's paper prints in Tables 1 to 11.

Averages are computed as the authors do: tanh of the mean of numbers rounded to four decimals.
"""

from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table

_ABOUT = (
    "averages over tasks",
    "averages by task",
    "averages of correlations by task (continues Table 2)",
    "correlations on perceptual quality, if the prompt also shows the input images",
    "rankings of image models by a judge and by people",
    "GPT-4v by image model",
    "correlation of raters with each other, by image model",
    "correlation of CLIP-Score with raters, by image model",
    "correlation of LPIPS with raters, by image model",
    "correlation of DINO with raters, by image model",
    "correlation of CLIP-I with raters, by image model",
)
_CORRELATIONS = {f"spearman_{a}": f"spearman_{a}_authors" for a in ("sc", "pq", "o")}
_PLACES = (
    Place("viescore", _CORRELATIONS, setting="0shot", authors="viescore_authors"),
    Place("viescore_1shot", _CORRELATIONS, setting="1shot", authors="viescore_1shot_authors"),
)
_FIRST, *_OTHERS = (
    Table(f"Table {number}", "tables.csv", about) for number, about in enumerate(_ABOUT, start=1)
)
PUBLISHED = Published(
    folder=Path(__file__).parent,
    tables=(_FIRST._replace(places=_PLACES), *_OTHERS),
    not_models=frozenset(["human", "CLIP_Score", "LPIPS", "DINO", "CLIP_I", "CLIP"]),
)
