"""The pairs that differ most between the orders, and what else JSON has of both orders."""

import json

import pytest
from sklearn.metrics import normalized_mutual_info_score

from lmms_eval_tasks.pairbench.asymmetry import most_asymmetric, n_without_difference
from lmms_eval_tasks.pairbench.ratings import Rating, RatingTable
from tests.files import write_lines
from tests.judges import rate
from tests.lmms_eval_tasks.pairbench.test_scoring import document_of, invoke, plain_rows


def both(row, fwd, rev, pair="identical", **more):
    return [
        Rating(row, pair, "sens", order, 0, 10, value, **more)
        for order, value in (("fwd", fwd), ("rev", rev))
    ]


def test_the_largest_difference_is_first_and_equal_ones_keep_their_order():
    one = RatingTable([*both(2, 9, 5), *both(0, 1, 10), *both(1, 8.3, 7.3), *both(3, 4, 4)])
    other = RatingTable([*both(7, 3, 7), *both(8, None, 7), *both(9, 85, 1)])
    found = most_asymmetric({"one": one, "other": other})
    assert [(at.run, at.row, at.fwd, at.rev, at.difference) for at in found] == [
        ("one", 0, 1, 10, 9),
        ("one", 2, 9, 5, 4),
        ("other", 7, 3, 7, 4),
        ("one", 1, 8.3, 7.3, 1),
    ]
    assert most_asymmetric({"one": one}, 1) == [found[0]]
    assert (n_without_difference(one), n_without_difference(other)) == (0, 2)


def test_orders_that_were_not_shown_and_single_ones_are_not_compared():
    hidden = both(0, 1, 10, order_shown=False)
    single = both(1, 1, 10)[:1]
    assert most_asymmetric({"": RatingTable([*hidden, *single])}) == []


def judge(truth, order, row):
    if (truth, order, row) == (6, "rev", 0):
        return "I cannot say."
    return rate(max(1, truth - 3 * row)) if order == "fwd" else rate(truth)


@pytest.fixture
def samples(tmp_path):
    return write_lines(tmp_path / "mine.jsonl", plain_rows(judge, n=3))


def test_the_option_prints_a_short_table(samples):
    done = invoke(samples, "--asymmetric", "3")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    start = lines.index("pairs whose scores differ most between the orders")
    cells = [line.split() for line in lines[start + 4 : start + 7]]
    #        place, run,    row, pair,     condition, template, truth, fwd, rev, difference
    assert cells == [
        ["1", "mine", "2", "identical", "inv", "0", "10", "4", "10", "6"],
        ["2", "mine", "2", "identical", "sens", "0", "10", "4", "10", "6"],
        ["3", "mine", "2", "transformed", "inv", "0", "6", "1", "6", "5"],
    ]
    assert "2 of 18 trials asked in both orders have no usable rating in one of them" in done.output
    assert "differ most" not in invoke(samples).output


def test_json_has_the_curve_coverage_and_pairs(samples):
    made = document_of(samples)
    [run] = made["runs"]
    # Of 18 trials: 2 unusable, the 4 of truth 1 and the 4 others of row 0 alike; row 1 is off by 3.
    curve = [4 + 4, 8, 8, 8 + 4, 12, 12 + 2, 14 + 2, 16, 16, 16]
    assert [round(18 * run["relaxsym_curve"][str(eps)]) for eps in range(10)] == curve
    assert made["relaxsym_curve"] == run["relaxsym_curve"]
    assert made["coverage_by_data"]["all"] == {"coverage": pytest.approx(34 / 36), "ratings": 36}
    assert list(made["asymmetric"]) == [str(place) for place in range(1, 9)]
    assert made["asymmetric"]["1"]["difference"] == 6
    assert document_of(samples, "--asymmetric", "0").get("asymmetric") is None


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


def test_an_unknown_metric_is_refused(samples):
    done = invoke(samples, "--metric", "pearson")
    assert done.exit_code == 2
    assert "'pearson' is not one of 'kendall', 'spearman', 'nmi', 'ndcg'" in done.output


def test_the_picture_says_which_metric(samples, tmp_path):
    picture = tmp_path / "nmi.svg"
    assert invoke(samples, "--metric", "nmi", "--plot", picture).exit_code == 0
    assert "normalised mutual information" in picture.read_text()
