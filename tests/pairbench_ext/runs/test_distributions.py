"""Distributions over answers beside words: recorded judges, logs of our own, what is refused."""

import csv
import json
import lzma
import math
import re
from collections import defaultdict
from itertools import groupby

import numpy as np
import pytest

from pairbench_ext.stacks.plain import open_task, token_reply
from pairbench_ext.stacks.plain.batches import import_task, read_answers, requests
from tests.conftest import SHARED
from tests.files import json_of, judges_of, pairbench, text_of, write_lines

ORACLE = SHARED / "data" / "soft_oracle"
recorded = pytest.mark.skipif(not ORACLE.exists(), reason="no recorded log probabilities here")


def oracle(name, folder, every=1):
    """Recorded judgments as plain rows, and beside them as arrays: words, means, people."""
    with lzma.open(ORACLE / f"{name}.csv.xz", "rt") as lines:
        rows = list(csv.DictReader(lines))[::every]
    made, known, words = [], [], []
    for row in rows:
        logs = {str(k): row[f"s2_lp{k}"] for k in range(1, 6)}
        shares = {k: math.exp(float(log)) for k, log in logs.items() if log}
        word, truth = int(row["parsed_score"]), int(float(row["gt_score"]))
        made.append(
            {"row": row["sample_id"], "source": name, "image": row["sample_id"], "truth": truth}
            | {"labels": "12345", "response": str(word) if word > 0 else "No score."}
            | {"distribution": {"answers": shares}}
        )
        words += [(word, truth)] if word > 0 else []
        total = sum(shares.values())
        if word > 0 and total >= 0.5:
            mean = sum(int(k) * share for k, share in shares.items()) / total
            best = max(shares, key=shares.get)
            known.append((word, mean, truth, shares[best] / total, int(best) == truth))
    file = folder / "samples_mllm_judge_score.jsonl"
    write_lines(file, made)
    words, truths = zip(*words, strict=True)
    return file, np.array(known).T, (words, truths, len(rows) - len(words))


@recorded
@pytest.mark.parametrize(("name", "told"), [("v2_polaris", "worse"), ("v2_gemini", "better")])
def test_recorded_judges_by_word_and_by_mean_as_scipy_computes_them(name, told, tmp_path):
    from scipy.stats import spearmanr
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss

    file, (word, mean, people, share, right), every = oracle(name, tmp_path)
    rows = len(every[0]) + every[2]
    made = json_of("score", "mllm_judge", file)
    found = made["runs"][0]["distributions"]
    beside = found["numbers"]["Spearman, all"]
    assert beside["word"] == pytest.approx(spearmanr(word, people).statistic, abs=1e-9)
    assert beside["soft"] == pytest.approx(spearmanr(mean, people).statistic, abs=1e-9)
    low, high = beside["less"]["interval"]
    assert {"worse": high < 0, "better": low > 0}[told]
    [line] = [x for x in made["runs"][0]["remarks"] if x.startswith("Spearman")]
    assert told in line
    # One number says whether the distribution says more; the others stand beside it.
    assert found["main"] == "Spearman, all"
    verdicts = ("better", "worse", "neither is shown")
    assert [x for x in made["runs"][0]["remarks"] if any(word in x for word in verdicts)] == [line]
    assert (found["distributions"], found["usable"]) == (rows, len(word))
    assert found["brier"] == pytest.approx(brier_score_loss(right, share), abs=1e-9)
    true, predicted = calibration_curve(right, share, n_bins=10)
    counts = np.histogram(share, np.linspace(0, 1, 11))[0]
    error = np.abs(true - predicted) @ counts[counts > 0] / len(share)
    # Without what chance adds, which is little with so many items.
    assert found["ece"]["value"] == pytest.approx(error, abs=0.01)
    low, high = found["ece"]["interval"]
    assert low < error < high
    # The headline stays that of all words, those with little probability on the answers, too.
    words = spearmanr(*every[:2]).statistic
    assert made["runs"][0]["numbers"]["spearman"] == pytest.approx(words, abs=1e-9)


@recorded
def test_labels_of_people_recalibrate_and_the_page_has_a_diagram(tmp_path):
    file, (*_, right), _ = oracle("v2", tmp_path / "judge", every=4)
    labels = tmp_path / "labels.csv"
    with file.open() as lines:
        rows = [json.loads(line) for line in lines][::3]
    labels.write_text("item,label\n" + "".join(f"{r['row']},{r['truth']}\n" for r in rows))
    [made] = json_of("trust", file, "--people", labels)["calibration"]
    assert made["ece"]["value"] > 0.5  # the likeliest score has .88, .32 are right
    assert made["recalibrated"]["value"] < 0.06
    assert made["recalibrated"]["n"] == len(rows)
    printed = text_of("trust", file, "--people", labels, status=0)
    assert "After recalibration on the labels of other items" in printed
    assert f"is right in {right.mean():.2f}" in text_of("card", file.parent)
    pairbench("report", file.parent, "--out", tmp_path / "page.html", status=0)
    page = tmp_path / "page.html"
    assert "reliability of distributions" in page.read_text()
    pairbench("report", file.parent, "--out", page, "--people", labels, status=0)
    assert "After recalibration on the labels of other items: ECE 0.0" in page.read_text()
    assert "answer probabilities calibrated?" in page.read_text()


