import json

import pytest

from pairbench_ext.core import registry
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.files import describe, find_samples, judge_runs, owner
from tests.files import judges_of, pairbench, write_lines

PAIRBENCH = registry.benchmarks()["pairbench"]
OLD, NEW = "20261121_090000", "20261122_080000"


def made(file, benchmark="pairbench"):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"trial": {"benchmark": benchmark}}) + "\n")
    return file


def test_samples_are_found_at_any_depth_with_and_without_a_folder_of_the_model(tmp_path):
    flat = made(tmp_path / "out" / "encoder" / f"{OLD}_samples_t.jsonl")
    deep = made(tmp_path / "out" / "qwen" / "Qwen__7B" / f"{NEW}_samples_t.jsonl")
    assert find_samples(tmp_path / "out", PAIRBENCH) == ([flat, deep], [])
    for paths in ([tmp_path / "out"], [flat.parent, deep], [flat, deep.parent]):
        assert {file for run in judge_runs(paths) for file in run.files.values()} == {flat, deep}
    with pytest.raises(RecordError, match="given twice"):
        judge_runs([flat, tmp_path / "out"])


def test_what_is_found_and_passed_over_is_said(tmp_path):
    made(tmp_path / f"{OLD}_samples_t.jsonl")
    newest = made(tmp_path / f"{NEW}_samples_t.jsonl")
    made(tmp_path / "other" / f"{NEW}_samples_c.jsonl", "cast")
    made(tmp_path / "other" / f"{NEW}_samples_a.jsonl", "judge_audit_ratings")
    made(tmp_path / ".building-x" / f"{NEW}_samples_t.jsonl")
    (tmp_path / "empty_samples_t.jsonl").touch()
    (tmp_path / f"{NEW}_samples_mme.jsonl").write_text('{"doc_id": 0, "filtered_resps": ["yes"]}')
    files, passed_over = find_samples(tmp_path, PAIRBENCH)
    assert files == [newest]
    assert {each.file.name: each.why for each in passed_over} == {
        f"{OLD}_samples_t.jsonl": f"older than {NEW}_samples_t.jsonl",
        f"{NEW}_samples_c.jsonl": "samples of cast",
        f"{NEW}_samples_a.jsonl": "samples of judge_audit",  # as `pairbench score` calls it
        f"{NEW}_samples_mme.jsonl": "samples of task mme",
        "empty_samples_t.jsonl": "no samples in it; a run that was killed leaves an empty file",
    }
    assert "skipped 1 file (samples of cast): " in "\n".join(describe(passed_over))


@pytest.mark.parametrize(
    ("files", "given", "judges"),
    [
        ("a/model__x/1_samples_t.jsonl a/2_samples_u.jsonl b/1_samples_t.jsonl", "a b",
         {"a": {"t", "u"}, "b": {"t"}}),
        ("o/a/1_samples_t.jsonl o/b/x/2_samples_t.jsonl o/b/x/2_samples_u.jsonl", "o",
         {"a": {"t"}, "x": {"t", "u"}}),
        ("1_samples_t.jsonl 2_samples_t.jsonl", "1_samples_t.jsonl 2_samples_t.jsonl",
         {"1_samples_t": {"t"}, "2_samples_t": {"t"}}),
    ],
    ids=["folders", "a folder of judges", "files"],
)  # fmt: skip
def test_which_files_are_of_one_judge(tmp_path, files, given, judges):
    for name in files.split():
        made(tmp_path / name)
    runs = judge_runs(tmp_path / name for name in given.split())
    assert {run.name: {*run.files} for run in runs} == judges


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "missing: no such file or folder"),
        ("empty", "run lmms-eval with --log_samples"),
        ("unlogged", "only results; run lmms-eval with --log_samples"),
        ("cast", r"no samples of 'pairbench' in this folder; skipped 1 file \(samples of cast\): "),
    ],
)
def test_a_folder_without_samples_says_what_is_there(tmp_path, name, message):
    for folder in ("empty", "unlogged"):
        (tmp_path / folder).mkdir()
    (tmp_path / "unlogged" / f"{NEW}_results.json").touch()
    made(tmp_path / "cast" / "1_samples_c.jsonl", "cast")
    with pytest.raises(RecordError, match=message):
        judge_runs([tmp_path / name], PAIRBENCH)


def test_plain_rows_that_two_benchmarks_have_are_not_guessed(tmp_path):
    row = {"item": "a", "source": "povid", "repeat": 0, "order": "fwd", "truth": 0}
    file = write_lines(tmp_path / "rows.jsonl", [row | {"response": "Answer 1 is better."}])
    done = pairbench("card", file, status=1)
    assert "mmrb2 and vl_rewardbench all read such rows. Name one with --benchmark" in done.stderr
    pairbench("card", file, "--benchmark", "vl_rewardbench", "--json", status=0)
    by_name = write_lines(tmp_path / "1_samples_vl_rewardbench.jsonl", [row | {"response": "2"}])
    assert judges_of(by_name)[0].runs["vl_rewardbench"].benchmark.name in by_name.name
    in_rows = write_lines(file, [row | {"response": "Answer 1 is better.", "benchmark": "mmrb2"}])
    [judge] = judges_of(in_rows)
    assert judge.runs[""].benchmark.name == "mmrb2"
    assert "is none of best_of_n, cast" in pairbench("card", file, "--benchmark", "vl").stderr


def test_a_log_that_names_its_benchmark_loads_no_other(tmp_path, monkeypatch):
    sample = {"doc_id": 0, "trial": {"benchmark": "vl_rewardbench", "item": "a"}}
    write_lines(tmp_path / "samples_t.jsonl", [sample])
    monkeypatch.setattr(registry, "every_benchmark", lambda: pytest.fail("all are loaded"))
    assert owner((), tmp_path / "samples_t.jsonl").name == "vl_rewardbench"
