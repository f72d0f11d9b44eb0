"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import json
import math

import pytest

from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics.seeds import draw
from tests.checkpoints import make_qwen2_5_vl
from tests.commands import lmms_eval
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


def longer_answer(prompt):
    first, second = map(len, map(str.split, answers(prompt)))
    return FIRST if first > second else SECOND


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


# The picks: by the oracle the first right candidate; by length, by nothing, the first ones, of
# which only the second question's is right.
EXPECTED = {
    oracle: {
        **picked(1),
        "pairwise_accuracy": 1,
        "pairwise_accuracy_strict": 1,
        "vote_accuracy": 1,
        "coverage": 6 / 10,  # colour: 3 of 6 pairs differ, the second question: 2 of 3
        "comparisons_decided": 6,
    },
    longer_answer: {
        **picked(1 / 3),
        # Longer wins: colour (0, 1) and (1, 2) wrong, (1, 3) right; then right, wrong; wrong.
        "pairwise_accuracy": 2 / 6,
        "pairwise_accuracy_strict": 2 / 6,
        "vote_accuracy": 2 / 6,
        "coverage": 1,
        "comparisons_decided": 10,
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


@pytest.mark.parametrize("kind", [PromptJudge, PromptChatJudge])
@pytest.mark.parametrize("answer", EXPECTED, ids=lambda answer: answer.__name__)
def test_canned_judges(answer, kind, task_manager, recwarn):
    results = evaluate(kind(answer), "best_of_n", task_manager)
    found = numbers(results, "best_of_n")
    common = {"random": RANDOM, "oracle": 1, "questions": 3, "comparisons": 10, "votes": 10}
    common["position_consistency"] = NAN  # one order only
    for metric, expected in {**common, **EXPECTED[answer]}.items():
        assert found[metric] == pytest.approx(expected, abs=1e-12, nan_ok=True), metric
    assert found["round_robin_ci95_low"] <= found["round_robin"] <= found["round_robin_ci95_high"]
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    json.dumps(results["results"])


def test_what_is_shown(task_manager, candidates):
    simple, chat = PromptJudge(oracle), PromptChatJudge(oracle)
    results = [evaluate(judge, "best_of_n", task_manager) for judge in (simple, chat)]
    trials = [sample["trial"] for sample in results[0]["samples"]["best_of_n"]]
    for trial, (prompt, *images), [message] in zip(trials, simple.shown, chat.shown, strict=True):
        *shown, text = message["content"]
        assert text == {"type": "text", "text": prompt}
        assert [item["url"].tobytes() for item in shown] == [image.tobytes() for image in images]
        assert len(images) == (2 if trial["question"] == "2" else 1)
    assert "\nQuestion: Which colour? {braces}\n" in simple.shown[0][0]
    texts = {answers(prompt) for prompt, *_ in simple.shown[:6]}
    assert {tuple(sorted(pair)) for pair in texts} == {
        tuple(sorted(pair))
        for i, one in enumerate(CANDIDATES)
        for pair in [(one, other) for other in CANDIDATES[i + 1 :]]
    }
    assert simple.shown[6][1].tobytes() != simple.shown[6][2].tobytes()


CANDIDATES = ("WRONG, I am quite sure.", "RIGHT, red.", "WRONG, not red.", "WRONG.")


def test_logged_samples_hold_what_rescoring_needs(task_manager):
    results = evaluate(PromptJudge(oracle), "best_of_n", task_manager)
    sample = results["samples"]["best_of_n"][7]
    assert sample["trial"] == {
        "benchmark": "best_of_n",
        "row": 7,
        "repeats": [0],
        "order": sample["trial"]["order"],
        "question": "2",
        "pair": [0, 2],
        "worth": [1, 0, 1],
        "alike": [0, 1, 2],
        "unread": 0,
        "settled": [],
        "rule": "careful",
        "protocol": "simple",
        "said": None,
        "unusable": "a tie",
        "images": sample["trial"]["images"],
        "trials": 10,
    }
    targets = [s["target"] for s in results["samples"]["best_of_n"]]
    first = {"fwd": "1", "rev": "2"}
    orders = [s["trial"]["order"] for s in results["samples"]["best_of_n"]]
    assert targets[6:9] == [first[orders[6]], "1 or 2", {"fwd": "2", "rev": "1"}[orders[8]]]


def knockouts(answer, task_manager):
    """Judge, numbers and trials of every way in which a knockout can be run."""
    one_by_one = [(KNOCKOUTS[0], kind, None) for kind in (PromptJudge, PromptChatJudge)]
    in_rounds = [(KNOCKOUTS[1], kind, Resumable) for kind in (PromptJudge, PromptChatJudge)]
    for task, kind, wrapper in (*one_by_one, *in_rounds, (KNOCKOUTS[1], RoundsJudge, None)):
        judge = kind(answer)
        results = evaluate(wrapper(judge) if wrapper else judge, task, task_manager)
        trials = [sample["trial"] for sample in results["samples"][task]]
        yield judge, numbers(results, task), trials


@pytest.mark.parametrize(
    "answer",
    [oracle, unparsable, at_random],
    ids=lambda answer: answer.__name__,
)
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


@pytest.mark.parametrize(
    ("task", "asked"), [("best_of_n", 4 + 1), *((task, 2 + 1) for task in KNOCKOUTS)]
)
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


@pytest.mark.parametrize("task", ["best_of_n", KNOCKOUTS[0]])
def test_a_mistake_in_the_file_costs_its_line(candidates, task_manager, task, warned):
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


def test_a_real_backend_plays_both_kinds_of_knockout(candidates, tmp_path):
    """One reply at a time, or all rounds in the backend: the same requests, the same replies."""
    checkpoint = make_qwen2_5_vl(tmp_path / "qwen2_5_vl")
    arguments = f"pretrained={checkpoint},device=cpu,device_map=cpu,min_pixels=784"
    results, samples = lmms_eval(
        [
            *("--model", "qwen2_5_vl", "--force_simple", "--tasks", ",".join(KNOCKOUTS)),
            *("--model_args", arguments, "--batch_size", 1),
            *("--gen_kwargs", "max_new_tokens=8"),
        ],
        tmp_path,
        BEST_OF_N_DATA=str(candidates),
    )
    one, other = (samples[task] for task in KNOCKOUTS)
    assert [sample["trial"] for sample in one] == [sample["trial"] for sample in other]
    replies = [asked["response"] for sample in one for asked in sample["trial"]["exchanges"]]
    assert len(replies) == 6
    assert len(set(replies)) > 1
    for task in KNOCKOUTS:
        assert results["results"][task]["coverage,none"] == 0  # random characters hold no verdict
        assert results["results"][task]["knockout,none"] == pytest.approx(1 / 3)
