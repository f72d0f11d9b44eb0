"""Files and pictures of others through the commands: read, left out by row, or one sentence."""

import csv
import gzip
import json
import re
import zipfile

import openpyxl
import pytest
from PIL import Image

from pairbench_ext.core import foreign
from pairbench_ext.replies import parse
from tests.conftest import picture
from tests.files import pairbench, write_lines

ROWS = [
    {"id": f"q{i}", "judge_verdict": "AB"[i % 2], "human_label": "AB"[i // 2 % 2], "why": "schön"}
    for i in range(24)
]


def as_text(delimiter=","):
    lines = [delimiter.join(ROWS[0]), *(delimiter.join(row.values()) for row in ROWS)]
    return "\n".join(lines) + "\n"


def with_a_stray_cell(file):
    book = openpyxl.Workbook()
    for values in (list(ROWS[0]), *(list(row.values()) for row in ROWS)):
        book.active.append(values)
    book.active["XFD1048576"] = "x"
    book.save(file)


def with_a_long_line(file):
    lines = [json.dumps(row) for row in ROWS]
    file.write_bytes(gzip.compress("\n".join([*lines, " " * 300_000, "{}"]).encode()))


def of_inspect(file):
    samples = [
        {"id": row["id"], "output": {"completion": row["judge_verdict"]}, "target": "A"}
        for row in ROWS
    ]
    odd = [[1], "text", {"id": 5, "output": "text"}, {"id": {}, "output": [{"completion": 1}]}]
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", '{"eval": "text"}')
        for number, sample in enumerate([*samples, *odd]):
            archive.writestr(f"samples/{number:03}.json", json.dumps(sample))
        archive.writestr("samples/deep.json", '{"a":' * 5000 + "1" + "}" * 5000)


IMPORTED = {
    "windows.csv": (lambda f: f.write_bytes(as_text(";").encode("cp1252")), "read as Windows-1252"),
    "utf16.csv": (lambda f: f.write_bytes(as_text().encode("utf-16")), "24 judgments"),
    "text.xlsx": (lambda f: f.write_text(as_text(), encoding="utf-8"), "24 judgments"),
    "stray.xlsx": (with_a_stray_cell, "1 row left out, all values are to the right of the table"),
    "long.jsonl.gz": (with_a_long_line, "1 row left out, a line of more than 200,000 characters"),
    "log.eval": (of_inspect, "1 row left out, JSON nested more than 100 levels deep"),
}
REFUSED = {
    "html.xlsx": (b"<html><table></table>", "HTML or XML with the name of a spreadsheet"),
    "old.xls": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "an old or encrypted Excel file"),
    "zip.xlsx": (b"PK\3\4" + b"\0" * 600, "cannot be read"),
    "wide.csv": (b",".join([b"c"] * 20_000), "20,000 columns; at most 16,384 are read"),
    "deep.json": (b"[" * 90_000 + b"]" * 90_000, "JSON nested more than 100 levels deep"),
    "bomb.json.gz": (gzip.compress(b"0" * 3_000_000), "unpacks to more than 200 times its size"),
    "log.eval": (b"PK\3\4 and no archive", "cannot be read"),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(foreign, "LIMITS", foreign.LIMITS._replace(line=200_000, whole=1_000_000))


@pytest.mark.parametrize("name", IMPORTED)
def test_odd_files_are_read_and_odd_rows_are_left_out_and_named(name, tmp_path):
    write, said = IMPORTED[name]
    write(tmp_path / name)
    done = pairbench("import", "judgments", tmp_path / name, "--out", tmp_path / "out", status=0)
    assert said in " ".join(done.output.split())
    (samples,) = (tmp_path / "out").rglob("*.jsonl")
    assert len(samples.read_text().splitlines()) >= len(ROWS)


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_read_is_one_sentence_with_its_name(name, tmp_path):
    content, said = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    done = pairbench("import", "judgments", tmp_path / name, "--out", tmp_path / "out", status=1)
    assert re.sub(r"\s+", " ", done.output).startswith(f"error: {tmp_path / name}")
    assert said in " ".join(done.output.split())


def test_pictures_that_cannot_be_shown_are_counted_and_named_and_the_others_are_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    for number in range(len(ROWS)):
        picture(0, number, (80, 64)).save(tmp_path / f"{number}.jpg", exif=exif)
    whole = (tmp_path / "3.jpg").read_bytes()
    (tmp_path / "3.jpg").write_bytes(whole[: len(whole) // 2])
    picture(0, 4, (80, 64)).save(tmp_path / "4.jpg", "EPS")
    (tmp_path / "5.jpg").write_bytes(b"")
    rows = [{**row, "image": f"{number}.jpg"} for number, row in enumerate(ROWS)]
    with (tmp_path / "judge.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    done = pairbench("report", tmp_path / "judge.csv", "--out", tmp_path / "page.html", status=0)
    said = " ".join(done.output.split())
    assert "21 images" in said
    for name in ("3.jpg", "4.jpg", "5.jpg"):
        assert name in said


def test_a_reply_on_which_a_grammar_fails_is_unreadable_with_a_reason():
    parsed = parse("better_response", "1/2/3/4/5/" * 200, "authors")
    assert parsed.value is None
    assert parsed.reason.startswith("the reply reader failed on this reply")


def test_a_log_with_a_damaged_line_of_any_length_is_read_but_for_it(tmp_path):
    write_lines(tmp_path / "a.jsonl", [{"a": 1}])
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write("x" * 300_000)
    done = pairbench("score", "vl_rewardbench", tmp_path / "a.jsonl")
    assert done.exit_code in (1, 2)
    assert isinstance(done.exception, SystemExit)  # and no traceback
