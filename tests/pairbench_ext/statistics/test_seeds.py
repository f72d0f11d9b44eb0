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


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), ((1,), ("1",)), ((1, 2), (12,)), ((), ("",))],
    ids=["boundaries", "types", "digits", "empty"],
)
def test_different_keys_hash_differently(one, other):
    assert seeds.stable_hash(0, *one) != seeds.stable_hash(0, *other)
    assert seeds.stable_hash(0, *one) != seeds.stable_hash(1, *one)


def test_generators_of_different_keys_are_independent():
    first, again, other = (seeds.generator(0, key).random(4) for key in ("a", "a", "b"))
    assert np.array_equal(first, again)
    assert not np.any(first == other)
