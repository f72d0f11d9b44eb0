import json
import shutil

import numpy as np
import pytest
from scipy.stats import binom

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.statistics.correlation import fisher_mean
from pairbench_ext.statistics.seeds import draw, generator
from tests.files import write_lines

KEYS = {
    "task", "number", "a", "b", "difference", "ci95_low", "ci95_high", "p", "p_holm", "items",
    "only_a", "only_b",
}  # fmt: skip


def write(file, rows):
    write_lines(file, rows)


def votes(right, repeats=1, items=range(60)):
    """Votes on pairs of which `right(item, repeat)` says whether the better one is named."""
    for item in items:
        for repeat in range(repeats):
            order = ("fwd", "rev")[draw(2, 0, item, repeat)]
            better = 1 + ((item % 2) ^ (order == "rev"))
            said = better if right(item, repeat) else 3 - better
            trial = {
                "benchmark": "vl_rewardbench", "item": f"i{item}", "source": "povid",
                "repeats": [repeat], "order": order, "truth": item % 2,
            }  # fmt: skip
            yield {"trial": trial, "filtered_resps": f"Overall Judgment: Answer {said} is better."}


TRUTH = {"identical": (10, 10), "transformed": (6, 10), "different": (1, 1)}


def ratings(noise, seed, rows=40):
    rng = generator(seed, "ratings")
    for row in range(rows):
        for pair, truths in TRUTH.items():
            for condition, truth in zip(("sens", "inv"), truths, strict=True):
                for order in ("fwd", "rev"):
                    value = int(min(10, max(1, round(truth + rng.normal(0, noise)))))
                    trial = {
                        "benchmark": "pairbench", "row": row, "pair": pair, "condition": condition,
                        "order": order, "truth": truth, "template": 0,
                    }  # fmt: skip
                    yield {"trial": trial, "filtered_resps": f"Score: {value}"}


def compared(folder, **how):
    return compare(judge_runs(sorted(folder.iterdir())), **how)


def test_strict_accuracy_of_one_vote_is_mcnemars_test(tmp_path):
    write(tmp_path / "a" / "samples_t.jsonl", votes(lambda item, _: item % 3 > 0))
    write(tmp_path / "b" / "samples_t.jsonl", votes(lambda item, _: item % 4 > 1))
    [one] = compared(tmp_path, numbers=["overall_accuracy_strict"]).every
    first = [item for item in range(60) if item % 3 > 0 and not item % 4 > 1]
    second = [item for item in range(60) if item % 4 > 1 and not item % 3 > 0]
    n, fewer = len(first) + len(second), min(len(first), len(second))
    expected = 2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5)
    assert one.p == pytest.approx(expected, rel=1e-12)
    assert one.test == "McNemar, mid-p"
    assert one.difference == pytest.approx((len(first) - len(second)) / 60)
    assert one.ci95.low < one.difference < one.ci95.high


def test_json_has_the_documented_keys(tmp_path):
    for judge, share in (("a", 9), ("b", 6), ("c", 6)):
        right = lambda item, repeat, share=share: draw(10, 7, share, item, repeat) < share  # noqa: E731
        write(tmp_path / judge / "1_samples_t.jsonl", votes(right, repeats=5))
    found = compared(tmp_path)
    document = found.document()
    assert all(set(one) >= KEYS for one in document["comparisons"])
    pairs = {(one["a"], one["b"]) for one in document["comparisons"]}
    assert pairs == {("a", "b"), ("a", "c"), ("b", "c")}
    [votes_ranked] = [one for one in found.rankings if one.number == "vote_accuracy"]
    assert next(iter(votes_ranked.values)) == "a"
    assert votes_ranked.letters["a"] == "a"
    assert votes_ranked.letters["b"] == votes_ranked.letters["c"] == "b"
    noise = {one["judge"]: one for one in document["noise"]}
    assert noise["a"]["answers_per_item"] == 5
    assert noise["a"]["with_twice_the_items"] < noise["a"]["standard_error"]


