"""Judges that vote by rule, full-size runs with the paper's accuracies, and intervals."""

import functools
import math
import re
import warnings

import numpy as np
import pytest

from lmms_eval_tasks.preference.accuracy import overall_accuracy
from lmms_eval_tasks.preference.intervals import accuracy_intervals
from lmms_eval_tasks.preference.numbers import Preferences
from lmms_eval_tasks.preference.votes import Vote, VoteTable
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, GROUPS
from lmms_eval_tasks.vl_rewardbench.published import PUBLISHED
from pairbench_ext.statistics.bootstrap import bca_interval, cluster_weights
from pairbench_ext.statistics.intervals import expanded_level
from pairbench_ext.statistics.seeds import draw, generator

NAN = math.nan
KS = (1, 3, 5, 7, 9)
NAMES = [name for number in BENCHMARK.numbers for name in number.names]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# Twelve items: source, better response, longer response.
ITEMS = [
    ("vlfeedback", 0, 0),
    ("vlfeedback", 1, 0),
    ("povid", 0, 0),
    ("povid", 1, 1),
    ("povid", 0, None),
    ("povid", 0, 0),
    ("povid", 1, 1),
    ("povid", 0, 1),
    ("mathverse", 1, 1),
    ("mathverse", 0, 1),
    ("mathverse", 1, None),
    ("mathverse", 1, 0),
]


def run(judge, k=9):
    """What `judge(item, repeat, first)` says, where `first` is the response shown first.

    The order alternates, so that of an odd number of votes on item n most have response n % 2
    first.
    """
    votes = []
    for item, (source, truth, longer) in enumerate(ITEMS):
        for repeat in range(k):
            first = (item + repeat) % 2
            order = ("fwd", "rev")[first]
            verdict = judge(item, repeat, first)
            votes.append(Vote(item, source, repeat, order, truth, verdict, longer))
    return votes


def score(votes, k=None):
    """All numbers, with intervals."""
    return BENCHMARK.score(Preferences(votes, GROUPING, k))


def values(votes, k=None):
    """All numbers, without intervals: many times as fast."""
    made = Preferences(votes, GROUPING, k)
    return {number.name: number.of(made) for number in BENCHMARK.numbers}


def table_of(votes):
    return VoteTable.from_votes(votes)


def position_of(response, first):
    return None if response is None else 1 + (response != first)


def always_first(item, repeat, first):
    return 1


def always_second(item, repeat, first):
    return 2


def longer_answer(item, repeat, first):
    return position_of(ITEMS[item][2], first)


def oracle(item, repeat, first):
    return position_of(ITEMS[item][1], first)


def at_random(item, repeat, first, seed=0):
    return 1 + draw(2, seed, item, repeat)


def unparsable(item, repeat, first):
    return None


