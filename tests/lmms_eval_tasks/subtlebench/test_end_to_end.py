"""Canned models through the harness's own evaluator, with numbers worked out by hand."""

import pytest

from lmms_eval_tasks.subtlebench import prompts
from pairbench_ext.resumable.model import Resumable
from tests.judges import SightedJudge, SightedRoundsJudge, expect, run
from tests.lmms_eval_tasks.subtlebench.conftest import ROWS, SystemChatJudge, options, right_letter

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Answer: A"
DESCRIBE = prompts.template("two_step_describe").system


@pytest.fixture(autouse=True)
def _data(subtlebench_data, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))


def always_a(prompt, images):
    return "A"


def by_text(prompt, images):
    """Names the first option in the alphabet, by its text."""
    return min(options(prompt).values())


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (always_a, {"accuracy": 1 / 2, "consistency": 0, "accuracy_both_orders": 0}),
        # Rows 1, 4 and 6; the other image of 2, 3 and 8 comes first, and down before up.
        (by_text, {"accuracy": 3 / 7, "consistency": 1, "accuracy_both_orders": 3 / 7}),
    ],
    ids=["position", "text"],
)
def test_swapped_options_tell_position_from_content(answer, expected, task_manager):
    judge = SightedJudge(answer)
    found, trials = run(judge, "subtlebench_swapped", task_manager)
    expect(found, **expected, items=7, answers=14, items_both_orders=7)
    expect(found, first_option_rate=1 if answer is always_a else 1 / 2)
    for one, other in zip(trials[::2], trials[1::2], strict=True):
        assert (one["order"], other["order"]) == ("fwd", "rev")
        assert one["options"] == other["options"][::-1]
        assert {one["truth"], other["truth"]} == {"A", "B"}
    assert len(judge.shown) == 14


def two_step_oracle(prompt, images):
    """Describes by naming the right option; answers by the description alone."""
    if prompt.startswith(DESCRIBE):
        told = options(prompt)[right_letter(prompt)]
        return f"<think>Hm, {{question}}.</think>They differ: {told} {{x}}"
    told = prompt.split("They differ: ")[1].split(" {x}")[0]
    [letter] = [letter for letter, text in options(prompt).items() if text == told]
    return f"<think>A.</think>{letter}"


@pytest.mark.parametrize(
    "kind",
    [SightedRoundsJudge, lambda answer: Resumable(SystemChatJudge(answer))],
    ids=["rounds", "resumable chat"],
)
def test_two_steps_on_every_protocol(kind, task_manager):
    judge = kind(two_step_oracle)
    found, trials = run(judge, "subtlebench_two_step_rounds", task_manager)
    expect(found, accuracy=1, coverage=1, answers=9)
    shown = getattr(judge, "base", judge).shown
    assert len(shown) == 18
    assert all(len(images) == 2 for _, *images in shown)
    for trial in trials:
        assert trial["exchanges"] == [
            {"step": "describe", "response": f"They differ: {ROWS[trial['row']]['answer']} {{x}}"},
            {"step": "choose", "response": trial["truth"]},
        ]


@pytest.mark.parametrize("step", [1, 2])
def test_a_failed_step_is_a_wrong_answer_and_said(step, task_manager, said):
    def fails(prompt, images):
        first = prompt.startswith(DESCRIBE)
        return FAILED if first == (step == 1) else two_step_oracle(prompt, images)

    judge = SightedJudge(fails)
    found, trials = run(judge, "subtlebench_two_step", task_manager)
    assert len(judge.shown) == 9 * step
    expect(found, accuracy=0, coverage=0, answers=9)
    assert {trial["unusable"] for trial in trials} == {"the request failed"}
    assert any("9 requests failed; they count as unreadable" in line for line in said)
