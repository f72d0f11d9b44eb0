"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import math

import pytest

from pairbench_ext.harness.probes import QUESTION
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics.seeds import draw
from tests.judges import (
    PromptChatJudge,
    PromptJudge,
    SightedRoundsJudge,
    evaluate,
    numbers,
    run,
    same,
)

FIRST, SECOND = "Overall Judgment: Answer 1 is better.", "Overall Judgment: **Answer 2** is better."
NAN = math.nan
RANDOM = (1 / 4 + 2 / 3 + 1 / 2) / 3
KNOCKOUTS = ("best_of_n_knockout", "best_of_n_knockout_rounds")


class RoundsJudge(SightedRoundsJudge):
    """Takes several rounds as the harness's simple backends do; answers by the prompt alone."""

    def __init__(self, answer):
        super().__init__(lambda prompt, images: answer(prompt))


@pytest.fixture(autouse=True)
def _data(candidates, monkeypatch):
    monkeypatch.setenv("BEST_OF_N_DATA", str(candidates))


def answers(prompt):
    """The two answers of a prompt, found without the judge of the package."""
    first, rest = prompt.split("\nAnswer 1: ")[1].split("\n\nAnswer 2: ")
    return first, rest.split("\n\nPlease evaluate")[0]


def oracle(prompt):
    right = ["RIGHT" in answer for answer in answers(prompt)]
    if right[0] == right[1]:
        return "Both answers are equally good."
    return FIRST if right[0] else SECOND


def unparsable(prompt):
    return "(The image) shows 2 cats."


def at_random(prompt):
    return ("Neither answer is better.", FIRST, SECOND)[draw(3, 7, prompt)]


# The picks: by the oracle the first right candidate; by nothing the first ones, of which only the
# second question's is right. Of 10 pairs 6 differ: 3 of 6 and 2 of 3 of the longer questions.
@pytest.mark.parametrize(
    ("answer", "worth", "coverage", "accuracy"),
    [(oracle, 1, 6 / 10, 1), (unparsable, 1 / 3, 0, NAN)],
    ids=["oracle", "unparsable"],
)
def test_picks_worked_out_by_hand(answer, worth, coverage, accuracy, task_manager):
    found = numbers(evaluate(PromptJudge(answer), "best_of_n", task_manager), "best_of_n")
    expected = {"random": RANDOM, "oracle": 1, "comparisons": 10, "coverage": coverage}
    expected["pairwise_accuracy"] = accuracy
    for pick in ("round_robin", "knockout"):
        expected |= {pick: worth, f"{pick}_gain": worth - RANDOM}
        expected[f"{pick}_share"] = (worth - RANDOM) / (1 - RANDOM)
    assert {name: found[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    assert found["round_robin_ci95_low"] <= worth <= found["round_robin_ci95_high"]


def knockouts(answer, task_manager):
    """Judge, numbers and trials of every way in which a knockout can be run."""
    for task, kind, wrapper in (
        (KNOCKOUTS[0], PromptJudge, None),
        (KNOCKOUTS[1], PromptChatJudge, Resumable),
        (KNOCKOUTS[1], RoundsJudge, None),
    ):
        judge = kind(answer)
        yield judge, *run(wrapper(judge) if wrapper else judge, task, task_manager)


@pytest.mark.parametrize("answer", [oracle, at_random], ids=lambda answer: answer.__name__)
def test_a_knockout_asks_less_and_picks_the_same(answer, task_manager):
    expected, all_pairs = run(PromptJudge(answer), "best_of_n", task_manager)
    recorded = {(t["question"], tuple(t["pair"])): (t["order"], t["said"]) for t in all_pairs}
    for judge, found, trials in knockouts(answer, task_manager):
        assert len(judge.shown) == 3 + 2 + 1
        assert [len(trial["exchanges"]) for trial in trials] == [3, 2, 1]
        assert found["comparisons"] == found["votes"] == 6
        assert (found["questions"], found["questions_incomplete"]) == (3, 0)
        for metric in found:
            if metric.startswith(("knockout", "random", "oracle")):
                assert same(found[metric], expected[metric]), metric
        for trial in trials:
            for asked in trial["exchanges"]:
                key = (trial["question"], tuple(asked["pair"]))
                assert (asked["order"], asked["said"]) == recorded[key]


def test_replies_that_are_not_those_of_the_knockout_leave_the_question_out(task_manager, said):
    class Forgetful(RoundsJudge):
        def generate_until_multi_round(self, requests):
            rounds = super().generate_until_multi_round(requests)
            if requests[0].args[0] == QUESTION:
                return rounds
            return [rounds[0][:-1], rounds[1], (*rounds[2], FIRST)]

    found = numbers(evaluate(Forgetful(oracle), KNOCKOUTS[1], task_manager), KNOCKOUTS[1])
    assert (found["questions"], found["questions_incomplete"]) == (1, 2)
    assert found["knockout"] == 1
    assert any("2 questions are left out of the picks" in message for message in said)


@pytest.fixture
def repetitive(written, monkeypatch):
    """Questions whose candidates repeat; those of the first, third and last are one text each."""
    texts = (["A"] * 2, ["RIGHT", "WRONG", "RIGHT", "WRONG"], ["?"] * 3, ["B", "A"], ["B"] * 2)
    rows = [
        {"id": n, "query": "?", "image": "images/0.png", "candidates": candidates}
        | ({"correct": [c == "RIGHT" for c in candidates]} if n == 1 else {"reference": "B"})
        for n, candidates in enumerate(texts)
    ]
    monkeypatch.setenv("BEST_OF_N_DATA", str(written(rows)))


# Worth: 0, 0; 1, 0, 1, 0; 0, 0, 0 (unread); 1, 0; 1, 1. "B" or "A" is a tie to the oracle.
REPETITIVE = {
    "random": (0 + 1 / 2 + 0 + 1 / 2 + 1) / 5,
    "oracle": 3 / 5,
    "knockout": 3 / 5,
    "questions": 5,
    "questions_incomplete": 0,
    "pairs_identical": 1 + 2 + 3 + 1,
    "unread_candidates": 3,
}


@pytest.mark.parametrize(("task", "asked"), [("best_of_n", 4 + 1), (KNOCKOUTS[1], 2 + 1)])
def test_identical_candidates_tie_unasked(task, asked, repetitive, task_manager, said):
    judge = RoundsJudge(oracle)
    found, trials = run(judge, task, task_manager)
    assert len(judge.shown) == asked
    assert all(first != second for first, second in map(answers, (p for p, *_ in judge.shown)))
    for name, expected in REPETITIVE.items():
        assert found[name] == pytest.approx(expected), name
    expected = 3 / 5 if task == "best_of_n" else NAN
    assert found["round_robin"] == pytest.approx(expected, nan_ok=True)
    assert any("3 candidates have no final answer that could be read" in one for one in said)
    settled = {trial["question"]: trial["settled"] for trial in trials}
    names = {name: [one["question"] for one in unasked] for name, unasked in settled.items()}
    assert names == {"1": ["0", "2"], "3": ["4"]}
