from pathlib import Path

import numpy as np
import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.figure import save_figure
from lmms_eval_tasks.viescore.judged_images import JudgedImages
from lmms_eval_tasks.viescore.judgments import JUDGED, Judgment
from pairbench_ext.runs.scoring import Run

SAMPLES = tuple("abcde")


def judged(*, raters, scale=1.0, tasks=("tie",)):
    rng = np.random.default_rng(0)
    judgments = []
    for task in tasks:
        for model in "AB":
            values = rng.integers(0, 11, (len(SAMPLES), 2)) / 10 * scale
            cells = (rng.integers(0, 3, (len(SAMPLES), raters, 2)) / 2).tolist()
            judgments += [
                Judgment(task, model, sample, aspect, value, ratings=tuple(map(tuple, ratings)))
                for sample, pair, ratings in zip(SAMPLES, values.tolist(), cells, strict=True)
                for aspect, value in zip(JUDGED, pair, strict=True)
            ]
    return JudgedImages(judgments)


def save(path, **tables):
    runs = [Run(BENCHMARK, Path(name), name, (), one, {}) for name, one in tables.items()]
    save_figure(runs, path)


def points(axes, marker):
    return [line.get_xdata()[0] for line in axes.lines if line.get_marker() == marker]


def test_means_and_correlations_are_drawn(figure, tmp_path):
    one = judged(raters=3)
    save(tmp_path / "a.png", viescore_tie=one)
    left, right = figure.figure.axes
    assert points(left, "o") == [s.means["SC"] for s in one.summaries.values()]
    rhos = [values["PQ"] for _, values in one.agreement.by_image_model().values()]
    average = one.agreement.means["fisher"]["tie", "PQ", "spearman"]
    assert points(right, "s") == [*rhos, average]
    reference = one.agreement.human_means["fisher"]["tie", "O", "spearman"]
    assert any(list(line.get_xdata()) == [reference] * 2 for line in right.lines)
    assert [t.get_text() for t in left.get_yticklabels()] == ["A", "B", "average"]
    texts = [text.get_text() for text in figure.figure.legends[0].get_texts()]
    assert texts == ["SC", "PQ", "O", "95% interval", "raters with each other"]


def test_several_tasks_in_one_run_have_the_average_over_them(figure, tmp_path):
    one = judged(raters=3, tasks=("cig", "tie"))
    save(tmp_path / "a.png", x=one)
    left, right = figure.figure.axes
    average = one.agreement.means["fisher"]["all tasks", "SC", "spearman"]
    assert points(right, "o")[-1] == average
    labels = [t.get_text() for t in left.get_yticklabels()]
    assert labels == ["cig/A", "cig/B", "tie/A", "tie/B", "average"]


def test_without_raters_the_distribution_is_drawn(figure, tmp_path):
    one = judged(raters=0)
    save(tmp_path / "a.svg", x=one)
    _, right = figure.figure.axes
    filled = sum(count > 0 for s in one.summaries.values() for count in s.histograms["O"])
    assert len(right.collections) == filled
    assert len(figure.figure.legends[0].get_texts()) == 3


def test_one_rater_has_no_reference(figure, tmp_path):
    save(tmp_path / "a.png", x=judged(raters=1), y=judged(raters=0))
    texts = [text.get_text() for text in figure.figure.legends[0].get_texts()]
    assert "raters with each other" not in texts
    assert len(figure.figure.axes) == 4


def test_undefined_numbers_are_left_out(figure, tmp_path):
    save(tmp_path / "a.png", x=judged(raters=3, scale=0.0))
    _, right = figure.figure.axes
    assert points(right, "o") == []


@pytest.mark.parametrize(
    ("runs", "name", "message"),
    [(0, "a.png", "there is no run to draw"), (1, "a.docx", "cannot write a figure as")],
)
def test_errors(runs, name, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        save(tmp_path / name, **({"x": judged(raters=0)} if runs else {}))
