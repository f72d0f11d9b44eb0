"""Best-of-N data from logged samples of a small task, from the harness's run to the judge's."""

import json

import pytest
from PIL import Image

from lmms_eval_tasks.best_of_n.questions import read_questions
from tests.files import pairbench, write_lines
from tests.judges import PromptJudge, evaluate, numbers

TASK = "drawn_colours"
COLOURS = ("red", "green", "blue", "black")
UTILS = """
from PIL import Image


def visual(doc):
    return [Image.new("RGB", (8, 8), doc["answer"])]


def text(doc, lmms_eval_specific_kwargs=None):
    return f"Which colour is picture {doc['number']}?"


def results(doc, replies):
    right = float(doc["answer"] in replies[0].lower())
    return {"acc": right, "said": {"given": replies[0], "answer": doc["answer"]}}
"""
YAML = """
task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {rows}}}}}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.visual
doc_to_text: !function utils.text
doc_to_target: answer
process_results: !function utils.results
repeats: {repeats}
generation_kwargs: {{max_new_tokens: 8, until: []}}
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata: {{version: 1.0}}
"""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    """A folder of two tasks about four drawn colours: asked once, and three times."""
    folder = tmp_path_factory.mktemp("tasks")
    rows = folder / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"number": n, "answer": c}) + "\n" for n, c in enumerate(COLOURS))
    )
    (folder / "utils.py").write_text(UTILS)
    for name, repeats in ((TASK, 1), (f"{TASK}_thrice", 3)):
        text = YAML.format(task=name, rows=rows, repeats=repeats)
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def manager(tasks):
    from lmms_eval.tasks import TaskManager

    return TaskManager(include_defaults=False, include_path=str(tasks))


def log(answer, task, manager, folder):
    """A model's samples as the harness writes them."""
    samples = evaluate(PromptJudge(answer), task, manager)["samples"][task]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"20261122_120000_samples_{task}.jsonl"
    lines = ({**one, "input": one["arguments"][0]} for one in samples)
    return write_lines(file, lines)


@pytest.fixture(scope="module")
def logs(tasks, manager, tmp_path_factory):
    """Two models' logs: one always says red, one green."""
    root = tmp_path_factory.mktemp("logs")
    log(lambda prompt: "It is red.", TASK, manager, root / "one")
    log(lambda prompt: "It is green.", TASK, manager, root / "other")
    return root


def build(*words):
    return pairbench("build", "best-of-n", *words)


def said(done):
    return " ".join(done.output.split())


def test_from_the_harness_to_a_judges_picks(logs, tasks, task_manager, tmp_path, monkeypatch):
    done = build(logs, "--include-path", tasks, "--out", tmp_path / "made")
    assert done.exit_code == 0, done.output
    assert "4 questions with 8 candidates; 2 of them with candidates of unequal worth" in said(done)
    questions = read_questions(tmp_path / "made" / "candidates.jsonl")
    assert [question.worth for question in questions] == [(1, 0), (0, 1), (0, 0), (0, 0)]
    assert questions[0].candidates == ("It is red.", "It is green.")
    assert questions[0].query == "Which colour is picture 0?"
    for question, colour in zip(questions, COLOURS, strict=True):
        with Image.open(question.images[0]) as shown:
            assert shown.tobytes() == Image.new("RGB", (8, 8), colour).tobytes()
    monkeypatch.setenv("BEST_OF_N_DATA", str(tmp_path / "made" / "candidates.jsonl"))
    right = {f"picture {number}": colour for number, colour in enumerate(COLOURS)}

    def judge(prompt):
        colour = next(colour for name, colour in right.items() if name in prompt)
        first = prompt.partition("\nAnswer 1: ")[2].partition("\n\nAnswer 2: ")[0]
        return f"Overall Judgment: Answer {1 if colour in first else 2} is better."

    found = numbers(evaluate(PromptJudge(judge), "best_of_n", task_manager), "best_of_n")
    assert (found["round_robin"], found["oracle"], found["random"]) == (0.5, 0.5, 0.25)


def test_two_fields_that_are_equal(logs, tasks, tmp_path):
    equal = ("--equal", "said.given,said.answer", "--include-path", tasks)
    done = build(logs, *equal, "--out", tmp_path / "made")
    assert done.exit_code == 0, done.output
    questions = read_questions(tmp_path / "made" / "candidates.jsonl")
    assert {worth for question in questions for worth in question.worth} == {0}  # whole sentences


def test_repeats_are_scored_by_their_task(tasks, manager, tmp_path):
    replies = iter(["red", "green", "Blue."] * 4)
    file = log(lambda prompt: next(replies), f"{TASK}_thrice", manager, tmp_path / "runs")
    options = ("--include-path", tasks, "--out", tmp_path / "made")
    refused = build(file, *options)
    assert refused.exit_code == 1
    assert "line 1: one 'acc' of 3 replies" in said(refused)
    assert not (tmp_path / "made").exists()
    done = build(file, "--rescore", *options)
    assert done.exit_code == 0, done.output
    questions = read_questions(tmp_path / "made" / "candidates.jsonl")
    assert [question.worth for question in questions] == [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, 0, 0),
    ]
    first_two = build(file, "--rescore", "--n", 2, *options[:2], "--out", tmp_path / "two")
    assert first_two.exit_code == 0
    assert {
        len(one.candidates) for one in read_questions(tmp_path / "two" / "candidates.jsonl")
    } == {2}


