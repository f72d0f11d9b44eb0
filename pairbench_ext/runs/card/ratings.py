"""Test a judge's ratings: their agreement with the truth, position bias and use of the scale.

Pairs of one source row share images: tests are of rows, or are within them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.texts import decimal
from pairbench_ext.runs.card.model import (
    ALPHA,
    MATTERS,
    AspectResult,
    Evidence,
    finder,
    number_alone,
    share_of,
    sight,
)
from pairbench_ext.statistics.association import association
from pairbench_ext.statistics.shares import mean_with_interval
from pairbench_ext.statistics.sign_flip import SignFlips

_NEARLY_ALL = 0.8  # of a judge's ratings
HALF = 0.5  # of the change that a condition asks for: who answers at random half of the time obeys


def sees(ratings: Sequence[Outcome], *, blind: bool = False) -> AspectResult | None:
    """Test whether ratings rank the items of each data row as the ground truth ranks them.

    Args:
        ratings: of some runs.
        blind: whether images were hidden: a right order then comes from something else.
    """
    rows: dict[Hashable, dict[Hashable, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        rows[rating.cluster, rating.variant.get("task")][rating.item].append(rating)
    if all(len(pairs) < 2 for pairs in rows.values()):
        return None
    test = association(
        (row, float(np.mean([r.said for r in pair])), float(np.mean([r.truth for r in pair])))
        for row, pairs in rows.items()
        for pair in pairs.values()
    )
    says = f"rates the pairs of {len(rows):,} data rows"
    if not test.defined:
        return AspectResult("all pairs of a data row get the same rating: this cannot be measured")
    null = "within a data row, ratings do not depend on the truth"
    finding = sight(test, says, null, len(rows), blind=blind)
    if blind:
        return finding
    return replace(
        finding,
        says=f"ratings {'follow' if finding.shown else 'do not follow'} the ground truth within "
        f"{len(rows):,} data rows",
    )


def order(ratings: Sequence[Outcome]) -> AspectResult | None:
    """Test whether image pairs get higher ratings in one of the two orders of their images."""
    orders: dict[tuple[Hashable, ...], dict[bool, Outcome]] = defaultdict(dict)
    for rating in ratings:
        question = rating.cluster, *rating.item_and_variant
        orders[question][rating.reverse] = rating
    rows = _row_means(
        (asked[False].cluster, asked[False].said - asked[True].said)
        for asked in orders.values()
        if len(asked) == 2
    )
    if not rows:
        return None
    flips, span = SignFlips(np.array(rows) / len(rows)), _span(ratings)
    mean = flips.sum
    low, high = flips.interval
    if flips.p > ALPHA:  # then rows that were not seen may show a bias, too
        wide = _mean(rows, -span, span)
        low, high = min(low, wide["low"]), max(high, wide["high"])
    return AspectResult(
        f"on average, a pair is rated {abs(mean):.2f} {('higher' if mean >= 0 else 'lower')} in "
        "the order of the data than in the reverse order",
        "in the reverse order, ratings rise as often as they fall",
        flips.p,
        "asymmetric",
        "rate in both orders and take the mean",
        fair=0.0,
        span=span or math.nan,
        matters=MATTERS * span,
        unit=MATTERS * span,
        value=mean,
        low=max(low, -span),
        high=min(high, span),
        **_error(rows, 2),
    )


def scale(ratings: Sequence[Outcome]) -> AspectResult | None:
    """Test whether a data row's best and worst items, by ground truth, get different ratings."""
    ties = []
    for row, group in _shown_alike(ratings):
        best, worst = max(group, key=lambda r: r.truth), min(group, key=lambda r: r.truth)
        if best.truth > worst.truth:
            ties.append((row, float(best.said == worst.said)))
    if not ties:
        return None
    rows = _row_means(ties)
    alike = sum(int(tie) for _, tie in ties)
    return AspectResult(
        f"gives the best and the worst pair of a row the same rating in {alike:,} of "
        f"{len(ties):,} comparisons",
        "the best and the worst pair get the same rating in half of the comparisons",
        _p_above([share - 0.5 for share in rows]),
        "constant",
        "do not use its ratings; compare pairs instead",
        fair=0.0,
        sides=1,
        **_error(rows, 1),
        **_mean(rows, 0.0, 1.0),
    )


