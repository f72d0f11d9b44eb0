import collections

import numpy as np
import pytest

from lmms_eval_tasks.cast.build import similar
from lmms_eval_tasks.cast.build.similar import draw_pairs, draw_stratified
from pairbench_ext.core.sources import SourceError


def embeddings(n, d=8, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def angles(*degrees):
    radians = np.deg2rad(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def names(n):
    return [f"image {index}" for index in range(n)]


def test_pairs_are_in_range_and_disjoint():
    rows = embeddings(200)
    pairs = draw_pairs(rows, names(200), 40, low=0.3, high=0.7)
    used = [index for pair in pairs for index in pair[:2]]
    assert len(pairs) == 40
    assert len(set(used)) == 80
    for first, second, similarity in pairs:
        assert similarity == pytest.approx(float(rows[first] @ rows[second]), abs=1e-6)
        assert 0.3 <= similarity < 0.7


def test_the_range_is_closed_below_and_open_above():
    rows = np.array([[1, 0], [0.75, np.sqrt(1 - 0.75**2)], [-1, 0]], dtype=np.float32)
    exact = float(rows[0] @ rows[1])
    assert len(draw_pairs(rows, names(3), 1, low=exact, high=0.9)) == 1
    with pytest.raises(SourceError, match="only 0 pairs"):
        draw_pairs(rows, names(3), 1, low=0.1, high=exact)


def test_the_draw_depends_on_seed_and_names_alone():
    rows, called = embeddings(120), names(120)
    drawn = draw_pairs(rows, called, 20, low=0.2, seed=3)
    named = [(called[i], called[j]) for i, j, _ in drawn]
    order = np.random.default_rng(1).permutation(120)
    shuffled = [called[i] for i in order]
    again = draw_pairs(rows[order], shuffled, 20, low=0.2, seed=3)
    assert [(shuffled[i], shuffled[j]) for i, j, _ in again] == named
    assert draw_pairs(rows, called, 20, low=0.2, seed=4) != drawn


def test_fewer_pairs_are_the_first_of_more():
    rows = embeddings(120)
    assert draw_pairs(rows, names(120), 5, low=0.2) == draw_pairs(rows, names(120), 20, low=0.2)[:5]


@pytest.mark.parametrize(("block", "pool"), [(1, 20_000), (700, 20_000), (700, 3), (10**6, 1)])
def test_blocks_and_pools_do_not_change_the_draw(monkeypatch, block, pool):
    rows = embeddings(90)
    whole = draw_pairs(rows, names(90), 25, low=0.1)
    monkeypatch.setattr(similar, "BLOCK", block)
    monkeypatch.setattr(similar, "POOL", pool)
    again = draw_pairs(rows, names(90), 25, low=0.1)
    assert [pair[:2] for pair in again] == [pair[:2] for pair in whole]


def test_every_pair_in_range_is_as_likely():
    """Three pairs at 30 degrees, drawn one at a time with many seeds, in both orders."""
    rows = angles(0, 30, 120, 150, 240, 270)
    drawn = collections.Counter(
        draw_pairs(rows, names(6), 1, low=0.8, seed=seed)[0][:2] for seed in range(600)
    )
    assert set(drawn) == {(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)}
    assert min(drawn.values()) > 60


def test_an_image_is_used_again_only_if_needed():
    rows = angles(0, 20, 40, 60)  # a chain and its ends: every image is near its neighbours
    pairs = [frozenset(p[:2]) for p in draw_pairs(rows, names(4), 3, low=0.9, high=0.95)]
    assert sorted(map(sorted, pairs)) == [[0, 1], [1, 2], [2, 3]]
    used = collections.Counter(index for pair in pairs[:2] for index in pair)
    # Either the two ends come first, disjoint, or the middle, after which nothing is.
    assert max(used.values()) == 1 or pairs[0] == {1, 2}


def test_too_few_pairs_say_how_many_there_are():
    with pytest.raises(SourceError, match=r"only 3 pairs of 4 images .* \[0\.9, 0\.95\), 4 are"):
        draw_pairs(angles(0, 20, 40, 60), names(4), 4, low=0.9, high=0.95)
    with pytest.raises(SourceError, match="cannot draw 0 pairs"):
        draw_pairs(angles(0, 20), names(2), 0)


def bins_of(pairs, low, high, bins):
    return [int((pair.similarity - low) / (high - low) * bins) for pair in pairs]


@pytest.mark.parametrize("n_pairs", [3, 40, 42])
def test_as_many_pairs_of_every_bin_in_turns(n_pairs):
    rows, (low, high) = embeddings(300), (0.3, 0.7)
    pairs = draw_stratified(rows, names(300), n_pairs, low=low, high=high, bins=4)
    assert bins_of(pairs, low, high, 4) == [3 - number % 4 for number in range(n_pairs)]
    assert len({index for pair in pairs for index in pair[:2]}) == 2 * n_pairs
    # Without bins, hardly any pair is much alike.
    plain = draw_stratified(rows, names(300), 40, low=low, high=high, bins=1)
    assert plain == draw_pairs(rows, names(300), 40, low=low, high=high)
    found = bins_of(plain, low, high, 4)
    assert found.count(0) > 3 * found.count(3)


def test_images_of_one_bin_are_not_used_in_another():
    rows = angles(0, 20, 60)  # 20 degrees apart, 40 and 60
    taken = draw_pairs(rows, names(3), 1, low=0.9, high=0.95)
    assert {*taken[0][:2]} == {0, 1}
    again = draw_pairs(angles(0, 20, 60, 100), names(4), 1, low=0.7, high=0.8, used={0, 1})
    assert {*again[0][:2]} == {2, 3}


def test_a_bin_without_pairs_is_named():
    with pytest.raises(SourceError, match=r"only 0 pairs .* in \[0\.85, 0\.95\), 1 are .*fewer"):
        draw_stratified(angles(0, 40), names(2), 2, low=0.75, high=0.95, bins=2)
