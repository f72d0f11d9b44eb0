"""The numbers of votes: by hand, against the paper's Table 2 and an independent bootstrap."""

import functools

import numpy as np
import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from lmms_eval_tasks.vl_rewardbench.groups import GROUPS
from lmms_eval_tasks.vl_rewardbench.published import PUBLISHED
from pairbench_ext.core.benchmark import Outcome
from pairbench_ext.statistics.seeds import draw


def vote(item, source, repeat, first, truth, place):
    """A vote in the order in which response `first` is shown first."""
    order = ("fwd", "rev")[first]
    facets = {"source": source, "tag": None}
    return Outcome(
        "chosen", item, place, truth, order=order, repeat=repeat, options=2, facets=facets
    )


def values(votes, k=None):
    table = BENCHMARK.table(votes, k=k)
    return {number.name: number.of(table) for number in BENCHMARK.numbers}


def place_of(response, first):
    return None if response is None else int(response != first)


def test_the_interval_of_macro_accuracy_is_the_bootstraps_of_its_groups():
    """Many items, so that the few bad ones that were not seen do not matter."""
    rng = np.random.default_rng(0)
    shares = {"vlfeedback": 0.5, "povid": 0.7, "mathverse": 0.4}
    right = {source: rng.random(150) < share for source, share in shares.items()}
    votes = [
        vote(f"{source}{k}", source, 0, 0, 0, int(not is_right))
        for source, of_source in right.items()
        for k, is_right in enumerate(of_source)
    ]
    means = [rng.choice(of_source, (4000, 150)).mean(axis=1) for of_source in right.values()]
    expected = np.quantile(np.mean(means, axis=0), [0.025, 0.975])
    found = BENCHMARK.number("macro_accuracy").estimator.interval(BENCHMARK.table(votes))
    assert tuple(found) == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize(
    ("source", "told"), [("mine", True), ("povid", False), ("mathverse", False), ("general", False)]
)
def test_a_source_of_no_group_is_told(source, told):
    remarks = " ".join(BENCHMARK.remarks(BENCHMARK.table([vote("a", source, 0, 0, 0, 0)])))
    assert (
        "the paper does not have these sources, so their items count as general: mine" in remarks
    ) == told


def test_ids_that_the_authors_count_elsewhere_are_told():
    """The paper's tables print "povid"; the authors' code knows "hallucination" alone."""
    items = ("povid-2", "rlaif-v_9", "RLAIF-V-3", "hallucination_pair-1", "wildvision-battle-4")
    table = BENCHMARK.table([vote(item, "vlfeedback", 0, 0, 0, 0) for item in items])
    [told] = [remark for remark in BENCHMARK.remarks(table) if "authors' code" in remark]
    assert "2 ids have the name of a source" in told
    assert "code knows: povid-2, rlaif-v_9. So these items count as vlfeedback" in told


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
            cell
            for name in (*GROUPS, "overall_accuracy", "macro_accuracy")
            for cell in PUBLISHED.cells
            if (cell.table, cell.model, cell.number) == ("Table 2", model, name)
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
        place = None if mark == "?" else place_of(truth if mark == "+" else 1 - truth, first)
        yield vote(item, source, repeat, first, truth, place)


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
