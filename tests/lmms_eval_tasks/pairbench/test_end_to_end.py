"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import json
import math

import pytest

from lmms_eval_tasks.pairbench.promptset import built_in
from tests.conftest import image_rows, write_split
from tests.judges import CannedChatJudge, CannedJudge, evaluate, numbers, rate

NAN = math.nan
IRRELEVANT, TRANSFORMED, IDENTICAL = "irrelevant", "transformed", "identical"
SENS_TRUTH = {IDENTICAL: 10, TRANSFORMED: 6, IRRELEVANT: 1}


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


def ignores_conditions(doc):
    """The sensitive truth under both conditions."""
    return rate(SENS_TRUTH[doc["pair"]])


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
# The sensitive truth under inv: 4 ratings each of 10, 6 and 1, the same counts again.
IGNORANT_INV = 32 / math.sqrt(32 * 48)

EXPECTED = {
    truth: {
        "mmscore": 1,
        "mmscore_sens": 1,
        "mmscore_inv": 1,
        "relaxsym": 1,
        "relaxsym0": 1,
        "smoothness": (SENS_ENTROPY + INV_ENTROPY) / 2,
        "controllability": 1,
        "coverage": 1,
    },
    inverted: {
        "mmscore": -1,
        "mmscore_sens": -1,
        "mmscore_inv": -1,
        "relaxsym": 1,
        "smoothness": (SENS_ENTROPY + INV_ENTROPY) / 2,
        "controllability": NAN,
        "coverage": 1,
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
    ignores_conditions: {
        "mmscore_sens": 1,
        "mmscore_inv": IGNORANT_INV,
        "controllability": 1 - (1 - IGNORANT_INV) / math.sqrt(IGNORANT_INV),
        "relaxsym": 1,
        "smoothness": SENS_ENTROPY,
    },
}


@pytest.fixture(autouse=True)
def _data(pairbench_data, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))


@pytest.mark.parametrize("kind", [CannedJudge, CannedChatJudge])
@pytest.mark.parametrize("answer", EXPECTED, ids=lambda answer: answer.__name__)
def test_canned_judges(answer, kind, task_manager, recwarn):
    results = evaluate(kind(answer), "pairbench_coco_rotate", task_manager)
    found = numbers(results, "pairbench_coco_rotate")
    for metric, expected in EXPECTED[answer].items():
        assert found[metric] == pytest.approx(expected, abs=1e-12, nan_ok=True), metric
    assert found["pairs"] == 6
    assert found["pairs_both_orders"] == 6
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    json.dumps(results["results"])


def test_text_may_come_before_the_image_on_chat_backends(task_manager):
    judge = CannedChatJudge(order_dependent)
    found = numbers(evaluate(judge, "pairbench_wu_it_a", task_manager), "pairbench_wu_it_a")
    kinds = [[item["type"] for item in message["content"]] for [message] in judge.shown]
    assert kinds[:2] == [["text", "image", "text"], ["text", "text", "image"]]
    assert judge.shown[0][0]["content"][2]["text"] == '"A mug to the left of plate 0"'
    assert found["relaxsym"] == pytest.approx(2 / 6)
    assert found["pairs_both_orders"] == 6


def content(message):
    """Texts as they are, images by their colours."""
    return [
        item["text"] if item["type"] == "text" else ("image", *item["url"].getpixel((0, 0)))
        for item in message["content"]
    ]


def test_the_authors_variant_shows_images_then_the_whole_prompt(task_manager):
    """`"content": [image, image, text]`, and the template with its slots left in it."""
    judge = CannedChatJudge(truth)
    results = evaluate(judge, "pairbench_coco_rotate_authors", task_manager)
    assert numbers(results, "pairbench_coco_rotate_authors")["mmscore"] == 1
    for sample, [message] in zip(
        results["samples"]["pairbench_coco_rotate_authors"], judge.shown, strict=True
    ):
        trial = sample["trial"]
        kinds = [item["type"] for item in message["content"]]
        assert kinds == ["image", "image", "text"]
        prompt = message["content"][2]["text"]
        assert prompt == built_in(image_text=False).filled(
            trial["template"], ["rotate"], trial["condition"]
        )
        assert prompt.rstrip(".").endswith('"data1" "data2"')
        assert trial["asking"] == "authors"
    forward, backward = (content(message) for [message] in judge.shown[:2])
    assert forward == [backward[1], backward[0], backward[2]]


def test_simple_backends_cannot_reverse_image_and_text(task_manager):
    judge = CannedJudge(truth)
    results = evaluate(judge, "pairbench_wu_it_a", task_manager)
    found = numbers(results, "pairbench_wu_it_a")
    assert found["mmscore"] == 1
    assert math.isnan(found["relaxsym"])
    assert math.isnan(found["relaxsym0"])
    assert found["pairs_both_orders"] == 0
    prompt, image = judge.shown[0]
    assert prompt.endswith('"A mug to the left of plate 0"')
    assert image.size == (24, 16)
    assert {s["trial"]["protocol"] for s in results["samples"]["pairbench_wu_it_a"]} == {"simple"}


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


def test_all_prompts(task_manager):
    task = "pairbench_coco_rotate_all_prompts"
    judge = CannedJudge(lambda doc: inverted(doc) if doc["template"] == 4 else truth(doc))
    found = numbers(evaluate(judge, task, task_manager), task)
    assert len(judge.shown) == 120
    assert [found[f"mmscore_v{k}"] for k in range(1, 6)] == [1, 1, 1, 1, -1]
    # Mean 0.6, deviations 4 x 0.4 and 1.6: variance (4 * 0.16 + 2.56) / 4 = 0.8.
    assert found["prompt_std"] == pytest.approx(math.sqrt(0.8))
    assert found["relaxsym"] == 1


def test_logged_samples_hold_what_rescoring_needs(task_manager):
    results = evaluate(CannedJudge(order_dependent), "pairbench_coco_rotate", task_manager)
    first, sample = results["samples"]["pairbench_coco_rotate"][:2]
    assert sample["trial"] == {
        "benchmark": "pairbench",
        "row": 0,
        "pair": "identical",
        "condition": "sens",
        "order": "rev",
        "template": sample["trial"]["template"],
        "kind": "identical",
        "truth": 10,
        "first": "img2",
        "second": "img1",
        "features": ["rotate"],
        "config": "coco",
        "split": "rotate",
        "rule": "careful",
        "prompts": "built-in",
        "asking": "paper",
        "image_text": False,
        "protocol": "simple",
        "said": 7,
        "unusable": None,
        "images": sample["trial"]["images"],
        "trials": 24,
    }
    closeness = 1 - 3 / 9
    logged = {name: sample[name] for name in ("closeness", "coverage", "cluster")}
    assert logged == {"closeness": closeness, "coverage": 1, "cluster": 0}
    assert "score" in first  # the harness compares clusters: the first trial of each logs the score
    assert "score" not in sample
    assert "mmscore" not in sample
    assert len(json.dumps({**sample["trial"], **logged})) < 600
    json.dumps(sample["trial"])
