import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from lmms_eval_tasks.cast.figure import save_figure
from pairbench_ext.runs.scoring import Run
from tests.lmms_eval_tasks.cast.tables import Confirmation, table_of


def image_blind(generated, evaluated, swapped):
    if swapped:
        return int(generated == evaluated == "image")
    return int((generated == "image") == (evaluated == "image"))


def run(swapped=(False, True)):
    factors = itertools.product(range(2), MODALITIES, MODALITIES, PROMPTS, swapped)
    table = table_of(
        Confirmation(pair, generated, 1, evaluated, prompt, image_blind(generated, evaluated, s), s)
        for pair, generated, evaluated, prompt, s in factors
    )
    return Run(BENCHMARK, Path("x.jsonl"), "x", (), table, BENCHMARK.score(table))


def test_cells_and_differences_are_drawn(figure, tmp_path):
    runs = [replace(run(), name=f"out/model_{name}/cast") for name in ("a$b$", "c")]
    save_figure(runs, tmp_path / "a.png")
    cells, same, *_, own_minus_swapped = figure.figure.axes
    blind = ["1.00", "0.00", "1.00", "0.00", "1.00", "0.00", "1.00", "0.00", "1.00"]
    assert [text.get_text() for text in cells.texts] == blind * 2
    assert [label.get_text() for label in cells.get_yticklabels()] == ["a$b$", "c"]
    marks = [line.get_xdata()[0] for line in same.lines if line.get_marker() == "o"]
    assert marks == [1.0, 1.0]
    first, _ = [line.get_xdata()[0] for line in own_minus_swapped.lines if line.get_marker() == "o"]
    assert first == pytest.approx(5 / 9 - 1 / 9)
    assert (tmp_path / "a.png").stat().st_size > 10_000
