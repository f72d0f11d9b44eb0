import math

import datasets
import pytest
from PIL import Image

from lmms_eval.tasks import TaskManager
from lmms_eval.tasks.pairbench import utils

TEMPLATES = tuple(f'Template {number}:\n{{conditions}}\nRate! "data1" "data2".' for number in range(5))
CONDITIONS = {"rotate": {"variant": "Mind rotations.", "invariant": "- Ignore rotations."}}
PAIRS = [["img1", "img2"], ["img1", "img3"], ["img1", "img4"]]


def _dataset(split, columns=4):
    table = {f"img{number}": [Image.new("RGB", (8, 8), (row, number, 0)) for row in range(4)] for number in range(1, columns + 1)}
    features = datasets.Features(dict.fromkeys(table, datasets.Image()))
    info = datasets.DatasetInfo(config_name="coco", features=features)
    return datasets.Dataset.from_dict(table, info=info, split=datasets.Split(split))


@pytest.fixture
def prompts(monkeypatch):
    monkeypatch.setattr(utils, "_prompts", lambda config: (TEMPLATES, CONDITIONS, PAIRS))


@pytest.fixture
def docs(prompts):
    return list(utils.pairbench_process_docs(_dataset("rotate")))


def _records(docs, rate):
    return [utils.pairbench_process_results(doc, [f"Score: {rate(doc)}\nReason: because"])["pairbench_coverage"] for doc in docs]


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


@pytest.mark.parametrize("split,columns,error", [("elastic", 4, "elastic"), ("train", 4, "its changes are \\[\\]"), ("rotate", 3, "img4")])
def test_data_that_do_not_fit_the_templates_are_named(prompts, split, columns, error):
    with pytest.raises(ValueError, match=error):
        utils.pairbench_process_docs(_dataset(split, columns))


def test_a_config_without_templates_is_named(monkeypatch):
    templates = datasets.Dataset.from_list([{"config": "coco", "query_templates": "{}"}])
    monkeypatch.setattr(datasets, "load_dataset", lambda *given: datasets.DatasetDict(train=templates))
    with pytest.raises(ValueError, match='"in100"'):
        utils._prompts("in100")


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
    assert {record["score"] for record in records} == {1} and {record["score"] for record in silent} == {0}
    assert utils.pairbench_aggregate_relaxsym_eps1(silent) == utils.pairbench_aggregate_coverage(silent) == 0
    assert math.isnan(utils.pairbench_aggregate_mmscore(silent)) and math.isnan(utils.pairbench_aggregate_smoothness(silent))


def test_a_group_leaves_out_tasks_where_a_number_is_undefined():
    assert utils.pairbench_aggregate_group([0.2, math.nan, 0.4], [1, 1, 1], False) == pytest.approx(0.3)
    assert math.isnan(utils.pairbench_aggregate_group([math.nan], [1], False))
