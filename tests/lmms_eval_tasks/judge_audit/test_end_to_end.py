"""The stock command with a judge that needs no download, then its card."""

import pytest

from pairbench_ext.runs.card.lines import card, flags
from pairbench_ext.runs.files import judge_runs
from tests.commands import lmms_eval


def test_a_judge_that_says_first_is_found_out(tmp_path):
    arguments = ["--model", "blind_judge", "--model_args", "policy=first", "--batch_size", "16"]
    _, samples = lmms_eval(
        [*arguments, "--tasks", "judge_audit_demo"], tmp_path, PAIRBENCH_SEED="5"
    )
    assert {task: len(found) for task, found in samples.items()} == {
        "judge_audit_demo_differences": 28,
        "judge_audit_demo_ratings": 128,
        "judge_audit_demo_preferences": 64,
    }
    assert {sample["trial"]["seed"] for found in samples.values() for sample in found} == {5}
    [run] = judge_runs([tmp_path])
    lines = card(run)
    assert flags(lines) == {"first_position", "unreadable"}
    # This judge compares answers; asked for a rating, it says that it was shown none.
    together, unread = [line for line in lines if line.flag == "unreadable"]
    assert (together.task, together.value) == ("3 tasks", pytest.approx(92 / 220))
    assert (unread.task, unread.value) == ("judge_audit_demo_ratings", 0)
    assert unread.verdict.startswith("128 of 128 replies cannot be read: no score (128): ")
