"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import json
import math

import pytest

from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics.seeds import draw
from tests.judges import PromptChatJudge, PromptJudge, evaluate, numbers, same

FIRST, SECOND = "Overall Judgment: Answer 1 is better.", "Overall Judgment: **Answer 2** is better."
NAN = math.nan
RANDOM = (1 / 4 + 2 / 3 + 1 / 2) / 3
POSSIBLE = 1 - RANDOM
KNOCKOUTS = ("best_of_n_knockout", "best_of_n_knockout_rounds")


class RoundsJudge(PromptJudge):
    """Takes several rounds as the harness's simple backends do: each reply is a tuple."""

    def generate_until_multi_round(self, requests):
        return [tuple(self._rounds(*request.args)) for request in requests]

    def _rounds(self, prompt, _, doc_to_visual, doc_to_text, doc_id, task, split):
        doc = self.task_dict[task][split][doc_id]
        visuals, replies, done, info = doc_to_visual(doc), [], False, None
        while not done:
            self.shown.append([prompt, *visuals])
            replies.append(self.answer(prompt))
            visuals, prompt, done, replies, info = doc_to_text(
                doc,
                previous_output=replies,
                round_idx=len(replies),
                previous_round_info=info,
            )
        return replies


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


def always_first(prompt):
    return FIRST


def unparsable(prompt):
    return "(The image) shows 2 cats."


def at_random(prompt):
    return ("Neither answer is better.", FIRST, SECOND)[draw(3, 7, prompt)]


def picked(worth):
    """The numbers of both ways to pick, if they pick the same."""
    return {
        name.replace("_pick", pick): value
        for pick in ("round_robin", "knockout")
        for name, value in {
            "_pick": worth,
            "_pick_gain": worth - RANDOM,
            "_pick_share": (worth - RANDOM) / POSSIBLE,
        }.items()
    }


# The picks: by the oracle the first right candidate; by nothing the first ones, of which only the
# second question's is right.
EXPECTED = {
    oracle: {
        **picked(1),
        "pairwise_accuracy": 1,
        "pairwise_accuracy_strict": 1,
        "vote_accuracy": 1,
        "coverage": 6 / 10,  # colour: 3 of 6 pairs differ, the second question: 2 of 3
        "comparisons_decided": 6,
    },
    unparsable: {
        **picked(1 / 3),
        "pairwise_accuracy": NAN,
        "pairwise_accuracy_strict": 0,
        "coverage": 0,
        "first_position_rate": NAN,
        "comparisons_decided": 0,
    },
    always_first: {"coverage": 1, "first_position_rate": 1, "comparisons_decided": 10},
}


@pytest.mark.parametrize("answer", EXPECTED, ids=lambda answer: answer.__name__)
def test_canned_judges(answer, task_manager, recwarn):
    results = evaluate(PromptJudge(answer), "best_of_n", task_manager)
    found = numbers(results, "best_of_n")
    common = {"random": RANDOM, "oracle": 1, "questions": 3, "comparisons": 10, "votes": 10}
    common["position_consistency"] = NAN  # one order only
    for metric, expected in {**common, **EXPECTED[answer]}.items():
        assert found[metric] == pytest.approx(expected, abs=1e-12, nan_ok=True), metric
    assert found["round_robin_ci95_low"] <= found["round_robin"] <= found["round_robin_ci95_high"]
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    json.dumps(results["results"])


def knockouts(answer, task_manager):
    """Judge, numbers and trials of every way in which a knockout can be run."""
    for task, kind, wrapper in (
        (KNOCKOUTS[0], PromptJudge, None),
        (KNOCKOUTS[1], PromptChatJudge, Resumable),
        (KNOCKOUTS[1], RoundsJudge, None),
    ):
        judge = kind(answer)
        results = evaluate(wrapper(judge) if wrapper else judge, task, task_manager)
        trials = [sample["trial"] for sample in results["samples"][task]]
        yield judge, numbers(results, task), trials


@pytest.mark.parametrize("answer", [oracle, at_random], ids=lambda answer: answer.__name__)
def test_a_knockout_asks_less_and_picks_the_same(answer, task_manager):
    all_pairs = evaluate(PromptJudge(answer), "best_of_n", task_manager)
    expected = numbers(all_pairs, "best_of_n")
    recorded = {
        (trial["question"], tuple(trial["pair"])): (trial["order"], trial["said"])
        for trial in (sample["trial"] for sample in all_pairs["samples"]["best_of_n"])
    }
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
    results = evaluate(judge, task, task_manager)
    assert len(judge.shown) == asked
    assert all(first != second for first, second in map(answers, (p for p, *_ in judge.shown)))
    samples, found = results["samples"][task], numbers(results, task)
    for name, expected in REPETITIVE.items():
        assert found[name] == pytest.approx(expected), name
    expected = 3 / 5 if task == "best_of_n" else NAN
    assert found["round_robin"] == pytest.approx(expected, nan_ok=True)
    assert any("3 candidates have no final answer that could be read" in one for one in said)
    settled = {s["trial"]["question"]: s["trial"]["settled"] for s in samples}
    names = {name: [one["question"] for one in unasked] for name, unasked in settled.items()}
    assert names == {"1": ["0", "2"], "3": ["4"]}


def test_a_mistake_in_the_file_costs_its_line(candidates, task_manager, warned):
    task = "best_of_n"
    before = evaluate(PromptJudge(oracle), task, task_manager)["results"][task]
    with candidates.open("a") as file:
        file.write(json.dumps({"id": "x", "query": "?", "image": "../x.png", "candidates": "ab"}))
        file.write('\n{"id": "half a l')
    results = evaluate(PromptJudge(oracle), task, task_manager)
    assert results["results"][task] == {**before, "left_out,none": 2}
    first = min(results["samples"][task], key=lambda sample: sample["doc_id"])["trial"]
    assert "line 4: field 'candidates' must be" in first["left_out"][0]
    assert "line 5: not a JSON object" in first["left_out"][1]
    assert "2 rows skipped: " in " ".join(warned)
