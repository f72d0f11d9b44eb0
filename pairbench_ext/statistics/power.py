r"""Power: the smallest difference that n items show, and the items needed for a difference.

Two judges on the same items: only items on which exactly one of them is right tell them
apart. Of their share d, with the difference D of the two accuracies, a discordant item is for the
better judge with probability (1 + D / d) / 2. `mcnemar_power` is the power of McNemar's exact test,
over the binomial number of discordant items; Connor's approximation

    n = (z_(1 - alpha / 2) sqrt(d) + z_power sqrt(d - D^2))^2 / D^2

is where the search for n begins.

A statistic that is no share (a correlation, MMScore): from the standard error s of the difference
in a run of m items, as s sqrt(m / n), and from what its interval adds for clusters that were not
seen, as u m / n.

References: Miettinen, "The Matched Pairs Design in the Case of All-or-None Responses", Biometrics
24 (1968); Connor, "Sample Size for Testing Differences in Proportions for the Paired-Sample
Design", Biometrics 43 (1987).
"""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.bootstrap import Interval

FloatArray = npt.NDArray[np.float64]

POWER, ALPHA = 0.8, 0.05
Z95 = 1.959963984540054  # of the normal distribution
_TAIL = 1e-12  # of the number of discordant items that is left out
_MOST_ITEMS = 10**8


def mcnemar_power(n: int, discordant: float, difference: float, alpha: float = ALPHA) -> float:
    """Return the probability that McNemar's exact two-sided test finds a given difference.

    Args:
        n: items that both judges were asked about.
        discordant: share of items on which exactly one judge is right, in (0, 1].
        difference: of the two accuracies, at most `discordant`.
        alpha: level of the test.

    Raises:
        ValueError: if there cannot be such a difference, or an argument is out of its range.
    """
    _check(discordant, difference, alpha)
    counts, chances, critical = _discordant_counts(n, discordant, alpha)
    better = (1 + difference / discordant) / 2
    low = scipy.stats.binom.cdf(critical, counts, better)
    high = scipy.stats.binom.sf(counts - critical - 1, counts, better)
    return float(np.sum(chances * (low + high)))


@lru_cache(maxsize=8)
def _discordant_counts(n: int, discordant: float, alpha: float) -> tuple[FloatArray, ...]:
    """Possible numbers of discordant items, their probabilities, the highest count that rejects."""
    counts = np.arange(
        scipy.stats.binom.ppf(_TAIL, n, discordant), scipy.stats.binom.isf(_TAIL, n, discordant) + 1
    )
    critical = scipy.stats.binom.ppf(alpha / 2, counts, 0.5)
    critical -= scipy.stats.binom.cdf(critical, counts, 0.5) > alpha / 2
    return counts, scipy.stats.binom.pmf(counts, n, discordant), critical


def mcnemar_detectable(n: int, discordant: float, alpha: float = ALPHA) -> float:
    """Return the smallest difference between two accuracies that n items show with 80% power.

    Returns:
        In (0, `discordant`]; NaN where not even a judge that is right on all discordant items is
        found to be better.
    """

    def missing(difference: float) -> float:
        return mcnemar_power(n, discordant, difference, alpha) - POWER

    if missing(discordant) < 0:
        return math.nan
    return float(scipy.optimize.brentq(missing, 0, discordant, xtol=1e-7))


def mcnemar_items(discordant: float, difference: float, alpha: float = ALPHA) -> int:
    """Return how many items are needed to show a difference between two accuracies (80% power).

    Returns:
        A number of items that has the power, while one fewer has not.

    Raises:
        ValueError: as `mcnemar_power`, or if it would take more than 100 million items.
    """
    _check(discordant, difference, alpha)
    if difference == 0:
        raise ValueError("no test can detect a difference of 0 between two judges")
    reach = float(scipy.stats.norm.isf(alpha / 2)) * math.sqrt(discordant)
    reach += float(scipy.stats.norm.ppf(POWER)) * math.sqrt(discordant - difference**2)
    low, high = 0, max(1, math.ceil((reach / difference) ** 2))
    while high <= _MOST_ITEMS and mcnemar_power(high, discordant, difference, alpha) < POWER:
        low, high = high, 2 * high
    if high > _MOST_ITEMS:
        raise ValueError(f"more than {_MOST_ITEMS:,} items would be needed to show this difference")
    while high - low > 1:
        middle = (low + high) // 2
        enough = mcnemar_power(middle, discordant, difference, alpha) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


