"""Tasks in inspect: samples, what the viewer shows, and the numbers of all samples."""

import base64
import importlib.metadata
import io
import sys
from types import SimpleNamespace

import pytest
from PIL import Image

from pairbench_ext.stacks.inspect_tasks import numbers
from pairbench_ext.stacks.plain import open_task
from tests.plain_models import by_words, model

TASK = "vl_rewardbench_demo_both"


@pytest.fixture(scope="module")
def asked():
    """The task, and the replies to its first trials."""
    task = open_task(TASK)
    return task, [model(trial.messages) for trial in task[:20]]


def defined(values):
    return {name: value for name, value in values.items() if value == value}


def test_the_numbers_are_those_of_plain_python(asked):
    task, replies = asked
    measured = numbers(task.benchmark.name, list(task.rows(replies)))
    assert measured == pytest.approx(defined(task.score(replies).numbers))
    assert "vote_ci95_low" in measured
    assert numbers(task.benchmark.name, []) == {}


def test_inspect_asks_in_order_and_scores(asked, monkeypatch, tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai", reason="inspect is not installed here")
    from inspect_ai._util.registry import registry_lookup
    from inspect_ai.model import ModelOutput, get_model

    assert importlib.metadata.version("inspect_ai")
    # It downloads its tokens to count those of a mock.
    tokens = SimpleNamespace(get_encoding=lambda _: SimpleNamespace(encode=lambda text, **_: text))
    monkeypatch.setitem(sys.modules, "tiktoken", tokens)

    def answer(messages, tools, choice, config):
        assert (config.temperature, config.max_tokens) == (0, 2048)
        return ModelOutput.from_content("mock", by_words(messages[-1].text))

    made = registry_lookup("task", f"pairbench_ext/{TASK}")
    judge = get_model("mockllm/model", custom_outputs=answer)
    arguments = {"model": judge, "limit": 20, "epochs": 2, "log_dir": str(tmp_path)}
    [log] = inspect_ai.eval(made(), display="none", **arguments)
    assert log.status == "success"
    task, _ = asked
    replies = [by_words("".join(trial.first_request.texts)) for trial in task[:20]]
    metrics = log.results.scores[0].metrics
    expected = task.score(replies).numbers
    assert metrics["vote_accuracy"].value == pytest.approx(expected["vote_accuracy"])
    content = log.samples[0].input[0].content
    parts = task[0].messages[0]["content"]
    assert [part.type for part in content] == ["image", "text"]
    assert content[1].text == parts[1]["text"]
    shown = log.samples[0].attachments[content[0].image.removeprefix("attachment://")]
    sent, [picture] = base64.b64decode(shown.partition(",")[2]), task[0].first_request.images()
    assert Image.open(io.BytesIO(sent)).convert("RGB").tobytes() == picture.tobytes()
    assert len(log.samples) == 40
