"""Logs and other files that were changed at random, and command lines that nobody should type.

Each must end with numbers, or with one error that says what is wrong: never in a traceback.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.random import Generator
from PIL import Image
from typer.testing import CliRunner

from benchmarks import simulated_judges
from benchmarks.common import Line, say
from pairbench_ext.core.extras import require
from pairbench_ext.core.visual import encoded
from pairbench_ext.show.cli.main import app
from pairbench_ext.stacks.plain import batches, open_task
from pairbench_ext.stacks.vlmevalkit import dataset
from pairbench_ext.statistics.seeds import generator
from tests.files import subcommands

_SAMPLES = 60  # of a log that is changed
_TASK = "vl_rewardbench_demo_both"
_REPLY = "Overall Judgment: Answer 1 is better."
_ROWS = 40  # of a file that is changed
_VALUES: tuple[Any, ...] = (
    None, "", 0, -1, 1e308, float("nan"), float("inf"), [], {}, "x" * 5000, True, "\0", 10**400,
    [None], {"a": 1}, "1", "\ud800", [[1]],
)  # fmt: skip
_CELLS = (
    "", " ", "nan", "inf", "-1", "1e999", "9" * 400, "0", "1", "2.5", "tie", "\0", "\ufeff", "i1",
    "i999999", '"', "a,b", "a\tb", "=HYPERLINK(1)", "<script>", "x" * 200_000, "\u202e", "e\u0301",
    "[1]", "{}", "null", "../../x", "/dev/null", "\\", ":", "}", "\x85",
)  # fmt: skip
_DAMAGED = 40  # archives and spreadsheets, besides whole ones
_ODD = (
    ("empty.csv", b""),
    ("zeros.csv", b"\0" * 5000),
    ("noise.jsonl", bytes(range(256)) * 40),
    ("html.xlsx", b"<html><table></table></html>"),
    ("old.xls", b"\xd0\xcf\x11\xe0" + b"\0" * 600),
    ("cut.xlsx", b"PK\3\4" + b"\0" * 600),
    ("half.jsonl.gz", gzip.compress(b"{}\n" * 999)[:30]),
    ("no.parquet", b"PAR1" + b"\xff" * 60 + b"PAR1"),
    ("number.json", b"9" * 5000),
    ("nan.json", b'[{"id": NaN, "judge_verdict": Infinity}]'),
    ("surrogate.jsonl", b'{"id": "\\ud800", "judge_verdict": "A"}\n' * 9),
)
_WORDS = (
    "", "-", "--", "0", "-1", "1e999", "nan", "é" * 50, "a=b", "1,2", "empty.jsonl", "rows.jsonl",
    "noise.jsonl", "table.csv", "folder", "/nonexistent", "/dev/null", "out.png", "out.html",
    "pairbench", "vl_rewardbench_k5", "0.5", "2", "judges/sharp", "judges/first",
)  # fmt: skip


def run(
    scratch: Path, logs: int = 700, command_lines: int = 400, files: int = 400, every: int = 1
) -> list[Line]:
    """Try so many changed logs, odd command lines and changed files, in a folder of their own.

    Of the files and pictures of others, each `every`-th is tried.
    """
    simulated_judges.write(scratch / "judges")
    _write_odd_files(scratch)
    changed = _changed_logs(scratch, generator(0, "logs"), logs)
    foreign = islice(_foreign(scratch, generator(0, "foreign")), 0, None, every)
    shown = islice(_with_pictures(scratch, generator(0, "pictures")), 0, None, every)
    lines = _command_lines(generator(0, "commands"), command_lines)
    imported = _imported(scratch, generator(0, "files"), files)
    before = Path.cwd()
    os.chdir(scratch)  # where some commands write
    try:
        return [
            _tried("logs changed at random", changed),
            _tried("random command lines", lines),
            _tried("files of `import` and `correct` changed at random", imported),
            _tried("files of others: damaged, expanding, deep, wide, in odd encodings", foreign),
            _tried("records with damaged, turned, huge or odd pictures, in a report", shown),
        ]
    finally:
        os.chdir(before)


def _tried(what: str, commands: Iterator[Sequence[str]]) -> Line:
    ended = Counter[str]()
    for command in commands:
        done = CliRunner().invoke(app, list(command))
        traceback = done.exception and not isinstance(done.exception, SystemExit)
        if done.exit_code == 0:
            ended["a result"] += 1
        elif not traceback and "error:" in done.output.lower():
            ended["one error"] += 1
        else:
            ended["neither"] += 1
            say(f"{' '.join(command)}: {done.exception!r}")
    counts = {name: str(ended[name]) for name in ("a result", "one error", "neither")}
    return {"input": what, "tried": str(ended.total()), **counts}


def _changed_logs(scratch: Path, rng: Generator, n: int) -> Iterator[Sequence[str]]:
    logs = sorted((scratch / "judges/wordy").glob("*.jsonl"))
    for number in range(n):
        log = logs[rng.integers(len(logs))]
        lines = log.read_text(encoding="utf-8").splitlines()[:_SAMPLES]
        folder = scratch / "changed" / str(number)
        folder.mkdir(parents=True)
        text = "\n".join(_changed(lines, rng))
        (folder / log.name).write_text(text, encoding="utf-8", errors="surrogatepass")
        benchmark = "pairbench" if "pairbench" in log.name else "vl_rewardbench"
        other, page = str(scratch / "judges/sharp"), str(folder / "page.html")
        yield (
            ("score", benchmark, str(folder)),
            ("card", str(folder)),
            ("compare", str(folder), other),
            ("report", str(folder), "--out", page),
        )[rng.integers(4)]


def _write_odd_files(folder: Path) -> None:
    (folder / "folder").mkdir()
    (folder / "empty.jsonl").touch()
    (folder / "rows.jsonl").write_text('{"a": 1}\n')
    (folder / "noise.jsonl").write_bytes(generator(0, "noise").bytes(500))
    (folder / "table.csv").write_text("a,b\n1,2\n")


def _command_lines(rng: Generator, n: int) -> Iterator[Sequence[str]]:
    """Any command but those that serve pages, with some of its options, and odd values."""
    every = _commands(typer.main.get_command(app))
    commands = [(path, command) for path, command in every if path[0] != "rate"]
    for _ in range(n):
        path, command = commands[rng.integers(len(commands))]
        line = list(path)
        for parameter in command.params:
            value = _WORDS[rng.integers(len(_WORDS))]
            if parameter.param_type_name == "argument":
                line += [value] * int(rng.integers(1, 3))
            elif rng.random() < (0.8 if parameter.required else 0.25):
                line += [parameter.opts[0]] + [value] * (not getattr(parameter, "is_flag", False))
        yield line


def _commands(group: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The commands of a group and of the groups in it, with their names."""
    for name, command in subcommands(group).items():
        inner = [*_commands(command, *path, name)]
        yield from inner or [((*path, name), command)]


