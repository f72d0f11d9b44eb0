"""Tasks asked by hand give the rows and the numbers that the harness gives."""

import base64
import io

import pytest
from PIL import Image

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.registry import benchmark_of
from pairbench_ext.core.requests import Request
from pairbench_ext.core.sources import SourceError
from pairbench_ext.stacks.plain import FAILED, open_task, openai_messages, pil_messages, task_names
from tests.files import score_file
from tests.judges import PromptChatJudge, evaluate, numbers, same
from tests.plain_models import by_words, model


@pytest.mark.parametrize("name", ["vl_rewardbench_demo_both", "cast_demo"])
def test_rows_and_numbers_are_the_harness_s(name, task_manager, tmp_path):
    results = evaluate(PromptChatJudge(by_words), name, task_manager, limit=6)
    task = open_task(name)
    replies = [trial.ask(model, pil_messages) for trial in task[:6]]
    rows = list(task.rows(replies))
    logged = results["samples"][name]
    assert len(rows) == len(logged) == 6
    for row, sample in zip(rows, logged, strict=True):
        assert (row["doc_id"], row["target"]) == (sample["doc_id"], sample["target"])
        # The harness asks in rounds by the hooks of simple backends.
        assert row["trial"] == {**sample["trial"], "protocol": "chat"}
    again = score_file(task.benchmark, task.write(tmp_path / "new", replies))
    scored = task.score(replies)
    assert len(repr(scored)) < 200  # in a notebook, not every reply of the run
    for number, value in numbers(results, name).items():
        assert same(scored.numbers[number], value), number
        assert same(again.numbers[number], value), number


def test_messages_show_the_pictures_to_the_pixel_in_the_order_of_the_request():
    image = Image.effect_noise((9, 7), 80).convert("CMYK")
    request = Request(("one", lambda: [image], "two"), system="be fair")
    system, message = openai_messages(request)
    assert system == {"role": "system", "content": [{"type": "text", "text": "be fair"}]}
    first, shown, second = message["content"]
    assert (first["text"], second["text"]) == ("one\n\n", "two")
    data = shown["image_url"]["url"].removeprefix("data:image/png;base64,")
    decoded = Image.open(io.BytesIO(base64.b64decode(data)))
    assert decoded.tobytes() == image.convert("RGB").tobytes()
    assert pil_messages(request)[1]["content"][1] == {"type": "image", "image": image}


def test_fewer_replies_are_scored_and_more_are_refused():
    task = open_task("vl_rewardbench_demo_both")
    assert len(task.score(["Answer 1 is better."] * 6).readings) == 6
    with pytest.raises(ValueError, match=f"has {len(task)} trials"):
        task.score(["Answer 1 is better."] * (len(task) + 1))
    with pytest.raises(ValueError, match=r"trial 0: one reply is expected, not 2"):
        task.score([["Answer 1", "Answer 2"]])
    with pytest.raises(RecordError, match="no reply"):
        task.score([])
    with pytest.raises(ValueError, match="has no rule"):
        task.score(["Answer 1"], rule="lenient")


def test_a_failed_request_counts_as_failed_and_thoughts_are_not_read():
    task = open_task("vl_rewardbench_demo_both")
    thought = "<think>Answer 2 is better.</think>Answer 1 is better."
    assert task.score([None, FAILED, thought, "Answer 1 is better."]).failed == 2
    rows = list(task.rows([None, thought]))
    assert [row["trial"].get("unusable") is None for row in rows] == [False, True]


def test_groups_and_unknown_names_say_what_to_do():
    with pytest.raises(SourceError, match="is a group; name one of its tasks: pairbench_"):
        open_task("pairbench_coco")
    with pytest.raises(SourceError, match=r"did you mean .*vl_rewardbench"):
        open_task("vl_reward_bench")
    with pytest.raises(SourceError, match="no task"):
        task_names("vl_reward_bench")
    inner = task_names("pairbench_coco")
    assert inner
    assert set(inner) < {task.name for task in benchmark_of("pairbench").tasks}
    assert task_names("cast_demo") == ["cast_demo"]


@pytest.mark.parametrize("reply", [7, b"Score: 8"])
def test_a_reply_that_is_no_text_is_refused_in_one_sentence(reply):
    task = open_task("pairbench_demo_rotate")
    with pytest.raises(TypeError, match=f"trial 0: a reply must be a text.*{type(reply).__name__}"):
        task.score([reply])
