import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import ndcg_score, normalized_mutual_info_score

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.intervals import mmscore_of_rows, smoothness_of_rows
from lmms_eval_tasks.pairbench.metrics import controllability, mmscore, relaxsym
from lmms_eval_tasks.pairbench.ratings import filled, under
from pairbench_ext.statistics.bootstrap import cluster_weights
from pairbench_ext.statistics.combination import clustered_interval
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.seeds import draw, generator
from tests.lmms_eval_tasks.pairbench.rated import Rated, rated_table

TRUTH = {
    ("sens", "identical"): 10, ("sens", "transformed"): 6, ("sens", "irrelevant"): 1,
    ("inv", "identical"): 10, ("inv", "transformed"): 10, ("inv", "irrelevant"): 1,
}  # fmt: skip


def ratings(judge, rows=4, orders=("fwd", "rev"), conditions=("sens", "inv"), shown=None):
    """What `judge(row, truth, order)` says of every pair."""
    return [
        Rated(row, pair, condition, order, 0, truth, judge(row, truth, order), shown)
        for row in range(rows)
        for (condition, pair), truth in TRUTH.items()
        if condition in conditions
        for order in orders
    ]


def table(judge, **options):
    return rated_table(ratings(judge, **options))


def score(table):
    """All numbers of the benchmark."""
    return BENCHMARK.score(table)


def noisy(row, truth, order):
    answers = [None, 1, 2, 5, 6, 8.5, 9, 10, truth, truth]
    return answers[draw(len(answers), 0, row, truth, order)]


NOISY = table(noisy, rows=30)


def mmscore_interval(table, **how):
    return cluster_interval(mmscore_of_rows(table).statistic, **how)


pytestmark = pytest.mark.filterwarnings("error")


NAN = math.nan


def test_scores_are_bit_identical_in_any_order():
    asked = ratings(noisy, rows=30)
    shuffled = [asked[i] for i in generator(0, "shuffle").permutation(len(asked))]
    assert repr(score(rated_table(shuffled))) == repr(score(NOISY))


@pytest.mark.parametrize("condition", ["sens", "inv"])
@pytest.mark.parametrize(
    ("statistic", "oracle"),
    [
        ("kendall", lambda x, y: kendalltau(x, y).statistic),
        ("spearman", lambda x, y: spearmanr(x, y).statistic),
        ("nmi", lambda x, y: normalized_mutual_info_score((2 * x).astype(int), y.astype(int))),
        ("ndcg", lambda x, y: ndcg_score([y], [x])),
    ],
    ids=["kendall", "spearman", "nmi", "ndcg"],
)
def test_variants_equal_their_libraries(statistic, oracle, condition):
    part = under(NOISY, condition)
    expected = oracle(filled(part), part.column("truth"))
    assert mmscore(NOISY, condition, statistic) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("statistic", ["kendall", "spearman", "nmi"])
def test_resamples_of_a_variant_are_those_of_its_ratings(statistic):
    few = ratings(noisy, rows=6)
    rows = mmscore_of_rows(rated_table(few, metric=statistic)).statistic
    assert rows.estimate() == pytest.approx(mmscore(rated_table(few), statistic=statistic))
    weights = cluster_weights(6, 20)
    for drawn, value in zip(weights, rows.resampled(weights), strict=True):
        again = [replace(r, row=f"{r.row} {copy}") for r in few for copy in range(drawn[r.row])]
        expected = mmscore(rated_table(again), statistic=statistic)
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("forward", "reverse", "eps", "expected"),
    [
        pytest.param(8.3, 7.3, 1, 1, id="decimals at eps"),
        pytest.param(5, None, 9, 0, id="one unusable"),
        pytest.param(11, 11, 0, 0, id="both out of range"),
    ],
)
def test_relaxsym_of_one_trial(forward, reverse, eps, expected):
    values = {"fwd": forward, "rev": reverse}
    trial = [Rated(0, "p", "inv", order, 0, 10, value) for order, value in values.items()]
    assert relaxsym(rated_table(trial), eps) == expected


