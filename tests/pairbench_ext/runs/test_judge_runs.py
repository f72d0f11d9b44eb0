from pathlib import Path

import pytest

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.files import judge_runs


def made(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('{"trial": {"benchmark": "pairbench"}}\n')
    return folder


def files_of(paths):
    return {
        run.name: {task: file.name for task, file in run.files.items()} for run in judge_runs(paths)
    }


def test_a_folder_is_a_judge_at_any_depth(tmp_path):
    made(tmp_path, "a/model__x/1_samples_t1.jsonl", "a/2_samples_t2.jsonl", "b/1_samples_t1.jsonl")
    made(tmp_path, "a/results.json")
    assert files_of([tmp_path / "a", tmp_path / "b"]) == {
        "a": {"t1": "1_samples_t1.jsonl", "t2": "2_samples_t2.jsonl"},
        "b": {"t1": "1_samples_t1.jsonl"},
    }


def test_folders_that_have_a_task_in_common_are_judges(tmp_path):
    made(
        tmp_path,
        "out/a/1_samples_t.jsonl",
        "out/b/x/2_samples_t.jsonl",
        "out/b/x/2_samples_u.jsonl",
    )
    assert files_of([tmp_path / "out"]) == {
        "a": {"t": "1_samples_t.jsonl"},
        "x": {"t": "2_samples_t.jsonl", "u": "2_samples_u.jsonl"},
    }


def test_two_files_of_a_task_are_two_judges(tmp_path):
    made(tmp_path, "1_samples_t.jsonl", "2_samples_t.jsonl")
    assert files_of(sorted(tmp_path.iterdir())) == {
        "1_samples_t": {"t": "1_samples_t.jsonl"},
        "2_samples_t": {"t": "2_samples_t.jsonl"},
    }


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["missing"], "no such file"),
        (["empty"], "no \\*samples_"),
        (["a", "a"], "given twice"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(tmp_path, paths, message):
    made(tmp_path, "a/1_samples_t.jsonl")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match=message):
        judge_runs([tmp_path / Path(path) for path in paths])
