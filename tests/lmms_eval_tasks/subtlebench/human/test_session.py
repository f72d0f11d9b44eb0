"""What the page is told, and what it may record."""

import json
import urllib.error
import urllib.request

import pytest
from PIL import Image

from lmms_eval_tasks.people.session import ChangedMeanwhileError, UnknownQuestionError
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
            assert question["options"] == session.questions.trial(key)["options"]


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


def test_answers_are_there_again_after_changes_and_undo(path):
    with begun(path) as [session]:
        first, second, third = [one["id"] for one in session.state()["questions"]][:3]
        session.rate(first, 1)
        session.rate(second, 2)
        session.rate(first, 2, was=1)
        session.rate(third, 1)
        session.undo(third, 1)
    with begun(path) as [session]:
        assert [one["score"] for one in session.state()["questions"]][:4] == [2, 2, None, None]
        assert session.rated == 2


@pytest.mark.parametrize("score", [0, -1, 99, 1.0, True, "A", None, [1], {"a": 1}])
def test_what_is_no_option_is_refused(path, score):
    with begun(path) as [session]:
        name = session.state()["questions"][0]["id"]
        with pytest.raises(ValueError, match="the number of an option"):
            session.rate(name, score)
        with pytest.raises(UnknownQuestionError, match="no such question"):
            session.rate("x" * 24, 1)
    assert path.read_text() == ""


def test_a_stale_tab_is_told(path):
    with begun(path) as [session]:
        name = session.state()["questions"][0]["id"]
        session.rate(name, 1)
        with pytest.raises(ChangedMeanwhileError, match="this question's answer is 1"):
            session.rate(name, 2)
        with pytest.raises(ChangedMeanwhileError, match="this question's answer is 1"):
            session.undo(name, 2)
    assert len(path.read_text().splitlines()) == 1


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


@pytest.mark.parametrize(
    ("method", "where", "body", "headers", "status"),
    [
        ("PUT", "scores", {"question": "{0}", "score": 1, "was": None}, {}, 415),
        ("PUT", "scores", {"question": "{0}", "score": 9, "was": None}, JSON, 422),
        ("PUT", "scores", {"question": "{0}", "score": 1}, JSON, 400),
        ("PUT", "scores", {"question": ["{0}"], "score": 1, "was": None}, JSON, 404),
        ("POST", "scores", {"question": "{0}", "score": 1, "was": None}, JSON, 405),
        ("POST", "restart", {"round": 7}, JSON, 422),
        (
            "PUT", "scores", {"question": "{0}", "score": 1, "was": None},
            {**JSON, "Origin": "http://evil.example"}, 403,
        ),
        (
            "PUT", "scores", {"question": "{0}", "score": 1, "was": None},
            {**JSON, "Host": "evil.example"}, 403,
        ),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_and_write_nothing(path, method, where, body, headers, status):
    with serving(path) as server:
        state = json.loads(request(server, "GET", "/api/raters/0")[1])
        sent = json.dumps(body).replace("{0}", state["questions"][0]["id"]).encode()
        said, text = request(server, method, f"/api/raters/0/{where}", sent, headers)
    assert said == status
    assert json.loads(text)["error"]
    assert path.read_text() == ""


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
