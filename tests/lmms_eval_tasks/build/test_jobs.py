import pytest

from lmms_eval_tasks.build.jobs import in_order


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_are_in_the_items_order_and_items_are_taken_as_needed(jobs):
    items = iter(range(100))
    doubled = in_order(lambda item: 2 * item, items, jobs)
    assert [next(doubled) for _ in range(9)] == list(range(0, 18, 2))
    doubled.close()
    assert next(items) < 9 + 2 * jobs + 1
