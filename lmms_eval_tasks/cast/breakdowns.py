"""CAST's matrices for JSON and tables (Tables 1 and 3), and what to say beside its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS, Confirmations, confirmations
from lmms_eval_tasks.cast.consistency import FloatArray
from lmms_eval_tasks.cast.numbers import empty_lists
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable


def by_position(table: Confirmations) -> dict[int, dict[str, float]]:
    """Self-consistency within each modality by place of the statement in its list."""
    return dict(zip(table.positions, _named(consistency.by_position(table)), strict=True))


def _named(matrix: FloatArray) -> list[dict[str, float]]:
    """The rows of a matrix whose columns are modalities."""
    return [dict(zip(MODALITIES, row, strict=True)) for row in matrix.tolist()]


def _matrix(table: Confirmations, *, swapped: bool) -> Mapping[str, Any]:
    if not (table.swapped == swapped).any():
        return {}
    matrix = consistency.matrix(table, swapped=swapped)
    return dict(zip(MODALITIES, _named(matrix), strict=True))


def _prompts(table: Confirmations, *, swapped: bool) -> Mapping[str, Any]:
    if not (table.swapped == swapped).any():
        return {}
    matrices = consistency.matrices_by_prompt(table, swapped=swapped)
    return {
        f"{prompt}, {generated}": row
        for prompt, matrix in zip(PROMPTS, matrices, strict=True)
        for generated, row in zip(MODALITIES, _named(matrix), strict=True)
    }


def _coverage(table: Confirmations) -> Mapping[str, Any]:
    if not (~table.swapped).any():
        return {}
    return dict(zip(PROMPTS, _named(consistency.coverage_by_prompt(table)), strict=True))


def _of(breakdown: Callable[[Confirmations], Mapping[Any, Any]]) -> Callable[[OutcomeTable], Any]:
    return lambda table: breakdown(confirmations(table))


_HOW = "generated from (line) and evaluated in (column)"
_OTHER = "the same for statements of another pair"
BREAKDOWNS = (
    Breakdown("matrix", f"confirmed, {_HOW} (Table 1)", _of(partial(_matrix, swapped=False))),
    Breakdown("swapped_matrix", _OTHER, _of(partial(_matrix, swapped=True))),
    Breakdown("by_prompt", f"by prompt, {_HOW} (Table 3)", _of(partial(_prompts, swapped=False))),
    Breakdown("swapped_by_prompt", _OTHER, _of(partial(_prompts, swapped=True))),
    Breakdown("by_position", "within a modality, by place in the list", _of(by_position)),
    Breakdown("coverage_by_prompt", "usable replies, by prompt and evaluated in", _of(_coverage)),
)


def remarks(outcomes: OutcomeTable) -> Iterator[str]:
    """Remarks beside the numbers."""
    table = confirmations(outcomes)
    if table.incomplete:
        yield (
            f"{table.incomplete} documents have replies to some of their requests only, or to "
            "more than there are: what is there is counted"
        )
    empty = empty_lists(table)
    if empty:
        yield f"{empty} of {len(table.statements)} lists have no statement"
    if table.by_authors:
        yield (
            "pooled as in the authors' code: unusable replies count as not confirmed, and both/one "
            "in both is the mean over the three modalities"
        )
    if len(table) and not table.swapped.any():
        yield "no statements of other pairs: a model that always says yes is not exposed"
