import math

import datasets
import pytest
from PIL import Image

from lmms_eval.tasks import TaskManager
from lmms_eval.tasks.pairbench import utils

TEMPLATES = tuple(f'Template {number}:\n{{conditions}}\nRate! "data1" "data2".' for number in range(5))
CONDITIONS = {"rotate": {"variant": "Mind rotations.", "invariant": "- Ignore rotations."}}
PAIRS = [["img1", "img2"], ["img1", "img3"], ["img1", "img4"]]


@pytest.fixture
def docs(monkeypatch):
    monkeypatch.setattr(utils, "_prompts", lambda config: (TEMPLATES, CONDITIONS, PAIRS))
    table = {f"img{number}": [Image.new("RGB", (8, 8), (row, number, 0)) for row in range(4)] for number in range(1, 5)}
    features = datasets.Features(dict.fromkeys(table, datasets.Image()))
    info = datasets.DatasetInfo(config_name="coco", features=features)
    return list(utils.pairbench_process_docs(datasets.Dataset.from_dict(table, info=info, split=datasets.Split("rotate"))))


def _records(docs, rate):
    return [utils.pairbench_process_results(doc, [f"Score: {rate(doc)}\nReason: because"])["pairbench_mmscore"] for doc in docs]


def test_tasks_are_registered():
    changes = ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")
    photographs = {f"pairbench_{name}_{change}" for name in ("coco", "in100") for change in changes}
    positions = {f"pairbench_wu_ii_{subset}_sp{end}" for subset in "ab" for end in ("", *(f"_{change}" for change in changes))}
    manager = TaskManager("WARNING")
    assert photographs | positions | {"pairbench_wu_it_a", "pairbench_wu_it_b"} <= set(manager.all_subtasks)
    assert {"pairbench", "pairbench_coco", "pairbench_in100", "pairbench_wu_ii", "pairbench_wu_it"} <= set(manager.all_groups)


def test_documents(docs):
    assert len(docs) == 4 * 3 * 2 * 2
    forward, reverse = docs[:2]
    assert forward["template"] == reverse["template"] and forward["truth"] == 10
    [message] = utils.pairbench_doc_to_messages(reverse)
    assert [part["type"] for part in message["content"]] == ["text", "image", "image"]
    assert message["content"][1]["url"].getpixel((0, 0)) == (0, 2, 0)
    assert message["content"][0]["text"] == f"Template {reverse['template']}:\n- Mind rotations.\nRate!"


@pytest.mark.parametrize(
    "reply,rating",
    [("Score: 8\nReason: 2 cats", 8), ("**Score:** <8>/10", 8), ("Score: 7. No: Score: 5", 5), ("Score: 7-8", None), ("Score: 11", None), ("Score: <1-10>", None), ("Image 1 is better", None)],
)
def test_parse_rating(reply, rating):
    assert utils.parse_rating(reply) == rating


def test_a_judge_that_is_right(docs):
    records = _records(docs, lambda doc: doc["truth"])
    assert utils.pairbench_aggregate_mmscore(records) == pytest.approx(1)
    assert utils.pairbench_aggregate_controllability(records) == pytest.approx(1)
    assert utils.pairbench_aggregate_relaxsym_eps0(records) == 1
    assert utils.pairbench_aggregate_smoothness(records) == pytest.approx((math.log(3) + math.log(3) - 2 / 3 * math.log(2)) / 2)


def test_judges_that_depend_on_the_order_or_say_nothing(docs):
    records = _records(docs, lambda doc: 5 if doc["order"] == "fwd" else 6)
    assert (utils.pairbench_aggregate_relaxsym_eps1(records), utils.pairbench_aggregate_relaxsym_eps0(records)) == (1, 0)
    silent = _records(docs, lambda doc: "much")
    assert utils.pairbench_aggregate_relaxsym_eps1(silent) == utils.pairbench_aggregate_coverage(silent) == 0
    assert math.isnan(utils.pairbench_aggregate_mmscore(silent)) and math.isnan(utils.pairbench_aggregate_smoothness(silent))
