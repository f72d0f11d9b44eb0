"""The three ways of judging through the harness, on rows in the layout of the authors' files."""

import pytest

from lmms_eval_tasks.mllm_judge import prompts
from lmms_eval_tasks.mllm_judge.benchmark import BENCHMARKS
from pairbench_ext.runs.files import owner
from tests.conftest import picture
from tests.files import write_lines
from tests.judges import PromptChatJudge, PromptJudge

TEXTS = ("good", "fair", "poor", "bad")
BASE = {"instruction": "What is shown?", "original_dataset": "coco"}


def named(text):
    return {"name": "llava", "answer": text}


def write(root):
    """Rows of the benchmark, below a folder."""
    (root / "Dataset/image").mkdir(parents=True)
    for number in range(4):
        picture(number, 0).save(root / f"Dataset/image/{number}.jpg")
    humans = (
        ("good", "bad", "A"),
        ("bad", "good", "B"),
        ("good", "good", "C"),
        ("bad", "fair", "B"),
    )
    pairs = [
        {**BASE, "id": n, "pair_id": n, "image_path": f"{n % 4}.jpg", "human_answer": human}
        | {"answer1": named(one), "answer2": named(other)}
        for n, (one, other, human) in enumerate(humans)
    ]
    scores = [
        {**BASE, "id": n, "score_id": n, "image_path": f"{n}.jpg", "answer": text, "human": human}
        | {"original_dataset": "coco" if n < 2 else "chart"}
        for n, (text, human) in enumerate(zip(TEXTS, (5, "4", 2, 1), strict=True))
    ]
    batch = [
        {**BASE, "id": 0, "image_path": "image/0.jpg", "human_answer": "BADC"}
        | {"answers": [named(text) for text in ("fair", "good", "bad", "poor")]},
        {**BASE, "id": 1, "image_path": "image/1.jpg", "human_answer": "CAB"}
        | {"answers": [named(text) for text in ("fair", "poor", "good")]},
    ]
    write_lines(root / "Dataset/Benchmark/pair.jsonl", pairs)
    write_lines(root / "Dataset/Benchmark_Lite/score_lite.jsonl", scores)
    write_lines(root / "Dataset/Benchmark/batch.jsonl", batch)


def answers(prompt):
    """The answers that a prompt shows, in their order."""
    parts = prompt.split("[The Start of Assistant")[1:]
    return [part.split("]\n", 1)[1].split("\n[The End")[0] for part in parts]


def right(prompt):
    shown = [TEXTS.index(text) for text in answers(prompt)]
    if len(shown) == 1:
        return f'{{"Analysis": "Fine.", "Judgement": "[[{(5, 4, 2, 1)[shown[0]]}]]"}}'
    if "for a tie" in prompt:
        return "[[C]]" if shown[0] == shown[1] else "[[A]]" if shown[0] < shown[1] else "[[B]]"
    ranked = sorted(range(len(shown)), key=shown.__getitem__)
    return ", ".join(f"[[{'ABCD'[place]}]]" for place in ranked)


def test_a_judge_that_agrees_with_people(data, run):
    pair = run(PromptJudge(right), "mllm_judge_pair")
    assert (pair["accuracy_with_ties"], pair["accuracy_without_ties"]) == (1, 1)
    assert (pair["tie_rate"], pair["judgments"]) == (0.25, 4)
    score = run(PromptJudge(right), "mllm_judge_score")
    assert score["pearson"] == pytest.approx(1)
    assert score["closeness"] == 1
    batch = run(PromptChatJudge(right), "mllm_judge_batch")
    assert (batch["levenshtein"], batch["coverage"]) == (0, 1)


def test_numbers_worked_out_by_hand(data, run):
    """Scores 5, 3, 3, 1 beside people's 5, 4, 2, 1; rankings two swaps and one unreadable away."""
    replies = dict(zip(TEXTS, ("[[5]]", "[[3]]", "[[3]]", "Hm."), strict=True))
    found = run(PromptJudge(lambda prompt: replies[answers(prompt)[0]]), "mllm_judge_score")
    assert found["coverage"] == 0.75
    assert found["closeness"] == (1 + 0.75 + 0.75 + 0) / 4
    # Pearson of (5, 3, 3) and (5, 4, 2): 8/3 by the root of 8/3 times 14/3.
    assert found["pearson"] == pytest.approx((8 / 3) / (8 / 3 * 14 / 3) ** 0.5)

    def ranks(prompt):
        return "[[A]], [[B]], [[C]], [[D]]" if len(answers(prompt)) == 4 else "No idea."

    batch = run(PromptJudge(ranks), "mllm_judge_batch")
    assert batch["levenshtein_readable"] == 3 / 4  # ABCD to BADC
    assert batch["levenshtein"] == (3 / 4 + 1) / 2


def test_the_prompts_are_the_authors(data):
    """Their `construct_input`: no line break between the instruction and a batch's answers."""
    assert prompts.render(prompts.BATCH, "Why?", ["one", "two"]).endswith(
        "[The End of User Instruction][The Start of Assistant A’s Answer]\none\n"
        "[The End of Assistant A’s Answer]\n[The Start of Assistant B’s Answer]\ntwo\n"
        "[The End of Assistant B’s Answer]\n"
    )
    score = prompts.render(prompts.SCORE, "Why?", ["one"])
    assert "\nEvaluation Method:\n\nYou will receive a single response" in score
    assert score.endswith("Answer]\none\n[The End of Assistant’s Answer]")


@pytest.mark.parametrize(
    ("labels", "truth", "response", "place"),
    [("ABC", 0, "[[A]]", 0), ("12345", 2, "[[2]]", 1), ("ABC", "CAB", "[[C]], [[A]], [[B]]", 2)],
    ids=["pair", "score", "batch"],
)
def test_plain_rows_are_told_apart_by_what_people_said(tmp_path, labels, truth, response, place):
    row = {"row": 0, "source": "coco", "image": "0.jpg", "labels": labels}
    file = write_lines(tmp_path / "rows.jsonl", [{**row, "truth": truth, "response": response}])
    assert owner(BENCHMARKS, file) is BENCHMARKS[place]
