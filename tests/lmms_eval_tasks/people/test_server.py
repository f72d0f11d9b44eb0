"""The server, asked over HTTP as the page and others ask it."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

import pytest

from pairbench_ext.statistics import seeds
from tests.studies import JSON, ServerProcess, ask, read_log, serving

FINE = {"question": "Q", "score": 3, "was": None}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "r.jsonl"


@pytest.fixture
def server(path):
    with serving(path, ("anna", "<b>ben</b>")) as server:
        yield server


def first(server, rater=0):
    return ask(server, "GET", f"/api/raters/{rater}")[2]["questions"][0]["id"]


def rate(server, question, score, rater=0, was=None):
    body = {"question": question, "score": score, "was": was}
    return ask(server, "PUT", f"/api/raters/{rater}/scores", body)


def undo(server, question, score):
    return ask(server, "POST", "/api/raters/0/undo", {"question": question, "score": score})


def test_a_stale_page_does_not_overwrite(server, path):
    name = first(server)
    assert rate(server, name, 7)[0] == 200
    assert rate(server, name, 7)[0] == 200  # sent again, after a lost reply
    status, _, said = rate(server, name, 3)
    assert (status, said["error"]) == (
        409, "the score of this pair was changed elsewhere, perhaps in another tab; it is now 7",
    )  # fmt: skip
    assert rate(server, name, 3, was=7)[0] == 200
    assert [rating.score for rating in read_log(path).ratings] == [7, 3]


def test_the_last_score_is_taken_back(server, path):
    name = first(server)
    rate(server, name, 7)
    rate(server, name, 3, was=7)
    assert undo(server, name, 7)[0] == 409
    for left, said in (([7], 3), ([], 7)):
        status, _, state = undo(server, name, said)
        assert status == 200
        assert state["questions"][0]["score"] == (left[0] if left else None)
        assert state["last"] == (name if left else None)
        assert [rating.score for rating in read_log(path).ratings] == left
    assert rate(server, name, 5)[0] == 200
    with path.open() as file:
        assert [json.loads(line)["event"] for line in file] == [
            "rating", "rating", "undo", "undo", "rating",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "where", "body", "headers", "status", "message"),
    [
        ("PUT", "scores", {"question": "Q", "score": 11, "was": None}, JSON, 422, "10, not 11"),
        ("PUT", "scores", {"score": 3}, JSON, 400, "an object of question and score and was"),
        ("PUT", "scores", b"[" * 4000, JSON, 400, "an object of"),
        ("PUT", "scores", b"score=3", {"Content-Type": "text/plain"}, 415, "application/json"),
        ("PUT", "scores", FINE, {**JSON, "Host": "evil.test"}, 403, "under the name"),
        ("PUT", "scores", FINE, {**JSON, "Origin": "http://evil.test"}, 403, "another web page"),
        ("POST", "restart", {"round": 2}, JSON, 422, "the next round is 1 of 8, not 2"),
        ("POST", "restart", {"round": 1.0}, JSON, 422, "the next round is 1 of 8, not 1.0"),
        ("POST", "undo", {"question": "q", "score": 3}, JSON, 404, "no such pair"),
    ],
)
def test_bad_requests_are_refused_and_change_nothing(
    server, path, method, where, body, headers, status, message
):
    if isinstance(body, dict) and body.get("question") == "Q":
        body = {**body, "question": first(server)}
    said = ask(server, method, f"/api/raters/0/{where}", body, headers)
    assert said[0] == status
    assert message in said[2]["error"]
    assert path.read_text() == ""
    assert rate(server, first(server), 3)[0] == 200  # it goes on


@pytest.mark.parametrize("host", ["127.0.0.1.evil.test", "127.0.0.1@evil.test", "0.0.0.0"])
def test_another_host_is_refused_everywhere(server, host):
    for where in ("/", "/api/raters", "/api/raters/0", f"/images/{first(server)}/0", "/nothing"):
        connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        connection.putrequest("GET", where, skip_host=True)
        connection.putheader("Host", host.encode())
        connection.endheaders()
        reply = connection.getresponse()
        assert reply.status == 403
        assert json.loads(reply.read())["error"].startswith("open this page under the name")
        connection.close()


def test_two_raters_at_once(path):
    """Each rates from four threads; nothing is lost, mixed or counted for the other."""
    with serving(path, ("anna", "ben"), n=24) as server:
        asked = [
            [q["id"] for q in ask(server, "GET", f"/api/raters/{k}")[2]["questions"]]
            for k in (0, 1)
        ]

        def work(thread):
            rater, part = divmod(thread, 4)
            return [rate(server, name, 3 + rater, rater)[0] for name in asked[rater][part::4]]

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [[200] * 6] * 8
        assert [one["rated"] for one in ask(server, "GET", "/api/raters")[2]] == [24, 24]
    ratings = read_log(path).ratings
    assert len({(rating.rater, rating.key) for rating in ratings}) == 48
    assert {(rating.rater, rating.score) for rating in ratings} == {("anna", 3), ("ben", 4)}


def test_nothing_that_was_answered_is_lost(path):
    """Killed at once after an answer, with another score on its way."""
    rng = seeds.generator(8, "kill")
    server = ServerProcess(path)
    try:
        names = [q["id"] for q in ask(server, "GET", "/api/raters/0")[2]["questions"]]
        possible = {name: {None} for name in names}
        unrated = iter(names)
        for _ in range(2):
            for _ in range(int(rng.integers(1, 8))):
                name, score = next(unrated), int(rng.integers(1, 11))
                assert rate(server, name, score)[0] == 200
                possible[name] = {score}
            name = next(unrated)
            possible[name] = {5, None}
            on_its_way = threading.Thread(target=rate_in_vain, args=(server, name, 5))
            on_its_way.start()
            server.kill()
            on_its_way.join()
            server = ServerProcess(path)
            found = ask(server, "GET", "/api/raters/0")[2]["questions"]
            assert [question["id"] for question in found] == names
            assert all(question["score"] in possible[question["id"]] for question in found)
    finally:
        server.kill()


def rate_in_vain(server, name, score):
    with suppress(OSError, HTTPException):  # the server is gone
        rate(server, name, score)
