"""What an unusable reply counts as: the same choice for every benchmark, apart from the reading."""

import json

import pytest

from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from lmms_eval_tasks.pairbench.pairs import TRUTH
from pairbench_ext.core.registry import benchmarks
from pairbench_ext.statistics.seeds import draw
from tests.files import pairbench, write_lines

UNREAD = "Hm."
ALL = [one for found in benchmarks().values() for one in found]


def pairbench_rows():
    for row in range(6):
        for kind, truths in TRUTH.items():
            for condition, truth in truths.items():
                for order in ("fwd", "rev"):
                    asked = {"row": row, "pair": kind, "condition": condition, "order": order}
                    reply = UNREAD if row == 0 and order == "rev" else f"Score: {truth:g}"
                    yield {**asked, "truth": truth, "response": reply}


def votes(source, right):
    for item in range(6):
        for repeat in range(3):
            reply = UNREAD if item < 2 and repeat < 2 else right
            asked = {"item": f"i{item}", "source": source, "repeat": repeat, "order": "fwd"}
            yield {**asked, "truth": 0, "response": reply}


def cast():
    for pair in range(3):
        for modality in MODALITIES:
            for prompt in PROMPTS:
                yes = {"yes/no": "Yes", "both/one": "Both", "true/false": "True"}[prompt]
                yield {
                    "step": "evaluate", "pair": pair, "generated": modality, "position": 1,
                    "evaluated": modality, "prompt": prompt,
                    "response": UNREAD if pair == 0 else yes,
                }  # fmt: skip


def choices():
    for item in range(4):
        asked = {"item": item, "category": "state", "options": ["x", "y"], "truth": "A"}
        yield {**asked, "response": UNREAD if item == 0 else "Answer: A"}


def judged():
    for row in range(4):
        asked = {"row": row, "source": "s", "image": f"{row}.png", "truth": 0}
        reply = UNREAD if row == 0 else "[[A]]"
        yield {**asked, "labels": "ABC", "response": reply}


# The coins of the four votes that cannot be read, as they fall by seed.
HEADS = sum(draw(2, 0, "coin", f"i{item}", k, "fwd") == 0 for item in (0, 1) for k in (0, 1))
VERDICT = "Overall Judgment: Answer 1 is better."
ROWS = {
    "pairbench": (pairbench_rows, "relaxsym", {"paper": 5 / 6, "authors": 5 / 6, "readable": 1}),
    "vl_rewardbench": (
        lambda: votes("povid", VERDICT),
        "vote_accuracy",
        {"paper": 14 / 18, "authors": 14 / 18, "readable": 1},
    ),
    "multimodal_rewardbench": (
        lambda: votes("correctness", "[[A]]"),
        "vote_accuracy",
        {"paper": 14 / 18, "authors": (14 + HEADS) / 18, "readable": 1},
    ),
    "cast": (cast, "same_modality", {"paper": 1, "authors": 2 / 3, "readable": 1}),
    "subtlebench": (choices, "accuracy", {"paper": 0.75, "authors": 0.75, "readable": 1}),
    "mllm_judge": (judged, "accuracy_with_ties", {"paper": 0.75, "readable": 1}),
}


def score(name, file, *options, status=None):
    return pairbench("score", name, file, *options, status=status)


@pytest.fixture
def file(tmp_path, request):
    return write_lines(tmp_path / "mine.jsonl", ROWS[request.param][0]())


@pytest.mark.parametrize(("file", "name"), [(name, name) for name in ROWS], indirect=["file"])
def test_every_pool_counts_unusable_replies_its_own_way(file, name):
    _, number, expected = ROWS[name]
    for pool, value in expected.items():
        found = json.loads(score(name, file, "--pool", pool, "--json").stdout)
        assert found["pool"] == pool
        [run] = found["runs"]
        assert run["numbers"][number] == pytest.approx(value)
        assert sum(run["unusable"].values()) > 0
        assert any(f"count as --pool {pool} says" in remark for remark in run["remarks"])


@pytest.mark.parametrize(("file", "name"), [(name, name) for name in ROWS], indirect=["file"])
def test_the_picture_is_drawn(file, name, tmp_path):
    score(name, file, "--plot", tmp_path / "a.png", status=0)
    assert list(tmp_path.glob("a*.png"))


@pytest.mark.parametrize("benchmark", [pytest.param(one, id=one.name) for one in ALL])
def test_every_benchmark_has_the_papers_pool_and_the_readable_one(benchmark):
    assert {"paper", "readable"} <= set(benchmark.every_pool)
    with pytest.raises(ValueError, match=f"{benchmark.name} has no --pool 'mine'; it has paper"):
        benchmark.pool("mine")
