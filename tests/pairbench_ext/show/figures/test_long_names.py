"""Names of models are long: none lies on another one, on a title, or on a key."""

import json
from dataclasses import replace
from itertools import combinations

import pytest

from pairbench_ext.core.registry import benchmark_of
from pairbench_ext.runs.compare import Comparison
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.figures import differences
from pairbench_ext.show.figures.numbers import draw
from pairbench_ext.statistics.bootstrap import Interval
from tests.judge_logs import say

NAMES = [f"an-organisation/its-model-{n}-with-a-long-name-instruct-awq-int4-2026" for n in range(5)]


def overlapping(figure):
    """Texts that lie on each other: names beside rows, titles, and what a key explains."""
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    figure.draw_without_rendering()
    texts = [text for key in figure.findobj(Legend) for text in key.get_texts()]
    for axes in figure.findobj(Axes):
        low, high = sorted(axes.get_ylim())
        ticks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
        texts += [label for place, label in ticks if low <= place <= high]
        texts += [text for text in axes.findobj(Text) if text.get_text() == axes.get_title("left")]
    shown = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [
        (one, other)
        for (one, here), (other, there) in combinations(shown, 2)
        if min(here.x1, there.x1) - max(here.x0, there.x0) > 2
        and min(here.y1, there.y1) - max(here.y0, there.y0) > 2
    ]


@pytest.fixture
def found(monkeypatch):
    """What overlaps in each figure, at the time at which it is written."""
    from matplotlib.figure import Figure

    every = []

    def save(figure, path):
        every.append(overlapping(figure))
        path.touch()

    monkeypatch.setattr(Figure, "savefig", save)
    return every


def test_in_the_default_figure(found, tmp_path):
    row = {"item": "i", "source": "colour", "repeat": 0, "order": "fwd", "truth": 0}
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**row, "response": say(1)}))
    run = score_file(benchmark_of("judge_audit_preferences"), file)
    draw([replace(run, name=one) for one in 3 * NAMES], tmp_path / "figure.png")
    assert found == [[]]


def test_in_the_figure_of_differences(found, tmp_path):
    ends = Interval(-0.1, 0.2)
    compared = [
        Comparison("task", "number", "higher", a, b, 0.1, ends, 0.5, "", 9, 9, p_holm=0.5)
        for a, b in combinations(NAMES, 2)
    ]
    differences.save_figure(compared, tmp_path / "figure.png")
    assert found == [[]]
