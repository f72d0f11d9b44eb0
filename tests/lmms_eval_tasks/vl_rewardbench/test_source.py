import json

import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK, VoteEntry, VoteTrials, docs
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.task_files import tasks_dir
from tests.conftest import preference_rows

_SAMPLED = ("k1", "k5", "k9", "authors", "demo")
_GREEDY = ("k5_greedy", "ground_truth", "critic")
SOURCES = json.loads((tasks_dir() / "vl_rewardbench" / "sources.json").read_text())


@pytest.mark.parametrize("name", SOURCES)
def test_every_entry_can_be_read(name):
    [row] = SOURCES[name]
    trials = VoteTrials(row)
    entry = trials.entry
    assert entry == VoteEntry(**row)
    assert (entry.data == "demo") == ("demo" in name)


def test_tasks_and_their_settings():
    sampled = {"do_sample": True, "temperature": 0.2, "top_p": 0.2}
    greedy = {"do_sample": False, "temperature": 0}
    rest = {"max_new_tokens": 2048, "until": []}
    assert {task.name: task.decoding.settings for task in BENCHMARK.tasks} == {
        **{f"vl_rewardbench_{k}": sampled | rest for k in _SAMPLED},
        **{f"vl_rewardbench_{k}": greedy | rest for k in (*_GREEDY, "both", "demo_both")},
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"K": 5}, "the task's entry: unknown key 'K'; known are"),
        ({"k": 0}, "'k' must be greater than or equal to 1, not 0"),
        ({"k": "5"}, "'k' must be a valid integer, not '5'"),
        ({"k": True}, "'k' must be a valid integer, not True"),
        ({"orders": "random"}, r"'orders' must be 'drawn', 'both' or 'data', not 'random'"),
        ({"rule": "notebooks"}, "unknown rule 'notebooks' of grammar 'verdict'"),
    ],
)
def test_a_wrong_entry(row, message):
    with pytest.raises(SourceError, match=message):
        len(docs([row]).trials)


def test_where_the_data_are(tmp_path, monkeypatch):
    source = VoteTrials.source
    assert source.locate() == "MMInstruction/VL-RewardBench"
    assert source.locate("me/mine") == "me/mine"
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path))
    assert source.locate() == str(tmp_path)
    assert source.locate("me/mine") == "me/mine"
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path / "gone"))
    with pytest.raises(SourceError, match=r"VL_REWARDBENCH_DATA=.*gone is not a folder"):
        source.locate()


@pytest.mark.parametrize("name", ["data/test-00000-of-00001", "data/test", "test", "test/0000"])
def test_layouts_of_a_local_copy(name, tmp_path, monkeypatch):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    preference_rows().to_parquet(tmp_path / f"{name}.parquet")
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path))
    assert len(VoteTrials({"k": 3})) == 24


def test_a_saved_dataset_dict_is_a_local_copy(tmp_path):
    import datasets

    datasets.DatasetDict({"test": preference_rows()}).save_to_disk(tmp_path / "saved")
    assert len(VoteTrials({"data": str(tmp_path / "saved")})) == 8
