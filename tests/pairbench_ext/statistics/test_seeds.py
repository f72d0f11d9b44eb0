import subprocess
import sys

import numpy as np
import pytest

from pairbench_ext.statistics import seeds


def test_draws_do_not_depend_on_the_process():
    code = (
        "from pairbench_ext.statistics.seeds import stable_hash; print(stable_hash(7, 'rotate', 3))"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1"},
    )
    assert int(other.stdout) == seeds.stable_hash(7, "rotate", 3)


def test_numpy_integers_are_integers():
    assert seeds.stable_hash(0, np.int64(3)) == seeds.stable_hash(0, 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), ((1,), ("1",)), ((1, 2), (12,)), ((), ("",))],
    ids=["boundaries", "types", "digits", "empty"],
)
def test_different_keys_hash_differently(one, other):
    assert seeds.stable_hash(0, *one) != seeds.stable_hash(0, *other)
    assert seeds.stable_hash(0, *one) != seeds.stable_hash(1, *one)


def test_draws_are_uniform():
    counts = np.bincount([seeds.draw(5, 0, "template", i) for i in range(10_000)], minlength=5)
    # Five standard deviations of a binomial count with p = 1/5.
    assert np.all(np.abs(counts - 2000) < 5 * np.sqrt(10_000 * 0.2 * 0.8))


def test_nothing_to_draw_from():
    with pytest.raises(ValueError, match="0 levels"):
        seeds.draw(0, 0)


def test_generators_of_different_keys_are_independent():
    first, again, other = (seeds.generator(0, key).random(4) for key in ("a", "a", "b"))
    assert np.array_equal(first, again)
    assert not np.any(first == other)
