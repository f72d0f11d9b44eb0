"""What the page is told, and what it may record."""

import json

import pytest

from lmms_eval_tasks.subtlebench.human.study import Study
from pairbench_ext.core.sources import SourceError
from tests.lmms_eval_tasks.subtlebench.human.conftest import begun


def test_the_page_is_not_told_what_is_right(path):
    with begun(path) as [session]:
        questions = session.state()["questions"]
        assert len(questions) == 9
        for question in questions:
            assert set(question) == {"id", "score", "question", "options", "data"}
            assert [set(datum) for datum in question["data"]] == [{"label", "image"}] * 2
        told = json.dumps([{**one, "question": "", "options": []} for one in questions])
        for word in ("truth", "category", "source", "quantity", "yt8m"):
            assert word not in told


def test_a_line_says_what_was_chosen_and_not_what_is_right(path):
    with begun(path) as [session]:
        name = session.state()["questions"][0]["id"]
        session.rate(name, 2)
        options = session.state()["questions"][0]["options"]
        key = session.study.order("anna", 0)[0]
    [line] = map(json.loads, path.read_text().splitlines())
    assert len(line.pop("content")) == 16
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "event": "rating", "rater": "anna", "task": "subtlebench", "item": key.item,
        "order": "fwd", "choice": "B", "options": options, "study": session.study.name, "round": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "task",
    ["nope", "subtlebench_concat", "subtlebench_authors", "subtlebench_control_single_color",
     "subtlebench_control", "subtlebench_two_step", "subtlebench_caption"],
)  # fmt: skip
def test_people_are_asked_the_plain_question(task):
    with pytest.raises(SourceError, match=r"no task that asks the plain question.*subtlebench"):
        Study(task)
