import math
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.axes import Axes

from lmms_eval_tasks.preference.numbers import Preferences, by_k
from lmms_eval_tasks.preference.votes import Vote
from lmms_eval_tasks.vl_rewardbench import figure as drawing
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING
from pairbench_ext.runs.scoring import Run


def run(choose, *, repeats=3, sources=("wildvision", "rlaif-v", "mathverse"), orders=("fwd",)):
    """A run of a judge whose verdict on an item is `choose(number, repeat, order)`."""
    votes = [
        Vote(
            number,
            source,
            repeat,
            order,
            number % 2,
            choose(number, repeat, order),
            number // 2 % 2,
        )
        for number, source in enumerate(source for source in sources for _ in range(4))
        for repeat in range(repeats)
        for order in orders
    ]
    table = Preferences(votes, GROUPING)
    return Run(BENCHMARK, Path("x.jsonl"), "x", (), table, BENCHMARK.score(table))


def save_figure(runs, path):
    """Draws runs by name."""
    drawing.save_figure([replace(one, name=name) for name, one in runs.items()], path)


def biased(number, repeat, order):
    return 1 if (number + repeat) % 3 else 2


def never(number, repeat, order):
    return None


def first(number, repeat, order):
    return 1


def mostly_right(number, repeat, order):
    """Wrong about every third item, and prefers the first answer on every fourth."""
    best = (number + (number % 3 == 0)) % 2
    return 1 if number % 4 == 0 else 1 + best if order == "fwd" else 2 - best


@pytest.fixture
def drawn(figure):
    """What is drawn: the figure, and the panel of a title."""
    figure.panel = lambda title: next(
        axes for axes in figure.figure.findobj(Axes) if axes.get_title("left") == title
    )
    return figure


def points(axes, filled=None):
    """Where there is a marker, as (x, row); only filled or only hollow ones if asked."""
    markers = [line for line in axes.lines if line.get_linestyle() == "None"]
    return [
        (line.get_xdata()[0], -line.get_ydata()[0])
        for line in markers
        if filled in (None, line.get_markerfacecolor() != "none")
    ]


def said(axes):
    return [text.get_text() for text in axes.texts]


def notes(figure):
    """What stands beside the headings."""
    parts = figure.subfigs[0].subfigs
    return [t.get_text() for part in parts for t in part.texts if t.get_ha() == "right"]


def test_each_run_has_a_row_of_its_numbers(drawn, tmp_path):
    runs = {"m/k3": run(mostly_right, orders=("fwd", "rev")), "n/k3": run(biased)}
    save_figure(runs, tmp_path / "a.png")
    rows = [one.numbers for one in runs.values()]
    for key, title in (
        ("overall_accuracy", "Overall"),
        ("macro_accuracy", "Macro"),
        ("general", "General"),
        ("hallucination", "Hallucination"),
        ("reasoning", "Reasoning"),
    ):
        axes = drawn.panel(title)
        for suffix, filled in (("", True), ("_strict", False)):
            values = [(scores[key + suffix], row) for row, scores in enumerate(rows)]
            assert points(axes, filled) == values
    assert points(drawn.panel("Same winner\nin both orders")) == [
        (rows[0]["position_consistency"], 0)
    ]
    for key, title in (("first_position_rate", 'Says "first"'), ("coverage", "Coverage")):
        values = [(scores[key], row) for row, scores in enumerate(rows)]
        assert points(drawn.panel(title)) == values
    assert points(drawn.panel("Accuracy if the better\nis longer \u25b2, shorter \u25bc")) == [
        (scores[f"accuracy_{word}_better"], row)
        for row, scores in enumerate(rows)
        for word in ("longer", "shorter")
    ]
    names = [label.get_text() for label in drawn.panel("Overall").get_yticklabels()]
    assert names == ["m", "n"]
    assert notes(drawn.figure) == ["", "n/a or no marker: undefined or not measured"]


def test_intervals_and_guessing_are_drawn_where_they_are(drawn, tmp_path):
    one = run(biased)
    save_figure({"a": one}, tmp_path / "a.png")
    lines = {title: drawn.panel(title).lines for title in ("Overall", "Macro", "General")}
    ends = {title: [list(line.get_xdata()) for line in lines[title]] for title in lines}
    for title, key in (("Overall", "overall"), ("Macro", "macro")):
        interval = [one.numbers[f"{key}_ci95_{end}"] for end in ("low", "high")]
        assert interval in ends[title]
        assert "{:.2f}\u2013{:.2f}".format(*interval) in said(drawn.panel(title))
    assert said(drawn.panel("General")) == [f"{one.numbers['general']:.2f}"]
    assert all([0.5, 0.5] in some for some in ends.values())


