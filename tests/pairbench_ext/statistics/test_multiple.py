import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.statistics.multiple import compact_letters, holm, holm_behind_gates


def test_holm_by_hand():
    # 5 x 0.01, 4 x 0.02, 3 x 0.03; then 2 x 0.04 and 0.05 may not be below.
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    # Only the two smallest of four are rejected at 5%.
    assert holm([0.03, 0.005, 0.04, 0.0125]) == pytest.approx([0.06, 0.02, 0.06, 0.0375])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values_keep_their_order_and_never_fall(p_values):
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    assert [adjusted[place] for place in order] == sorted(adjusted)


@given(st.integers(1, 9), st.data())
def test_two_share_a_letter_exactly_if_they_are_tied(n, data):
    pairs = [(a, b) for a in range(n) for b in range(a)]
    different = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    letters = compact_letters(list(range(n)), different)
    for a, b in pairs:
        assert bool(set(letters[a]) & set(letters[b])) == ((a, b) not in different)
    assert letters[0].startswith("a")


def test_what_stands_behind_a_gate_takes_no_power_from_it():
    p = [0.02, 0.04, *[0.01] * 20]
    adjusted = holm_behind_gates(p, [None, None, *[1] * 20])
    assert adjusted[:2] == holm(p[:2]) == [0.04, 0.04]
    assert adjusted[2:] == pytest.approx([0.2] * 20)  # Holm's among themselves


def test_behind_a_closed_gate_nothing_is_rejected_at_any_depth():
    adjusted = holm_behind_gates([0.3, 1e-9, math.nan, 1e-12], [None, 0, 0, 1])
    assert adjusted[1] == adjusted[3] == 0.3
    assert math.isnan(adjusted[2])
