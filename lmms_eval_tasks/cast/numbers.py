"""Declare CAST's metrics: shares of statements that a model confirms.

Paper: "CAST: Cross-modal Alignment Similarity Test for Vision Language Models", Tables 1 and 3,
Figure 4.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import AUTHORS, MODALITIES, Confirmations, confirmations
from lmms_eval_tasks.cast.consistency import TOP, TOPS, FloatArray, Tally
from pairbench_ext.core.benchmark import ByCluster, Estimator, Mean, Number, Outcome, OutcomeTable
from pairbench_ext.runs.card.model import READABLE, above_zero, number_alone
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic
from pairbench_ext.statistics.means import mean_of_defined

Statistic: TypeAlias = Callable[[Tally, Tally], FloatArray]
Of: TypeAlias = Callable[[Confirmations], float]
OfModalities: TypeAlias = Callable[[Confirmations], FloatArray]

_OWN = "share of statements confirmed, within a modality and across modalities"
_CONTROL = "share confirmed of statements made for the pair shown, and of those for another pair"
_USABLE = (
    "share of readable replies, and shares of statements confirmed if unreadable replies count as "
    "not confirmed"
)
_WITHIN = (
    "share of statements confirmed within a modality, if only the first ones of each list count "
    f"(Figure 4 has top 1 and top {TOP})"
)
_LISTS = "statements per list"
_COUNTS = "counted"


def _confirms(
    *, swapped: bool = False, same: bool | None = None, strict: bool = False
) -> Callable[[Outcome], float | None]:
    """Return a function: 1 if a reply confirms its statement, 0 if not, None if left out."""

    def confirms(outcome: Outcome) -> float | None:
        if outcome.kind != "rated" or outcome["swapped"] != swapped or outcome["position"] > TOP:
            return None
        if same not in (None, outcome["generated"] == outcome["evaluated"]):
            return None
        if not outcome.usable and (strict or outcome["rule"] == AUTHORS):
            return 0.0
        return None if outcome.said is None else float(outcome.said)

    return confirms


def _cell_and_prompt(outcome: Outcome) -> tuple[tuple[str, str], str]:
    """The cell and the prompt of an outcome: rates are means over cells, and over their prompts."""
    return (outcome["generated"], outcome["evaluated"]), outcome["prompt"]


def _usable(*, swapped: bool) -> Callable[[Any], float | None]:
    def usable(outcome: Outcome) -> float | None:
        if outcome.kind != "rated" or outcome["swapped"] != swapped:
            return None
        return float(outcome.usable)

    return usable


def same_modality(of_pair: Tally, _swapped: Tally) -> FloatArray:
    """Return the mean share of statements confirmed in the modality they were generated from."""
    return consistency.same_modality(consistency.cells(of_pair))


def cross_modality(of_pair: Tally, _swapped: Tally) -> FloatArray:
    """Return the mean share of statements confirmed in modalities they were not generated from."""
    return consistency.cross_modality(consistency.cells(of_pair))


def modality_gap(of_pair: Tally, swapped: Tally) -> FloatArray:
    """Return the share of statements confirmed in their own modality minus the share in others."""
    return same_modality(of_pair, swapped) - cross_modality(of_pair, swapped)


def own_rate(of_pair: Tally, _swapped: Tally) -> FloatArray:
    """Return the share of confirmed statements among the statements made for the pair shown."""
    return consistency.mean_cell(consistency.cells(of_pair))


def swapped_rate(_own: Tally, swapped: Tally) -> FloatArray:
    """Return the share of confirmed statements among the statements made for another pair."""
    return consistency.mean_cell(consistency.cells(swapped))


def own_minus_swapped(of_pair: Tally, swapped: Tally) -> FloatArray:
    """Return the share confirmed of the shown pair's statements, minus that of another pair's."""
    # Cell by cell, so that both means are over the same cells.
    return consistency.mean_cell(consistency.cells(of_pair) - consistency.cells(swapped))


def of_pairs(outcomes: OutcomeTable, statistic: Statistic) -> Clustered:
    """Return a statistic of CAST's verdicts, with pairs of scenes as clusters.

    Swapped statements depend on a second pair, which is not accounted for.
    """
    table = confirmations(outcomes)
    # own or swapped; confirmed or counted; and the axes of a tally
    sums = np.stack([consistency.tally(table, swapped=which) for which in (False, True)])
    by_pair = np.moveaxis(sums, 2, 0).astype(np.float64)

    of_counts = partial(_of_counts, statistic=statistic)
    whole = SumStatistic(by_pair, of_counts, *_extremes(by_pair.sum(axis=0), of_counts))
    return Clustered(table.pairs, whole)


def _of_counts(counts: FloatArray, statistic: Statistic) -> FloatArray:
    """A statistic of several totals, shape (k, own or swapped, confirmed or counted, ...)."""
    return statistic(*(Tally(*np.moveaxis(counts[:, which], 1, 0)) for which in (0, 1)))


def _extremes(
    total: FloatArray, statistic: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the counts at which a statistic is lowest and highest.

    Statistics rise or fall with all that is confirmed within a modality, across, of own statements,
    and of swapped ones: so one of the ways to confirm all or nothing of these four.
    """
    within = np.eye(len(MODALITIES), dtype=np.bool_)[..., None, None]
    ways = []
    for own_within, own_across, swapped_within, swapped_across in product((0.0, 1.0), repeat=4):
        extreme = total.copy()
        extreme[0, 0] = total[0, 1] * np.where(within, own_within, own_across)
        extreme[1, 0] = total[1, 1] * np.where(within, swapped_within, swapped_across)
        ways.append(extreme)
    values = statistic(np.stack(ways))
    if np.isnan(values).all():
        return total, total
    return ways[int(np.nanargmin(values))], ways[int(np.nanargmax(values))]


