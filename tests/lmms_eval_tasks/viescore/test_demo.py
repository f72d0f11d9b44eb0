"""The demo: a judge that measures pixels, on photographs edited by rule, offline."""

import csv
import json

import pytest

from lmms_eval_tasks.build.photos import SOURCES
from lmms_eval_tasks.viescore.demo import IMAGE_MODELS, RATINGS, demo_museum
from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.tasks import TASKS
from pairbench_ext.judges.pixel_judge import PixelJudge
from tests.judges import evaluate, numbers


@pytest.fixture(scope="module")
def results(task_manager):
    return evaluate(PixelJudge(), "viescore_demo", task_manager)


def test_the_judge_sees_quality_but_reads_no_instruction(results):
    for task in ("mie", "cig"):
        found = numbers(results, f"viescore_demo_{task}")
        assert (found["images"], found["image_models"], found["coverage"]) == (48, 3, 1)
        assert found["ci95_o_low"] > 0.1
    assert numbers(results, "viescore_demo")["spearman_pq"] > 0.8
    assert numbers(results, "viescore_demo_mie")["spearman_sc"] < 0.6
    human = numbers(results, "viescore_demo")["human_spearman_o"]
    assert human != human  # NaN: one constructed rater agrees with nobody


@pytest.mark.parametrize("task", ["mie", "cig"])
def test_ratings_are_what_was_done(task):
    root = demo_museum()
    museum = read_museum(root, TASKS[task])
    assert len(museum.images) == len(SOURCES) * len(IMAGE_MODELS)
    assert museum.missing == ()
    with (root / TASKS[task].folder / RATINGS).open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for model in IMAGE_MODELS:  # correlations are defined
        cells = [json.loads(row[model]) for row in rows]
        assert {sc for sc, _ in cells} == {pq for _, pq in cells} == {0, 0.5, 1}


def test_the_ratings_are_called_constructed():
    card = (demo_museum() / "README.md").read_text()
    assert RATINGS.startswith("constructed")
    assert "No\nhuman gave them" in card
    assert all(source.author in card for source in SOURCES)
