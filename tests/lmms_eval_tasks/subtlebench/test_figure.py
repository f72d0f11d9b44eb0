from pathlib import Path

import pytest

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from lmms_eval_tasks.subtlebench.choices import Choice, ChoiceTable
from lmms_eval_tasks.subtlebench.figure import save_figure
from pairbench_ext.runs.scoring import Run

TYPES = ("spatial", "attribute")
SIZES, SHIFTS = (20, 40), (0.05, 0.1, 0.2)


def run(chosen, *, cells=False, n_options=4):
    """24 questions with the right option at A, B, C, D, ...; `chosen` says the answer to each."""
    of_items = [(("size", SIZES[i % 2]), ("shift", SHIFTS[i // 2 % 3])) for i in range(24)]
    choices = [
        Choice(i, i, TYPES[i % 2], "natural", "s", n_options, i % n_options, chosen(i), cell=cell)
        for i, cell in enumerate(of_items if cells else [()] * 24)
    ]
    return ChoiceTable(choices)


def save(tables, path):
    runs = [Run(CHOICES, Path(name), name, (), table, {}) for name, table in tables.items()]
    save_figure(runs, path)


def right(i):
    return i % 4


def always_b(_):
    return 1


def panel(seen, title):
    return next(axes for axes in seen.figure.axes if axes.get_title("left") == title)


def written(axes):
    return [text.get_text() for text in axes.texts]


def test_accuracy_by_type_beside_random_guesses(figure, tmp_path):
    save({"k/right": run(right), "k/b": run(always_b)}, tmp_path / "a.png")
    axes = panel(figure, "Accuracy by type of difference, 95% intervals")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["attribute", "spatial", "all"]
    ours, others = (bars.lines[0] for bars in axes.containers)
    assert list(ours.get_xdata()) == [100, 100, 100]
    # B is right for half of the questions at odd places, and for none at even ones.
    assert list(others.get_xdata()) == [50, 0, 25]
    guesses = [line.get_xdata()[0] for line in axes.lines if line.get_label() == "random guesses"]
    assert guesses == [25]
    [key] = figure.figure.subfigs[0].legends
    labels = [text.get_text() for text in key.get_texts()]
    assert labels == ["random guesses", "right", "b", "right option"]


def test_letters_are_shares_of_the_usable_answers(figure, tmp_path):
    save({"b": run(lambda i: 1 if i % 2 else None)}, tmp_path / "a.png")
    axes = panel(figure, "Letters chosen")
    assert [bar.get_width() for bar in axes.patches] == [0, 100, 0, 0]
    # The options at odd places alone: the other answers are unusable.
    assert [line.get_xdata()[0] for line in axes.lines] == [0, 50, 0, 50]


def test_a_controlled_set_is_a_heat_map(figure, tmp_path):
    save({"x/size": run(always_b, cells=True), "x/b": run(right)}, tmp_path / "a.png")
    axes = panel(figure, "size")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.05", "0.1", "0.2"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["20", "40"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("shift", "size")
    assert written(axes) == ["0", "0", "0", "50", "50", "50", "all 25%, random guesses 25%"]
    assert panel(figure, "Letters chosen").get_visible()


def test_heat_maps_stand_in_lines_of_three(figure, tmp_path):
    runs = {f"x/{name}": run(right, cells=True) for name in ("one", "two", "three", "four")}
    save(runs, tmp_path / "a.png")
    assert [axes.get_visible() for axes in figure.figure.axes] == [True] * 4 + [False] * 2


def test_a_dollar_in_a_name_is_drawn(figure, tmp_path):
    save({"a$b": run(lambda _: None)}, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 0


def test_no_run(tmp_path):
    with pytest.raises(ValueError, match="there is no run to draw"):
        save({}, tmp_path / "a.png")