def rows(folder, name, *changes):
    """Samples of three documents, with some fields changed."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}_samples_{TASK}.jsonl"
    lines = []
    for number in range(3):
        row = {"doc_id": number, "input": f"q{number}", "target": COLOURS[number]}
        row |= {"filtered_resps": [f"{name} {number}"], "acc": 1.0}
        lines.append({**row, **(changes[number] if number < len(changes) else {})})
    return write_lines(file, lines)


@pytest.fixture
def pictures(tmp_path):
    """Images by doc_id: one of the first and the last document, two of the second."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ("0", "1_0", "1_1", "2"):
        Image.new("RGB", (4, 4), "red").save(folder / f"{name}.jpg")
    (folder / "notes.txt").write_text("no picture")
    return folder


def test_images_from_a_folder_need_no_task(pictures, tmp_path):
    files = rows(tmp_path, "a", {"acc": True}, {"acc": 0}), rows(tmp_path, "b", {"acc": 0.25})
    done = build(*files, "--images", pictures, "--out", tmp_path / "made")
    assert done.exit_code == 0, done.output
    questions = read_questions(tmp_path / "made" / "candidates.jsonl")
    assert [len(question.images) for question in questions] == [1, 2, 1]
    assert [question.worth for question in questions] == [(1, 0.25), (0, 1), (1, 1)]


def test_a_score_is_chosen_where_there_are_several(pictures, tmp_path):
    files = [rows(tmp_path, name, *([{"other": 0.5}] * 3)) for name in "ab"]
    options = ("--images", pictures, "--out", tmp_path / "made")
    done = build(*files, *options)
    assert "line 1: several scores, ['acc', 'other']; say which one: --score NAME" in said(done)
    assert build(*files, "--score", "other", *options).exit_code == 0


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"acc": 2}, (), "a_samples_drawn_colours.jsonl, line 1: none of its fields ['acc'] is"),
        ({"acc": 7}, ("--score", "acc"), "line 1: 'acc' must be true, false or a number from 0"),
        ({"acc": None}, ("--score", "acc"), "not None"),
        ({"acc": "right"}, ("--score", "acc"), "not 'right'"),
        ({"acc": {"of": 1}}, ("--score", "acc.score"), "line 1: no 'score' in acc, only ['of']"),
        ({}, ("--score", "f1"), "line 1: no 'f1' in the sample, only ['acc']"),
        ({}, ("--equal", "acc"), "--equal takes two fields and a comma, not 'acc'"),
        ({}, ("--equal", "acc,acc", "--score", "acc"), "give one"),
        ({"target": "pink"}, (), "the target of question 0 is 'red', but 'pink'"),
        ({"filtered_resps": [1]}, (), "line 1: field 'filtered_resps' must be a text or texts"),
        ({"doc_id": 9}, ("--n", "2"), "line 1: no image 9.png"),
        ({}, ("--n", "3"), "no question has 3 replies, but 2 at most"),
        ({}, ("--images", "nowhere"), "--images nowhere is not a folder"),
        ({}, ("--task", "mmmu"), "no samples logged"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(change, options, message, pictures, tmp_path):
    files = rows(tmp_path, "a", change), rows(tmp_path, "b", {**change, "target": "red"})
    if options[:1] == ("--task",):
        files = (tmp_path / "other.jsonl",)
        files[0].write_text('{"id": "a"}\n')
    images = () if "--images" in options else ("--images", pictures)
    done = build(*files, *images, *options, "--out", tmp_path / "made")
    assert done.exit_code in (1, 2)
    assert message in said(done)
    assert not (tmp_path / "made" / "candidates.jsonl").exists()


def test_folders_and_files_that_are_none(tmp_path, tasks, logs):
    out = ("--out", tmp_path / "made")
    assert "no samples of mmmu in it" in said(build(logs, "--task", "mmmu", *out))
    assert "is given twice" in said(build(logs / "one", logs, *out))
    assert "holds something else" in said(build(logs, "--out", tasks))
    unknown = build(logs, "--include-path", tasks / "nowhere", *out)
    assert unknown.exit_code == 1
    assert "task 'drawn_colours' cannot be loaded" in said(unknown)


def test_data_that_are_not_those_of_the_run_are_refused(tmp_path, tasks):
    files = rows(tmp_path, "a", {"target": "pink"}), rows(tmp_path, "b", {"target": "pink"})
    done = build(*files, "--include-path", tasks, "--out", tmp_path / "made")
    assert "line 1: the target is 'pink', but 'red' in the data of drawn_colours" in said(done)
