"""Tasks for the user's own data, through the plugin's index and the harness's own evaluator."""

from pathlib import Path

import pytest
import yaml

from lmms_eval_tasks.pairbench.tasks import NAMES, VARIANTS
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness import plugin, task_files
from tests.conftest import image_rows, template_row, text_rows, write_split
from tests.judges import CannedJudge, evaluate, numbers, rate


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder as `pairbench build` makes them, with image-text pairs, too, and other folders."""

    root = tmp_path_factory.mktemp("my data")
    for split in ("rotate", "night sky"):
        write_split(root, "birds", split, image_rows(1))
    write_split(root, "wu_img_text", "a_sp", text_rows(2))
    rows = [
        template_row("birds", features=["rotate", "night sky"]),
        template_row("wu_img_text", features=["spatial"]),
    ]
    write_split(root, "templates", "train", rows)
    (root / "sheets").mkdir()
    (root / "sheets" / "birds_rotate.png").touch()
    (root / ".building").mkdir()
    return root


@pytest.fixture
def use(monkeypatch):
    def use(folder):
        monkeypatch.setenv("PAIRBENCH_DATA", str(folder))

    return use


@pytest.fixture
def manager(monkeypatch):
    """The harness's task manager with nothing but what our plugin adds to it."""

    def manager():
        from lmms_eval.tasks import TaskManager

        found = TaskManager(include_defaults=False)
        found._task_index = plugin.task_index()
        found._all_tasks = sorted(found._task_index)
        return found

    return manager


def truth(doc):
    return rate(doc["truth"])


LEAVES = ["pairbench_birds_night_sky", "pairbench_birds_rotate", "pairbench_wu_img_text_a_sp"]


def test_every_split_is_a_leaf_and_every_config_a_group(data, use):
    use(data)
    index = plugin.task_index()
    ours = {name: entry for name, entry in index.items() if name not in NAMES}
    ours = {name: entry for name, entry in ours.items() if name.startswith("pairbench")}
    groups = ("pairbench_birds", "pairbench_wu_img_text")
    variants = [variant.suffix for variant in VARIANTS]
    assert set(ours) == {f"{name}{v}" for name in (*LEAVES, *groups) for v in variants}
    assert {name for name, entry in ours.items() if entry["type"] == "group"} == {
        f"{name}{v}" for name in groups for v in variants
    }
    assert index["pairbench_custom"]["type"] == "group"
    assert yaml.safe_load(Path(index["pairbench_custom_authors"]["yaml_path"]).read_text())[
        "task"
    ] == [f"{name}_authors" for name in LEAVES]


def test_they_run(data, use, manager):
    use(data)
    results = evaluate(CannedJudge(truth), "pairbench_custom_authors", manager())
    assert set(results["samples"]) == {f"{name}_authors" for name in LEAVES}
    assert numbers(results, "pairbench_custom_authors")["mmscore"] == 1


def test_in_a_copy_of_the_hubs_data_known_tasks_stay(pairbench_data, use):
    use(pairbench_data)
    index = plugin.task_index()
    assert Path(index["pairbench_coco_rotate"]["yaml_path"]).is_relative_to(task_files.tasks_dir())
    members = yaml.safe_load(Path(index["pairbench_custom"]["yaml_path"]).read_text())["task"]
    assert len(members) == 24
    assert "pairbench_coco_rotate" in members
    assert "pairbench_wu_img_text_Controlled_Images_SP" in members


def test_what_is_called_alike_is_left_out_and_said(tmp_path, use, said):
    for config, split in (("a", "b_c"), ("a_b", "c"), ("demo", "rotate"), ("x", "r")):
        write_split(tmp_path, config, split, image_rows(1))
    use(tmp_path)
    names = {name for name in plugin.task_index() if name not in NAMES}
    assert {"pairbench_a_b_c", "pairbench_x_r"} <= names
    warnings = "".join(said)
    assert "a_b, 'c' is left out: another task is already called" in warnings
    assert "demo, 'rotate' is left out: another task is already called" in warnings


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "PAIRBENCH_DATA is not set. Make data with `pairbench build images`"),
        ("empty", "the folder PAIRBENCH_DATA=.*empty has none. Make data"),
    ],
)
def test_without_data_custom_says_what_to_do(data, message, tmp_path, use, manager):
    (tmp_path / "empty").mkdir()
    if data is not None:
        use(tmp_path / data)
    with pytest.raises(SourceError, match=message):
        evaluate(CannedJudge(truth), "pairbench_custom", manager())


def test_a_broken_folder_costs_a_warning(tmp_path, use, said):
    write_split(tmp_path, "good", "rotate", image_rows(1))
    for config in ("broken", "empty"):
        (tmp_path / config).mkdir()
    (tmp_path / "broken" / "rotate.parquet").write_bytes(b"PAR1")
    (tmp_path / "empty" / "dataset_info.json").write_text("{")
    use(tmp_path)
    assert {"pairbench_good_rotate", "pairbench_broken_rotate"} <= set(plugin.task_index())
    warnings = "".join(said)
    assert "cannot read the header of" in warnings
    assert "empty holds neither Parquet files nor folders saved by `datasets`" in warnings
