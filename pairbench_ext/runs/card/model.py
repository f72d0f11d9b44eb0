"""Define the tests of judges that benchmarks can declare, and the results of these tests.

Findings are of two kinds. The null hypothesis of a bias is that there is none: its flag is raised
if that is rejected. The null hypothesis of an ability is that there is at least `LITTLE` of it: its
flag is raised if that is rejected, and chance is not.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.table import winners
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.statistics.association import Association
from pairbench_ext.statistics.bootstrap import Interval, exact_interval
from pairbench_ext.statistics.intervals import unseen_share

Aspect: TypeAlias = Literal[
    "sees", "order", "length", "yes", "instructions", "scale", "condition", "itself", "people"
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

#: Level of all flags of a card together: of 20 judges without a problem, at most one has a flag.
ALPHA = 0.05
#: How much of it position, length and all other tests may spend. People look at position first.
WEIGHTS: Mapping[str, float] = {"order": 0.5, "length": 0.2, "": 0.3}
#: The power that experiments are mostly planned for: of finding a bias that matters.
POWER = 0.8
#: A bias of ten points is one that matters: a share of 0.6 where 0.5 is fair. A judge of two
#: options that says "first" in a fifth of its answers, whatever it is shown, has it.
MATTERS = 0.1
TOO_FEW = "too few to tell"
#: An ability that is little, where 0 is chance and 1 the best.
LITTLE = 0.25


@dataclass(frozen=True)
class AspectResult:
    """The result of one test of a judge.

    Attributes:
        says: what was found, with counts, in words.
        null: the null hypothesis, in words; empty where there is no test.
        p: the p-value of the test that raises the flag; NaN where there is none.
        flag: the problem that the test can raise.
        todo: what to do about it.
        chance: for an ability, the p-value of having none; NaN for a bias.
        value, low, high: the number and its 95% interval, for evidence without a number of the
            benchmark.
        fair: the value of a judge without the bias; NaN where more is better.
        span: the distance from the fair value to that of a judge that always shows the bias.
        error: for a bias, the standard error of the value if there is none; infinite where no
            answers to what was asked could be significant.
        sides: of the test.
        matters: the smallest bias that matters, in units of the value.
        n: number of items or rows that the error rests on.
        unit: how far the value moves for a share of 1 of the items that show the bias. A bias b
            adds b * unit / n to the squared error.
    """

    says: str
    null: str = ""
    p: float = math.nan
    flag: str = ""
    todo: str = ""
    chance: float = math.nan
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    fair: float = math.nan
    span: float = math.nan
    error: float = math.nan
    sides: Literal[1, 2] = 2
    matters: float = MATTERS
    n: int = 0
    unit: float = 0.0

    @property
    def tested(self) -> bool:
        """Return whether a test was made, so that the result has a p-value."""
        return not (math.isnan(self.p) and math.isnan(self.chance))

    @property
    def shown(self) -> bool:
        """Return whether the result shows that the judge has the tested ability."""
        return self.chance <= ALPHA

    @property
    def spends(self) -> float:
        """Return the p-value that enters the correction for multiple tests over the whole card.

        Of a one-sided test that is twice its own; NaN, for none, where its own is above 0.5. So an
        ability that a judge clearly has takes nothing from the tests of its biases. Valid as long
        as tests are independent: Zhao, Small and Su, "Multiple Testing When Many p-Values Are
        Uniformly Conservative", Journal of the American Statistical Association 114 (2019).
        """
        if self.sides == 2 and math.isnan(self.chance):
            return self.p
        return 2 * self.p if self.p <= 0.5 else math.nan

    def detectable(self, tests: float = 1) -> float:
        """Return the smallest bias that the test would detect with a power of `POWER` (80%).

        b^2 = z^2 (error^2 + b unit / n): few items show few biases, though none was seen.
        """
        if not self.n:
            return math.nan
        z, half = self._reach(tests), self.unit / self.n / 2
        return z**2 * half + z * math.hypot(z * half, self.error)

    def _reach(self, tests: float) -> float:
        return float(
            scipy.special.ndtri(1 - ALPHA / self.sides / max(1, tests)) + scipy.special.ndtri(POWER)
        )

    def more(self, tests: float = 1) -> float:
        """Return how many more items the test needs to find a bias that matters; NaN if unknown.

        For a bias: to tell whether there is one that matters. For an ability that stays as it was
        seen: to tell whether there is none, or more than a little.
        """
        if not (self.n and self.matters):
            return math.nan
        if math.isnan(self.chance):
            seen = self.n * self.error**2 + self.unit * self.matters
            needed = seen * (self._reach(tests) / self.matters) ** 2
        else:
            reach = float(scipy.special.ndtri(1 - ALPHA) + scipy.special.ndtri(POWER))
            seen = -float(min(scipy.special.ndtri(self.chance), scipy.special.ndtri(self.p)))
            needed = self.n * (reach / seen) ** 2 if seen > 0 else math.inf
        return max(0, math.ceil(needed) - self.n) if math.isfinite(needed) else math.nan

    def power(self, tests: float = 1) -> str:
        """Return, in words, the smallest bias that the test could have found; empty if unknown."""
        too_few = f"{TOO_FEW}: {counted(self.n, 'item')}"
        if math.isnan(self.error):
            return ""
        if self.sides == 1 and self.p >= 0.5:
            return too_few if Interval(self.low, self.high).tells_nothing else ""
        size, most = self.detectable(tests), max(self.high - self.fair, self.fair - self.low)
        if size > self.matters >= most:
            return f"no bias found; a bias of more than {_outwards(most):.2f} is ruled out"
        more = self.more(tests)
        if size > 5 * self.matters:  # half of what there is
            return too_few if math.isnan(more) else f"{too_few}; {more:,} more would tell"
        if size <= self.matters:
            return f"no bias found; a bias of {_outwards(size):.2f} would have been found"
        return (
            f"{TOO_FEW}: it takes {self.n + more} items to find a bias of {self.matters:.2f}; with "
            f"{self.n} items, only a bias of {_outwards(size):.2f} or more is found"
        )


def _outwards(size: float) -> float:
    return math.ceil(100 * size - _ROUNDING) / 100


class Answers(tuple[Outcome, ...]):
    """A judge's outcomes, with each item's winning option computed once for several tests."""

    @cached_property
    def winners(self) -> list[list[Outcome | None]]:
        """Return the winning outcome for each item and order of options; None if there is none."""
        return [list(by_order.values()) for by_order in winners(self).values()]


@lru_cache(maxsize=2)  # the questions of the card are asked of the same runs one after another
def _outcomes(runs: tuple[Any, ...], of: Callable[[Any], Iterable[Outcome]]) -> Answers:
    return Answers(outcome for run in runs for outcome in of(run))


def finder(
    of: Callable[[Any], Iterable[Outcome]], test: Callable[[Sequence[Outcome]], AspectResult | None]
) -> Callable[[Sequence[Any]], AspectResult | None]:
    """Return a function that takes runs, pools the outcomes that `of` selects, and applies `test`.

    Args:
        of: the outcomes of a run that the test is of.
        test: of those of all runs.
    """
    return lambda runs: test(_outcomes(tuple(runs), of))


@dataclass(frozen=True)
class Evidence:
    """A benchmark's test of one aspect of a judge, such as its position bias.

    Attributes:
        aspect: one of `ASPECTS`.
        title: what the number is, in words. Runs whose evidence has the same title are also tested
            together.
        find: what runs (`scoring.Run`) say together; None where they say nothing, such as on order
            where items were not asked in both orders.
        number: the benchmark's number that is shown; empty for the finding's own value.
        kind: the kind of that value, as for a `Number`.
        needs_sight: whether it is meaningful only for a judge that was shown to see in the same
            task: a judge that answers at random obeys no condition either.
    """

    aspect: Aspect
    title: str
    find: Callable[[Sequence[Any]], AspectResult | None]
    number: str = ""
    kind: str = "share"
    needs_sight: bool = False


def number_alone(aspect: Aspect, number: str, title: str, kind: str = "share") -> Evidence:
    """Return an entry of the card that shows one metric of the benchmark, without a test."""
    return Evidence(aspect, title, lambda _: AspectResult(""), number, kind)


def share_of(hits: int, n: int) -> dict[str, Any]:
    """Return the share `hits / n` and its exact 95% interval, as fields of an `AspectResult`."""
    low, high = exact_interval(hits, n)
    return {"value": hits / n, "low": low, "high": high}


def around(value: float, error: float) -> dict[str, Any]:
    """Return a value and its 95% normal-approximation interval, as fields of an `AspectResult`."""
    low, high = (min(1.0, max(-1.0, value + z * error)) for z in (-_Z95, _Z95))
    return {"value": value, "low": low, "high": high}


def bias_of(
    test: Association, fair: float, n: int, *, standardised: bool = False
) -> dict[str, Any]:
    """Return how often a judge chooses the option that a bias favours, as fields of a test result.

    The difference D of how often answers are right, where the option is right and where it is not,
    is the share of items that show the bias; the option is chosen in fair + (1 - fair) D. The
    interval holds the biases that Mantel and Haenszel's test does not reject, so that it is without
    the fair value exactly where the p-value is at most 5%. Where it is not, the ends also allow for
    the largest share of unseen items with more, or less, of the bias (Clopper and Pearson, 0 of n).

    Args:
        test: of right answers by whether the option is right; its weight is not 0.
        fair: how often the option is chosen without a bias.
        n: number of items that it rests on.
        standardised: return D itself, 0 for a fair judge and 1 for one that always shows the bias,
            for answers whose fair values differ.
    """
    difference, error = test.difference, test.spread / test.weight
    reach = _Z95 * error
    low, high = difference - reach, difference + reach
    if test.p_difference > ALPHA:
        unseen = unseen_share(2 * test.weight)
        low = min(low, difference - unseen * (1 + difference))
        high = max(high, difference + unseen * (1 - difference))
    middle, span, least = (0.0, 1.0, -1.0) if standardised else (fair, 1 - fair, 0.0)
    value, low, high = (min(1.0, max(least, middle + span * x)) for x in (difference, low, high))
    return {
        "value": value,
        "low": low,
        "high": high,
        "fair": middle,
        "span": span,
        "error": span * error,
        "matters": MATTERS * span / (1 - fair),
        "n": n,
        "unit": span * n / (2 * test.weight),
    }


_Z95 = 1.959963984540054  # of a normal distribution, 97.5%
_ROUNDING = 1e-9


def sight(measured: Association, says: str, null: str, n: int, *, blind: bool) -> AspectResult:
    """Test whether the judge's answers are associated with the right answers.

    Args:
        measured: the association; it is defined.
        says: as for a finding.
        null: likewise, that there is no association.
        n: number of items or rows.
        blind: whether images were hidden: the data then give the answers away.
    """
    within = around(measured.ability, measured.error)
    if blind:
        return AspectResult(
            says,
            null,
            measured.p_difference / 2 if measured.excess > 0 else 1.0,
            "solved_blind",
            "the answers can be guessed without the images: do not use these data",
            error=measured.error,
            sides=1,
            n=n,
            **within,
        )
    return AspectResult(
        says,
        null,
        1 - measured.p_no_more(LITTLE),
        "blind",
        "do not use this judge for images like these",
        measured.p_no_more(),
        n=n,
        **within,
    )


def above_zero(
    aspect: Aspect, number: str, title: str, *, says: str, null: str, flag: str, todo: str
) -> Evidence:
    """Return a test of whether a metric that runs from 0 (worst) to 1 (best) is above 0.

    The standard error is that of a normal distribution with the number's interval.

    Args:
        aspect: what it is of.
        number: its name; it has an interval.
        title: in words.
        says: what the number is, before its value.
        null: what it means that it is 0.
        flag: the problem that this is.
        todo: what to do about it.
    """

    def find(runs: Sequence[Any]) -> AspectResult | None:
        if len(runs) > 1:
            return None
        [run] = runs
        value, low, high = run.benchmark.number(number).found_in(run.numbers)
        if math.isnan(value):
            return None
        sentence = f"{says} {decimal(value, 2)}"
        if not high > low:
            return AspectResult(sentence)
        error = (high - low) / 2 / _Z95
        p, chance = (float(scipy.special.ndtr(z / error)) for z in (value - LITTLE, -value))
        return AspectResult(sentence, null, p, flag, todo, chance, value, low, high)

    return Evidence(aspect, title, find, number)


MOST_UNREAD = 0.05  # one in twenty


def _readable(runs: Sequence[Any]) -> AspectResult | None:
    """By item, as replies about one are not independent: at worst they are all alike."""
    items: dict[Any, list[tuple[int, int]]] = {}
    for run in runs:
        for number, reading in enumerate(run.readings):
            if reading.outcomes or not reading.left_out:
                item = reading.outcomes[0].item if reading.outcomes else number
                count = len(reading.unusable), max(1, len(reading.rows))
                items.setdefault((run.file, item), []).append(count)
    if not items:
        return None
    unread, total = np.sum([count for of_item in items.values() for count in of_item], axis=0)
    n, share = len(items), float(unread / total)
    reasons = sum((run.unusable for run in runs), Counter[str]())
    often = [f"{count:,} times {reason}" for reason, count in reasons.most_common(2)]
    why = ", ".join(often if len(often) > 1 else reasons)
    low, high = exact_interval(round(share * n), n)
    return AspectResult(
        f"{unread:,} of {total:,} replies cannot be read" + (f": {why}" if why else ""),
        f"at most {MOST_UNREAD:.0%} of a judge's replies cannot be read",
        float(scipy.stats.binomtest(math.floor(share * n), n, MOST_UNREAD, "greater").pvalue),
        "unreadable",
        "look at these replies; allow longer ones, or ask for a clearer format",
        value=1 - share,
        low=1 - max(high, share),
        high=1 - min(low, share),
        error=math.sqrt(MOST_UNREAD * (1 - MOST_UNREAD) / n),
        sides=1,
        n=n,
    )


READABLE = Evidence("instructions", "replies that can be read", _readable)