def _changed(lines: list[str], rng: Generator, delimiter: str = "") -> list[str]:
    """A line is cut, gone or doubled, a text in it is odd, or a value in it or in all of them."""
    number = int(rng.integers(len(lines)))
    line = lines[number]
    at, odd = int(rng.integers(len(line) + 1)), _CELLS[rng.integers(len(_CELLS))]
    match int(rng.integers(7)):
        case 0:
            lines[number] = line[:at]
        case 1:
            del lines[number]
        case 2:
            lines.insert(number, lines[rng.integers(len(lines))])
        case 3:
            lines[number] = line[:at] + odd + line[at + rng.integers(2) :]
        case kind:
            rows = [each.split(delimiter) if delimiter else json.loads(each) for each in lines]
            places = [*_places(rows[number])]
            *path, last = places[rng.integers(len(places))]
            value = odd if delimiter else _VALUES[rng.integers(len(_VALUES))]
            for row in rows if kind == 4 else rows[number : number + 1]:
                for key in path:
                    row = row[key]
                if kind == 5:
                    del row[last]
                else:
                    row[last] = value
            lines = [delimiter.join(row) if delimiter else json.dumps(row) for row in rows]
    return lines


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a row."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else pairs:
        yield from _places(inner, (*path, key))


def _imported(scratch: Path, rng: Generator, n: int) -> Iterator[Sequence[str]]:
    """Yield command lines of `import` and `correct`; each reads a changed file of its own."""
    judge = scratch / "one_judge"
    judge.mkdir()
    shutil.copy(scratch / "judges/sharp/1_samples_vl_rewardbench_both.jsonl", judge)
    files = [*_good_files()]
    for number in range(n):
        command, place, delimiter, lines = files[rng.integers(len(files))]
        folder = scratch / "files" / str(number)
        file = folder / place
        file.parent.mkdir(parents=True)
        text = "\n".join(_changed(list(lines), rng, delimiter))
        data = text.encode(errors="surrogatepass")
        if rng.integers(8) == 0:  # a text of another encoding, cut anywhere
            data = text.encode("utf-16", errors="replace")[: rng.integers(len(text) + 1)]
        file.write_bytes(data)
        named = str(folder if command == "genai-bench" else file)
        if command == "correct":
            yield (command, str(judge), "--people", named)
        else:
            yield ("import", command, named, "--out", str(folder / "out"))


