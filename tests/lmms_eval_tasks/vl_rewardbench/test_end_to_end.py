"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import math

import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from pairbench_ext.statistics.seeds import draw
from tests.conftest import PREFERENCES, picture, preference_rows, write_split
from tests.judges import PromptChatJudge, PromptJudge, evaluate, numbers

NAN = math.nan
METRICS = [name for number in BENCHMARK.numbers for name in number.names]
FIRST, SECOND = "Overall Judgment: Answer 1 is better.", "Overall Judgment: **Answer 2** is better."
TASKS = ("vl_rewardbench_k1", "vl_rewardbench_k5_greedy", "vl_rewardbench_both")


@pytest.fixture(autouse=True)
def _data(vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))


def answers(prompt):
    """The two answers of a prompt, found without the judge of the package."""
    rest = prompt.split("\nAnswer 1: ")[1]
    first, rest = rest.split("\n\nAnswer 2: ")
    return first, rest.split("\n\nPlease evaluate")[0]


def always_first(prompt):
    return FIRST


def always_second(prompt):
    return SECOND


def oracle(prompt):
    return FIRST if "RIGHT" in answers(prompt)[0] else SECOND


def longer_answer(prompt):
    first, second = map(len, map(str.split, answers(prompt)))
    if first == second:
        return "Both answers are equally good."
    return FIRST if first > second else SECOND


def at_random(prompt):
    return (FIRST, SECOND)[draw(2, 7, prompt)]


def run(answer, task, task_manager, kind=PromptJudge, **options):
    judge = kind(answer)
    results = evaluate(judge, task, task_manager, **options)
    return judge, numbers(results, task), [s["trial"] for s in results["samples"][task]]


def expect(found, **expected):
    assert {name: found[name] for name in expected} == pytest.approx(
        expected, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("kind", [PromptJudge, PromptChatJudge])
@pytest.mark.parametrize("task", TASKS)
def test_oracle(task, kind, task_manager):
    _, found, trials = run(oracle, task, task_manager, kind)
    ones = {name: 1 for name in METRICS if "accuracy" in name}
    expect(found, **ones, general=1, hallucination_strict=1, coverage=1, items_decided=8)
    assert found["position_consistency"] == 1 or task == "vl_rewardbench_k1"
    assert {t["said"] for t in trials} == {1, 2}


@pytest.mark.parametrize("task", TASKS)
def test_longer_answer(task, task_manager):
    # Right: items 0; 3; 6, 7. Wrong: 1; 2; 5. Item 4 is a tie, so it is undecided.
    _, found, _ = run(longer_answer, task, task_manager)
    expect(
        found,
        overall_accuracy=4 / 7,
        general=1 / 2,
        hallucination=1 / 2,
        reasoning=2 / 3,
        macro_accuracy=(1 / 2 + 1 / 2 + 2 / 3) / 3,
        overall_accuracy_strict=4 / 8,
        hallucination_strict=1 / 3,
        macro_accuracy_strict=(1 / 2 + 1 / 3 + 2 / 3) / 3,
        vote_accuracy=4 / 8,
        coverage=7 / 8,
        accuracy_longer_better=1,
        accuracy_shorter_better=0,
        items_decided=7,
    )


@pytest.mark.parametrize("answer", [always_first, always_second])
def test_both_orders_expose_a_position(answer, task_manager):
    judge, found, _ = run(answer, "vl_rewardbench_both", task_manager)
    assert len(judge.shown) == 16
    expect(
        found,
        overall_accuracy=NAN,
        overall_accuracy_strict=0,
        vote_accuracy=1 / 2,
        position_consistency=0,
        items_decided=0,
        items_both_orders=8,
    )


def test_greedy_repeats_are_asked_once_per_prompt(task_manager):
    sampled, _, trials = run(at_random, "vl_rewardbench_k5", task_manager)
    greedy, found, merged = run(at_random, "vl_rewardbench_k5_greedy", task_manager)
    assert len(sampled.shown) == 8 * 5
    prompts = [prompt for prompt, _ in greedy.shown]
    assert len(set(prompts)) == len(prompts) == len({prompt for prompt, _ in sampled.shown})
    assert found["votes"] == 40
    orders = {(t["row"], r): t["order"] for t in trials for r in t["repeats"]}
    assert {(t["row"], r): t["order"] for t in merged for r in t["repeats"]} == orders


def test_a_judge_is_shown_the_image_and_the_answers_in_the_order_of_the_trial(task_manager):
    judge, _, trials = run(always_first, "vl_rewardbench_both", task_manager)
    for (prompt, image), trial in zip(judge.shown, trials, strict=True):
        truth = PREFERENCES[trial["row"]][1]
        better = (truth == 0) == (trial["order"] == "fwd")
        assert ["RIGHT" in answer for answer in answers(prompt)] == [better, not better]
        assert f"Question: What is on picture {trial['row']}? {{braces}}\n" in prompt
        assert image.tobytes() == picture(trial["row"], 1).tobytes()


def test_a_bad_row_costs_that_row(task_manager, tmp_path, monkeypatch, said):
    _, whole, every = run(at_random, "vl_rewardbench_k5", task_manager)
    broken = preference_rows().map(
        lambda row, n: {"human_ranking": [0, 0] if n == 3 else row["human_ranking"]},
        with_indices=True,
    )
    write_split(tmp_path, "data", "test", broken)
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path))
    _, found, left = run(at_random, "vl_rewardbench_k5", task_manager)
    assert (whole["items"], found["items"], found["votes"]) == (8, 7, 35)
    assert found["left_out"] == 1
    assert "row 3: 'human_ranking' must be" in left[0].pop("left_out")[0]
    kept = [{**trial, "trials": 35} for trial in every if trial["row"] != 3]
    assert left == kept
    warning, *_ = [line for line in said if "skipped" in line]
    assert "1 row skipped: " in warning
    assert "row 3: 'human_ranking' must be [0, 1] or [1, 0], not [0, 0]" in warning
