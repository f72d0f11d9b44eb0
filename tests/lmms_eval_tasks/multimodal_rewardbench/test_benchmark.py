"""The benchmark through the harness, on rows in the layout of the authors' `all_data.json`."""

import json

from lmms_eval_tasks.multimodal_rewardbench.benchmark import area, docs
from pairbench_ext.harness.hooks import doc_to_messages, doc_to_text
from tests.conftest import picture
from tests.judges import PromptChatJudge, PromptJudge

CATEGORIES = (
    ("nocaps_1", "open_generation/correctness_task"),
    ("visitbench_2", "open_generation/preference_task"),
    ("mmmu-s_3", "knowledge"),
    ("mathvista_4", "reasoning"),
    ("EMMA-Coding_5", "reasoning"),
    ("PAIRS_6", "safety"),
    ("SEED-Bench_7", "vqa"),
    ("unheard_8", "something new"),
)


def write(root):
    """Rows of the benchmark, below a folder."""
    (root / "images").mkdir()
    rows = []
    for number, (name, category) in enumerate(CATEGORIES):
        picture(number, 0).save(root / f"images/{number}.png")
        answers = [f"{word} {number}" for word in ("right", "wrong")][:: -1 if number % 2 else 1]
        row = {"ID": name, "Category": category, "Text": f"Question {number}?"}
        row |= {"Image": f"images/{number}.png", "Better": f"Output{1 + number % 2}"}
        rows.append({**row, "Output1": answers[0], "Output2": answers[1]})
    (root / "all_data.json").write_text(json.dumps(rows))


def first_answer(prompt):
    return prompt.partition("[The Start of Assistant A's Answer]\n")[2]


def right(prompt):
    return "[[A]]" if first_answer(prompt).startswith("right") else "[[B]]"


def always_a(prompt):
    return "Assistant A is more thorough. [[A]]"


def test_judges_whose_numbers_are_known(data, run):
    task = "multimodal_rewardbench_both"
    found = run(PromptChatJudge(right), task)
    assert found["vote_accuracy"] == found["overall_accuracy_strict"] == 1
    assert found["macro_accuracy"] == found["safety"] == found["vqa"] == found["other"] == 1
    assert (found["items"], found["votes"]) == (8, 16)
    biased = run(PromptJudge(always_a), task)
    assert biased["vote_accuracy"] == 0.5
    assert (biased["first_position_rate"], biased["position_consistency"]) == (1, 0)
    assert biased["overall_accuracy_strict"] == 0


def test_asked_once_as_the_authors_ask(data, run):
    """A judge that likes A gets what the data put first, and unreadable replies are a coin."""
    task = "multimodal_rewardbench_authors"
    found = run(PromptJudge(always_a), task)
    assert (found["vote_accuracy"], found["votes"]) == (0.5, 8)
    silent = run(PromptJudge(lambda prompt: "Hm."), task)
    assert (silent["vote_accuracy"], silent["vote_accuracy_authors"]) == (0, 0.5)


def test_only_the_authors_leave_marks_of_images_in_the_text(data):
    rows = json.loads((data / "all_data.json").read_text())
    rows[0]["Text"] = "<image>\nWhat is it?"
    (data / "all_data.json").write_text(json.dumps(rows))
    for entry, marks in (({"orders": "both"}, 0), ({"orders": "data"}, 1)):
        shown = docs([entry])[0]
        [message] = doc_to_messages(shown)
        assert message["content"][0]["text"].count("<image>") == marks
        assert "<image>" not in doc_to_text(shown)


def test_areas():
    assert [area(category, name) for name, category in CATEGORIES] == [
        "correctness", "preference", "knowledge", "reasoning/math", "reasoning/coding",
        "safety/bias", "vqa", "other",
    ]  # fmt: skip
