"""What the page is told, and what it may record."""

import json
import urllib.error
import urllib.request

import pytest
from PIL import Image

from lmms_eval_tasks.people.session import UnknownQuestionError
from lmms_eval_tasks.subtlebench.human.questions import Questions
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from tests.lmms_eval_tasks.subtlebench.conftest import write_data
from tests.lmms_eval_tasks.subtlebench.human.conftest import begun, right, serving


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


def test_options_are_in_the_order_that_models_are_shown(path):
    with begun(path) as [session]:
        for question in session.state()["questions"]:
            key = session._key(question["id"])
            assert question["options"] == session.study.questions.trial(key)["options"]


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


@pytest.mark.parametrize("score", [0, -1, 99, 1.0, True, "A", None, [1], {"a": 1}])
def test_what_is_no_option_is_refused(path, score):
    with begun(path) as [session]:
        name = session.state()["questions"][0]["id"]
        with pytest.raises(ValueError, match="the answer must be a whole number from 1 to"):
            session.rate(name, score)
        with pytest.raises(UnknownQuestionError, match="no such question"):
            session.rate("x" * 24, 1)
    assert path.read_text() == ""


def test_other_data_under_the_same_names_are_refused(path, tmp_path, monkeypatch):
    with begun(path) as [session]:
        for question in session.state()["questions"]:
            session.rate(question["id"], right(session, question["id"]))
    other = write_data(tmp_path / "other")
    changed = next(other.rglob("*_2.png"))
    Image.open(changed).transpose(Image.Transpose.ROTATE_90).resize((9, 9)).save(changed)
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(other))
    with pytest.raises(RecordError, match=r"line \d.*'anna' rated this question on other data"):
        begun(path).__enter__()


def request(server, method, where, body=None, headers=()):
    sent = urllib.request.Request(
        server.url.rstrip("/") + where, body, dict(headers), method=method
    )
    try:
        with urllib.request.urlopen(sent, timeout=20) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


JSON = {"Content-Type": "application/json"}


def test_the_page_and_its_images_are_served(path):
    with serving(path) as server:
        for name in ("/", "/page.js", "/core.js", "/page.css", "/icon.svg"):
            assert request(server, "GET", name)[0] == 200
        state = json.loads(request(server, "GET", "/api/raters/0")[1])
        shown = state["questions"][0]["data"][1]["image"]
        assert request(server, "GET", shown)[1].startswith(b"\x89PNG")
        assert request(server, "GET", "/page.html")[0] == 404


@pytest.mark.parametrize(
    "task",
    ["nope", "subtlebench_concat", "subtlebench_authors", "subtlebench_control_single_color",
     "subtlebench_control", "subtlebench_two_step", "subtlebench_caption"],
)  # fmt: skip
def test_people_are_asked_the_plain_question(task):
    with pytest.raises(SourceError, match=r"no task that asks the plain question.*subtlebench"):
        Questions(task)
