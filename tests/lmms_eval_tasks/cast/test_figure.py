import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS, Confirmation, ConfirmationTable
from lmms_eval_tasks.cast.figure import save_figure
from pairbench_ext.runs.scoring import Run

CELLS = [f"{one} \u2192 {other}" for one, other in itertools.product(MODALITIES, repeat=2)]


def image_blind(generated, evaluated, prompt, swapped):
    if swapped:
        return int(generated == evaluated == "image")
    if prompt == "true/false" and evaluated == "both":
        return None
    return int((generated == "image") == (evaluated == "image"))


def run(value, swapped=(False, True)):
    factors = itertools.product(range(2), MODALITIES, MODALITIES, PROMPTS, swapped)
    table = ConfirmationTable(
        Confirmation(
            pair, generated, 1, evaluated, prompt, value(generated, evaluated, prompt, s), s
        )
        for pair, generated, evaluated, prompt, s in factors
    )
    return Run(BENCHMARK, Path("x.jsonl"), "x", (), table, BENCHMARK.score(table))


def written(axes):
    return [text.get_text() for text in axes.texts]


def points(axes, marker):
    """Label of a line -> where its marker is."""
    names = dict(
        zip(axes.get_yticks(), [t.get_text() for t in axes.get_yticklabels()], strict=True)
    )
    return {
        names[line.get_ydata()[0]]: line.get_xdata()[0]
        for line in axes.lines
        if line.get_marker() == marker
    }


def test_matrices_and_both_kinds_of_statements_are_drawn(figure, tmp_path):
    save_figure([run(image_blind)], tmp_path / "a.png")
    whole, *prompts, cells = figure.figure.axes
    blind = ["1.00", "0.00", "1.00", "0.00", "1.00", "0.00", "1.00", "0.00", "1.00"]
    assert written(whole) == written(prompts[0]) == written(prompts[1]) == blind
    assert written(prompts[2]) == [it if n % 3 < 2 else "n/a" for n, it in enumerate(blind)]
    own = points(cells, "o")
    assert [own[name] for name in CELLS] == [float(value) for value in blind]
    assert own["mean"] == pytest.approx(5 / 9)
    swapped = points(cells, "D")
    assert {name for name in CELLS if swapped[name]} == {"image \u2192 image"}
    assert swapped["mean"] == pytest.approx(1 / 9)
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_what_was_not_measured_is_left_out_and_said(figure, tmp_path):
    save_figure([run(image_blind, swapped=[False])], tmp_path / "a.svg")
    cells = figure.figure.axes[-1]
    assert points(cells, "D") == {}
    assert cells.get_xlabel() == "no statements of other pairs were evaluated"
    said = [text.get_text() for part in figure.figure.subfigs for text in part.texts]
    assert any(text.endswith("own \u2212 swapped n/a") for text in said)


def test_several_runs_are_rows_without_what_their_names_share(figure, tmp_path):
    names = (f"out/model_{name}/cast" for name in ("a$b$", "c"))
    both = [replace(run(image_blind), name=name) for name in names]
    save_figure(both, tmp_path / "a.pdf")
    titles = [part.get_suptitle() for part in figure.figure.subfigs]
    assert titles == ["a$b$", "c"]
    assert len(figure.figure.axes) == 2 * 5


def test_many_runs_are_a_line_each(figure, tmp_path):
    runs = [
        replace(run(image_blind, swapped=[False] if n == 3 else (False, True)), name=f"judge-{n}")
        for n in range(12)
    ]
    save_figure(runs, tmp_path / "a.png")
    cells, same, _across, _gap, swapped = figure.figure.axes
    assert figure.figure.get_figheight() < 6  # inches
    assert [text.get_text() for text in cells.get_yticklabels()] == [
        f"judge-{n}" for n in range(12)
    ]
    assert written(cells)[:9] == [
        "1.00",
        "0.00",
        "1.00",
        "0.00",
        "1.00",
        "0.00",
        "1.00",
        "0.00",
        "1.00",
    ]
    marks = [
        {
            line.get_ydata()[0]: line.get_xdata()[0]
            for line in axes.lines
            if line.get_marker() == "o"
        }
        for axes in (same, swapped)
    ]
    assert marks[0] == dict.fromkeys(range(12), 1.0)
    assert set(marks[1]) == set(range(12)) - {3}  # what was not measured is left out
    assert marks[1][0] == pytest.approx(runs[0].numbers["own_minus_swapped"])


@pytest.mark.parametrize(
    ("runs", "name", "message"),
    [
        ([], "a.png", "there is no run to draw"),
        ([run(image_blind)], "a.txt", r"cannot write a figure as 'a\.txt'; use one of"),
    ],
    ids=["no run", "format"],
)
def test_mistakes_are_named(runs, name, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        save_figure(runs, tmp_path / name)
