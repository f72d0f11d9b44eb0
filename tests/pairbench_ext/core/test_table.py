"""The same winner in both orders, by one definition for all benchmarks of choices."""

import pytest

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.table import same_in_both_orders


def asked(*orders):
    """Replies about one item: the places said in the data's order, then in the other one."""
    return [
        Outcome("chosen", "a", place, 0, options=2, order=order, repeat=repeat)
        for order, places in zip(("fwd", "rev"), orders, strict=False)
        for repeat, place in enumerate(places)
    ]


@pytest.mark.parametrize(
    ("orders", "same", "without_ties"),
    [
        (([0], [1]), [True], [True]),
        (([0], [0]), [False], [False]),
        (([TIE], [TIE]), [True], [False]),
        (([None], [None]), [False], [False]),
        (([0, 0, 1], [1, 1, None]), [True], [True]),
        (([0, 1], [1, 1]), [False], [False]),  # no majority in one order
        (([0, None], [1, 1]), [False], [False]),
        (([0],), [], []),
    ],
)
def test_more_than_half_of_an_orders_replies_make_a_winner(orders, same, without_ties):
    assert same_in_both_orders(asked(*orders)).tolist() == same
    assert same_in_both_orders(asked(*orders), ties=False).tolist() == without_ties