def response(*tokens):
    """What a server sends: each token is the alternatives by probability, the written one first."""
    content = [
        {"token": next(iter(shares)), "logprob": math.log(next(iter(shares.values())))}
        | {"top_logprobs": [{"token": t, "logprob": math.log(p)} for t, p in shares.items()]}
        for shares in tokens
    ]
    text = "".join(token["token"] for token in content)
    return {
        "model": "m",
        "choices": [{"message": {"content": text}, "logprobs": {"content": content}}],
    }


def logged(task, reply):
    return open_task(task)[0].row(token_reply(reply))["trial"]["distribution"]


def test_the_answer_is_found_where_it_was_read_and_10_by_its_prefix():
    # Not the first number of the reply, as where G-Eval's place is fixed: "2" is no score.
    scored = response(
        {"Of ": 1.0}, {"2": 0.9, "3": 0.1}, {" images. Score:": 1.0},
        {" 1": 0.6, " 7": 0.2, "9": 0.1, " the": 0.1}, {"0": 0.75, "\n": 0.25}, {"\nAlike.": 1.0},
    )  # fmt: skip
    found = logged("pairbench_demo_rotate", scored)
    assert found["answers"] == pytest.approx({"1": 0.15, "10": 0.45, "7": 0.2, "9": 0.1})
    assert found["source"] == "logprobs of m"
    # A token "10" beside it: "1" begins nothing else.
    apart = response({"Score: ": 1.0}, {"8": 0.5, "10": 0.3, "1": 0.2}, {"\n": 1.0})
    assert logged("pairbench_demo_rotate", apart)["answers"]["1"] == pytest.approx(0.2)
    # Without it, nobody can say; the probability is on no answer.
    unknown = response({"Score: ": 1.0}, {"8": 0.5, "7": 0.3, "1": 0.2}, {"\n": 1.0})
    assert logged("pairbench_demo_rotate", unknown)["answers"] == pytest.approx(
        {"8": 0.5, "7": 0.3}
    )
    # "8.5" is no rating of this scale, and not 8; bold is 8.
    marked = response({"Score: ": 1}, {"**8": 0.5, "8.5": 0.2, "8**": 0.2, "88": 0.1}, {"\n": 1})
    assert logged("pairbench_demo_rotate", marked)["answers"] == pytest.approx({"8": 0.7})
    vote = response(
        {"Answer 1 is short. Overall Judgment: Answer": 1.0}, {" 2": 0.7, " 1": 0.3},
        {" is better, not Answer 1.": 1.0},
    )  # fmt: skip
    assert logged("vl_rewardbench_demo", vote)["answers"] == pytest.approx({"2": 0.7, "1": 0.3})


@pytest.mark.parametrize(
    ("logprobs", "why"),
    [
        (None, "no log probabilities in the reply"),
        ({"content": [{"token": "x"}]}, "in an unknown format"),
        (
            {"content": [{"token": "Score: 8", "logprob": 0, "top_logprobs": []}]},
            "ignored top_logprobs",
        ),
    ],
)
def test_faults_are_logged_and_counted(logprobs, why, tmp_path):
    reply = {"choices": [{"message": {"content": "Score: 8"}, "logprobs": logprobs}]}
    task = open_task("pairbench_demo_rotate")
    assert why in task[0].row(token_reply(reply))["trial"]["distribution"]["none"]
    said = text_of("score", "pairbench", task.write(tmp_path, [token_reply(reply)] * 3), status=0)
    assert re.search(f"3 replies without a distribution: .*{why}", said)


def test_a_reply_that_is_thoughts_alone_has_no_distribution():
    reply = response({"Score: ": 1.0}, {"8": 0.6, "7": 0.4})
    reply["choices"][0]["message"] = {"content": None, "reasoning_content": "Score: 8"}
    assert logged("pairbench_demo_rotate", reply) == {"none": "no answer in the reply"}


