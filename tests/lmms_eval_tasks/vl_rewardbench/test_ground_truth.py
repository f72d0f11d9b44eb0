"""Table 19: two answers beside the right one, of the pairs that have one."""

import json

import pytest

from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.vl_rewardbench.benchmark import VoteTrials
from tests.conftest import REPOSITORY, preference_rows, write_split
from tests.judges import PromptJudge, evaluate, numbers

TASK = "vl_rewardbench_ground_truth"
GOLDEN = json.loads((REPOSITORY / "tests/goldens/vl_rewardbench_table_19.json").read_text())


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Rows 5 to 7 are of reasoning tasks; the last one has no right answer."""
    rows = preference_rows()
    truths = ["", "", "", "", "", "42", " B ", ""]
    write_split(
        tmp_path,
        "data",
        "test",
        rows.remove_columns("ground_truth").add_column("ground_truth", truths),
    )
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path))


def test_the_prompt_is_that_of_the_paper(data):
    pair = Pair("a", GOLDEN["query"], tuple(GOLDEN["response"]), "mmmu", 0, ("image",))
    pair = pair._replace(ground_truth=GOLDEN["ground_truth"])
    trials = VoteTrials({"variant": "ground_truth"})
    picture, text = trials.show(pair, {"row": 5, "order": "rev"}).content
    assert callable(picture)
    assert text == GOLDEN["prompt"]


def test_only_pairs_with_a_right_answer_are_asked_about(data, task_manager):
    shown = []

    def answer(prompt):
        shown.append(prompt)
        first = prompt.partition("\nAnswer 1: ")[2].partition("\n\nAnswer 2: ")[0]
        return f"Overall Judgment: Answer {1 if 'RIGHT' in first else 2} is superior."

    found = numbers(evaluate(PromptJudge(answer), TASK, task_manager), TASK)
    assert (found["items"], found["overall_accuracy"], found["reasoning"]) == (2, 1, 1)
    truths = [text.partition("Ground-truth Answer: ")[2].partition("\n")[0] for text in shown]
    assert truths == ["42", "42", "B", "B"]