def varied(ratings: Sequence[Outcome]) -> AspectResult | None:
    """Test whether nearly all ratings are equal, a larger share than among people's ratings.

    None where `scale` tests more: whether ratings differ where the truth does.
    """
    labelled = [rating for rating in ratings if rating.truth is not None]
    if not ratings or scale(labelled) is not None:
        return None
    [(rating, times)] = Counter(float(r.said) for r in ratings).most_common(1)
    theirs = Counter(r.truth for r in labelled)
    most = max([_NEARLY_ALL, *(count / len(labelled) for count in theirs.values())])
    n = len({r.cluster for r in ratings})
    rest, other = len(ratings) - times, n - round(n * times / len(ratings))
    return AspectResult(
        f"gives a rating other than {rating:g} in {rest:,} of {len(ratings):,} cases",
        f"at most {most:.0%} of its ratings have the same value",
        float(scipy.stats.binom.cdf(other, n, 1 - most)),
        "constant",
        "do not use its ratings; compare pairs instead",
        sides=1,
        n=n,
        **share_of(other, n),
    )


def slope(ratings: Sequence[Outcome]) -> AspectResult | None:
    """Return by how many points the judge's rating rises when the true rating rises by one point.

    That is the least-squares slope of ratings by truth within a condition and order.
    """
    sums: dict[Hashable, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for row, group in _shown_alike(ratings):
        truth, values = np.array([(r.truth, r.said) for r in group], dtype=np.float64).T
        centred, (xy, xx) = truth - truth.mean(), sums[row]
        sums[row] = xy + float(centred @ values), xx + float(centred @ centred)
    slopes = [xy / xx for xy, xx in sums.values() if xx]
    if not slopes:
        return None
    truths = [float(rating.truth) for rating in ratings]
    steepest = _span(ratings) / ((max(truths) - min(truths)) or 1)
    return AspectResult("", **_mean(slopes, -steepest, steepest))


def _shown_alike(ratings: Iterable[Outcome]) -> Iterator[tuple[Hashable, list[Outcome]]]:
    """Yield the row and the ratings of its pairs, by row, condition and order."""
    groups = defaultdict(list)
    for rating in ratings:
        groups[rating.cluster, rating.condition, rating.reverse].append(rating)
    for (row, *_), group in groups.items():
        yield row, group


def condition(ratings: Sequence[Outcome]) -> AspectResult | None:
    """Test whether ratings change between prompt conditions that call for different ratings."""
    asked: dict[tuple[Hashable, ...], dict[str, Outcome]] = defaultdict(dict)
    for rating in ratings:
        question = rating.cluster, rating.item, rating.reverse, rating.variant.get("template")
        asked[question][rating.condition] = rating
    changes = []
    for by_condition in asked.values():
        low = min(by_condition.values(), key=lambda r: r.truth)
        high = max(by_condition.values(), key=lambda r: r.truth)
        if high.truth > low.truth:
            changes.append((low.cluster, high.said - low.said, high.truth - low.truth))
    used = slope(ratings) if changes else None
    if used is None:
        return None
    due = _row_means((row, used.value * wanted) for row, _, wanted in changes)
    rows = _row_means((row, change) for row, change, _ in changes)
    total = float(np.sum(due))
    says = (
        f"on average, ratings change by {decimal(float(np.mean(rows)), 1)} where the condition "
        f"asks for a change of {decimal(float(np.mean(due)), 1)}"
    )
    if not total > 0:
        return AspectResult(says)
    short = [change - HALF * wanted for change, wanted in zip(rows, due, strict=True)]
    span = len(due) * _span(ratings) / total
    return AspectResult(
        f"{says} (on the judge's own scale)",
        "where the condition asks for a higher rating, ratings are as often lower as higher",
        1 - _p_above(short),
        "ignores_condition",
        "rate aspects one by one: the prompt does not steer this judge",
        chance=_p_above(rows),
        fair=1.0,
        **_mean([len(due) * change / total for change in rows], -span, span),
    )


def _error(rows: Sequence[float], sides: int) -> dict[str, Any]:
    """The standard error of the mean over rows, infinite where they are too few for the test."""
    enough = len(rows) > 1 and sides * 2.0 ** -len(rows) <= ALPHA
    error = float(np.std(rows, ddof=1)) / math.sqrt(len(rows)) if enough else math.inf
    return {"error": error, "n": len(rows)}


def _mean(rows: Sequence[float], lowest: float, highest: float) -> dict[str, Any]:
    """Return the mean over rows and its 95% interval, as a finding has them."""
    row = np.arange(len(rows))
    mean, (low, high), _ = mean_with_interval(np.array(rows), row, lowest=lowest, highest=highest)
    return {"value": mean, "low": low, "high": high}


def _span(ratings: Iterable[Outcome]) -> float:
    """Return the most that two ratings of the judge differ by."""
    values = [float(rating.said) for rating in ratings]
    return max(values) - min(values)


def _p_above(rows: Sequence[float]) -> float:
    """Return one-sided p-value of rows that are as likely below 0 as above, by flipping signs."""
    p = SignFlips([row for row in rows if row]).p / 2
    return p if sum(rows) > 0 else 1 - p


def _row_means(values: Iterable[tuple[Hashable, float]]) -> list[float]:
    rows = defaultdict(list)
    for row, value in values:
        rows[row].append(value)
    return [float(np.mean(of_row)) for of_row in rows.values()]


def _rated_by(outcomes: Callable[[Any], Iterable[Outcome]]) -> Callable[[Any], Iterable[Outcome]]:
    """The ratings of a run that are usable and have a truth, apart from those of other tasks."""
    return lambda run: (
        replace(x, item=(run.name, x.item), variant={**x.variant, "task": run.name})
        for x in outcomes(run)
        if x.kind == "rated" and x.usable and x.truth is not None
    )


def recorded_rating_evidence() -> Iterator[Evidence]:
    """Yield the card's tests of recorded ratings: all but the one that needs prompt conditions."""
    yield from (x for x in rating_evidence("pearson") if x.aspect != "condition")
    find = finder(lambda run: [x for x in run.outcomes if x.kind == "rated" and x.usable], varied)
    yield Evidence("scale", "share of ratings other than the commonest one", find)


def blind_rating_evidence() -> tuple[Evidence, ...]:
    """Return the card's test of ratings that the judge gave to grey images, not the real ones."""
    title = "how far ratings follow the ground truth, with grey images"
    found = finder(_rated_by(lambda run: run.outcomes), partial(sees, blind=True))
    return (Evidence("sees", title, found),)


def rating_evidence(
    agreement: str,
    *,
    symmetry: str = "",
    smoothness: str = "",
    control: str = "",
    outcomes: Callable[[Any], Iterable[Any]] = lambda run: run.outcomes,
) -> Iterator[Evidence]:
    """Yield the card's tests of a judge that gives ratings.

    Args:
        agreement: the name of the benchmark's number for agreement with the truth.
        symmetry: that for how many ratings are the same in both orders.
        smoothness: that for how much of the scale is used.
        control: that for how well the condition is obeyed.
        outcomes: returns the outcomes of a run to look at, each once.
    """
    found = partial(finder, _rated_by(outcomes))
    yield number_alone("sees", agreement, "agreement with the truth", "correlation")
    yield Evidence("sees", "how far ratings follow the ground truth", found(sees))
    if symmetry:
        yield number_alone("order", symmetry, "same rating in both orders")
    yield Evidence(
        "order", "rating of a pair minus its rating in the reverse order", found(order), kind="mean"
    )
    yield Evidence("scale", "same rating for the best and the worst pair", found(scale))
    yield Evidence("scale", "rating points per point of ground truth", found(slope), kind="mean")
    if smoothness:
        yield number_alone("scale", smoothness, "smoothness", "score")
    if control:
        yield number_alone("condition", control, "controllability", "score")
    yield Evidence(
        "condition", "rating change / requested change", found(condition), needs_sight=True
    )
