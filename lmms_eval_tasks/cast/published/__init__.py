"""Tables 1 and 3 of CAST's paper."""

from pathlib import Path

from pairbench_ext.runs.published import Place, Published, Table

_DECODING = "greedy"
_SAME_MODALITY = ("text_by_text", "image_by_image", "both_by_both")


PUBLISHED = Published(
    folder=Path(__file__).parent,
    tables=(
        Table(
            "Table 1",
            "table_1.csv",
            "9 models, first 3 statements, by modality of generation and evaluation",
            places=(Place("cast_paper", {name: name for name in _SAME_MODALITY}, authors="cast"),),
            decoding=_DECODING,
        ),
        Table(
            "Table 3", "table_3.csv", "9 models, first 3 statements, by prompt", decoding=_DECODING
        ),
    ),
)