def test_accuracy_by_k_is_a_line_for_each_run(drawn, tmp_path):
    runs = {"a": run(biased, repeats=5), "b": run(biased, repeats=1)}
    save_figure(runs, tmp_path / "a.png")
    panels = [axes for axes in drawn.figure.findobj(Axes) if axes.get_title("left") == "Macro"]
    curves = [line for line in panels[1].lines if line.get_marker() != "None"]
    for curve, one in zip(curves, runs.values(), strict=True):
        values = by_k(one.table)
        assert [round(x) for x in curve.get_xdata()] == list(values)
        assert list(curve.get_ydata()) == [k["macro_accuracy"] for k in values.values()]
    assert panels[1].get_xticks().tolist() == [1, 3, 5]
    assert panels[1].get_ylim() == (0, 1)


def test_equal_lines_can_be_told_apart(drawn, tmp_path):
    save_figure(dict.fromkeys("abcd", run(biased, repeats=5)), tmp_path / "a.png")
    panels = [axes for axes in drawn.figure.findobj(Axes) if axes.get_title("left") == "Macro"]
    curves = [line for line in panels[1].lines if line.get_marker() != "None"]
    assert len({line.get_xdata()[0] for line in curves}) == 4
    assert len({str(line._unscaled_dash_pattern) for line in curves}) == 4


def test_an_empty_panel_says_why(drawn, tmp_path):
    save_figure({"a": run(biased, sources=("wildvision",))}, tmp_path / "a.png")
    assert "no decided items" in said(drawn.panel("Reasoning"))
    assert "no decided items" not in said(drawn.panel("General"))


def test_one_k_is_no_curve(drawn, tmp_path):
    save_figure({"a": run(biased, repeats=1)}, tmp_path / "a.png")
    assert len(drawn.figure.findobj(Axes)) == 9


def test_nan_is_left_out_and_said(drawn, tmp_path):
    one = run(never, repeats=1)
    assert math.isnan(one.numbers["overall_accuracy"])
    save_figure({"a": one, "b": run(biased)}, tmp_path / "a.png")
    assert (0, 0) in points(drawn.panel("Overall"), filled=False)
    assert [row for _, row in points(drawn.panel("Overall"), filled=True)] == [1]
    assert said(drawn.panel("Overall"))[0] == "n/a"
    assert said(drawn.panel('Says "first"'))[0] == "n/a"
    assert "n/a or no marker: undefined or not measured" in notes(drawn.figure)


def test_nothing_is_said_where_all_is_measured(drawn, tmp_path):
    save_figure({"a": run(mostly_right, repeats=1, orders=("fwd", "rev"))}, tmp_path / "a.png")
    assert notes(drawn.figure) == ["", ""]


def test_long_and_odd_names_are_shown_whole(drawn, tmp_path):
    names = [f"some-organisation__a-very-long-model-name-{n}b-$instruct$_^x" for n in range(3)]
    save_figure(dict.fromkeys(names, run(biased, repeats=1)), tmp_path / "a.svg")
    shown = [label.get_text() for label in drawn.panel("Overall").get_yticklabels()]
    assert all("\n" in label for label in shown)
    assert [label.replace("\n", "") for label in shown] == [
        name.removeprefix("some-organisation__") for name in names
    ]


def test_many_runs_differ_in_colour_or_marker(drawn, tmp_path):
    save_figure({f"run {n}": run(first, repeats=1) for n in range(16)}, tmp_path / "a.png")
    lines = [line for line in drawn.panel("Coverage").lines if line.get_linestyle() == "None"]
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 16


@pytest.mark.parametrize("name", ["a.pdf", "deep/a.svg"])
def test_formats(name, tmp_path):
    save_figure({"a": run(biased)}, tmp_path / name)
    assert (tmp_path / name).stat().st_size > 5_000


@pytest.mark.parametrize(
    ("runs", "name", "message"),
    [
        ({}, "a.png", "there is no run to draw"),
        ({"a": run(first, repeats=1)}, "a.docx", "cannot write a figure as 'a.docx'; use one of"),
    ],
    ids=["none", "format"],
)
def test_what_cannot_be_drawn_is_said(runs, name, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        save_figure(runs, tmp_path / name)


@pytest.mark.filterwarnings("error:constrained_layout")
@pytest.mark.parametrize("judges", [1, 2, 6, 12])
def test_panels_have_room_for_any_number_of_judges(judges, tmp_path):
    one = run(mostly_right, repeats=5, orders=("fwd", "rev"))
    names = [f"a-very-long-name-of-a-model-{number}/k5" for number in range(judges)]
    save_figure(dict.fromkeys(names, one), tmp_path / "a.png")