def margin_items(discordant: float, margin: float) -> int:
    """Return how many items show, with 80% power, that equal judges differ by less than a margin.

        n = (z_0.975 + z_power)^2 d / m^2 + z_0.975^2 / (2 m)

    The first term is that of a difference of m (Blackwelder, "Proving the Null Hypothesis in
    Clinical Trials", Controlled Clinical Trials 3, 1982), the second allows for discordant items
    that were not seen, as the interval does (`difference`).

    Args:
        discordant: share d of items on which exactly one judge is right, in (0, 1].
        margin: m, above 0; the lower end of the 95% interval is to be above -m.

    Raises:
        ValueError: if there can be no such share or margin.

    >>> margin_items(0.2, 0.02)
    4021
    """
    _check(discordant, 0, ALPHA)
    if not margin > 0:
        raise ValueError(f"no test can show a difference, or a margin, of {margin:g}")
    reach = float(scipy.stats.norm.isf(ALPHA / 2))
    seen = (reach + float(scipy.stats.norm.ppf(POWER))) ** 2 * discordant / margin**2
    return math.ceil(seen + reach**2 / (2 * margin))


def standard_error(interval: Interval) -> float:
    """Return the standard error of an estimate, given the estimate's 95% interval."""
    return (interval.high - interval.low) / (2 * float(scipy.stats.norm.isf(0.025)))


def detectable_by_error(
    error: float,
    n: float,
    planned: float,
    alpha: float = ALPHA,
    unseen: float = 0.0,
    freedom: float = math.inf,
) -> float:
    """Return the smallest difference found with 80% power, given a measured standard error.

        (z_(1 - alpha / 2) + z_power) s sqrt(n / planned) + u n / planned

    Args:
        error: standard error s of the difference.
        n: items that it was measured with.
        planned: items there will be.
        alpha: level of the test.
        unseen: u, by how much the interval was wider on each side than +-z s: that allows for
            clusters that were not seen, and shrinks faster.
        freedom: degrees of freedom of s. With few, s is often too small and rarely too large by as
            much: the power is then that on average over what s could have been.
    """
    reach = float(scipy.stats.norm.isf(alpha / 2))
    rest = float(scipy.stats.norm.ppf(POWER))
    if freedom < math.inf:  # the mean power over s, whose logarithm has the variance 1 / (2 f)
        rest *= math.sqrt(1 + (reach + rest) ** 2 / (2 * freedom))
        error /= 1 - min(0.5, 1 / (4 * freedom))  # s is too small by that on average
    return (reach + rest) * error * math.sqrt(n / planned) + unseen * n / planned


def items_by_error(
    error: float,
    n: float,
    difference: float,
    alpha: float = ALPHA,
    unseen: float = 0.0,
    freedom: float = math.inf,
) -> int:
    """Return how many items are needed to show a difference, given a measured standard error.

    Raises:
        ValueError: if the difference is not above 0.
    """
    if not difference > 0:
        raise ValueError(f"no test can show a difference, or a margin, of {difference:g}")
    # Of the root x of the number of items, difference x^2 - seen x - rest = 0.
    seen, rest = detectable_by_error(error, n, 1, alpha, 0, freedom), unseen * n
    found = ((seen + math.sqrt(seen**2 + 4 * difference * rest)) / (2 * difference)) ** 2
    # Few items have a test of longer tails: half the square of z more (Guenther, "Sample Size
    # Formulas for Normal Theory t Tests", The American Statistician 35, 1981).
    return math.ceil(found + (Z95**2 / 2 if freedom < math.inf else 0))


def _check(discordant: float, difference: float, alpha: float) -> None:
    if not 0 < discordant <= 1:
        raise ValueError(
            "the share of items on which exactly one judge is right must be in (0, 1], not "
            f"{discordant:g}"
        )
    if not 0 <= difference <= discordant:
        raise ValueError(
            f"a difference of {difference:g} is impossible if exactly one judge is right on only "
            f"{discordant:g} of the items: give a larger share of discordant items"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"the significance level must be between 0 and 1, not {alpha:g}")