def test_relaxsym_compares_within_a_template():
    def of(template, order, value):
        return Rated(0, "p", "inv", order, template, 10, value)

    templates = [of(0, "fwd", 2), of(0, "rev", 2), of(1, "fwd", 9), of(1, "rev", 2)]
    assert relaxsym(rated_table(templates)) == 0.5


@pytest.mark.parametrize(
    ("sens", "inv", "expected"),
    [
        pytest.param(0.5, 0.5, 1, id="equal"),
        pytest.param(0.9, 0.4, 1 - 0.5 / 0.6, id="different"),
        pytest.param(1, 0.01, 1 - 0.99 / 0.1, id="below zero"),
        pytest.param(0.5, 0, NAN, id="zero"),
        pytest.param(-0.5, -0.5, NAN, id="both negative"),
        pytest.param(0.5, -0.5, NAN, id="different signs"),
        pytest.param(NAN, 0.5, NAN, id="undefined"),
    ],
)
def test_controllability(sens, inv, expected):
    assert controllability(sens, inv) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def scipys_mmscore(seen, unseen, share):
    """MMScore where a share of rows is as `unseen`, the others as `seen`: (ratings, truths)."""
    times = [round(2000 * (1 - share)), round(2000 * share)]
    return np.mean(
        [
            kendalltau(*np.concatenate([np.tile(a, times[0]), np.tile(b, times[1])], 1)).statistic
            for a, b in zip(seen, unseen, strict=True)
        ]
    )


@pytest.mark.parametrize("rows", [2, 200])
def test_interval_of_a_perfect_judge_is_what_unseen_rows_may_make_of_it(rows):
    """The rule of three: of a share q of rows that are rated in reverse, none may be seen."""
    seen = [[truth, truth] for truth in [[10, 6, 1], [10, 10, 1]]]
    unseen = [[[1, 6, 10], [10, 6, 1]], [[10, 1, 10], [10, 10, 1]]]
    share = 1 - 0.025 ** (1 / rows)
    low, high = mmscore_interval(table(lambda row, truth, order: truth, rows=rows))
    assert low == pytest.approx(scipys_mmscore(seen, unseen, share), abs=2e-3)
    assert high == 1
    reverse = mmscore_interval(table(lambda row, truth, order: 11 - truth, rows=rows))
    assert reverse == pytest.approx((-1, -low), abs=1e-9)


def test_interval_of_smoothness_holds_where_ratings_are_random():
    """There the entropy is the largest, and that of any sample and resample is lower."""
    found = []
    for judge in range(20):
        rated = table(lambda *key, judge=judge: 1 + draw(10, judge, *key), rows=30)
        found.append(clustered_interval(smoothness_of_rows(rated)))
    assert sum([low <= math.log(10) <= high + 1e-9 for low, high in found]) >= 18
    assert max(high for _, high in found) <= math.log(10)


values = st.one_of(st.none(), st.integers(-1, 12), st.floats(-5, 15))
TRUE = {"p": 10, "q": 1}
keys = list(product(range(3), ("p", "q"), ("sens", "inv"), ("fwd", "rev"), (0, 1)))
trials = st.dictionaries(st.sampled_from(keys), st.tuples(values, st.none() | st.booleans()))


@settings(max_examples=50)
@given(trials)
def test_any_table_has_scores_in_range(contents):
    scores = score(rated_table([Rated(*key, TRUE[key[1]], *x) for key, x in contents.items()]))
    limits = {"smoothness": (0, math.log(48)), "controllability": (-math.inf, 1)}
    for name in ("mmscore", "mmscore_sens", "mmscore_inv", "ci95_low", "ci95_high"):
        limits[name] = (-1, 1)
    for name in ("relaxsym", "relaxsym0", "coverage", "closeness"):
        limits[name] = (0, 1)
    for name, (low, high) in limits.items():
        assert math.isnan(scores[name]) or low <= scores[name] <= high, name
    assert scores["ratings"] == len(contents)
    assert scores["pairs_both_orders"] <= scores["pairs"] <= scores["ratings"]
