from pathlib import Path

import pytest

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.files import run_labels


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        ([], []),
        (["out/a/1_samples_k5.jsonl"], ["k5"]),
        (["out/a/1_samples_k5.jsonl", "out/b/2_samples_both.jsonl"], ["k5", "both"]),
        (
            ["a/1_samples_k5.jsonl", "b/1_samples_k5.jsonl", "a/1_samples_both.jsonl"],
            ["a/k5", "b/k5", "a/both"],
        ),
        (["a/x/1_samples_k5.jsonl", "b/x/1_samples_k5.jsonl"], ["a/x/k5", "b/x/k5"]),
        (["a/1_samples_k5.jsonl", "a/2_samples_k5.jsonl"], ["1/k5", "2/k5"]),
        (
            ["a/1_samples_k5.jsonl", "a/2_samples_k5.jsonl", "b/1_samples_k5.jsonl"],
            ["a/1/k5", "a/2/k5", "b/1/k5"],
        ),
        (["a/gpt.jsonl", "b/gpt.jsonl", "b/../c/gpt.jsonl"], ["a/gpt", "b/gpt", "c/gpt"]),
        (["gpt.jsonl", "a/gpt.jsonl"], ["run/gpt", "a/gpt"]),
    ],
    ids=["none", "one", "tasks", "models", "outputs", "dates", "both", "rows", "here"],
)
def test_every_file_has_a_name_of_its_own(paths, labels, tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    assert run_labels([Path(path) for path in paths]) == labels


@pytest.mark.parametrize("second", ["a/1_samples_k5.jsonl", "b/../a/1_samples_k5.json"])
def test_what_no_name_can_tell_apart_is_named(second):
    with pytest.raises(RecordError, match=r"1_samples_k5\.json.*: a run of that name is given"):
        run_labels([Path("a/1_samples_k5.jsonl"), Path("c/1_samples_k5.jsonl"), Path(second)])
