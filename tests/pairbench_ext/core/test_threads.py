"""Work in threads comes in its order, a bounded number of pieces ahead."""

import threading
from functools import partial

import pytest

from pairbench_ext.core.threads import in_order


def test_no_more_is_begun_than_said():
    taken = []

    def work():
        for number in range(20):
            taken.append(number)
            yield partial(int, number)

    results = in_order(work(), 3)
    for number in range(5):
        assert next(results) == number
        assert len(taken) <= number + 4
    results.close()
    assert len(taken) <= 8


def test_an_error_ends_it_and_no_thread_is_left():
    done = []

    def fails():
        raise OSError("a bad picture")

    work = [partial(done.append, 1), fails, *[partial(done.append, 2)] * 50]
    with pytest.raises(OSError, match="a bad picture"):
        list(in_order(work, 4))
    assert len(done) < 10
    assert not any(thread.name.startswith("ahead") for thread in threading.enumerate())
