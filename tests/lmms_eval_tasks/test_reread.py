"""A second question about replies that cannot be read: counted apart, on every kind of backend."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.requests import Request, dialogue
from pairbench_ext.core.reread import asked_again, chosen, question
from pairbench_ext.core.task_trials import TaskTrials
from pairbench_ext.replies import grammars
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.runs.scoring import score_file
from tests.files import pairbench
from tests.judges import CannedJudge, PromptChatJudge, PromptJudge, evaluate, numbers

AGAIN = "This is what you replied to a question"
BENCHMARKS = {one.name: one for found in registry.benchmarks().values() for one in found}
ASKS_AGAIN = {name: one for name, one in BENCHMARKS.items() if one.choices is not None}


class Moody:
    """Every third reply cannot be read; asked about it, it says "2", or nothing of use."""

    def __init__(self, second="2"):
        self.second = second
        self.prompts = []

    def __call__(self, prompt):
        prompt = prompt if isinstance(prompt, str) else json.dumps(prompt)
        self.prompts.append(prompt)
        if AGAIN in prompt:
            return self.second
        asked = [one for one in self.prompts if AGAIN not in one]
        return "Hm, hard to say." if len(asked) % 3 == 0 else "Answer 1 is better."


def logged(results, task, tmp_path):
    file = tmp_path / f"now_samples_{task}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for sample in results["samples"][task]:
            kept = {key: sample[key] for key in ("doc_id", "filtered_resps", "trial")}
            out.write(json.dumps(kept) + "\n")
    return file


def run(kind, task, task_manager, judge, wrapped=False):
    model = kind(judge)
    return evaluate(Resumable(model) if wrapped else model, task, task_manager)


@pytest.mark.parametrize("second", ["2", "**2.**", "none", "I would say 2, or 1."])
@pytest.mark.parametrize(
    ("task", "kind", "wrapped"),
    [
        ("vl_rewardbench_demo_both_reread", PromptJudge, False),
        ("vl_rewardbench_demo_both_reread_rounds", PromptChatJudge, True),
    ],
)
def test_second_answers_count_apart(task, kind, wrapped, second, task_manager, tmp_path):
    judge = Moody(second)
    results = run(kind, task, task_manager, judge, wrapped)
    found = numbers(results, task)
    plain = numbers(
        run(PromptJudge, "vl_rewardbench_demo_both", task_manager, Moody()),
        "vl_rewardbench_demo_both",
    )
    assert {name: found[name] for name in plain} == pytest.approx(plain, nan_ok=True)
    again = [one for one in judge.prompts if AGAIN in one]
    assert len(again) == 20  # of 60
    assert all("Hm, hard to say." in one and "one of 1, 2, or with none" in one for one in again)
    assert found["coverage"] == pytest.approx(2 / 3)
    is_read = "2" in second and len(second) < 8
    assert found["coverage_reread"] == pytest.approx(1 if is_read else 2 / 3)
    assert (found["vote_accuracy_reread"] > found["vote_accuracy"]) == is_read

    file = logged(results, task, tmp_path)
    score = score_file(ASKS_AGAIN["vl_rewardbench"], file)
    assert score.numbers["coverage_reread"] == found["coverage_reread"]
    assert {k: v for k, v in score.numbers.items() if k in found} == pytest.approx(
        found, nan_ok=True
    )
    said = pairbench("score", "vl_rewardbench", file).output
    answered = 20 if is_read else 0
    assert f"20 replies that could not be read were asked about again, {answered} were" in (
        " ".join(said.split())
    )


def test_a_task_without_second_questions_says_nothing_of_them(task_manager):
    found = numbers(
        run(PromptJudge, "vl_rewardbench_demo_both", task_manager, Moody()),
        "vl_rewardbench_demo_both",
    )
    assert not [name for name in found if "reread" in name]


def test_a_failed_request_is_not_asked_about(task_manager):
    asked = []

    def answer(doc):
        asked.append(doc)
        return "[LMMS_EVAL_REQUEST_FAILED after 3 retries] no"

    task = "vl_rewardbench_demo_both_reread"
    results = evaluate(CannedJudge(answer), task, task_manager)
    assert len(asked) == len(results["samples"][task]) == 60


@pytest.mark.parametrize("name", sorted(ASKS_AGAIN))
def test_every_choice_is_read_by_every_rule(name):
    """What a second answer stands for is a reply in the asked format."""
    benchmark = ASKS_AGAIN[name]
    trial = {
        "item": "a", "source": "s", "repeats": [0], "order": "fwd", "truth": 0, "longer": None,
        "tag": None, "row": 0, "pair": "p", "condition": "sens", "template": 0,
        "image_text": False, "options": ["x", "y", "z"], "category": "state", "domain": "natural",
        "labels": {"mllm_judge_pair": "ABC", "mllm_judge_score": "12345"}.get(name, "AB"),
        "image": "i", "human": "A", "cell": None, "orders": "fwd", "repeat": 0,
    }  # fmt: skip
    if benchmark.grammar == "letter":
        trial["truth"] = "A"
    choices = benchmark.choices(trial)
    assert len(choices) > 1
    for rule in grammars()[benchmark.grammar]:
        read = {
            choice: benchmark.read(trial, [Exchange({}, text)], rule)
            for choice, text in choices.items()
        }
        assert not [choice for choice, reading in read.items() if reading.unusable], rule
        outcomes = [reading.outcomes for reading in read.values()]
        assert len(set(map(str, outcomes))) == len(choices), rule


@given(reply=st.text(max_size=20))
def test_only_a_choice_alone_is_one(reply):
    found = chosen(reply, {"1": "one", "2": "two"})
    bare = "".join(letter for letter in reply if letter.isalnum())
    assert found == {"1": "one", "2": "two"}.get(bare) or found is None


def test_a_long_reply_is_shown_by_its_ends():
    asked = question("a" * 5_000_000 + "the end", ["A", "B"])
    assert len(asked.text) < 10_000
    assert "the end\n[End of your reply]" in asked.text
    assert not asked.shows_images


def test_what_can_be_read_is_not_asked_about():
    first = Request(("which?",))
    for is_unread, n in ((lambda _: False, 1), (lambda _: True, 2)):
        told = dialogue(asked_again(first, is_unread, ["1", "2"]), ["a reply", "2"])
        assert len(told.exchanges) == n


def test_nobody_else_can_be_asked():
    class Trials(TaskTrials):
        entry_type = dict
        requests = describe = ask = None

    with pytest.raises(ValueError, match="'reread' must be 'self', not 'gpt-4o'"):
        _ = Trials({"reread": "gpt-4o"}).reread
