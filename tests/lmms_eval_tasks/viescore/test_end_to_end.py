"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import json
import math
from collections import Counter

import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from pairbench_ext.core.sources import SourceError
from tests.files import score_file, write_lines
from tests.judges import CannedChatJudge, CannedJudge, evaluate, expect, numbers, run
from tests.museums import JUDGE_SC, MODELS, colour, write_image, write_task

NAN = math.nan
METRICS = (*(name for n in BENCHMARK.numbers for name in (n.name, *n.ends)), "left_out")
# A: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4, so 4.5 / sqrt(4.5 * 5); B: 0.
RHO_A = 3 / math.sqrt(10)
FISHER = (1 - math.sqrt(1 - RHO_A**2)) / RHO_A  # tanh(atanh(r) / 2)
REFUSAL = "I'm sorry, but I cannot rate images of real people."

pytestmark = pytest.mark.usefixtures("viescore_data")


def sample_of(doc):
    return int(doc["sample"].removeprefix("sample_").removesuffix(".jpg"))


def reply(scores):
    return json.dumps({"score": scores, "reasoning": "as I see it"})


def judge(doc):
    """SC as in `JUDGE_SC`, in the last sub-score; PQ is always 10."""
    if doc["aspect"] == "PQ":
        return reply([10, 10])
    return reply([10] * (doc["n"] - 1) + [JUDGE_SC[doc["image_model"]][sample_of(doc)]])


MEANS = {
    "mean_sc": (0.25 + 0.5) / 2,
    "mean_pq": 1,
    "mean_o": sum(math.sqrt(v / 10) for model in MODELS for v in JUDGE_SC[model]) / 8,
}


@pytest.mark.parametrize(("task", "kind"), [("tie", CannedJudge), ("cig", CannedChatJudge)])
def test_a_judge_beside_raters(task, kind, task_manager):
    found, _ = run(kind(judge), f"viescore_{task}", task_manager)
    assert set(found) == set(METRICS)
    expect(
        found,
        spearman_sc=FISHER,
        spearman_o=FISHER,  # PQ is 1 on both sides, so O ranks as SC
        spearman_pq=NAN,
        human_spearman_sc=1,
        spearman_sc_authors=math.tanh(RHO_A / 2),
        human_spearman_sc_authors=math.tanh(math.tanh(1)),
        # A: one pair of six is tied by the raters; B: two pairs agree, two do not.
        kendall_sc=math.tanh(math.atanh(5 / math.sqrt(5 * 6)) / 2),
        pearson_sc=math.tanh((math.atanh(RHO_A) + math.atanh(0.0)) / 2),
        ranking_footrule=2,
        ranking_rho=-1,
        coverage=1,
        refusals=0,
        images=8,
        image_models=2,
        **MEANS,
    )
    assert found["ci95_sc_low"] <= found["spearman_sc"] <= found["ci95_sc_high"]


def pixels(image):
    return image.size, image.getpixel((0, 0)), image.getpixel((image.width - 1, 0))


def plain(task, folder, sample):
    return (8, 6), colour(task, folder, sample), colour(task, folder, sample)


def test_two_concepts_are_put_side_by_side(task_manager, tmp_path, monkeypatch):
    folder = write_task(tmp_path, "mcic", samples=1)
    for file in (folder / "input").iterdir():
        file.unlink()
    (folder / "input").rmdir()
    write_image(tmp_path, "mcic", "token1", 0)
    write_image(tmp_path, "mcic", "token2", 0, size=(10, 6))
    monkeypatch.setenv("VIESCORE_DATA", str(tmp_path))
    canned = CannedJudge(judge)
    run(canned, "viescore_mcic", task_manager)
    [prompt, concepts, image] = canned.shown[0]
    assert pixels(concepts) == ((18, 6), colour("mcic", "token1", 0), colour("mcic", "token2", 0))
    assert pixels(image) == plain("mcic", "A", 0)
    assert "two sub-images" in prompt


def test_the_group_averages_on_fishers_scale(task_manager):
    canned = CannedJudge(
        lambda doc: (
            judge(doc)
            if doc["task"] == "tie" or doc["aspect"] == "PQ"
            else reply([0] * doc["n"])
            if doc["task"] != "cig"
            else reply([10, sample_of(doc)])
        )
    )
    results = evaluate(canned, "viescore", task_manager)
    found, tie, cig = (numbers(results, f"viescore{name}") for name in ("", "_tie", "_cig"))
    # cig: A 1, 2.5, 2.5, 4 and B 3.5, 1.5, 3.5, 1.5 against 1, 2, 3, 4.
    assert cig["spearman_sc"] == pytest.approx(
        math.tanh((math.atanh(RHO_A) + math.atanh(-2 / math.sqrt(5 * 4))) / 2)
    )
    expected = math.tanh((math.atanh(FISHER) + math.atanh(cig["spearman_sc"])) / 2)
    assert found["spearman_sc"] == pytest.approx(expected)
    authors = [one["spearman_sc_authors"] for one in (tie, cig)]
    assert found["spearman_sc_authors"] == pytest.approx(math.tanh(sum(authors) / 2))
    assert found["images"] == 7 * 8


def broken(doc):
    """Refuses A's first SC, says nothing usable of B's second PQ."""
    where = (doc["image_model"], sample_of(doc), doc["aspect"])
    if where == ("A", 0, "SC"):
        return REFUSAL
    return "It is fine." if where == ("B", 1, "PQ") else judge(doc)


@pytest.mark.parametrize(
    ("pool", "images", "mean_sc"),
    [
        ("readable", 6, ((0.2 + 0.3 + 0.4) / 3 + (0.9 + 0.1 + 0.2) / 3) / 2),
        ("zero", 8, ((0 + 0.2 + 0.3 + 0.4) / 4 + 0.5) / 2),
        # The paper drops refusals (Section 7) and draws what cannot be read (C.1).
        ("paper", 7, ((0.2 + 0.3 + 0.4) / 3 + 0.5) / 2),
    ],
)
def test_pools_and_refusals(pool, images, mean_sc, task_manager, tmp_path):
    results = evaluate(CannedJudge(broken), "viescore_tie", task_manager)
    file = write_lines(tmp_path / "samples_viescore_tie.jsonl", results["samples"]["viescore_tie"])
    found = score_file(BENCHMARK, file, pool=pool).numbers
    expect(found, images=images, mean_sc=mean_sc, refusals=1, coverage=14 / 16)
    kinds = Counter(sample["trial"]["kind"] for sample in results["samples"]["viescore_tie"])
    assert kinds == {"judged": 14, "refusal": 1, "unusable": 1}


def test_one_shot_without_examples_says_what_to_do(task_manager):
    with pytest.raises(
        SourceError,
        match=r"lacks images of the authors' rated examples for one shot: .*"
        r"/CycleDiffusion/sample_187866_1.jpg\. Copy them .*_examples$",
    ):
        run(CannedJudge(judge), "viescore_tie_1shot", task_manager)
