"""Evidence that a benchmark contributes to the card of a judge, and the finding for one run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from pairbench_ext.statistics.bootstrap import exact_interval

Aspect: TypeAlias = Literal[
    "sees", "order", "length", "instructions", "scale", "condition", "itself", "people"
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

#: Level of all verdicts of a card together: of 100 judges without a defect, one has a flag.
ALPHA = 0.01
#: What is not shown is held against a judge only where it would have been shown, this likely: what
#: experiments are mostly planned for.
POWER = 0.8


@dataclass(frozen=True)
class Finding:
    """The finding of one run on one aspect.

    Attributes:
        says: what was found, with counts, in words.
        null: what it was tested against, in words; empty where there is no test.
        p: of that test; NaN where there is none.
        flag: the defect that the test can raise.
        todo: what to do about it.
        fine: what to say where the flag is not raised.
        raised: "rejected": the defect is there if the null is rejected; "kept": if it is not, but
            would have been (a judge that does not look is one that cannot be told from chance).
        able: whether the null, were it wrong, would have been rejected ("kept"), or could have been
            by any answers to as much as was asked ("rejected").
        value, low, high: the number and its 95% interval, where the benchmark's has none.
    """

    says: str
    null: str = ""
    p: float = math.nan
    flag: str = ""
    todo: str = ""
    fine: str = "no more than chance"
    raised: Literal["rejected", "kept"] = "rejected"
    able: bool = True
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan

    @property
    def tested(self) -> bool:
        """Whether there is a p-value."""
        return not math.isnan(self.p)


@dataclass(frozen=True)
class Evidence:
    """Evidence of a benchmark on one aspect of a judge.

    Attributes:
        aspect: one of `ASPECTS`.
        title: what the number is, in words.
        find: what a run (`scoring.Run`) says; None where it says nothing, such as of orders that
            were not asked in both.
        number: the benchmark's number that is shown; empty for the finding's own value.
        kind: of that value, as that of a `Number`.
        needs_sight: whether it means something only of a judge that was shown to see, in the same
            task: who answers at random obeys no condition either.
    """

    aspect: Aspect
    title: str
    find: Callable[[Any], Finding | None]
    number: str = ""
    kind: str = "share"
    needs_sight: bool = False


def number_alone(aspect: Aspect, number: str, title: str, kind: str = "share") -> Evidence:
    """A number of the benchmark that nothing is tested of."""
    return Evidence(aspect, title, lambda _: Finding(""), number, kind)


def share_finding(
    hits: int, n: int, chance: float, *, side: Literal["greater", "two-sided"], **said: Any
) -> Finding:
    """A count of n, 1 or more, tested exactly against a chance.

    Args:
        hits: the count.
        n: of how many.
        chance: that each is a hit, if the null is right.
        side: of the test.
        said: the rest of the finding; the value is the share of hits.
    """
    from scipy.stats import binomtest

    p = float(binomtest(hits, n, chance, side).pvalue)
    able = min(binomtest(most, n, chance, side).pvalue for most in (0, n)) <= ALPHA
    return Finding(p=p, able=able, **share_of(hits, n), **said)


def share_of(hits: int, n: int) -> dict[str, Any]:
    """A share and its exact 95% interval, as a finding has them."""
    low, high = exact_interval(hits, n)
    return {"value": hits / n, "low": low, "high": high}


def above_zero(
    aspect: Aspect, number: str, title: str, *, says: str, null: str, flag: str, todo: str
) -> Evidence:
    """A number of the benchmark that should be above 0, and at best is 1.

    The standard error is that of a normal distribution with the number's interval. What is not
    above 0 is held against a judge if half of the best would have been shown.

    Args:
        aspect: what it is of.
        number: its name; it has an interval.
        title: in words.
        says: what the number is, before its value.
        null: what it means that it is 0.
        flag: the defect that this is.
        todo: what to do about it.
    """
    from scipy.special import ndtr, ndtri

    width = 2 * float(ndtri(0.975))  # of a 95% interval, in standard errors

    def find(run: Any) -> Finding | None:
        value, *ends = (
            run.numbers.get(name, math.nan) for name in (number, *run.benchmark.number(number).ends)
        )
        if math.isnan(value):
            return None
        told = f"{says} {value:.2f}"
        if len(ends) < 2 or not ends[1] > ends[0]:
            return Finding(told)
        error = (ends[1] - ends[0]) / width
        p = float(ndtr(-value / error))
        able = error * float(ndtri(1 - ALPHA) + ndtri(POWER)) <= 0.5
        if able and p > ALPHA:
            told += ", no more than chance"
        return Finding(told, null, p, flag, todo, raised="kept", able=able)

    return Evidence(aspect, title, find, number)


MOST_UNREAD = 0.05  # one in twenty


def _readable(run: Any) -> Finding | None:
    asked = [reading for reading in run.readings if not reading.left_out or reading.outcomes]
    total = sum(max(1, len(reading.rows)) for reading in asked)
    unread = sum(len(reading.unusable) for reading in asked)
    if not total:
        return None
    why = ", ".join(f"{reason} ({count})" for reason, count in run.unusable.most_common(2))
    return replace(
        share_finding(
            unread,
            total,
            MOST_UNREAD,
            side="greater",
            says=f"{unread} of {total} replies cannot be read" + (f": {why}" if why else ""),
            null=f"at most {MOST_UNREAD:.0%} of replies cannot be read",
            flag="unreadable",
            todo="read them; allow longer replies or ask for a clearer format",
            fine=f"not shown to be more than {MOST_UNREAD:.0%}" if unread else "",
        ),
        **share_of(total - unread, total),
    )


READABLE = Evidence("instructions", "replies that can be read", _readable)
