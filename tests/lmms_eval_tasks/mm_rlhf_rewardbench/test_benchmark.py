"""The benchmark through the harness, on rows in the layout of `mm_reward_bench.jsonl`.

The vectors are simulated verdicts on sixty pairs of answers to made-up questions, and the numbers
that the authors' `get_acc.py` makes of them.
"""

import json
from pathlib import Path

import pytest

from lmms_eval_tasks.mm_rlhf_rewardbench.benchmark import BENCHMARK, docs, part
from pairbench_ext.harness.hooks import doc_to_messages, doc_to_text
from tests.conftest import picture
from tests.files import write_lines
from tests.judges import PromptChatJudge, PromptJudge

VECTORS = Path(__file__).parents[2] / "vectors/image_judges/mm_rlhf_rewardbench.json"
REASONS = {"chosen_reason": "It is right.", "rejected_reason": "It is wrong."}
# Two questions with two pairs each, and one with one; the first pair of "b" is hard.
PAIRS = (("a", "mcq"), ("a", "mcq"), ("b", "long"), ("b", "long"), ("c", "safety"))


def write(root):
    """Rows of the benchmark, below a folder."""
    rows = [
        {"id": name, "image": f"{kind}/{name}.png", "prompt": f"Question {name}?"}
        | {"chosen": f"{'hard' if n == 2 else 'right'} {n}", "rejected": f"wrong {n}", **REASONS}
        for n, (name, kind) in enumerate(PAIRS)
    ]
    film = {"id": "v", "video": "video/v", "prompt": "Who?", "chosen": "x", "rejected": "y"}
    write_lines(root / "mm_reward_bench.jsonl", [*rows, film])
    for name, kind in PAIRS:
        (root / "image" / kind).mkdir(parents=True, exist_ok=True)
        picture(ord(name), 0).save(root / f"image/{kind}/{name}.png")


def first_answer(prompt):
    return prompt.partition("[Response 1]:\n")[2]


def right(prompt):
    place = 2 if first_answer(prompt).startswith("wrong") else 1
    return f"<think>Response 1 and Response 2 differ.</think><answer>{place}</answer>"


def always_first(prompt):
    return "<think>Fine.</think><answer>1</answer>"


def test_judges_whose_numbers_are_known(data, run):
    task = "mm_rlhf_rewardbench_both"
    perfect = run(PromptChatJudge(right), task)
    assert (perfect["accuracy"], perfect["accuracy_plus"]) == (1, 1)
    assert (perfect["position_consistency"], perfect["first_position_rate"]) == (1, 0.5)
    good = run(PromptJudge(lambda x: "<answer>1</answer>" if "hard" in x else right(x)), task)
    assert (good["accuracy"], good["accuracy_plus"]) == (9 / 10, 2 / 3)
    assert good["position_consistency"] == 4 / 5


def test_asked_as_the_authors_ask_the_first_answer_is_always_right(data, run):
    known = run(PromptJudge(always_first), "mm_rlhf_rewardbench_authors")
    assert (known["accuracy"], known["accuracy_plus"], known["first_position_rate"]) == (1, 1, 1)
    both = run(PromptJudge(always_first), "mm_rlhf_rewardbench_both")
    assert (both["accuracy"], both["accuracy_plus"]) == (0.5, 0)
    silent = run(PromptJudge(lambda _: "Hm."), "mm_rlhf_rewardbench_authors")
    assert (silent["accuracy"], silent["coverage"]) == (0, 0)


def test_what_is_shown(data):
    trials = docs([{"orders": "both"}])
    assert len(trials) == 10  # the pair about a video is left out
    assert (
        "###### [Question]:\nQuestion a?  \n\n###### [Response 1]:\nright 0  \n\n"
        in doc_to_text(trials[0])
    )
    assert first_answer(doc_to_text(trials[1])).startswith("wrong 0")
    [message] = doc_to_messages(trials[0])
    assert [item["type"] for item in message["content"]] == ["image", "text"]


def test_numbers_are_those_of_the_authors_functions():
    vectors = json.loads(VECTORS.read_text())
    trials = [
        {"item": n, "question": name, "source": part(image, "row"), "truth": 0, "order": "fwd"}
        for n, (name, image, _) in enumerate(vectors["rows"])
    ]
    table = BENCHMARK.table(
        BENCHMARK.outcome.outcome(trial, 1 - hit)
        for trial, (*_, hit) in zip(trials, vectors["rows"], strict=True)
    )
    expected = vectors["expected"]
    accuracy, plus = (BENCHMARK.number(name) for name in ("accuracy", "accuracy_plus"))
    assert accuracy.of(table) == pytest.approx(expected["overall"]["accuracy"])
    assert plus.of(table) == pytest.approx(expected["overall"]["acc_plus"])
    for breakdown, name in zip(BENCHMARK.breakdowns, ("accuracy", "acc_plus"), strict=True):
        assert breakdown.of(table) == pytest.approx(
            {part: expected[part][name] for part in expected if part != "overall"}
        )
