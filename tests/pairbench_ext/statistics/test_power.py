import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from pairbench_ext.statistics.power import mcnemar_items, mcnemar_power

RUNS = 4000


def rejected(wins, losses, alpha=0.05):
    """The share of runs in which McNemar's exact test, a test of a fair coin, rejects."""
    p = np.minimum(1, 2 * binom.cdf(np.minimum(wins, losses), wins + losses, 0.5))
    assert p[0] == pytest.approx(binomtest(int(wins[0]), int(wins[0] + losses[0])).pvalue)
    return np.mean(p <= alpha)


@pytest.mark.parametrize(
    ("n", "discordant", "difference", "alpha"),
    [
        (50, 0.3, 0.2, 0.05),
        (200, 0.2, 0.07, 0.05),
        (1250, 0.2, 0.035, 0.05),
        (300, 0.1, 0.06, 0.01),
    ],
)
def test_mcnemar_s_power_is_what_simulated_judges_have(n, discordant, difference, alpha):
    rng = np.random.default_rng(n)
    chances = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    wins, losses, _ = rng.multinomial(n, chances, RUNS).T
    promised = mcnemar_power(n, discordant, difference, alpha)
    assert rejected(wins, losses, alpha) == pytest.approx(promised, abs=0.025)


@pytest.mark.parametrize(("discordant", "difference"), [(0.2, 0.02), (0.3, 0.1), (0.1, 0.1)])
def test_the_number_of_items_has_the_power_and_one_fewer_has_not(discordant, difference):
    n = mcnemar_items(discordant, difference)
    assert mcnemar_power(n, discordant, difference) >= 0.8
    assert mcnemar_power(n - 1, discordant, difference) < 0.8
    # Connor's approximation is of the test without its steps, which needs a little less.
    reach = 1.959964 * math.sqrt(discordant) + 0.841621 * math.sqrt(discordant - difference**2)
    assert (reach / difference) ** 2 <= n <= 1.25 * (reach / difference) ** 2 + 10
