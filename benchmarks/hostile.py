"""Logs and other files that were changed at random, and command lines that nobody should type.

Each must end with numbers, or with one error that says what is wrong: never in a traceback.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import typer
from numpy.random import Generator
from typer.testing import CliRunner

from benchmarks import simulated_judges
from benchmarks.common import Line, say
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
_WORDS = (
    "", "-", "--", "0", "-1", "1e999", "nan", "é" * 50, "a=b", "1,2", "empty.jsonl", "rows.jsonl",
    "noise.jsonl", "table.csv", "folder", "/nonexistent", "/dev/null", "out.png", "out.html",
    "pairbench", "vl_rewardbench_k5", "0.5", "2", "judges/sharp", "judges/first",
)  # fmt: skip


def run(scratch: Path, logs: int = 700, command_lines: int = 400, files: int = 400) -> list[Line]:
    """Try so many changed logs, odd command lines and changed files, in a folder of their own."""
    simulated_judges.write(scratch / "judges")
    _write_odd_files(scratch)
    changed = _changed_logs(scratch, generator(0, "logs"), logs)
    lines = _command_lines(generator(0, "commands"), command_lines)
    imported = _imported(scratch, generator(0, "files"), files)
    before = Path.cwd()
    os.chdir(scratch)  # where some commands write
    try:
        return [
            _tried("logs changed at random", changed),
            _tried("random command lines", lines),
            _tried("files of `import` and `correct` changed at random", imported),
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
    """A line is cut, gone or doubled, a text in it is odd, or a value in it or in all of them.

    Args:
        lines: at least one; of JSON, or of a table.
        rng: draws the change.
        delimiter: of the table's cells.
    """
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
    """Yield command lines of `import` and `correct`, each of which reads a changed file of its own.

    Args:
        scratch: a folder; `judges/sharp` in it has the logs that `correct` reads.
        rng: draws which file is changed, and how.
        n: how many.
    """
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
