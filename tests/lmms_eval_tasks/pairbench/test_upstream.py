"""The export for a checkout of the harness asks and counts what the plugin asks and counts."""

import pickle

import datasets
import pytest
from PIL import Image

from lmms_eval_tasks.pairbench.upstream import EXPORT
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.statistics.means import mean_of_defined
from tests.conftest import image_rows, picture, template_row, text_rows, write_split
from tests.upstream_checkout import imported

# Config: the plugin's leaves and the splits that they are of, in the order of the data.
LEAVES = {
    "coco": {"pairbench_coco_rotate": "rotate", "pairbench_coco_colorjitter": "colorjitter"},
    "wu_img_img": {
        "pairbench_wu_ii_b_sp": "controlled_clevr_spatial_position",
        "pairbench_wu_ii_a_sp_rotate": "Controlled_Images_spatial_position_rotate",
    },
    "wu_img_text": {"pairbench_wu_it_a": "Controlled_Images_SP"},
}
FEATURES = ("rotation", "color_jittering", "spatial_position")
REPLIES = (
    "Score: 8\nReason: alike",
    "**Score:** 3",
    "Image 1 is better.",
    "Score: 11",
    "Score: 1\nReason: Score: 9 would be too much",
    "Score: 10",
    "",
    "Score: 6.5",
)


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A repository as the hub has it: configs and splits are in its card."""
    root = tmp_path_factory.mktemp("hub")
    card = []
    for config, splits in LEAVES.items():
        for split in splits.values():
            write_split(root, config, split, _rows(config))
        card.append((config, [(split, f"{config}/{split}-*") for split in splits.values()]))
    prompts = [template_row(config, features=FEATURES, pairs=_pairs(config)) for config in LEAVES]
    for config, row in zip(LEAVES, prompts, strict=True):
        write_split(root, "templates", config, datasets.Dataset.from_list([row]))
    card.append(("templates", [(config, f"templates/{config}-*") for config in LEAVES]))
    lines = ["---", "configs:"]
    for config, files in card:
        lines += [f"- config_name: {config}", "  data_files:"]
        for split, path in files:
            lines += [f"  - split: {split}", f"    path: {path}"]
    (root / "README.md").write_text("\n".join([*lines, "---", ""]))
    return root


def _rows(config):
    if config == "wu_img_text":
        return text_rows(3)
    rows = image_rows(3)
    if config == "coco":
        return rows
    other = [picture(row, 5) for row in range(3)]  # WhatsUp has two other positions
    columns = {**{name: rows[name] for name in rows.column_names}, "img5": other}
    features = datasets.Features(dict.fromkeys(columns, datasets.Image()))
    return datasets.Dataset.from_dict({k: list(v) for k, v in columns.items()}, features=features)


def _pairs(config):
    if config != "wu_img_img":
        return None
    return [["img1", name] for name in ("img2", "img3", "img5", "img4")]


@pytest.fixture
def utils(tmp_path, hub, monkeypatch):
    with imported(EXPORT.utils, tmp_path) as module:
        monkeypatch.setattr(module, "REPOSITORY", str(hub))
        monkeypatch.setenv("PAIRBENCH_DATA", str(hub))
        yield module


def load(hub, config, utils):
    """The documents, loaded as the task file says."""
    options = EXPORT.settings["dataset_kwargs"]
    split = EXPORT.settings["test_split"]
    return utils.process_docs(datasets.load_dataset(str(hub), config, **options)[split])


@pytest.mark.parametrize("config", LEAVES)
def test_prompts_orders_and_numbers(config, hub, utils):
    docs = list(load(hub, config, utils))
    tasks = [open_task(name) for name in LEAVES[config]]
    trials = [trial for task in tasks for trial in task]
    assert len(docs) == len(trials)
    for doc, trial in zip(docs, trials, strict=True):
        scalars, request = trial.scalars, trial.request()
        for field in ("row", "pair", "condition", "order", "truth", "template", "first", "second"):
            assert doc[field] == scalars[field], field
        assert utils.doc_to_target(doc) == trial.row("")["target"]
        # The harness leaves images out of what it asks the text of.
        texts = {name: cell for name, cell in doc.items() if not isinstance(cell, dict)}
        assert utils.doc_to_text(texts) == utils.doc_to_text(doc) == request.text
        shown = [image.tobytes() for image in request.images()]
        assert [image.tobytes() for image in utils.doc_to_visual(doc)] == shown
        [message] = utils.doc_to_messages(doc)
        assert [_part(one) for one in message["content"]] == [
            part if isinstance(part, str) else part()[0].tobytes() for part in request.parts
        ]

    for first in range(0, len(REPLIES), 3):
        # In some rounds both orders of a pair get the same reply, as where no order is shown.
        replies = [REPLIES[(first + n // (1 + first % 2)) % len(REPLIES)] for n in range(len(docs))]
        pairs = zip(docs, replies, strict=True)
        given = [utils.process_results(doc, [reply]) for doc, reply in pairs]
        left, leaves = list(replies), []
        for task in tasks:
            own, left = left[: len(task)], left[len(task) :]
            leaves.append(task.score(own, "strict").numbers)
        for name in EXPORT.metrics:
            ratings = [pickle.loads(pickle.dumps(metrics[name])) for metrics in given]
            expected = mean_of_defined([numbers[name] for numbers in leaves])
            found = getattr(utils, f"aggregate_{name}")(ratings)
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def _part(part):
    return part["text"] if part["type"] == "text" else part["url"].tobytes()


def test_a_pair_of_an_unknown_kind_is_an_error(utils):
    rows = datasets.Dataset.from_dict({"img1": [0], "img9": [0]})
    with pytest.raises(ValueError, match="coco: what kind of pair is"):
        utils._pairs(rows, "coco", None)


def test_images_are_not_decoded_before_they_are_shown(hub, utils, monkeypatch):
    opened = []
    monkeypatch.setattr(Image, "open", lambda *args: opened.append(args))
    assert list(load(hub, "coco", utils))
    assert not opened
