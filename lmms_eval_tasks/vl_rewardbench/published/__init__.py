"""What VL-RewardBench's paper prints: arXiv 2411.17451, Tables 2 to 5, and of Figure 4.

Table 2's Overall column follows from its groups if undecided items leave all denominators, as in
the authors' code. The last column of Table 3 is the mean over two of the three groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lmms_eval_tasks.vl_rewardbench.groups import GROUPS
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.orders import Same
from pairbench_ext.runs.published.relations import Averaged, Relation
from pairbench_ext.runs.published.shares import Pooled, PooledAndAveraged, Possible
from pairbench_ext.runs.published.tables import (
    Cells,
    Place,
    Published,
    Table,
    all_of,
    row_relations,
)

_SIZES = {"general": 183, "hallucination": 749, "reasoning": 318}  # the paper's Table 1
_DECODING = "K = 5, temperature 0.2, top-p 0.2 (Section 3.2)"
_MEANS = {"overall_accuracy": "overall_accuracy", "macro_accuracy": "macro_accuracy"}


def _row(row: Mapping[str, Cell], undecided: float) -> Iterator[Relation]:
    parts = all_of(row, GROUPS)
    if not undecided:
        yield from (Possible(row[name], n) for name, n in _SIZES.items() if name in row)
    if parts is None:
        return
    overall, macro = row.get("overall_accuracy"), row.get("macro_accuracy")
    pooled = overall and Pooled(parts, tuple(_SIZES[g] for g in GROUPS), overall, undecided)
    averaged = macro and Averaged(parts, macro, how="mean of the groups")
    yield from filter(None, (pooled, averaged))
    if pooled and averaged:
        yield PooledAndAveraged(pooled, averaged)


def _relations(cells: Cells, undecided: float) -> Iterable[Relation]:
    yield from row_relations(cells, lambda row: _row(row, undecided))
    yield from (Same(first, again) for first, again in cells.twice())
    for cell in cells:
        if cell.number == "macro_accuracy_general_hallucination":
            parts = [cells.find(cell.model, name) for name in ("general", "hallucination")]
            yield Averaged(tuple(filter(None, parts)), cell, how="mean of two groups")


PUBLISHED = Published(
    source="the paper",
    folder=Path(__file__).parent,
    tables=(
        Table(
            "Table 2",
            "table_2.csv",
            "16 models",
            places=(Place("vl_rewardbench_k5", _MEANS, authors="vl_rewardbench_authors"),),
            decoding=_DECODING,
        ),
        Table("Table 3", "table_3.csv", "beside randomly drawn pairs", decoding=_DECODING),
        Table("Table 4", "table_4.csv", "GPT-4o-mini by temperature and top-p", decoding="K = 5"),
        Table("Table 5", "table_5.csv", "billions of parameters of the language model"),
        Table(
            "Figure 4",
            "figure_4.csv",
            "correlation with what 6 of the models gain as best-of-8 selectors on MMMU-Pro (3.3)",
        ),
    ),
    relations=_relations,
    counts={**_SIZES, "overall_accuracy": sum(_SIZES.values())},
    names={
        "overall": "overall_accuracy",
        "overall accuracy": "overall_accuracy",
        "macro": "macro_accuracy",
        "macro accuracy": "macro_accuracy",
        "macro average accuracy": "macro_accuracy",
        "hallu": "hallucination",
        "models": "model",
        **{group.title(): group for group in GROUPS},
    },
    # Twice what the paper's own table needs at most (13%, for one model).
    undecided=0.2,
    rule="authors",
    served="with vLLM, from the official checkpoints (Appendix B); no revision, no precision",
    backend="vllm",
)
