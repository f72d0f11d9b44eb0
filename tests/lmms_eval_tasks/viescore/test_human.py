import re

import pytest

from lmms_eval_tasks.viescore.human import read_human, read_task_ratings
from lmms_eval_tasks.viescore.judgments import Key
from pairbench_ext.core.left_out import LeftOut
from pairbench_ext.core.records import RecordError


def test_ratings_are_read(human):
    found = read_human(human)
    assert list(found) == [Key("task", "A"), Key("task", "B")]
    rated = found["task", "A"]
    assert rated.samples == ("a", "b", "c")
    assert rated.values.shape == (3, 3, 3)
    assert rated.values[1, :, 0].tolist() == [0.5, 0.5, 0]
    assert rated.values[2, 0].tolist() == [1, 0.5, 0.5**0.5]


def test_the_authors_file_names_are_known_too(human):
    for file in (human / "task").iterdir():
        file.rename(file.with_name(f"Some-Task_{file.name}"))
    assert len(read_human(human)) == 2


def test_raters_are_in_the_order_of_their_numbers(human):
    (human / "task/rater1.tsv").rename(human / "task/rater10.tsv")
    assert read_human(human)["task", "A"].values[1, :, 0].tolist() == [0.5, 0, 0.5]


CELLS = {
    "code": "__import__('os')",
    "python": "(1, 1)",
    "words": "[one, 0]",
    "one number": "[1]",
    "three numbers": "[1, 1, 1]",
    "outside": "[1, 2]",
    "truth value": "[true, 0]",
    "not a number": "[NaN, 0]",
    "empty": "",
    "deep": "[" * 2000,
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_bad_cell_is_named(human, cell):
    file = human / "task/rater2.tsv"
    file.write_text(file.read_text().replace("[0.5, 1]", cell))
    with pytest.raises(RecordError, match=r"rater2\.tsv, row 3 \('b'\), column 'A': expected \[SC"):
        read_human(human)


def edited(human, name, old, new):
    file = human / "task" / name
    file.write_bytes(file.read_bytes().replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("rater1.tsv", b"uid", b"id", r"rater1\.tsv: the first column must be uid, .* got 'id'"),
        ("rater1.tsv", b"\tB", b"\tA", r"image model, each once; got 'uid', 'A', 'A'"),
        ("rater1.tsv", b"\t[1, 1]\r", b"\r", r"row 2 \('a'\): 2 cells where there are 3 columns"),
        ("rater1.tsv", b"b\t", b"a\t", r"row 3 \('a'\): a uid must be given, and once"),
        ("rater3.tsv", b"b\t", b"z\t", r"rater1\.tsv and .*rater3\.tsv: only one of .* uid 'b'"),
        ("rater3.tsv", b"\tB", b"\tC", r"only one of them has the column 'B'"),
        ("rater1.tsv", b"uid", b"\xffuid", r"rater1\.tsv: not a text file in UTF-8"),
        ("rater1.tsv", b"[0, 0]", b'"[0, 0]', r"rater1\.tsv: not a table separated by tabs"),
    ],
    ids=["no uid", "double column", "short row", "double uid", "other uid", "other column",
         "not text", "quote"],
)  # fmt: skip
def test_a_bad_table_is_named(human, name, old, new, message):
    edited(human, name, old, new)
    with pytest.raises(RecordError, match=message):
        read_human(human)


def test_an_empty_file_is_named(human):
    (human / "task/rater1.tsv").write_text("\n")
    with pytest.raises(RecordError, match=r"rater1\.tsv: empty; columns uid and"):
        read_human(human)


def test_two_files_of_one_rater_are_named(human):
    (human / "task/x_rater1.tsv").write_text("uid\tA\n")
    with pytest.raises(RecordError, match=r"are both of rater 1: keep one"):
        read_human(human)


def test_a_folder_without_raters_is_named(tmp_path):
    with pytest.raises(RecordError, match=r"no <task>/rater1\.tsv"):
        read_human(tmp_path)
    with pytest.raises(RecordError, match="nowhere: no such folder of human ratings"):
        read_human(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "old", "new", "left", "message"),
    [
        ("rater2.tsv", b"[0.5, 1]", b"half", {"A": "ac", "B": "abc"}, r"column 'A': expected"),
        ("rater1.tsv", b"\t[1, 1]\r", b"\r", {"A": "bc", "B": "bc"}, "2 cells where there are 3"),
        ("rater3.tsv", b"\tB", b"\tC", {"A": "abc"}, "only one of them has the column 'B'"),
        ("rater1.tsv", b"uid", b"\xffuid", {}, "not a text file in UTF-8"),
    ],
    ids=["cell", "row", "column", "file"],
)
def test_where_a_task_is_asked_what_is_broken_costs_itself(human, name, old, new, left, message):
    whole = read_task_ratings(human / "task")
    edited(human, name, old, new)
    left_out = LeftOut()
    found = read_task_ratings(human / "task", left_out)
    assert {model: "".join(one.samples) for model, one in found.items()} == left
    assert any(re.search(message, reason) for reason in left_out)
    for model, one in found.items():
        kept = [whole[model].samples.index(sample) for sample in one.samples]
        assert one.values.tolist() == whole[model].values[kept].tolist()
    with pytest.raises(RecordError, match=message):
        read_task_ratings(human / "task")
