"""Compute how often a model confirms its own statements, within and across modalities.

Paper: CAST. A cell (g, e) is about the statements generated from modality g and evaluated in
modality e. With each prompt it is the share of statements that the model confirms, over all pairs
and positions up to `top`; over the prompts it is their mean, as the averages of Table 3 are.

A reply that is unusable is left out of the share (Section 3.2, Appendix A.3). That flatters a model
that evades what it would have to deny, so `coverage` says how many are left, and `strict` counts
them as not confirmed. A prompt without usable replies is left out of its cell's mean, a cell
without any is NaN.

Pooled as in the authors' code (`save_analysis.py`), unusable replies always count as not confirmed;
and where both/one is asked in modality "both", a cell is the mean over the three modalities that
the statement is evaluated in: they pick columns by the word "both", which is also in the prompt's
name.

The paper's limit: a model that always says yes is always consistent. `swapped=True` gives the same
numbers for statements that were generated from another pair of scenes. Some of them happen to be
true of this pair too, so they measure a readiness to agree, not errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.statistics.shares import ratio_of_sums

if TYPE_CHECKING:
    from lmms_eval_tasks.cast.confirmations import BoolArray, Confirmations

FloatArray: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.number[Any]]

TOP = 3  # statements of each list that are evaluated (Table 1)
TOPS = (1, 2, 3, 4)  # Figure 4 has 1 and 3, plots of the authors' repository all of them
LISTED = 5  # statements that a list is asked to have at most
_BOTH, _BOTH_ONE = MODALITIES.index("both"), PROMPTS.index("both/one")


class Tally(NamedTuple):
    """How many verdicts confirm their statement, out of how many verdicts.

    Attributes:
        confirmed, counted: shape (..., 3, 3, positions, 3); by generating modality, evaluating
            modality, position and prompt. Before that come pairs or resamples of them, if any.
    """

    confirmed: Counts
    counted: Counts

    def total(self) -> Tally:
        """Return the counts summed over the pairs of scenes."""
        return Tally(self.confirmed.sum(axis=0), self.counted.sum(axis=0))


def tally(
    table: Confirmations, *, top: int | None = TOP, swapped: bool = False, strict: bool = False
) -> Tally:
    """Count, for each pair of scenes, the verdicts that confirm a statement, and all verdicts.

    Args:
        table: the confirmations.
        top: the last position that counts; None for all.
        swapped: count the statements of other pairs instead of the pair's own.
        strict: count unusable replies as not confirmed instead of leaving them out.
    """
    kept = (table.swapped == swapped) & (strict | table.by_authors | table.usable)
    if top is not None:
        kept &= table.position <= top
    counts = Tally(_count(table, kept & table.confirmed), _count(table, kept))
    if table.by_authors:
        for part in counts:
            part[:, :, _BOTH, :, _BOTH_ONE] = part[..., _BOTH_ONE].sum(axis=2)
    return counts


def matrix(
    table: Confirmations, *, top: int | None = TOP, swapped: bool = False, strict: bool = False
) -> FloatArray:
    """Return the share of statements confirmed, by generating and evaluating modality (Table 1).

    Shape (3, 3); values are in [0, 1], NaN where no reply is usable; arguments as for `tally`.
    """
    return cells(tally(table, top=top, swapped=swapped, strict=strict).total())


def matrices_by_prompt(table: Confirmations) -> FloatArray:
    """Return, for each prompt, the share of statements confirmed by pair of modalities (Table 3).

    Shape (3, 3, 3): prompt in the order of `PROMPTS`, generating modality, evaluating modality.
    """
    return np.asarray(np.moveaxis(_by_prompt(tally(table).total()), -1, 0))


def within_modality(table: Confirmations, top: int | None = TOP) -> FloatArray:
    """Return, per modality, the share of its first `top` statements confirmed in it (Figure 4).

    Lists that are shorter count with what they have, as in the authors' code. Of more statements
    than tasks evaluate unless told otherwise it is NaN if none was evaluated so far down.
    """
    if top is not None and top > TOP and not (table.position[~table.swapped] >= top).any():
        return np.full(len(MODALITIES), np.nan)
    return np.asarray(np.diagonal(matrix(table, top=top)))


def by_position(table: Confirmations) -> FloatArray:
    """Return the share of statements confirmed within each modality, by position in the list.

    Shape (n, 3) for n positions.
    """
    counts = tally(table, top=None).total()
    share = _mean_of_defined(_share(counts.confirmed, counts.counted))
    return np.diagonal(share, axis1=0, axis2=1).reshape(len(table.positions), len(MODALITIES))


def coverage(table: Confirmations, *, swapped: bool = False) -> float:
    """Return the share of verdicts that can be read, in [0, 1]; NaN if there are no verdicts."""
    usable = table.usable[table.swapped == swapped]
    return float(usable.mean()) if usable.size else float("nan")


def statements_per_generation(table: Confirmations) -> FloatArray:
    """Return the mean length of the lists generated from each modality, shape (3,)."""
    counts = [table.statements[table.generated == modality] for modality in MODALITIES]
    return np.array([lengths.mean() if lengths.size else np.nan for lengths in counts])


def cells(counts: Tally) -> FloatArray:
    """Return the share confirmed, by the modality that statements were made in and evaluated in.

    Shape (..., 3, 3).
    """
    return _mean_of_defined(_by_prompt(counts))


def same_modality(cell: FloatArray) -> FloatArray:
    """Return the mean of the diagonal of cells (..., 3, 3), where both modalities are the same."""
    return _mean_of_defined(np.diagonal(cell, axis1=-2, axis2=-1))


def cross_modality(cell: FloatArray) -> FloatArray:
    """Return the mean of cells (..., 3, 3) off the diagonal, where the two modalities differ."""
    off = ~np.eye(len(MODALITIES), dtype=np.bool_)
    return _mean_of_defined(cell[..., off])


def mean_cell(cell: FloatArray) -> FloatArray:
    """Return the mean of all cells (..., 3, 3): over all pairs of modalities."""
    return _mean_of_defined(cell.reshape(*cell.shape[:-2], -1))


def _by_prompt(counts: Tally) -> FloatArray:
    return _share(counts.confirmed.sum(axis=-2), counts.counted.sum(axis=-2))


def _count(table: Confirmations, mask: BoolArray) -> npt.NDArray[np.int64]:
    counts = np.zeros(table.shape, dtype=np.int64)
    np.add.at(counts, tuple(place[mask] for place in table.places), 1)
    return counts


def _share(part: Counts, whole: Counts) -> FloatArray:
    """Return the quotient, NaN where the whole is 0."""
    return ratio_of_sums(np.stack([part, whole], axis=-1))


def _mean_of_defined(values: FloatArray) -> FloatArray:
    """Return the mean over the last axis without NaN; NaN where all values are."""
    defined = ~np.isnan(values)
    return _share(np.where(defined, values, 0).sum(axis=-1), defined.sum(axis=-1))
