"""Every picture says which benchmark, judge and data it is of."""

import json
from dataclasses import replace

import pytest

from pairbench_ext.runs.files import run_labels
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.figures.heading import heading, in_order
from tests.pairbench_ext.runs.test_scoring import row
from tests.toy_benchmark import TOY


@pytest.fixture
def runs(tmp_path):
    def runs(*files, results=None):
        paths = [tmp_path / name for name in files]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(row()) + "\n" + json.dumps(row("b", truth="no")) + "\n")
            if results is not None:
                said = path.with_name(path.name.partition("_samples_")[0] + "_results.json")
                said.write_text(json.dumps(results))
        names = run_labels(paths)
        return [score_file(TOY, path, name=name) for path, name in zip(paths, names, strict=True)]

    return runs


@pytest.mark.parametrize(
    ("results", "judge"),
    [
        (None, "out"),
        ({"model_name": "Qwen/Qwen2-VL-7B", "config": {"model": "qwen2_vl"}}, "Qwen2-VL-7B"),
        ({"config": {"model": "blind_judge", "model_args": "policy=longer"}}, "(policy=longer)"),
        ({"config": {"model": "openai", "model_args": "x" * 99}}, "judge openai \u00b7"),
        ({"config": None}, "out"),
    ],
)
def test_a_picture_names_benchmark_judge_and_task(runs, results, judge):
    text = heading(runs("out/1_samples_toy_demo.jsonl", results=results), 20)
    assert text.startswith(f"{TOY.title} \u00b7 judge ")
    assert judge in text
    assert text.endswith("task toy_demo")


def test_a_few_judges_are_named_and_numbers_are_in_order(runs):
    files = sorted(f"judge_{number}/1_samples_toy_demo.jsonl" for number in range(12))
    drawn = in_order(runs(*files))
    assert [run.name for run in drawn] == [f"judge_{number}/toy_demo" for number in range(12)]
    text = heading(drawn, 20)
    assert text == (
        f"{TOY.title} \u00b7 judges judge_0, judge_1, judge_2 and 9 more \u00b7 task toy_demo"
    )


def test_an_order_that_somebody_chose_is_kept(runs):
    chosen = runs("b/1_samples_t.jsonl", "a/1_samples_t.jsonl")
    assert in_order(chosen) == chosen


def test_plain_rows_are_called_by_their_files(runs):
    assert heading(runs("gpt.jsonl"), 20) == f"{TOY.title} \u00b7 judge gpt \u00b7 task plain rows"


def test_every_benchmarks_picture_has_it(runs, tmp_path, figure):
    from pairbench_ext.show.figures.numbers import save_figure

    drawn = [replace(run, benchmark=TOY) for run in runs("out/1_samples_toy_demo.jsonl")]
    save_figure(drawn, tmp_path / "a.png")
    assert figure.figure.get_suptitle() == heading(drawn, 20)