def _foreign(scratch: Path, rng: Generator) -> Iterator[Sequence[str]]:
    """Yield command lines that read files of others, of which few are as their names say."""
    files = [*_packed(), *_sheets()]
    for name, content in (*_texts(), *files):
        yield _import_of(scratch, name, content)
    whole = [(name, content) for name, content in files if len(content) < 1 << 17]
    for number in range(_DAMAGED):
        name, content = whole[number % len(whole)]
        yield _import_of(scratch, f"{number}-{name}", _damaged(content, rng))


def _import_of(scratch: Path, name: str, content: bytes) -> Sequence[str]:
    file = scratch / "foreign" / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    return ("import", "judgments", str(file), "--out", f"{file}.out")


def _rows_of_judgments() -> list[dict[str, str]]:
    return [
        {"id": f"q{n}", "judge_verdict": "AB"[n % 2], "human_label": "AB"[n // 2 % 2], "note": "é"}
        for n in range(_ROWS)
    ]


def _texts() -> Iterator[tuple[str, bytes]]:
    rows = _rows_of_judgments()
    table = [list(rows[0]), *(list(row.values()) for row in rows)]
    for delimiter, of in ((",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")):
        text = "\n".join(_lines(table, delimiter)) + "\n"
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "cp437"):
            yield f"{of}-{encoding}.csv", text.encode(encoding)
        yield f"{of}-called.xlsx", text.encode()
        yield f"{of}-called.xls", text.encode("utf-16")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for encoding in ("utf-8", "utf-16", "cp1252"):
        yield f"rows-{encoding}.jsonl", lines.encode(encoding)
    yield "damaged.jsonl", lines.encode().replace("é".encode(), b"\xc3", 1)
    yield "long.jsonl", lines.encode() + b'{"id": "' + b"x" * 70_000_000
    yield "open-quote.csv", b'id,judge_verdict\nq1,"A\n' + b"q,B\n" * 100_000
    yield "wide.csv", b",".join(b"c%d" % n for n in range(100_000)) + b"\n"
    yield "wide.jsonl", json.dumps({f"c{n}": n for n in range(100_000)}).encode()
    for depth in (90, 110, 990, 100_000):
        yield f"deep-{depth}.json", b"[" * depth + b"]" * depth
        yield f"deep-{depth}.jsonl", b'{"a":' * depth + b"1" + b"}" * depth
    yield from _ODD


def _packed() -> Iterator[tuple[str, bytes]]:
    rows = _rows_of_judgments()
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    yield "rows.jsonl.gz", gzip.compress(lines)
    blanks, ones = gzip.compress(b" " * 1_000_000), gzip.compress(b"1," * 500_000)
    yield "blanks.jsonl.gz", gzip.compress(lines) + 600 * blanks  # one member after another
    yield "one.json.gz", gzip.compress(b"[") + 600 * ones + gzip.compress(b"1]")
    for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        for header in ("{}", "[]", "5", '{"eval": [1]}', "[" * 5000):
            samples = [{"id": row["id"], "output": {"completion": "A"}} for row in rows]
            odd = ({"id": 1, "output": "A"}, [1], "A", None, {"output": {"completion": [1]}})
            content = BytesIO()
            with zipfile.ZipFile(content, "w", how) as archive:
                archive.writestr("header.json", header)
                for number, sample in enumerate([*samples, *odd]):
                    archive.writestr(f"samples/{number}.json", json.dumps(sample))
            yield f"log-{how}-{len(header)}.eval", content.getvalue()


def _sheets() -> Iterator[tuple[str, bytes]]:
    openpyxl = require("openpyxl", "a spreadsheet")
    rows = _rows_of_judgments()
    for name, at in (("plain", ""), ("stray", "XFD1048576"), ("beside", "Z3"), ("below", "A90000")):
        book = openpyxl.Workbook()
        for values in (list(rows[0]), *(list(row.values()) for row in rows)):
            book.active.append(values)
        if at:
            book.active[at] = "x"
        book.create_sheet("empty")
        content = BytesIO()
        book.save(content)
        yield f"{name}.xlsx", content.getvalue()


def _damaged(content: bytes, rng: Generator) -> bytes:
    """Content with some bytes changed, half of the time cut off."""
    changed = bytearray(content)
    for place in rng.integers(len(changed), size=rng.integers(1, 30)):
        changed[place] = int(rng.integers(256))
    return bytes(changed[: rng.integers(len(changed))] if rng.random() < 0.5 else changed)


def _with_pictures(scratch: Path, rng: Generator) -> Iterator[Sequence[str]]:
    """Yield reports of records whose pictures are damaged, turned, huge, or of another kind."""
    noise = Image.fromarray(rng.integers(256, size=(64, 80, 3), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6
    folder = scratch / "pictures"
    folder.mkdir()
    names = []
    for kind in ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "EPS", "ICO", "PPM", "PCX", "TGA"):
        turned = {"exif": exif} if kind in ("PNG", "JPEG", "WEBP", "TIFF") else {}
        whole = encoded(noise, kind, **turned)
        for number, content in enumerate((whole, whole[: len(whole) // 2], _damaged(whole, rng))):
            names.append(f"{kind}{number}.png")
            (folder / names[-1]).write_bytes(content)
    for name, content in (("empty", b""), ("text", b"<svg onload=alert(1)>"), ("zip", b"PK\3\4")):
        names.append(f"{name}.png")
        (folder / names[-1]).write_bytes(content)
    for mode, size in (
        ("1", (20_000, 20_000)),
        ("L", (1, 60_000)),
        ("I;16", (90, 80)),
        ("P", (9, 9)),
    ):
        names.append(f"{size[0]}x{size[1]}.png")
        Image.new(mode, size).save(folder / names[-1])
    rows = [{**r, "image": names[n % len(names)]} for n, r in enumerate(_rows_of_judgments() * 2)]
    for number, row in enumerate(rows):
        row["id"] = f"q{number}"
        if number < len(names):
            lines = "".join(json.dumps({**row, "id": f"i{k}"}) + "\n" for k in range(24))
            (folder / f"{number}.jsonl").write_text(lines)
            page = folder / f"{number}.html"
            yield ("report", str(folder / f"{number}.jsonl"), "--out", str(page))
    every = folder / "all.jsonl"
    every.write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield ("report", str(every), "--out", str(folder / "all.html"))


def _good_files() -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield the command that reads a file, its place, the delimiter of a table, and its lines."""
    task = open_task(_TASK)
    asked = [request["custom_id"] for request in batches.requests(task, "model")][:_ROWS]
    body = {"choices": [{"message": {"content": _REPLY}, "finish_reason": "stop"}]}
    answer = {"response": {"status_code": 200, "body": body}, "error": None}
    lines = [json.dumps({"custom_id": name, **answer}) for name in asked]
    yield "batch", "results.jsonl", "", lines
    recorded = {"prompt": "a cat", "response": "[[A>B]]", "human_vote": "leftvote"}
    lines = [json.dumps({"idx": number, **recorded}) for number in range(_ROWS)]
    yield "genai-bench", "results/image_generation/judge/pairwise.jsonl", "", lines
    rows = [[row["index"], "a question", _REPLY] for row in dataset.rows(task)[:_ROWS]]
    table = _lines([["index", "question", "prediction"], *rows], "\t")
    yield "judgments", f"model_{_TASK}.tsv", "\t", table
    rows = [[f"i{number}", str(number % 2), "0.2"] for number in range(_ROWS)]
    yield "correct", "labels.csv", ",", _lines([["item", "label", "probability"], *rows], ",")


def _lines(rows: Sequence[Sequence[str]], delimiter: str) -> list[str]:
    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().splitlines()