def expect(scores, **expected):
    assert {name: scores[name] for name in expected} == pytest.approx(
        expected, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("k", KS)
def test_always_first(k):
    # Right where the better response is the item's number modulo 2: items 0, 1; 2, 3, 4; 11.
    expect(
        values(run(always_first), k),
        overall_accuracy=6 / 12,
        macro_accuracy=(2 / 2 + 3 / 6 + 1 / 4) / 3,
        general=2 / 2,
        hallucination=3 / 6,
        reasoning=1 / 4,
        overall_accuracy_strict=6 / 12,
        coverage=1,
        first_position_rate=1,
        position_consistency=NAN if k == 1 else 0,  # one vote shows one order only
        accuracy_longer_better=3 / 6,  # 0, 2, 3 of 0, 2, 3, 5, 6, 8
        accuracy_shorter_better=2 / 4,  # 1, 11 of 1, 7, 9, 11
        votes=12 * k,
        items=12,
        items_decided=12,
        items_both_orders=0 if k == 1 else 12,
    )


@pytest.mark.parametrize("k", KS)
def test_always_second(k):
    # Wrong where the judge above is right.
    expect(
        values(run(always_second), k),
        overall_accuracy=6 / 12,
        macro_accuracy=(0 / 2 + 3 / 6 + 3 / 4) / 3,
        general=0,
        hallucination=3 / 6,
        reasoning=3 / 4,
        first_position_rate=0,
        position_consistency=NAN if k == 1 else 0,
        accuracy_longer_better=3 / 6,
        accuracy_shorter_better=2 / 4,
    )


@pytest.mark.parametrize("judge", [always_first, always_second])
@pytest.mark.parametrize("k", [2, 4, 8])
def test_a_position_decides_nothing_where_the_orders_are_balanced(judge, k):
    expect(
        values(run(judge), k),
        overall_accuracy=NAN,
        macro_accuracy=NAN,
        overall_accuracy_strict=0,
        position_consistency=0,
        items_decided=0,
    )


@pytest.mark.parametrize("k", KS)
def test_longer_answer(k):
    # Items 4 and 10 have none. Right: 0; 2, 3, 5, 6; 8. Wrong: 1; 7; 9, 11.
    expect(
        values(run(longer_answer), k),
        overall_accuracy=6 / 10,
        macro_accuracy=(1 / 2 + 4 / 5 + 1 / 3) / 3,
        general=1 / 2,
        hallucination=4 / 5,
        reasoning=1 / 3,
        overall_accuracy_strict=6 / 12,
        macro_accuracy_strict=(1 / 2 + 4 / 6 + 1 / 4) / 3,
        coverage=10 / 12,
        position_consistency=NAN if k == 1 else 10 / 12,
        accuracy_longer_better=1,
        accuracy_shorter_better=0,
        items_decided=10,
    )


@pytest.mark.parametrize("k", KS)
def test_oracle(k):
    expect(
        score(run(oracle), k),
        overall_accuracy=1,
        macro_accuracy=1,
        overall_accuracy_strict=1,
        # Clopper and Pearson: all n right is as likely as 0.025 at 0.025 ** (1 / n).
        overall_ci95_low=0.025 ** (1 / 12),
        overall_ci95_high=1,
        overall_strict_ci95_low=0.025 ** (1 / 12),
        macro_ci95_low=1 - math.hypot(*(1 - 0.025 ** (1 / n) for n in (2, 6, 4))) / 3,
        macro_ci95_high=1,
        vote_accuracy=1,
        vote_ci95_low=0.025 ** (1 / 12),
        vote_ci95_high=1,
        coverage=1,
        position_consistency=NAN if k == 1 else 1,
        accuracy_longer_better=1,
        accuracy_shorter_better=1,
    )


@pytest.mark.parametrize("k", KS)
def test_unparsable(k):
    expected = dict.fromkeys(NAMES, NAN)
    for name in ("overall_accuracy", "macro_accuracy", "general", "hallucination", "reasoning"):
        expected[f"{name}_strict"] = 0
    # Judged in both orders, with a winner in neither.
    expected.update(
        overall_strict_ci95_low=0,
        overall_strict_ci95_high=1 - 0.025 ** (1 / 12),
        macro_strict_ci95_low=0,
        macro_strict_ci95_high=math.hypot(*(1 - 0.025 ** (1 / n) for n in (2, 6, 4))) / 3,
        vote_ci95_low=0,
        vote_ci95_high=1 - 0.025 ** (1 / 12),
    )
    expected.update(coverage=0, vote_accuracy=0, position_consistency=NAN if k == 1 else 0)
    expected.update(votes=12 * k, items=12, items_decided=0, items_both_orders=12 * (k > 1))
    expect(score(run(unparsable), k), **expected)


@pytest.mark.parametrize("k", KS)
def test_random_by_seed(k):
    # By hand: which response each of the first k draws names, and whether most name the better.
    right = 0
    for item, (_, truth, _) in enumerate(ITEMS):
        named = [(draw(2, 0, item, repeat) + item + repeat) % 2 for repeat in range(k)]
        right += named.count(truth) > k / 2
    scores = values(run(at_random), k)
    expect(scores, overall_accuracy=right / 12, overall_accuracy_strict=right / 12, coverage=1)
    assert repr(scores) == repr(values(run(at_random, k)))


def test_random_seeds_differ():
    other = run(functools.partial(at_random, seed=1))
    assert other != run(at_random)


def test_scores_are_bit_identical_in_any_order():
    votes = [
        Vote(item, *ITEMS[item][:1], repeat, "rev", ITEMS[item][1], at_random(item, repeat, 1))
        for item in range(12)
        for repeat in range(5)
    ]
    shuffled = [votes[i] for i in generator(0, "shuffle").permutation(len(votes))]
    assert repr(score(shuffled)) == repr(score(votes))


def test_empty():
    counts = ("votes", "items", "items_decided", "items_both_orders")
    expected = dict.fromkeys(NAMES, NAN) | dict.fromkeys(counts, 0)
    expect(score([]), **expected)


def copies(table, weights):
    """The table's votes, each item as often as its weight says."""
    return VoteTable.from_votes(
        Vote(f"{item} {copy}", table.sources[item], repeat, "fwd", 0, 1 + (winner != truth))
        for item, truth in enumerate(table.truth)
        for copy in range(weights[item])
        for repeat, winner in enumerate(table.winner[table.item == item].tolist())
    )


def test_intervals_are_those_of_resampled_items():
    table = table_of(run(at_random, k=3))
    resampled = [copies(table, weights) for weights in cluster_weights(12)]
    left_out = [copies(table, 1 - np.eye(12, dtype=int)[item]) for item in range(12)]
    expected = bca_interval(
        overall_accuracy(table),
        [overall_accuracy(t) for t in resampled],
        [overall_accuracy(t) for t in left_out],
        expanded_level(0.95, 12),
    )
    found = accuracy_intervals(table, GROUPING).overall
    assert tuple(found) == pytest.approx(tuple(expected), abs=1e-12)
    assert found.low < overall_accuracy(table) < found.high


def test_the_interval_of_macro_accuracy_is_the_bootstraps_of_its_groups():
    """Many items, so that the few bad ones that were not seen do not matter."""
    rng = np.random.default_rng(0)
    shares = {"vlfeedback": 0.5, "povid": 0.7, "mathverse": 0.4}
    right = {source: rng.random(150) < share for source, share in shares.items()}
    table = VoteTable.from_votes(
        Vote(f"{source}{k}", source, 0, "fwd", 0, 2 - int(one))
        for source, all_of_it in right.items()
        for k, one in enumerate(all_of_it)
    )
    means = [rng.choice(one, (4000, 150)).mean(axis=1) for one in right.values()]
    expected = np.quantile(np.mean(means, axis=0), [0.025, 0.975])
    assert tuple(accuracy_intervals(table, GROUPING).macro) == pytest.approx(expected, abs=0.006)


def test_intervals_need_two_items():
    one = VoteTable.from_votes([Vote(0, "povid", 0, "fwd", 0, 1)])
    assert all(
        math.isnan(end) for interval in accuracy_intervals(one, GROUPING) for end in interval
    )


def test_what_counts_as_wrong_lowers_the_interval():
    table = table_of(run(longer_answer))
    strict = accuracy_intervals(table, GROUPING, strict=True).overall
    assert strict.high < accuracy_intervals(table, GROUPING).overall.high


SIZES = {"vlfeedback": 183, "povid": 749, "mathverse": 318}  # Table 1

# How many undecided items per group, at least in total, give all five numbers of Table 2: undecided
# items leave the authors' denominator.
UNDECIDED = {
    "LLaVA-OneVision-7B-ov": (0, 2, 78),
    "InternVL2-8B": (3, 0, 28),
    "Phi-3.5-Vision": (1, 0, 166),
    "Qwen2-VL-7B": (6, 0, 40),
    "Qwen2-VL-72B": (2, 1, 30),
    "Llama-3.2-11B": (69, 5, 0),
    "Llama-3.2-90B": (0, 0, 2),
    "Molmo-7B": (0, 0, 26),
    "Molmo-72B": (0, 6, 14),
    "Pixtral-12B": (3, 0, 9),
    "NVLM-D-72B": (3, 1, 13),
    "Gemini-1.5-Flash (2024-09-24)": (1, 1, 1),
    "Gemini-1.5-Pro (2024-09-24)": (0, 0, 0),
    "Claude-3.5-Sonnet (2024-06-22)": (8, 4, 0),
    "GPT-4o-mini (2024-07-18)": (3, 3, 2),
    "GPT-4o (2024-08-06)": (8, 1, 3),
}


def table_2():
    """In percent: general, hallucination, reasoning; overall; macro; and the undecided items."""
    rows = {}
    for model, undecided in UNDECIDED.items():
        cells = [
            PUBLISHED.cells.find(model, name, table="Table 2")
            for name in (*GROUPS, "overall_accuracy", "macro_accuracy")
        ]
        *groups, overall, macro_printed = (round(100 * cell.middle, 1) for cell in cells)
        rows[model] = tuple(groups), overall, macro_printed, undecided
    return rows


TABLE_2 = table_2()
PRINTED = 0.05 + 1e-9  # half of the last printed digit
# Five votes on one item, by outcome: + for the better response, ? unusable.
VOTES = {True: ("+++++", "+-+-+", "++?+-"), False: ("-----", "-+--+"), None: ("+?-+-", "??+?-")}


@functools.cache
def simulated(model):
    """A full-size run with the model's accuracies, and the number of correct items per group.

    In a group, of the numbers of correct items that print as its accuracy, there is one that lets
    the overall accuracy print as well.
    """
    accuracies, overall, _, undecided = TABLE_2[model]
    sizes = list(SIZES.values())
    options = [
        [c for c in range(n - u + 1) if abs(100 * c / (n - u) - accuracy) <= PRINTED]
        for accuracy, n, u in zip(accuracies, sizes, undecided, strict=True)
    ]
    decided = sum(sizes) - sum(undecided)
    correct = min(
        np.stack(np.meshgrid(*options), axis=-1).reshape(-1, 3).tolist(),
        key=lambda counts: abs(100 * sum(counts) / decided - overall),
    )
    votes = []
    for source, n, c, u in zip(SIZES, sizes, correct, undecided, strict=True):
        for number in range(n):
            outcome = True if number < c else None if number < c + u else False
            votes += _votes(source, number, VOTES[outcome][number % len(VOTES[outcome])])
    return votes, correct


def _votes(source, number, marks):
    item, truth = f"{source} {number}", draw(2, 0, source, number)
    for repeat, mark in enumerate(marks):
        first = draw(2, 0, source, number, repeat)
        verdict = None if mark == "?" else position_of(truth if mark == "+" else 1 - truth, first)
        yield Vote(item, source, repeat, ("fwd", "rev")[first], truth, verdict)


@pytest.mark.parametrize("model", TABLE_2)
def test_full_size_runs_give_the_accuracies_of_table_2(model):
    accuracies, overall, macro_printed, undecided = TABLE_2[model]
    votes, correct = simulated(model)
    scores = values(votes)
    for name, accuracy in zip(("general", "hallucination", "reasoning"), accuracies, strict=True):
        assert 100 * scores[name] == pytest.approx(accuracy, abs=PRINTED)
    assert 100 * scores["macro_accuracy"] == pytest.approx(macro_printed, abs=0.1)
    assert 100 * scores["overall_accuracy"] == pytest.approx(overall, abs=PRINTED)
    assert (scores["items"], scores["votes"]) == (1250, 6250)
    assert scores["items"] - scores["items_decided"] == sum(undecided)
    assert scores["overall_accuracy_strict"] == sum(correct) / 1250


@pytest.mark.parametrize("model", TABLE_2)
def test_the_macro_column_does_not_need_the_undecided_items(model):
    accuracies, _, macro_printed, _ = TABLE_2[model]
    assert sum(accuracies) / 3 == pytest.approx(macro_printed, abs=0.1)


@pytest.mark.parametrize("model", TABLE_2)
def test_fewer_undecided_items_would_not_give_table_2(model):
    """The numbers of undecided items above are the smallest in total (the split may not be)."""
    accuracies, overall, _, undecided = TABLE_2[model]
    most = sum(undecided)
    lowest, highest = [], []
    for accuracy, size in zip(accuracies, SIZES.values(), strict=True):
        decided = size - np.arange(min(most, size))
        lowest.append(np.ceil((accuracy - PRINTED) / 100 * decided))
        highest.append(np.floor((accuracy + PRINTED) / 100 * decided))
        highest[-1][highest[-1] < lowest[-1]] = -np.inf  # no number of correct items prints so
    left_out = sum(np.ix_(*(np.arange(len(low)) for low in lowest)))
    decided = 1250 - left_out
    # The sums of correct items that are possible are all those between the smallest and largest.
    low = np.maximum(sum(np.ix_(*lowest)), np.ceil((overall - PRINTED) / 100 * decided))
    high = np.minimum(sum(np.ix_(*highest)), np.floor((overall + PRINTED) / 100 * decided))
    assert not ((low <= high) & (left_out < most)).any()


def test_the_audit_finds_as_few():
    _, findings = PUBLISHED.findings()
    said = {
        finding.cells[-1].model: re.search(r"at least (\d+) undecided", finding.text)[1]
        for finding in findings
        if finding.kind == "only if"
    }
    assert said == {model: str(sum(own)) for model, own in UNDECIDED.items() if any(own)}


def test_the_interval_of_the_accuracy_per_vote():
    for votes in (run(at_random), []):
        found = BENCHMARK.number("vote_accuracy").values(Preferences(votes, GROUPING))
        value, low, high = found.values()
        assert low < value < high if votes else all(map(math.isnan, (low, high)))


# What the group sizes alone would give, and the model's printed overall accuracy.
OVERALL_DOES_NOT_FOLLOW = {
    "LLaVA-OneVision-7B-ov": (31.3, 29.6),
    "Phi-3.5-Vision": (31.9, 28.2),
    "Qwen2-VL-7B": (29.1, 28.3),
    "Llama-3.2-11B": (42.3, 42.9),
}


@pytest.mark.parametrize("model", TABLE_2)
def test_the_overall_column_does_not_follow_from_the_group_sizes(model):
    accuracies, overall, _, undecided = TABLE_2[model]
    computed = sum(a * n for a, n in zip(accuracies, SIZES.values(), strict=True)) / 1250
    if model in OVERALL_DOES_NOT_FOLLOW:
        assert (round(computed, 1), overall) == OVERALL_DOES_NOT_FOLLOW[model]
        assert sum(undecided) > 40
    else:
        assert abs(computed - overall) <= 0.5
        assert sum(undecided) < 40
