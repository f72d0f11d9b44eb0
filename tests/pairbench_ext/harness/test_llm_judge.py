"""The harness's judges, asked over a real connection."""

import pytest

from pairbench_ext.harness import llm_judge
from pairbench_ext.harness.llm_judge import Judge
from pairbench_ext.resumable import open_shared
from tests.endpoints import Endpoint, completion

NOWHERE = "http://127.0.0.1:9/v1"  # nobody listens there


@pytest.fixture(autouse=True)
def _environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    for name in ("API_TYPE", "OPENAI_API_URL", "LLM_JUDGE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve(monkeypatch):
    """Starts endpoints, the last of which is the one that judges are at."""
    started = []

    def start(answer):
        started.append(Endpoint(answer))
        monkeypatch.setenv("OPENAI_API_URL", started[-1].url)
        return started[-1]

    yield start
    for endpoint in started:
        endpoint.close()


def later(model="gpt-4o"):
    """The judge of another process, while this one goes on."""
    open_shared.cache_clear()
    return Judge(model)


def test_it_asks_what_it_is_told_and_once(serve):
    endpoint = serve(lambda prompt: f" Yes, {prompt} ")
    judge = Judge("gpt-4o")
    assert judge.problem is None
    assert [judge.ask("é {x}", "t") for _ in range(2)] == ["Yes, é {x}"] * 2
    [(path, headers, body)] = endpoint.requests
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer secret"
    assert body["model"] == "gpt-4o"
    assert body["messages"] == [{"role": "user", "content": "é {x}"}]
    assert body["temperature"] == 0


FAILURES = {"500": 500, "no JSON": b"<html>busy</html>", "an empty reply": completion("")}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_none_and_asked_again_next_time(failure, serve):
    replies = {"a": "Yes", "b": failure}
    endpoint = serve(lambda prompt: replies[prompt])
    assert list(Judge("gpt-4o").ask_all("ab", "t")) == ["Yes", None]
    replies["b"] = "No"
    assert list(later().ask_all("ab", "t")) == ["Yes", "No"]
    assert sorted(endpoint.prompts) == ["a", "b", "b"]


def test_a_dead_endpoint_is_given_up(serve, said):
    replies = {"known": "Yes"}
    endpoint = serve(lambda prompt: replies.get(prompt, 500))
    judge = Judge("gpt-4o")
    assert judge.ask("known", "t") == "Yes"
    assert [judge.ask(f"{k}", "t") for k in range(20)] == [None] * 20
    assert len(endpoint.requests) == 1 + llm_judge._GIVE_UP
    assert judge.ask("known", "t") == "Yes"
    assert len([line for line in said if "'gpt-4o' failed 8 times in a row (" in line]) == 1


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"OPENAI_API_KEY": "", "OPENAI_API_URL": NOWHERE}, "api_key"),
        ({"API_TYPE": "local", "LLM_JUDGE_URL": f"{NOWHERE}/chat/completions"}, "not reachable"),
        ({"API_TYPE": "carrier pigeon"}, "Unknown API type: carrier pigeon"),
    ],
    ids=["no key", "no server", "unknown"],
)
def test_what_is_wrong_is_known_before_it_is_asked(variables, problem, monkeypatch):
    monkeypatch.setattr(llm_judge, "_RETRIES", 0)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert problem in Judge("gpt-4o").problem