def test_results_of_batches_keep_their_distribution(tmp_path):
    task = open_task("pairbench_demo_rotate")
    asked = list(requests(task, "m", limit=3, body={"logprobs": True, "top_logprobs": 20}))
    assert asked[0]["body"]["top_logprobs"] == 20
    body = response({"Score: ": 1.0}, {"8": 0.6, "7": 0.4})
    lines = [{"custom_id": line["custom_id"], "response": {"body": body}} for line in asked]
    write_lines(tmp_path / "results.jsonl", lines)
    answers = read_answers([tmp_path / "results.jsonl"])
    made = import_task("pairbench_demo_rotate", answers, tmp_path)
    rows = [json.loads(line) for line in made.file.read_text().splitlines()]
    found = [row["trial"]["distribution"]["answers"] for row in rows]
    assert found == [pytest.approx({"8": 0.6, "7": 0.4})] * 3


def test_answers_to_one_prompt_are_asked_as_neighbours():
    """So that prefix and encoder caches hit: of K votes, those on an item follow each other."""
    items = [trial.scalars["item"] for trial in open_task("vl_rewardbench_demo")]
    assert len(items) == 5 * len(set(items))
    assert [item for item, _ in groupby(items)] == list(dict.fromkeys(items))


def test_a_log_is_scored_again_by_another_rule_and_many_votes_have_a_limit(tmp_path):
    votes = [
        response({"Overall Judgment: Answer": 1.0}, {" 1": 0.6, " 2": 0.4}, {" is better.": 1.0})
    ] * 30
    task = open_task("vl_rewardbench_demo")
    file = task.write(tmp_path, map(token_reply, votes))
    by_rule = [
        json_of("score", "vl_rewardbench", file, "--rule", rule)["runs"][0]["distributions"]
        for rule in ("careful", "strict")
    ]
    assert by_rule[0] == by_rule[1]
    assert by_rule[0]["distributions"] == 30
    # One answer is right with the probability of the right one, in the mean over an item's orders.
    shares = defaultdict(list)
    for trial in task[:30]:
        asked = trial.scalars
        shares[asked["item"]].append(0.6 if asked["truth"] == (asked["order"] == "rev") else 0.4)
    means = [np.mean(of_item) for of_item in shares.values()]
    votes = by_rule[0]["votes"]
    assert votes["1"] == pytest.approx(np.mean(means))
    assert votes["limit"] == pytest.approx(np.mean([mean > 0.5 for mean in means]))
    drawn = np.random.default_rng(0).binomial(5, means, (20_000, len(means))) > 2.5
    assert votes["5"] == pytest.approx(drawn.mean(), abs=4 * 0.5 / drawn.size**0.5)


def test_a_judge_that_sees_only_places_is_not_better_by_its_distributions(tmp_path):
    """Over both orders its options are equally likely; then the word counts."""
    first = {"<answer>1</answer>": 0.8, "<answer>2</answer>": 0.2}
    file = tmp_path / "samples_mm_rlhf_rewardbench_both.jsonl"
    rows = [
        {"item": n, "question": str(n), "source": "long", "truth": 0, "order": order}
        | {"response": "<answer>1</answer>", "distribution": {"answers": first}}
        for n in range(60)
        for order in ("fwd", "rev")
    ]
    write_lines(file, rows)
    made = json_of("score", "mm_rlhf_rewardbench", file)["runs"][0]
    beside = made["distributions"]["numbers"].values()
    assert {(each["word"], each["soft"]) for each in beside} == {(0.5, 0.5)}


def test_what_is_no_distribution_is_an_error_that_names_the_line(tmp_path):
    row = {"row": 1, "source": "s", "image": "i", "truth": 3, "labels": "12345", "response": "3"}
    file = tmp_path / "samples_mllm_judge_score.jsonl"
    write_lines(file, [row | {"distribution": {"answers": {"1": 0.7, "3": 0.7}}}])
    said = text_of("score", "mllm_judge", file, status=1)
    assert "line 1, distribution: probabilities add up to 1.400" in said


def test_a_mean_that_orders_all_that_the_truth_orders_is_not_worse(tmp_path):
    """Word and mean put every pair in the order of the truth; tau-b punished the mean by .16."""
    rows = []
    for item in range(90):
        truth = (1, 6, 10)[item % 3]
        near, share = truth - 1 if truth > 1 else 2, 0.05 + item / 900
        trial = {
            "benchmark": "pairbench", "row": item // 3, "pair": str(item % 3), "condition": "sens",
            "order": "fwd", "truth": truth, "template": 0,
            "distribution": {
                "answers": {f"Score: {truth}": 1 - share, f"Score: {near}": share}, "source": "x"
            },
        }  # fmt: skip
        rows.append({"trial": trial, "filtered_resps": f"Score: {truth}"})
    write_lines(tmp_path / "1_samples_pairbench_coco_rotate.jsonl", rows)
    [judge] = judges_of(tmp_path)
    [run] = judge.runs.values()
    [beside] = run.distributions.beside
    assert beside.title == "Somers' D given the truth"
    assert (beside.word, beside.soft, beside.less.value) == (1, 1, 0)
