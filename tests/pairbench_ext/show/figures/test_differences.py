import math

import pytest

from pairbench_ext.runs.compare import Comparison
from pairbench_ext.show.figures.differences import _rows, save_figure
from pairbench_ext.show.figures.style import BLUE, GREY
from pairbench_ext.statistics.bootstrap import Interval


def compared(a, b, difference, better="higher", p=0.01):
    ends = Interval(difference - 0.1, difference + 0.2)
    return Comparison("task", "number", better, a, b, difference, ends, p, "", 9, 9, p_holm=p)


def pairs(judges, better="higher"):
    """Of judges whose number is their place."""
    return [compared(str(a), str(b), (a - b) / 10, better) for a in range(judges) for b in range(a)]


def test_pairs_are_turned_upwards_and_sorted():
    reference, rows = _rows([compared("a", "b", -0.3), compared("c", "a", 0.1, p=0.5)])
    assert reference == ""
    assert [row.name for row in rows] == ["b \u2212 a", "c \u2212 a"]
    assert (rows[0].low, rows[0].high) == pytest.approx((0.1, 0.4))
    assert [row.colour for row in rows] == [BLUE, GREY]


def test_with_a_baseline_rows_are_judges():
    reference, rows = _rows([compared("a", "base", -0.3), compared("b", "base", 0.1)])
    assert reference == "base"
    assert [(row.name, row.value) for row in rows] == [("b", 0.1), ("a", -0.3)]


@pytest.mark.parametrize(("better", "best"), [("higher", "19"), ("lower", "0")])
def test_many_judges_are_shown_beside_the_best(better, best):
    reference, rows = _rows(pairs(20, better))
    assert reference == best
    assert len(rows) == 19
    values = [row.value for row in rows]
    assert values == sorted(values, reverse=True)
    assert all(value * (1 if better == "higher" else -1) < 0 for value in values)


@pytest.mark.parametrize("judges", [2, 20])
def test_a_picture_is_written(tmp_path, judges):
    save_figure(pairs(judges), tmp_path / "d.svg")
    text = (tmp_path / "d.svg").read_text()
    assert text.startswith("<?xml")


def test_nothing_measured_is_said(tmp_path):
    with pytest.raises(ValueError, match="nothing to draw"):
        save_figure([compared("a", "b", math.nan)], tmp_path / "d.png")
