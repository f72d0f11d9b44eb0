import math

from pairbench_ext.core.benchmark import Mean, Number


def test_means_leave_out_what_is_not_known():
    number = Number("n", "n", Mean(lambda outcome: outcome))
    assert number.sums([1, None, math.nan, False]) == {(): (1, 2)}
    assert Number("n", "n", len).sums([1]) == {}
    by_part = Number("n", "n", Mean(lambda outcome: outcome, lambda outcome: (outcome > 1,)))
    assert by_part.sums([1, 3, 2, None]) == {(False,): (1, 1), (True,): (5, 2)}
