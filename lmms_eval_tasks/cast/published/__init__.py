"""What CAST's paper prints: Tables 1 and 3. Table 3's averages over three prompts are Table 1."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pairbench_ext.runs.published.orders import Same
from pairbench_ext.runs.published.relations import Averaged, Relation
from pairbench_ext.runs.published.tables import Cells, Place, Published, Table

_PROMPTS = ("yes/no", "both/one", "true/false")
_DECODING = "greedy"
_SAME_MODALITY = ("text_by_text", "image_by_image", "both_by_both")


def _relations(cells: Cells, _: float) -> Iterable[Relation]:
    for cell in cells:
        if not cell.part:
            found = [cells.find(cell.model, cell.number, part=prompt) for prompt in _PROMPTS]
            parts = tuple(filter(None, found))
            if len(parts) == len(_PROMPTS):
                yield Averaged(parts, cell, how="mean over the prompts")
    yield from (Same(first, again) for first, again in cells.twice())


PUBLISHED = Published(
    source="the paper",
    folder=Path(__file__).parent,
    tables=(
        Table(
            "Table 1",
            "table_1.csv",
            "9 models, top 3, by modality of generation and evaluation",
            places=(Place("cast_paper", {name: name for name in _SAME_MODALITY}, authors="cast"),),
            decoding=_DECODING,
        ),
        Table("Table 3", "table_3.csv", "the same by prompt", decoding=_DECODING),
    ),
    relations=_relations,
    served="the paper does not say; the authors' code loads 16-bit floats with transformers",
)