def test_items_that_one_judge_lacks_are_left_out_counted_and_named(tmp_path):
    right = lambda item, _: item % 3 > 0  # noqa: E731
    write(tmp_path / "a" / "samples_t.jsonl", votes(right, items=range(50)))
    write(tmp_path / "b" / "samples_t.jsonl", votes(right, items=range(5, 60)))
    for one in compared(tmp_path).every:
        assert (one.items, one.only_a, one.only_b) == (45, 5, 10)
        assert one.named_a == ("i0", "i1", "i2")
        assert one.difference == 0
        assert one.p == 1


def test_leaves_of_a_group_are_compared_together(tmp_path):
    names = [
        f"pairbench_coco_{t}"
        for t in ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")
    ]
    for judge, noise in (("good", 1.0), ("bad", 4.0)):
        for seed, name in enumerate(names):
            rows = list(ratings(noise, seed + 100 * (judge == "bad")))
            write(tmp_path / judge / f"1_samples_{name}.jsonl", rows)
    found = compared(tmp_path, numbers=["mmscore"])
    [mean] = [one for one in found.every if one.task == "pairbench_coco"]
    alone = [one for one in found.every if one.task in names]
    assert len(alone) == 5
    assert mean.difference == pytest.approx(sum(one.difference for one in alone) / 5)
    assert mean.clusters == 40  # the leaves show the same source rows
    assert mean.ci95.high - mean.ci95.low < max(one.ci95.high - one.ci95.low for one in alone)
    assert mean.differs


def image_verdicts(task, noise, seed, images=60):
    """Verdicts on images of two models of one task, which three people rated."""
    rng = generator(seed, "verdicts", task)
    for sample in range(images):
        for image_model in "AB":
            worth = generator(0, task, sample, image_model).random()
            raters = generator(1, task, sample, image_model).normal(worth, 0.2, (3, 2))
            ratings = np.clip(np.round(2 * raters) / 2, 0, 1).tolist()
            for aspect in ("SC", "PQ"):
                said = int(np.clip(round(10 * (worth + rng.normal(0, noise))), 0, 10))
                trial = {
                    "benchmark": "viescore", "task": task, "image_model": image_model,
                    "sample": f"s{sample}", "aspect": aspect, "ratings": ratings,
                }  # fmt: skip
                reply = json.dumps({"score": [said] * 2, "reasoning": ""})
                yield {"trial": trial, "filtered_resps": reply}


def test_fishers_mean_over_the_tasks_of_a_group_is_tested(tmp_path):
    for judge, noise in (("good", 0.1), ("bad", 0.6)):
        for task in ("mie", "cig"):
            rows = list(image_verdicts(task, noise, seed=len(judge)))
            write(tmp_path / judge / f"1_samples_viescore_demo_{task}.jsonl", rows)
    found = compared(tmp_path, numbers=["spearman_sc"])
    [together] = [one for one in found.every if one.task == "viescore_demo"]
    values = {one.task: one.values for one in found.rankings}
    fisher = {
        judge: fisher_mean([values[f"viescore_demo_{t}"][judge].value for t in ("mie", "cig")])
        for judge in ("good", "bad")
    }
    assert values["viescore_demo"]["good"].value == pytest.approx(fisher["good"])
    assert {one.number for one in found.rankings} == {"spearman_sc"}
    assert abs(together.difference) == pytest.approx(fisher["good"] - fisher["bad"])
    assert together.clusters == 120
    assert together.ci95.low < together.difference < together.ci95.high
    assert together.p < 0.001
    for tables in found.document()["rankings"]:
        assert len(tables["judges"]) == 2


def test_a_baseline_is_compared_with_all_others(tmp_path):
    for share in (3, 5, 7):
        right = lambda item, _, share=share: draw(10, 1, item) < share  # noqa: E731
        write(tmp_path / f"judge{share}" / "samples_t.jsonl", votes(right))
    found = compared(tmp_path, baseline="judge5", numbers=["vote_accuracy"])
    assert [(one.a, one.b) for one in found.every] == [("judge3", "judge5"), ("judge7", "judge5")]
    with pytest.raises(RecordError, match="no judge is called 'judge9'"):
        compared(tmp_path, baseline="judge9")


