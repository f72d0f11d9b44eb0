"""Evidence from ratings: does the judge see, is it fair to order, does it use its scale?

Pairs of one source row share images: tests are of rows, or are within them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from pairbench_ext.core.outcomes import Outcome, each_once
from pairbench_ext.runs.card.model import ALPHA, POWER, Evidence, Finding
from pairbench_ext.statistics.association import association
from pairbench_ext.statistics.shares import mean_with_interval
from pairbench_ext.statistics.sign_flip import sign_flip_test


def sees(ratings: Sequence[Outcome]) -> Finding | None:
    """Whether the pairs of a row are rated in the order of the truth."""
    rows: dict[Hashable, dict[Hashable, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        rows[rating.cluster][rating.item].append(rating)
    strata = [
        (
            [float(np.mean([r.said for r in of_pair])) for of_pair in pairs.values()],
            [float(np.mean([r.truth for r in of_pair])) for of_pair in pairs.values()],
        )
        for pairs in rows.values()
    ]
    if not strata:
        return None
    test = association(strata, ALPHA)
    says = f"rates the pairs of {len(strata)} rows"
    if math.isnan(test.p):
        return Finding(f"{says} all alike; sight cannot be measured")
    return Finding(
        f"{says} {'in' if test.p <= ALPHA else 'not in'} the order of the truth",
        "ratings of a row's pairs do not depend on the truth",
        test.p,
        "blind",
        "do not use it for such images",
        raised="kept",
        able=test.power >= POWER,
    )


def order(ratings: Sequence[Outcome]) -> Finding | None:
    """Whether a pair is rated higher in one of its two orders."""
    orders: dict[tuple[Hashable, ...], dict[bool, Outcome]] = defaultdict(dict)
    for rating in ratings:
        question = rating.cluster, rating.item, *rating.variant.values()
        orders[question][rating.reverse] = rating
    rows = _row_means(
        (asked[False].cluster, asked[False].said - asked[True].said)
        for asked in orders.values()
        if len(asked) == 2
    )
    if not rows:
        return None
    mean = float(np.mean(rows))
    return Finding(
        f"rates {abs(mean):.2f} {'higher' if mean >= 0 else 'lower'} in the order of the data",
        "a rating is as likely higher as lower in the reverse order",
        sign_flip_test(rows).p,
        "asymmetric",
        "rate in both orders and take the mean",
        able=_can_reject(len(rows) - 1),  # of two sides
        **_mean(rows, -_span(ratings), _span(ratings)),
    )


def scale(ratings: Sequence[Outcome]) -> Finding | None:
    """Whether it tells the best pair from the worst pair of a row at all."""
    groups = defaultdict(list)
    for rating in ratings:
        groups[rating.cluster, condition_of(rating), rating.reverse].append(rating)
    ties = []
    for (row, *_), group in groups.items():
        best, worst = max(group, key=lambda r: r.truth), min(group, key=lambda r: r.truth)
        if best.truth > worst.truth:
            ties.append((row, float(best.said == worst.said)))
    if not ties:
        return None
    rows = _row_means(ties)
    alike = sum(int(tie) for _, tie in ties)
    return Finding(
        f"rates the best and the worst pair of a row the same in {alike} of {len(ties)} cases",
        "they get the same rating as often as not",
        _p_above([share - 0.5 for share in rows]),
        "constant",
        "do not use its ratings; compare pairs instead",
        fine="",
        able=_can_reject(len(rows)),
        **_mean(rows, 0.0, 1.0),
    )


def condition(ratings: Sequence[Outcome]) -> Finding | None:
    """Whether ratings change between conditions where the truth does."""
    asked: dict[tuple[Hashable, ...], dict[str, Outcome]] = defaultdict(dict)
    for rating in ratings:
        question = rating.cluster, rating.item, rating.reverse, rating.variant.get("template")
        asked[question][condition_of(rating)] = rating
    changes = []
    for by_condition in asked.values():
        low = min(by_condition.values(), key=lambda r: r.truth)
        high = max(by_condition.values(), key=lambda r: r.truth)
        if high.truth > low.truth:
            changes.append((low.cluster, high.said - low.said, high.truth - low.truth))
    if not changes:
        return None
    rows = _row_means((row, change) for row, change, _ in changes)
    due = float(np.mean([wanted for *_, wanted in changes]))
    mean, span = float(np.mean(rows)), _span(ratings)
    error = float(np.std(rows, ddof=1)) / math.sqrt(len(rows)) if len(rows) > 1 else math.inf
    return Finding(
        f"ratings change by {mean:.1f} where the condition asks for {due:.1f}",
        "a rating is as likely higher as lower where the condition asks for a higher one",
        _p_above(rows),
        "ignores_condition",
        "rate aspects one by one: the prompt does not steer this judge",
        raised="kept",
        # Half of what is due would have been shown.
        able=due / 2 >= float(ndtri(1 - ALPHA) + ndtri(POWER)) * error and _can_reject(len(rows)),
        **{name: end / due for name, end in _mean(rows, -span, span).items()},
    )


def _mean(rows: Sequence[float], lowest: float, highest: float) -> dict[str, Any]:
    """The mean over rows and its 95% interval, as a finding has them."""
    row = np.arange(len(rows))
    mean, (low, high), _ = mean_with_interval(np.array(rows), row, lowest=lowest, highest=highest)
    return {"value": mean, "low": low, "high": high}


def _span(ratings: Iterable[Outcome]) -> float:
    """The most that two ratings of the judge differ by."""
    values = [float(rating.said) for rating in ratings]
    return max(values) - min(values)


def _p_above(rows: Sequence[float]) -> float:
    """One-sided p-value of rows that are as likely below 0 as above, by flipping signs."""
    p = sign_flip_test(rows).p / 2
    return p if sum(rows) > 0 else 1 - p


def _can_reject(rows: int) -> bool:
    return 2.0**-rows <= ALPHA


def _row_means(values: Iterable[tuple[Hashable, float]]) -> list[float]:
    rows = defaultdict(list)
    for row, value in values:
        rows[row].append(value)
    return [float(np.mean(of_row)) for of_row in rows.values()]


def rated_of(outcomes: Iterable[Any]) -> list[Outcome]:
    """Return the ratings that are usable and have a truth, of some outcomes."""
    return [
        outcome
        for outcome in outcomes
        if outcome.kind == "rated" and outcome.usable and outcome.truth is not None
    ]


def condition_of(rating: Outcome) -> str:
    """Return the condition or aspect of a rating: its variant without the template."""
    return " ".join(str(part) for name, part in rating.variant.items() if name != "template")


def rating_evidence(
    agreement: str,
    *,
    symmetry: str = "",
    smoothness: str = "",
    control: str = "",
    outcomes: Callable[[Any], Iterable[Any]] = lambda run: each_once(run.outcomes),
) -> Iterator[Evidence]:
    """The evidence of ratings.

    Args:
        agreement: the benchmark's number of their agreement with the truth.
        symmetry: its number of how many are the same in both orders.
        smoothness: its number of how much of the scale is used.
        control: its number of how well the condition is obeyed.
        outcomes: of a run, those to look at, each once.
    """

    def finder(test: Callable[[Sequence[Outcome]], Finding | None]) -> Callable[[Any], Any]:
        return lambda run: test(rated_of(outcomes(run)))

    yield Evidence("sees", "agreement with the truth", finder(sees), agreement, "correlation")
    if symmetry:
        yield Evidence("order", "alike in both orders", lambda _: Finding(""), symmetry)
    yield Evidence("order", "higher in the data's order by", finder(order), kind="mean")
    yield Evidence("scale", "same rating for best and worst", finder(scale))
    if smoothness:
        number = Evidence("scale", "smoothness", lambda _: Finding(""), smoothness, "score")
        yield number
    if control:
        number = Evidence("condition", "controllability", lambda _: Finding(""), control, "score")
        yield number
    yield Evidence(
        "condition", "of the change that is asked for", finder(condition), needs_sight=True
    )
