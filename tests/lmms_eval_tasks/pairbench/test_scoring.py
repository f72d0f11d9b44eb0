"""Scores from files: the same numbers as the run that logged them."""

import json
import math

import pytest
from sklearn.metrics import normalized_mutual_info_score

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from tests.files import pairbench, score_file, write_lines
from tests.judges import CannedChatJudge, CannedJudge, evaluate, numbers, rate, same


def invoke(*arguments, status=None):
    return pairbench("score", "pairbench", *arguments, status=status)


def scored(path, rule=None, **options):
    return score_file(BENCHMARK, path, rule=rule, options=options)


def document_of(*arguments):
    """What the command prints as JSON; undefined numbers are null."""
    done = invoke(*arguments, "--json", status=0)
    return json.loads(done.output, parse_constant=lambda name: pytest.fail(name))


def plain_rows(rate_trial, n=2):
    return [
        {"row": row, "pair": pair, "condition": condition, "order": order, "truth": truth}
        | {"response": rate_trial(truth, order, row)}
        for row in range(n)
        for pair, truth in (("identical", 10), ("transformed", 6), ("irrelevant", 1))
        for condition in ("sens", "inv")
        for order in ("fwd", "rev")
    ]


def noisy(truth, order, row):
    return rate(max(1, truth - row - (order == "rev")))


@pytest.mark.parametrize("judge", [CannedJudge, CannedChatJudge])
def test_rescoring_gives_the_numbers_of_the_run(
    judge, task_manager, pairbench_data, monkeypatch, tmp_path
):
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    task = "pairbench_wu_it_a"
    judge = judge(lambda doc: noisy(doc["truth"], doc["order"], doc["row"]))
    results = evaluate(judge, task, task_manager)
    # As the harness writes them: flattened responses, no doc.
    samples = [
        {**sample, "filtered_resps": sample["filtered_resps"][0], "doc": None, "arguments": None}
        for sample in results["samples"][task]
    ]
    run = scored(write_lines(tmp_path / f"x_samples_{task}.jsonl", samples))
    assert run.name == task
    found = numbers(results, task)
    assert len(found) >= 11
    for name, value in found.items():
        assert same(run.numbers[name], value), name


def test_the_prompt_study_of_table_8(tmp_path):
    rows = [
        {**row, "template": template}
        for template in range(5)
        for row in plain_rows(lambda t, o, _: rate(11 - t if template == 4 else t))  # noqa: B023
    ]
    document = document_of(write_lines(tmp_path / "study.jsonl", rows))
    # The numbers of the task are the means over the templates, as in Table 8.
    scores = document["runs"][0]["numbers"]
    assert scores["mmscore"] == pytest.approx(0.6)
    assert [scores[f"mmscore_v{k}"] for k in range(1, 6)] == [1, 1, 1, 1, -1]
    assert scores["prompt_std"] == pytest.approx(math.sqrt(0.8))
    assert scores["ci95_low"] < 0.6 < scores["ci95_high"]
    assert document["runs"][0]["by_template"]["5"]["mmscore"] == -1
    study = document["prompt_study"]
    assert study["mmscore"]["mean"] == pytest.approx((4 - 1) / 5)
    assert study["mmscore"]["std"] == pytest.approx(math.sqrt(0.8))
    assert study["relaxsym0"] == {"mean": 1.0, "std": 0.0}


def test_two_runs_of_one_task_are_not_mixed(tmp_path):
    paths = [tmp_path / f"{date}_samples_pairbench_coco_rotate.jsonl" for date in (1, 2)]
    write_lines(paths[0], plain_rows(noisy))
    write_lines(paths[1], plain_rows(lambda truth, order, row: rate(truth)))
    together = json.loads(invoke(*paths, "--json").output)["judges"]
    for judge, path in zip(together, reversed(paths), strict=True):  # the better one first
        alone = json.loads(invoke(path, "--json").output)
        assert together[judge]["relaxsym_curve"] == alone["relaxsym_curve"]
    assert len({json.dumps(of["relaxsym_curve"]) for of in together.values()}) == 2


def judge(truth, order, row):
    if (truth, order, row) == (6, "rev", 0):
        return "I cannot say."
    return rate(max(1, truth - 3 * row)) if order == "fwd" else rate(truth)


@pytest.fixture
def samples(tmp_path):
    return write_lines(tmp_path / "mine.jsonl", plain_rows(judge, n=3))


def test_json_has_the_curve_and_coverage(samples):
    made = document_of(samples)
    [run] = made["runs"]
    # Of 18 trials: 2 unusable, the 4 of truth 1 and the 4 others of row 0 alike; row 1 is off by 3.
    curve = [4 + 4, 8, 8, 8 + 4, 12, 12 + 2, 14 + 2, 16, 16, 16]
    assert [round(18 * run["relaxsym_curve"][str(eps)]) for eps in range(10)] == curve
    assert made["relaxsym_curve"] == run["relaxsym_curve"]
    assert made["coverage_by_data"]["all"] == {"coverage": pytest.approx(34 / 36), "ratings": 36}


def test_pairs_that_differ_most_between_the_orders(samples):
    listed = document_of(samples, "--asymmetric", "3")["asymmetric"]
    assert [pair["difference"] for pair in listed.values()] == sorted(
        (abs(pair["fwd"] - pair["rev"]) for pair in listed.values()), reverse=True
    )
    assert (len(listed), listed["1"]["difference"]) == (3, 6)
    assert not document_of(samples).get("asymmetric")


def test_metric_is_what_mmscore_is(samples):
    by_metric = {
        metric: document_of(samples, "--metric", metric)["runs"][0]
        for metric in ("kendall", "spearman", "nmi", "ndcg")
    }
    for metric, run in by_metric.items():
        for name in ("mmscore", "mmscore_sens", "mmscore_inv"):
            assert run["numbers"][name] == run["metrics"][metric][name]
    nmi = by_metric["nmi"]
    assert nmi["metrics"] == by_metric["kendall"]["metrics"]
    assert any("MMScore is normalised mutual information" in line for line in nmi["remarks"])
    assert nmi["numbers"]["ci95_low"] < nmi["numbers"]["mmscore"]
    assert by_metric["ndcg"]["numbers"]["ci95_low"] is None
    asked = [json.loads(line) for line in samples.read_text().splitlines()]
    pooled = document_of(samples, "--metric", "nmi", "--pool", "authors")["runs"][0]["numbers"]
    given = [judge(row["truth"], row["order"], row["row"]) for row in asked]
    expected = normalized_mutual_info_score(given, [row["truth"] for row in asked])
    assert pooled["mmscore"] == pytest.approx(expected)
