import numpy as np
import pytest

from pairbench_ext.statistics.noise import noise_split


def simulated(n_items, n_votes, rng, spread=1.5):
    """Votes of which each item has its own probability."""
    probability = rng.beta(spread, 1, n_items)
    votes = rng.random((n_items, n_votes)) < probability[:, None]
    return votes.astype(float)


def split_of(votes):
    n_items, n_votes = votes.shape
    items = np.repeat(np.arange(n_items), n_votes).tolist()
    return noise_split(votes.ravel(), items, np.tile(np.arange(n_votes), n_items).tolist(), items)


@pytest.mark.parametrize("n_votes", [2, 5])
def test_the_parts_are_those_that_votes_were_drawn_with(n_votes):
    rng = np.random.default_rng(0)
    splits = [split_of(simulated(200, n_votes, rng)) for _ in range(200)]
    a = 1.5  # of Beta(a, 1)
    mean, variance = a / (a + 1), a / ((a + 1) ** 2 * (a + 2))
    within = mean * (1 - mean) - variance
    assert np.mean([split.items for split in splits]) == pytest.approx(variance / 200, rel=0.05)
    assert np.mean([x.answers for x in splits]) == pytest.approx(within / n_votes / 200, rel=0.05)
    assert splits[0].repeats == n_votes


def test_both_orders_of_a_repeat_are_one_answer():
    # Always the first answer: right in one order, wrong in the other, every time.
    split = noise_split([1, 0] * 4, [0] * 4 + [1] * 4, [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4)
    assert split.answers == 0
