"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import json
import math

import pytest

from tests.conftest import image_rows, write_split
from tests.judges import CannedChatJudge, CannedJudge, evaluate, numbers, rate

NAN = math.nan


def truth(doc):
    return rate(doc["truth"])


def inverted(doc):
    return rate(11 - doc["truth"])


def gibberish(doc):
    return "The images show 2 cats."


def always_10(doc):
    return rate(10)


def order_dependent(doc):
    """The truth, but 3 points less in the reverse order (never below 1)."""
    return rate(doc["truth"] if doc["order"] == "fwd" else max(1, doc["truth"] - 3))


# Entropy in nats. sens: three scores, a third each; inv: 10 twice as often as 1.
SENS_ENTROPY = math.log(3)
INV_ENTROPY = -(2 / 3) * math.log(2 / 3) - (1 / 3) * math.log(1 / 3)
# Two rows, both orders: 4 ratings of each pair and condition, 12 ratings, 66 pairs of ratings.
# order_dependent, sens: ratings 10, 7 | 6, 3 | 1, 1 keep the truth's order, none is discordant and
# 3 * 4 * 4 = 48 are concordant. Ties: 3 * 6 = 18 in the truth; in the ratings 1 each of 10, 7, 6
# and 3 (two rows), 6 of 1, together 10: tau-b = 48 / sqrt((66 - 18) (66 - 10)).
ORDER_SENS = 48 / math.sqrt(48 * 56)
# inv: 10, 7 | 10, 7 | 1, 1. Truth: 8 tens and 4 ones, 28 + 6 = 34 ties. Ratings: 4 each of 10, 7
# and 1, 18 ties. Concordant 8 * 4 = 32: tau-b = 32 / sqrt((66 - 34) (66 - 18)).
ORDER_INV = 32 / math.sqrt(32 * 48)
ORDER_ENTROPY = (4 * (1 / 6) * math.log(6) + (1 / 3) * math.log(3) + math.log(3)) / 2

EXPECTED = {
    truth: {
        "mmscore": 1, "mmscore_sens": 1, "mmscore_inv": 1, "relaxsym": 1, "relaxsym0": 1,
        "smoothness": (SENS_ENTROPY + INV_ENTROPY) / 2,
        "controllability": 1, "coverage": 1,
    },
    gibberish: {
        "mmscore": NAN,
        "relaxsym": 0,
        "relaxsym0": 0,
        "smoothness": NAN,
        "controllability": NAN,
        "coverage": 0,
        "ci95_low": NAN,
    },
    always_10: {
        "mmscore": NAN,
        "mmscore_sens": NAN,
        "relaxsym": 1,
        "smoothness": 0,
        "controllability": NAN,
        "coverage": 1,
    },
    order_dependent: {
        "mmscore": (ORDER_SENS + ORDER_INV) / 2,
        "mmscore_sens": ORDER_SENS,
        "mmscore_inv": ORDER_INV,
        "relaxsym": 2 / 6,  # only the irrelevant pairs, rated 1 in both orders
        "smoothness": ORDER_ENTROPY,
        "controllability": 1 - abs(ORDER_SENS - ORDER_INV) / math.sqrt(ORDER_SENS * ORDER_INV),
        "coverage": 1,
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def _data(pairbench_data, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))


@pytest.mark.parametrize("answer", EXPECTED, ids=lambda answer: answer.__name__)
def test_canned_judges(answer, task_manager, recwarn):
    results = evaluate(CannedJudge(answer), "pairbench_coco_rotate", task_manager)
    found = numbers(results, "pairbench_coco_rotate")
    for metric, expected in EXPECTED[answer].items():
        assert found[metric] == pytest.approx(expected, abs=1e-12, nan_ok=True), metric
    assert found["pairs"] == 6
    assert found["pairs_both_orders"] == 6
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    json.dumps(results["results"])


@pytest.mark.parametrize(
    ("kind", "relaxsym", "pairs"), [(CannedChatJudge, 2 / 6, 6), (CannedJudge, NAN, 0)]
)
def test_text_comes_before_the_image_on_chat_backends_only(kind, relaxsym, pairs, task_manager):
    results = evaluate(kind(order_dependent), "pairbench_wu_it_a", task_manager)
    found = numbers(results, "pairbench_wu_it_a")
    assert found["relaxsym"] == pytest.approx(relaxsym, nan_ok=True)
    assert found["pairs_both_orders"] == pairs


def test_groups_are_unweighted_means_over_leaves(task_manager, tmp_path, monkeypatch):
    # Leaves of unequal size, answered right in one and inverted in the other four.
    for k, split in enumerate(("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")):
        write_split(tmp_path, "coco", split, image_rows(1 + k))
    monkeypatch.setenv("PAIRBENCH_DATA", str(tmp_path))
    judge = CannedJudge(lambda doc: truth(doc) if doc["split"] == "elastic" else inverted(doc))
    results = evaluate(judge, "pairbench_coco", task_manager)
    found = numbers(results, "pairbench_coco")
    assert found["mmscore"] == pytest.approx((1 - 4) / 5)
    assert found["controllability"] == 1  # defined in one leaf of five
    assert found["pairs"] == 3 * (1 + 2 + 3 + 4 + 5)
    assert "ci95_low,none" not in results["results"]["pairbench_coco"]
    assert results["n-samples"]["pairbench_coco_elastic"]["effective"] == 60
