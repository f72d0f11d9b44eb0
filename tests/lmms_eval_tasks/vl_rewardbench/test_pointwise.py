"""Scores of single answers: what is sent, how replies are read, numbers worked out by hand."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.preference.votes import votes
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK, VoteTrials
from lmms_eval_tasks.vl_rewardbench.pointwise import POINTWISE, SCORE, PointwiseTrials
from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.records import Record
from tests.conftest import REPOSITORY
from tests.judges import PromptJudge, evaluate, numbers

TASK = "vl_rewardbench_pointwise"
GOLDEN = json.loads((REPOSITORY / "tests" / "goldens" / "llava_critic.json").read_text())
PAIR = Pair("a", GOLDEN["question"], tuple(GOLDEN["responses"]), "povid", 0, ("image",))


@pytest.fixture(autouse=True)
def _data(vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))


def test_the_prompts_are_those_of_the_critics_card():
    picture, text = PointwiseTrials({}).show(PAIR, {"row": 0, "answer": 1, "repeat": 0}).content
    assert callable(picture)
    assert text == GOLDEN["pointwise"]
    trials = VoteTrials({"variant": "critic"})
    assert trials.show(PAIR, {"row": 0, "order": "fwd"}).content[1] == GOLDEN["pairwise"]
    swapped = trials.show(PAIR, {"row": 0, "order": "rev"}).content[1]
    assert swapped.index("number seven") < swapped.index("black and white sketch")


@pytest.mark.parametrize("rule", ["careful", "strict"])
def test_the_critics_template_asks_for_a_response(rule):
    """In 0.3 it was read as if it asked for an answer, so the strict rule read nothing."""
    trials = VoteTrials({"variant": "critic"})
    reply = Exchange({}, "Response 2 is better.")
    for trial, said in ((trials[0], 1), (VoteTrials({})[0], {"careful": 1}.get(rule))):
        fields = BENCHMARK.outcome.read(Record("a trial", trial))
        assert BENCHMARK.read(fields, [reply], rule).outcomes[0].said == said


def test_numbers_worked_out_by_hand(task_manager):
    """A point per word; item 5 (row 4) has equal words, so it ties; row 0 cannot be read."""

    def reply(prompt):
        answer = prompt.split("The LMM response: [")[1].rpartition("]\nASSISTANT:")[0]
        return "Hm." if answer.startswith("WRONG about item 0") else f"{len(answer.split())}/100"

    found = numbers(evaluate(PromptJudge(reply), TASK, task_manager), TASK)
    # Right: rows 3; 6, 7. Wrong: 1; 2; 5. A tie: 4. Undecided: 0.
    expected = {
        "overall_accuracy": 3 / 6,
        "general": 0,
        "hallucination": 1 / 2,
        "reasoning": 2 / 3,
        "overall_accuracy_strict": 3 / 8,
        "overall_accuracy_ties_half": 3.5 / 7,
        "macro_accuracy_ties_half": (0 + 1.5 / 3 + 2 / 3) / 3,
        "tie_rate": 1 / 7,
        "votes_scored": 7,
        "coverage": 15 / 16,
        "accuracy_longer_better": 1,
        "accuracy_shorter_better": 0,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def score(item, answer, truth, said, repeat=0):
    row = {"item": item, "source": "povid", "repeat": repeat, "answer": answer, "truth": truth}
    return SCORE.outcome({**row, "tag": None}, said)


def test_a_pair_of_which_one_answer_was_asked_about_is_left_out():
    scores = [score("a", 0, 0, 9), score("b", 0, 0, 9)]
    assert len(votes(POINTWISE.table([*scores, score("a", 1, 0, 1)]))) == 1


points = st.one_of(st.none(), st.integers(0, 100))


@given(st.lists(st.tuples(points, points, st.sampled_from((0, 1))), min_size=1, max_size=20))
def test_ties_half_is_the_share_of_better_above_worse(pairs):
    scores = [score(n, k, truth, pair[k]) for n, (*pair, truth) in enumerate(pairs) for k in (0, 1)]
    read = [(p[p[2]], p[1 - p[2]]) for p in pairs if None not in p[:2]]
    won = [1.0 if better > worse else 0.5 * (better == worse) for better, worse in read]
    assert POINTWISE.number("overall_accuracy_ties_half").of(
        POINTWISE.table(scores)
    ) == pytest.approx(sum(won) / len(won) if won else math.nan, nan_ok=True)
