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
        (folder / f"{name}.yaml").write_text(YAML.format(task=name, rows=rows, repeats=repeats))
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
    return write_lines(file, ({**one, "input": one["arguments"][0]} for one in samples))


@pytest.fixture(scope="module")
def logs(tasks, manager, tmp_path_factory):
    """Two models' logs: one always says red, one green."""
    root = tmp_path_factory.mktemp("logs")
    log(lambda prompt: "It is red.", TASK, manager, root / "one")
    log(lambda prompt: "It is green.", TASK, manager, root / "other")
    return root


def build(*words, status=None):
    return pairbench("build", "best-of-n", *words, status=status)


def said(done):
    return " ".join(done.output.split())


def test_from_the_harness_to_a_judges_picks(logs, tasks, task_manager, tmp_path, monkeypatch):
    done = build(
        logs, "--score", "acc", "--include-path", tasks, "--out", tmp_path / "made", status=0
    )
    assert "4 questions with 8 candidates. In 2 of the questions, candidates have unequal" in said(
        done
    )
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
    equal = ("--score", "said.given,said.answer", "--include-path", tasks)
    build(logs, *equal, "--out", tmp_path / "made", status=0)
    questions = read_questions(tmp_path / "made" / "candidates.jsonl")
    assert {worth for question in questions for worth in question.worth} == {0}  # whole sentences


def sample(reply, target="B"):
    return {"doc_id": 0, "target": target, "filtered_resps": reply, "input": "Question?"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a": [sample("x")], "b": [sample("x", target="C")]},
            "b.jsonl, line 1: the right answer to question 0 is 'C', but 'B' in",
        ),
        (
            {"a_samples_one": [sample("x")], "a_samples_two": [sample("x")]},
            "a_samples_two.jsonl belong to different tasks",
        ),
        ({"a": [sample([[-1.5, True]])]}, "line 1: field 'filtered_resps' must be a text or"),
    ],
    ids=["target", "tasks", "no text"],
)
def test_logs_that_do_not_go_together(files, message, tmp_path):
    logs = [write_lines(tmp_path / f"{name}.jsonl", rows) for name, rows in files.items()]
    assert message in said(build(*logs, "--score", "acc", "--out", tmp_path / "made", status=1))