def _of(number: Of) -> Callable[[OutcomeTable], float]:
    return lambda table: number(confirmations(table))


def _entry(array: OfModalities, *index: int) -> Callable[[OutcomeTable], float]:
    return lambda table: float(array(confirmations(table))[index])


def _strict(mean: Callable[[FloatArray], FloatArray]) -> Callable[[OutcomeTable], float]:
    """Return a mean of the cells in which unusable replies count as not confirmed."""
    return _of(lambda table: float(mean(consistency.matrix(table, strict=True))))


def _rate(
    name: str,
    title: str,
    section: str,
    statistic: Statistic,
    better: Literal["higher", "lower"] | None = "higher",
    per_trial: Callable[[Outcome], float | None] | None = None,
) -> Number:
    estimator: Estimator = ByCluster(partial(of_pairs, statistic=statistic))
    if per_trial is not None:
        estimator = Mean(per_trial, _cell_and_prompt, value=estimator, clusters=estimator.clusters)
    return Number(name, title, estimator, better=better, section=section, interval=True)


def _replies() -> Iterator[Number]:
    for name, title, swapped in (("coverage", "own", False), ("coverage_swapped", "swapped", True)):
        yield Number(
            name,
            f"usable, {title}",
            Mean(
                _usable(swapped=swapped), value=_of(partial(consistency.coverage, swapped=swapped))
            ),
            section=_USABLE,
        )
    for name, title, mean, same in (
        ("same_modality_strict", "same modality", consistency.same_modality, True),
        ("cross_modality_strict", "across", consistency.cross_modality, False),
    ):
        yield Number(
            name,
            title,
            Mean(_confirms(same=same, strict=True), _cell_and_prompt, value=_strict(mean)),
            section=_USABLE,
        )


def _cells() -> Iterator[Number]:
    for i, generated in enumerate(MODALITIES):
        for j, evaluated in enumerate(MODALITIES):
            name, title = f"{generated}_by_{evaluated}", f"{generated} \u2192 {evaluated}"
            yield Number(name, title, _entry(consistency.matrix, i, j), section=None)


def _by_modality(name: str, title: str, rates: OfModalities, **more: Any) -> Iterator[Number]:
    """Yield the mean over the modalities, and the number of each."""
    yield Number(name, title, _of(lambda table: mean_of_defined(rates(table).tolist())), **more)
    for index, modality in enumerate(MODALITIES):
        yield Number(f"{name}_{modality}", modality, _entry(rates, index), **more)


def _within() -> Iterator[Number]:
    for top in TOPS:
        within = partial(consistency.within_modality, top=top)
        yield from _by_modality(f"top{top}", f"top {top}", within, section=_WITHIN)
    for position in range(1, TOP + 1):
        at = _of(partial(_at_position, position=position))
        yield Number(f"position_{position}", f"position {position}", at, section=None)


def _at_position(table: Confirmations, position: int) -> float:
    if position not in table.positions:
        return math.nan
    at_position = consistency.by_position(table)[table.positions.index(position)]
    return mean_of_defined(at_position.tolist())


def _counts() -> Iterator[Number]:
    yield from _by_modality(
        "statements",
        "mean",
        consistency.statements_per_generation,
        kind="mean",
        better=None,
        section=_LISTS,
        digits=2,
    )
    empty = _of(lambda table: int((table.statements == 0).sum()))
    yield Number("no_statements", "lists without any", empty, "count", "lower", section=_LISTS)
    counts: tuple[tuple[str, str, Of], ...] = (
        ("pairs", "pairs", lambda table: len(table.pairs)),
        ("generations", "lists", lambda table: len(table.statements)),
        ("evaluations", "evaluations", lambda table: int((~table.swapped).sum())),
        ("evaluations_swapped", "of another pair's", lambda table: int(table.swapped.sum())),
    )
    for name, title, count in counts:
        yield Number(name, title, _of(count), "count", None, section=_COUNTS)


NUMBERS = (
    _rate("same_modality", "same modality", _OWN, same_modality, per_trial=_confirms(same=True)),
    _rate("cross_modality", "across", _OWN, cross_modality, per_trial=_confirms(same=False)),
    _rate("modality_gap", "difference", _OWN, modality_gap, None),
    _rate("own_rate", "own", _CONTROL, own_rate, per_trial=_confirms()),
    _rate("swapped_rate", "swapped", _CONTROL, swapped_rate, "lower", _confirms(swapped=True)),
    _rate("own_minus_swapped", "own - swapped", _CONTROL, own_minus_swapped),
    *_replies(),
    *_cells(),
    *_within(),
    *_counts(),
)

CARD = (
    READABLE,
    above_zero(
        "itself",
        "own_minus_swapped",
        "share confirmed: own statements minus another pair's",
        says=(
            "share of statements confirmed: those made for the pair shown, minus those made for "
            "another pair"
        ),
        null="the judge confirms statements made for another pair equally often",
        flag="inconsistent",
        todo="do not read the judge's yes as agreement",
    ),
    number_alone("itself", "same_modality", "confirmed within a modality"),
    number_alone("itself", "cross_modality", "confirmed across modalities"),
)
