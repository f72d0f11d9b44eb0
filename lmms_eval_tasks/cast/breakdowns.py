"""CAST's matrices of confirmed statements (Tables 1 and 3), and remarks on CAST's metrics."""

from collections.abc import Iterator, Mapping
from typing import Any

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS, confirmations
from lmms_eval_tasks.cast.consistency import FloatArray
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable
from pairbench_ext.core.texts import counted


def _named(matrix: FloatArray) -> dict[str, dict[str, float]]:
    """Return a matrix by generating (row) and evaluating modality (column)."""
    rows = (dict(zip(MODALITIES, row, strict=True)) for row in matrix.tolist())
    return dict(zip(MODALITIES, rows, strict=True))


def _matrix(outcomes: OutcomeTable, *, swapped: bool) -> Mapping[str, Any]:
    table = confirmations(outcomes)
    asked = (table.swapped == swapped).any()
    return _named(consistency.matrix(table, swapped=swapped)) if asked else {}


def _prompts(outcomes: OutcomeTable) -> Mapping[str, Any]:
    matrices = consistency.matrices_by_prompt(confirmations(outcomes))
    return {
        f"{prompt}, {generated}": row
        for prompt, matrix in zip(PROMPTS, matrices, strict=True)
        for generated, row in _named(matrix).items()
    }


_HOW = "modality that statements were generated from (row) and evaluated in (column)"
BREAKDOWNS = (
    Breakdown(
        "matrix",
        f"share of statements confirmed, by {_HOW} (Table 1)",
        lambda t: _matrix(t, swapped=False),
    ),
    Breakdown(
        "swapped_matrix",
        f"statements made for another pair: share confirmed, by {_HOW}",
        lambda t: _matrix(t, swapped=True),
    ),
    Breakdown(
        "by_prompt", f"share of statements confirmed, by prompt and {_HOW} (Table 3)", _prompts
    ),
)


def remarks(outcomes: OutcomeTable) -> Iterator[str]:
    """Yield remarks on documents with missing replies, and on runs without any readable list."""
    table = confirmations(outcomes)
    if len(table.statements) and not table.statements.any():
        yield (
            f"none of the {counted(len(table.statements), 'list')} of statements could be "
            "read. So no statement was evaluated, and the shares of confirmed statements are "
            "undefined. Look at the replies with `pairbench report`"
        )
    if incomplete := table.incomplete:
        yield (
            f"{incomplete} documents have too few or too many replies; the numbers include the "
            "replies that exist"
        )
