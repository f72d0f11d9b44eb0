"""Half a surrogate pair in a reply or a question: no encoding has it, and no log is cut by it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lmms_eval.loggers import EvaluationTracker

from pairbench_ext.core.requests import Request
from pairbench_ext.core.texts import encodable
from pairbench_ext.harness import rounds
from tests.files import json_of
from tests.judges import CannedChatJudge, evaluate

HALF = "\ud83d"


@given(st.recursive(st.text(st.characters()), lambda inner: st.lists(inner) | st.tuples(inner)))
def test_what_is_encodable_can_be_encoded_and_nothing_else_changes(value):
    encoded = encodable(value)
    json.dumps(encoded, ensure_ascii=False).encode()
    assert type(encoded) is type(value)
    if json.dumps(value, ensure_ascii=False).isprintable():
        assert encoded == value


def test_the_harness_s_log_is_whole(task_manager, tmp_path):
    asked, task = [], "cast_demo"

    def answer(*_):
        asked.append(1)
        return f"1. {HALF} Answer 1 is better." if len(asked) % 3 else "Answer 2 is better."

    results = evaluate(CannedChatJudge(answer), task, task_manager, log_samples=True)
    samples = results["samples"][task]
    tracker = EvaluationTracker(output_path=str(tmp_path))
    tracker.general_config_tracker.model_name_sanitized = "m"
    tracker.date_id = "now"
    tracker.save_results_samples(task, samples)
    [file] = tmp_path.rglob("*_samples_*.jsonl")
    lines = [json.loads(line) for line in file.open(encoding="utf-8")]
    assert len(lines) == len(samples) > 4
    assert any("\ufffd" in json.dumps(line, ensure_ascii=False) for line in lines)
    [run] = json_of("score", "cast", file)["runs"]
    for number, value in run["numbers"].items():
        before = results["results"][task].get(f"{number},none")
        if isinstance(before, float) and before == before:
            assert value == pytest.approx(before, abs=1e-12), number


def test_a_question_with_one_can_be_asked():
    request = Request((f"what {HALF}?",), system=HALF)
    assert rounds.one_text(request) == "\ufffd\n\nwhat \ufffd?"
    json.dumps(rounds.messages(request), ensure_ascii=False).encode()
