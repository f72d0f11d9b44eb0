"""A server in a process of its own, killed while people rate."""

import json
import threading
import urllib.request

import pytest

from pairbench_ext.statistics import seeds
from tests.studies import ServerProcess

KILLS = 2


def scores(server):
    """By the names that the page has for pairs, in their order."""
    with urllib.request.urlopen(f"{server.url}api/raters/0", timeout=60) as reply:
        return {question["id"]: question["score"] for question in json.load(reply)["questions"]}


def rate(server, name, score):
    body = json.dumps({"question": name, "score": score, "was": None}).encode()
    where, headers = f"{server.url}api/raters/0/scores", {"Content-Type": "application/json"}
    request = urllib.request.Request(where, body, headers, method="PUT")
    with urllib.request.urlopen(request, timeout=60) as reply:
        assert reply.status == 200


def rate_in_vain(server, name, score):
    try:
        rate(server, name, score)
    except OSError:  # the server is gone
        return


@pytest.fixture
def start(tmp_path):
    started = []

    def begin():
        started.append(ServerProcess(tmp_path / "r.jsonl"))
        return started[-1]

    yield begin
    started[-1].kill()


def test_nothing_that_was_answered_is_lost(start):
    """Killed at once after an answer, with another score on its way."""
    rng = seeds.generator(8, "kill")
    server = start()
    names = list(scores(server))
    possible = {name: {None} for name in names}
    unrated = iter(names)
    for _ in range(KILLS):
        for _ in range(int(rng.integers(1, 8))):
            name, score = next(unrated), int(rng.integers(1, 11))
            rate(server, name, score)
            possible[name] = {score}
        name = next(unrated)
        possible[name] = {5, None}
        on_its_way = threading.Thread(target=rate_in_vain, args=(server, name, 5))
        on_its_way.start()
        server.kill()
        on_its_way.join()
        server = start()
        found = scores(server)
        assert list(found) == names
        assert all(found[name] in possible[name] for name in names)
