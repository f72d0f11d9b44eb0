"""Backends that keep many requests in flight: real ones of the harness, asking a local server."""

import json
import sys
import threading
import time
from functools import reduce
from operator import getitem
from types import SimpleNamespace

import pytest
from lmms_eval.models import get_model
from openai.types.chat import ChatCompletion
from PIL import Image
from pydantic import BaseModel

from pairbench_ext.resumable import Journal, JournalError, entries
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics import seeds
from tests.endpoints import Endpoint, completion
from tests.judges import request_about

N = 40
KINDS = ["async_openai", "openai"]
GREEDY = {"temperature": 0, "max_new_tokens": 8, "until": []}


def question(prompt):
    """The text of a request, as the server sees it."""
    if isinstance(prompt, str):
        return prompt
    return " ".join(part["text"] for part in prompt if part["type"] == "text")


class Server:
    """Answers at times of its own, and never the question that it is told to hold back."""

    def __init__(self):
        self.held = None
        self.go = threading.Event()
        self.rng = seeds.generator(0, "latency")
        self.endpoint = Endpoint(self.answer)

    def answer(self, prompt):
        text = question(prompt)
        if text == self.held:
            assert self.go.wait(60)
        time.sleep(float(self.rng.lognormal(-5, 1)))
        return f"about {text}"


@pytest.fixture
def server():
    made = Server()
    yield made
    made.go.set()
    made.endpoint.close()


@pytest.fixture(params=KINDS)
def base(request, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("OPENAI_API_BASE", server.endpoint.url)
    return built(request.param, server)


def built(name, server):
    kind = get_model(name)
    width = "num_cpus" if name == "async_openai" else "num_concurrent"
    return kind.create_from_arg_string(
        f"model_version=m,base_url={server.endpoint.url},{width}=8,max_retries=1", {}
    )


def table(n=N):
    image = Image.new("RGB", (8, 8), "red")
    return [{"question": f"question {k}", "images": [image]} for k in range(n)]


def requests_for(docs):
    def messages(doc):
        return [{"role": "user", "content": [{"type": "text", "text": doc["question"]}]}]

    return [request_about((it["question"], messages, dict(GREEDY)), k) for k, it in enumerate(docs)]


def wrapped(base, journal, docs):
    base.task_dict = {"task": {"test": docs}}
    return Resumable(base, journal, block=4, arguments={})


def texts(outputs):
    return [getattr(output, "text", output) for output in outputs]


def recorded(folder):
    """How many answers are on disk now, whoever writes there."""
    try:
        return len(list(entries(folder)))
    except JournalError:  # there is none yet
        return 0


def test_answers_are_the_bare_backend_s(base, server, tmp_path):
    docs = table()
    bare = built(type(base).__module__.rpartition(".")[2], server)
    bare.task_dict = {"task": {"test": docs}}
    model = wrapped(base, tmp_path, docs)
    asked = requests_for(docs)
    outputs = model.generate_until(asked)
    assert texts(outputs) == [f"about question {k}" for k in range(N)]
    assert texts(bare.generate_until(requests_for(docs))) == texts(outputs)
    server.endpoint.requests.clear()
    tokens = [getattr(output, "token_counts", None) for output in outputs]
    model.clean()
    again = wrapped(base, tmp_path, docs).generate_until(asked)
    assert texts(again) == texts(outputs)
    assert [getattr(output, "token_counts", None) for output in again] == tokens
    assert server.endpoint.requests == []


def test_an_answer_is_on_disk_when_it_has_come(base, server, tmp_path):
    """While one request is not answered, the others are recorded: a kill loses nothing of them."""
    docs = table()
    server.held = "question 3"
    model = wrapped(base, tmp_path, docs)
    asking = threading.Thread(target=model.generate_until, args=(requests_for(docs),))
    asking.start()
    until = time.monotonic() + 60
    while recorded(tmp_path) < N - 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert recorded(tmp_path) == N - 1
    assert asking.is_alive()
    server.go.set()
    asking.join()
    assert recorded(tmp_path) == N


def test_connections_outlive_a_call(base, tmp_path):
    """An event loop per call would lose requests: "Event loop is closed".

    The server keeps connections, as real ones do.
    """
    docs = table(6)
    model = wrapped(base, tmp_path, docs)
    for k in range(6):
        [output] = texts(model.generate_until(requests_for(docs)[k : k + 1]))
        assert output == f"about question {k}"
        if k == 3:  # another evaluation with the same model
            model.clean()
    model.clean()


@pytest.mark.parametrize("failure", [500, None], ids=["status", "dropped connection"])
def test_what_fails_is_counted_once_and_asked_again(failure, base, server, tmp_path):
    docs = table(6)
    answer, server.endpoint.answer = (
        server.endpoint.answer,
        lambda prompt: failure if question(prompt) == "question 2" else server.answer(prompt),
    )
    model = wrapped(base, tmp_path, docs)
    outputs = texts(model.generate_until(requests_for(docs)))
    assert outputs[2].startswith("[LMMS_EVAL_REQUEST_FAILED")
    assert (model._asker.tally.asked, model._asker.tally.failed.total()) == (6, 1)
    assert recorded(tmp_path) == 5
    model.clean()
    server.endpoint.answer = answer
    model = wrapped(base, tmp_path, docs)
    assert texts(model.generate_until(requests_for(docs)))[2] == "about question 2"
    assert model._asker.tally.asked == 1


def with_reply(base, server, journal, content, **usage):
    """Six answers; of question 2, the server sends this content."""
    answer = json.loads(completion(content))
    answer["usage"] |= usage
    body = json.dumps(answer).encode()
    server.endpoint.answer = lambda prompt: (
        body if question(prompt) == "question 2" else server.answer(prompt)
    )
    docs = table(6)
    model = wrapped(base, journal, docs)
    outputs = model.generate_until(requests_for(docs))
    model.clean()
    return outputs


@pytest.mark.parametrize(
    ("content", "tokens", "said_of_it"),
    [(None, 8, "1 reply is empty"), (None, 3, "1 request failed (the server sent no text")],
    ids=["no tokens left", "held back"],
)
def test_what_a_server_sends_in_place_of_a_text(
    content, tokens, said_of_it, base, server, tmp_path, said
):
    outputs = texts(with_reply(base, server, tmp_path, content, completion_tokens=tokens))
    spent = tokens == GREEDY["max_new_tokens"]
    assert (outputs[2] == "", recorded(tmp_path)) == (spent, 5 + spent)
    assert any(said_of_it in line for line in said)


def test_an_answer_not_recorded_takes_no_other_with_it(base, tmp_path, said, monkeypatch):
    append = Journal.append

    def faulty(journal, entries):
        if any(entry.doc == 2 for entry in entries):
            raise ValueError("a fault")
        append(journal, entries)

    monkeypatch.setattr(Journal, "append", faulty)
    docs = table(12)
    model = wrapped(base, tmp_path, docs)
    outputs = texts(model.generate_until(requests_for(docs)))
    model.clean()
    assert outputs == [f"about question {k}" for k in range(12)]
    assert {entry.doc for entry in entries(tmp_path)} == {*range(12)} - {2}
    assert "an answer could not be recorded (ValueError('a fault'))" in said[0]
    assert "1 request could not be recorded" in said[-1]


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "B?"}]}


