"""The benchmark through the harness, on rows with the columns of `EditScore/EditReward-Bench`.

The vectors are simulated scores of pairs of every task type, and what the authors'
`calculate_statistics.py` makes of them.
"""

import json
from pathlib import Path

import datasets
import pytest
from PIL import Image

from lmms_eval_tasks.editscore_bench.benchmark import BENCHMARK, docs
from pairbench_ext.harness.hooks import doc_to_messages, doc_to_text, doc_to_visual
from pairbench_ext.runs import controls
from tests.conftest import picture, write_split
from tests.files import score_file, write_lines
from tests.judges import CannedJudge

VECTORS = Path(__file__).parents[2] / "vectors/image_judges/editscore_bench.json"
PAIRS = (
    ("Add a cat", "subject-add", "prompt_following"),
    ("Add a cat", "subject-add", "overall"),
    ("Make it red", "color_alter", "overall"),
)


def write(root):
    """Rows of the benchmark, below a folder."""
    rows = [
        {"key": [f"{n}_good", f"{n}_bad"], "instruction": instruction, "task_type": kind}
        | {"input_image": picture(n, 0), "dimension": dimension}
        | {"output_images": [picture(n, 1, (48, 32)), picture(n, 2)]}
        for n, (instruction, kind, dimension) in enumerate(PAIRS)
    ]
    write_split(root, "data", "train", rows)


def reply(first, second):
    return f'{{"reasoning": "Well lit.", "score": [{first}, {second}]}}'


def right(doc):
    return reply(20, 25) if doc["place"] == 0 else reply(20, 3) if doc["row"] else reply(3, 25)


def test_judges_whose_numbers_are_known(data, run):
    task = "editscore_bench_pointwise"
    perfect = run(CannedJudge(right), task)
    assert (perfect["prompt_following"], perfect["overall"], perfect["accuracy"]) == (1, 1, 1)
    equal = run(CannedJudge(lambda _: reply(12, 12)), "editscore_bench_authors")
    assert (equal["accuracy"], equal["coverage"]) == (0, 1)  # strictly greater

    def silent_on_red(doc):
        return "Hm." if doc["instruction"] == "Make it red" else right(doc)

    half = run(CannedJudge(silent_on_red), task)
    assert (half["overall"], half["accuracy"], half["coverage"]) == (0.5, 2 / 3, 2 / 3)


def test_controls_are_paired_as_the_judge_s_scores_are(tmp_path):
    rows = [
        {"row": n, "place": place, "aspect": aspect, "dimension": "overall", "instruction": f"i{n}",
         "task_type": "extract", "response": reply(20 - 9 * place, 20)}
        for n in range(60) for place in (0, 1) for aspect in ("SC", "PQ")
    ]  # fmt: skip
    run = score_file(BENCHMARK, write_lines(tmp_path / "rows.jsonl", rows))
    accuracy = BENCHMARK.number("accuracy")
    reached = {
        control.name: controls.of_control(run, control, [accuracy])["accuracy"]
        for control in BENCHMARK.every_control
    }
    assert (run.number(accuracy), reached["constant"]) == (1, 0)  # equal scores are no choice
    assert reached["random"] == pytest.approx(0.49, abs=0.08)
    [shown, _] = controls.reached(run)
    assert shown.control.name == "random"


def test_what_is_shown(data):
    trials = docs([{}])
    assert [(trial["place"], trial["aspect"]) for trial in trials] == [
        (0, "SC"), (1, "SC"), *[(place, aspect) for place in (0, 1) for aspect in ("SC", "PQ")] * 2
    ]  # fmt: skip
    assert doc_to_text(trials[0]).rstrip().endswith("Editing instruction: Add a cat")
    assert "From scale 0 to 25" in doc_to_text(trials[3])
    [message] = doc_to_messages(trials[0])
    assert [item["type"] for item in message["content"]] == ["image", "image", "text"]
    assert [image.size for image in doc_to_visual(trials[0])] == [(24, 16)] * 2  # resized
    assert len(doc_to_visual(trials[3])) == 1


@pytest.mark.parametrize(("entry", "shade"), [({}, 255), ({"variant": "authors"}, 40)])
def test_the_authors_drop_transparency_before_they_resize(entry, shade, data):
    table = datasets.load_dataset("parquet", data_dir=str(data / "data"), split="train")
    clear = Image.new("RGBA", (48, 32), (40, 40, 40, 0))
    write_split(data, "data", "train", [{**row, "output_images": [clear, clear]} for row in table])
    edited = doc_to_visual(docs([entry])[0])[1]
    assert (edited.mode, edited.size) == ("RGB", (24, 16))
    assert edited.getextrema() == ((shade, shade),) * 3


def test_numbers_are_those_of_the_authors_functions():
    vectors = json.loads(VECTORS.read_text())
    outcomes = [
        BENCHMARK.outcome.outcome(
            {"row": row, "place": place, "aspect": aspect, "instruction": str(row)}
            | {"dimension": dimension, "task_type": kind},
            1 if (dimension, aspect) == ("overall", "SC") else score,
        )
        for row, (kind, dimension, scores) in enumerate(vectors["rows"])
        for place, score in enumerate(scores)
        for aspect in (("SC", "PQ") if dimension == "overall" else ("SC",))
    ]
    table = BENCHMARK.table(outcomes)
    parts = BENCHMARK.breakdowns[0].of(table)
    for dimension, types in vectors["types"].items():
        assert BENCHMARK.number(dimension).of(table) == pytest.approx(types.pop("average"))
        assert {name: parts[name][dimension] for name in types} == pytest.approx(types)
    for group, accuracies in vectors["groups"].items():
        assert parts[group] == pytest.approx(accuracies)