def test_nothing_to_compare_is_said(tmp_path):
    write(tmp_path / "a" / "samples_t.jsonl", votes(lambda *_: True))
    with pytest.raises(RecordError, match="two judges"):
        compared(tmp_path)
    write(tmp_path / "b" / "samples_u.jsonl", votes(lambda *_: True))
    with pytest.raises(RecordError, match="no task that two judges have: a has t; b has u"):
        compared(tmp_path)
    write(tmp_path / "b" / "samples_t.jsonl", ratings(1, 0))
    with pytest.raises(
        RecordError, match="samples of 'vl_rewardbench' for a, of 'pairbench' for b"
    ):
        compared(tmp_path)
    write(tmp_path / "b" / "samples_t.jsonl", votes(lambda *_: True))
    with pytest.raises(RecordError, match="has the number mmscore"):
        compared(tmp_path, numbers=["mmscore"])


def test_a_judge_that_could_not_be_asked_is_left_out_and_named(tmp_path):
    row = {"benchmark": "viescore", "asked": False, "left_out": ["no split"]}
    write(tmp_path / "c" / "samples_viescore_mie.jsonl", [{"trial": row, "filtered_resps": ""}])
    for seed, name in enumerate("ab"):
        write(tmp_path / name / "samples_viescore_mie.jsonl", image_verdicts("mie", 1, seed))
    found = compared(tmp_path)
    assert {(one.a, one.b) for one in found.every} == {("a", "b")}
    assert found.document()["unmeasured"] == {"viescore_mie": ["c"]}
    shutil.rmtree(tmp_path / "b")
    with pytest.raises(RecordError, match="viescore_mie: no sample of c has an outcome"):
        compared(tmp_path)


DEMOS = {
    "vl_rewardbench_demo_both": "Overall Judgment: Answer {} is better.",
    "subtlebench_demo": "{}.",
    "viescore_demo_mie": '{{"score": [{}, {}], "reasoning": ""}}',
    "pairbench_demo_rotate": "Score: {}",
    "judge_audit_demo_preferences": "Overall Judgment: Answer {} is better.",
}


@pytest.mark.parametrize("task", DEMOS)
def test_a_judge_does_not_differ_from_itself_by_any_headline_number(task, tmp_path):
    answers = "ABCD" if task == "subtlebench_demo" else "12" if "Answer" in DEMOS[task] else "2468"
    trials = open_task(task)
    replies = [
        DEMOS[task].format(*(answers[draw(len(answers), 0, n, k)] for k in (0, 1)))
        for n in range(len(trials))
    ]
    for judge in "ab":
        trials.write(tmp_path / judge, replies)
    comparisons = compared(tmp_path).every
    assert comparisons
    for one in comparisons:
        assert one.difference == one.only_a == one.only_b == 0
        assert one.p == 1


def test_judges_for_whom_different_answers_are_right_are_refused(tmp_path):
    write(tmp_path / "a" / "samples_t.jsonl", ratings(0, 0))
    rows = list(ratings(0, 0))
    rows[5]["trial"]["truth"] = 3
    write(tmp_path / "b" / "samples_t.jsonl", rows)
    with pytest.raises(RecordError, match=r"t: question .* is 6.0 for a, 3.0 for b.*different"):
        compared(tmp_path)


def test_what_is_not_the_headline_waits_for_it(tmp_path):
    """A group's mean, then its tasks; a task's headline, then its other numbers."""
    names = [
        f"pairbench_coco_{t}"
        for t in ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")
    ]
    for judge, noise in (("good", 1.0), ("same", 1.0)):
        for seed, name in enumerate(names):
            rows = list(ratings(noise, seed + 100 * (judge == "same")))
            write(tmp_path / judge / f"1_samples_{name}.jsonl", rows)
    found = compared(tmp_path).every
    [headline] = [one for one in found if one.headline]
    assert (headline.task, headline.number) == ("pairbench_coco", "mmscore")
    assert headline.p_holm == headline.p > 0.05
    assert len(found) == 3 * 6
    assert all(one.p_holm >= headline.p for one in found)
    named = compared(tmp_path, numbers=["relaxsym", "mmscore"]).every
    assert {one.number for one in named if one.headline} == {"relaxsym", "mmscore"}
    assert {one.task for one in named if one.headline} == {"pairbench_coco"}