@pytest.mark.parametrize(
    "content", ["A is better", [THOUGHT, {"type": "text", "text": "A is "}, "better"]]
)
def test_counts_as_text_and_texts_in_parts_are_answers_and_what_came_is_kept(
    content, base, server, tmp_path
):
    usage = {"prompt_tokens": "9", "completion_tokens": "5", "total_tokens": "14"}
    outputs = with_reply(base, server, tmp_path, content, **usage)
    assert texts(outputs)[2] == "A is better"
    assert (outputs[2].token_counts.output_tokens, recorded(tmp_path)) == (5, 6)
    raw = {entry.doc: entry.answer.raw for entry in entries(tmp_path)}
    assert raw[2]["choices"][0]["message"]["content"] == content
    assert raw[3]["choices"][0]["message"]["content"] == "about question 3"


def litellm(monkeypatch):
    """The harness's backend, with a library whose responses are pydantic's, as LiteLLM's are."""

    def answered(messages, **_):
        return ChatCompletion.model_validate_json(
            completion(f"about {question(messages[0]['content'])}")
        )

    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace(completion=answered))
    return get_model("litellm").create_from_arg_string("model=m,api_key=x,max_retries=1", {})


class Anything(BaseModel, extra="allow"):
    """An object of a client's library."""


def gemini(monkeypatch):
    """The harness's backend, with a client that has the names of Google's."""
    from lmms_eval.models.chat import gemini as chat
    from lmms_eval.models.simple import gemini as simple

    def answered(contents, **_):
        text = f"about {contents[0].parts[0].text}"
        return Anything(text=text, candidates=[{"content": {"parts": [{"text": text}]}}])

    client = SimpleNamespace(models=SimpleNamespace(generate_content=answered))
    part = SimpleNamespace(from_text=lambda text: Anything(text=text))
    types = SimpleNamespace(**dict.fromkeys(GOOGLE, Anything), Part=part)
    for module in (chat, simple):
        monkeypatch.setattr(module, "types", types)
    monkeypatch.setattr(simple, "genai", SimpleNamespace(Client=lambda **_: client))
    return get_model("gemini").create_from_arg_string("model_version=m,max_retries=1", {})


GOOGLE = ("Content", "GenerateContentConfig", "SafetySetting", "ThinkingConfig")


@pytest.mark.parametrize(
    ("built", "path"),
    [
        (litellm, ("choices", 0, "message", "content")),
        (gemini, ("candidates", 0, "content", "parts", 0, "text")),
    ],
)
def test_what_other_clients_return_is_kept(built, path, tmp_path, monkeypatch):
    docs = table(3)
    model = wrapped(built(monkeypatch), tmp_path, docs)
    outputs = texts(model.generate_until(requests_for(docs)))
    assert outputs == [f"about question {k}" for k in range(3)]
    model.clean()
    for entry in entries(tmp_path):
        assert reduce(getitem, path, entry.answer.raw) == f"about question {entry.doc}"
