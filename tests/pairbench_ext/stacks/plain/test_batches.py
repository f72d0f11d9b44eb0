"""Batches of requests as files, and what comes back, through the command line."""

import json

import pytest

from pairbench_ext.core.records import RecordError
from pairbench_ext.stacks.plain import batches, open_task
from pairbench_ext.stacks.plain.batches import read_answers, requests, write_batches
from tests.files import json_of, pairbench, write_lines
from tests.plain_models import model

TASK = "vl_rewardbench_demo_both"


def run(*arguments, code=0):
    done = pairbench(*[str(part) for part in arguments])
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def lines(*paths):
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def answer(line, reply=None, **ended):
    """What a batch API writes for a line."""
    reply = model(line["body"]["messages"]) if reply is None else reply
    choice = {"message": {"role": "assistant", "content": reply}, "finish_reason": "stop"} | ended
    response = {"status_code": 200, "body": {"choices": [choice]}}
    return {"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}


def test_a_batch_gives_the_numbers_of_asking_one_by_one(tmp_path):
    export = ("export", "openai-batch", TASK, "--model", "m", "--limit", 9)
    assert "9 requests" in run(*export, "--out", tmp_path / "batch")
    [file] = (tmp_path / "batch").iterdir()
    asked, task = lines(file), open_task(TASK)
    assert len({line["custom_id"] for line in asked}) == len(asked) == 9
    assert asked[0]["body"]["messages"] == task[0].messages
    assert asked[0]["url"] == "/v1/chat/completions"
    results = write_lines(tmp_path / "results.jsonl", map(answer, reversed(asked)))
    output = run("import", "batch", results, "--out", tmp_path / "logs")
    assert f"9 of {len(task)} trials answered" in output
    log = tmp_path / f"logs/samples_{TASK}.jsonl"
    assert lines(log) == list(task.rows([trial.ask(model) for trial in task[:9]]))
    assert json_of("score", "vl_rewardbench", log)["runs"][0]["samples"] == 9


def test_tasks_in_rounds_go_on_with_the_results(tmp_path):
    task, files = open_task("cast_demo"), []
    for number in range(100):
        batch = tmp_path / f"batch{number}"
        after = [part for file in files for part in ("--after", file)]
        export = ("export", "openai-batch", "cast_demo", "--model", "m", "--limit", 1)
        if "nothing is left" in run(*export, "--out", batch, *after):
            break
        files.append(
            write_lines(tmp_path / f"{number}.jsonl", map(answer, lines(*batch.iterdir())))
        )
        if number == 0:
            output = run("import", "batch", *files, "--out", tmp_path / "early")
            assert "0 of 48 trials answered" in output
            assert "1 trial is unfinished: write the next requests with `pairbench" in output
    assert len(files) > 2
    run("import", "batch", *files, "--out", tmp_path)
    rows = lines(tmp_path / "samples_cast_demo.jsonl")
    assert rows == list(task.rows([trial.ask(model) for trial in task[:1]]))


def test_failures_are_counted_and_asked_again(tmp_path):
    task = open_task(TASK)
    first, second, third, fourth, *_ = asked = list(requests(task, "m", limit=9))
    refused = {"choices": [{"message": {"content": None, "refusal": "I will not."}}]}
    results = [
        {
            "custom_id": first["custom_id"],
            "response": {
                "status_code": 429,
                "body": {"error": {"code": "slow", "message": "wait"}},
            },
        },
        {
            "custom_id": second["custom_id"],
            "response": None,
            "error": {"code": "expired", "message": "too late"},
        },
        answer(third, finish_reason="length"),
        {"custom_id": fourth["custom_id"], "response": {"status_code": 200, "body": refused}},
        answer(third | {"custom_id": "somebody else's"}),
        answer(first | {"custom_id": first["custom_id"][:-8] + "00000000"}, "Answer 1 is better."),
    ]
    path = write_lines(tmp_path / "results.jsonl", results[:5])
    output = run("import", "batch", path, "--out", tmp_path)
    for part in (
        f"2 of {len(task)} trials answered",
        "2 requests failed",
        "1 request failed: slow: wait",
        "1 request failed: expired: too late",
        "1 reply was cut off at the token limit",
        "1 line was not used: results of other requests",
    ):
        assert part in output
    left = list(requests(task, "m", limit=9, after=read_answers([path])))
    assert [request["custom_id"] for request in left] == [
        request["custom_id"] for request in asked if request not in (third, fourth)
    ]
    stale = write_lines(tmp_path / "stale.jsonl", results[5:])
    output = run("import", "batch", stale, "--out", tmp_path, "--overwrite")
    assert "1 answer was not used: the task makes no such request" in output


def test_files_keep_to_the_limits(tmp_path, monkeypatch):
    asked = [{"custom_id": str(number), "text": "é" * 50} for number in range(7)]
    size = len(json.dumps(asked[0], ensure_ascii=False).encode()) + 1
    with monkeypatch.context() as few:
        few.setattr(batches, "MOST_REQUESTS", 3)
        by_count = write_batches(tmp_path / "count", asked)
    monkeypatch.setattr(batches, "MOST_BYTES", 2 * size)
    by_size = write_batches(tmp_path / "size", asked)
    assert [len(lines(path)) for path in by_count] == [3, 3, 1]
    assert [len(lines(path)) for path in by_size] == [2, 2, 2, 1]
    assert lines(*by_size) == lines(*by_count) == asked
    monkeypatch.setattr(batches, "MOST_BYTES", size - 1)
    with pytest.raises(ValueError, match="more than a batch file may have"):
        write_batches(tmp_path / "no", asked)


def test_settings_are_the_task_s_and_what_the_user_adds():
    sampled = open_task("subtlebench_demo")
    asked = [line["body"] for line in requests(sampled, "m", limit=3)]
    decoding = sampled.decoding
    assert {body["max_completion_tokens"] for body in asked} == {decoding.tokens}
    assert {body["temperature"] for body in asked} == {decoding.temperature}
    assert len({body.get("seed") for body in asked}) == (3 if decoding.temperature else 1)
    changed = {"temperature": None, "max_completion_tokens": None, "max_tokens": 9}
    [other] = (line["body"] for line in requests(sampled, "m", limit=1, body=changed))
    assert not {"temperature", "max_completion_tokens"} & set(other)
    assert other["max_tokens"] == 9


def answered(content):
    body = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    return {"custom_id": "t:0:0:00000000", "response": {"body": body}}


@pytest.mark.parametrize("content", [7, {"a": 1}])
def test_a_reply_that_is_no_text_is_named(content, tmp_path):
    file = write_lines(tmp_path / "results.jsonl", [answered(content)])
    with pytest.raises(RecordError, match=r"results\.jsonl, line 1: field 'content' must be a"):
        read_answers([file])
