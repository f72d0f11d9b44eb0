"""Logs and other files that were changed at random, and command lines that nobody should type.

Each must end with numbers, or with one error that says what is wrong: never in a traceback.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from numpy.random import Generator
from typer.testing import CliRunner

from benchmarks import hostile_files, simulated_judges
from benchmarks.common import Line, say
from pairbench_ext.show.cli.main import app
from pairbench_ext.statistics.seeds import generator

_SAMPLES = 60  # of a log that is changed
_VALUES: tuple[Any, ...] = (
    None, "", 0, -1, 1e308, float("nan"), float("inf"), [], {}, "x" * 5000, True, "\0", 10**400,
    [None], {"a": 1}, "1", "\ud800", [[1]],
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
    imported = hostile_files.commands(scratch, generator(0, "files"), files, _changed)
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


def _changed(lines: list[str], rng: Generator) -> list[str]:
    """A field of one sample or of all is changed or gone, or lines are cut, doubled or mixed."""
    line = int(rng.integers(len(lines)))
    match int(rng.integers(6)):
        case 0:
            lines[line] = lines[line][: rng.integers(len(lines[line]))]
        case 1:
            at = int(rng.integers(len(lines[line])))
            odd = '\0{}[]",:\\é\x85'[rng.integers(10)]
            lines[line] = lines[line][:at] + odd + lines[line][at + 1 :]
        case 2:
            lines.insert(line, lines[rng.integers(len(lines))])
        case kind:
            samples = [json.loads(each) for each in lines]
            places = [*_places(samples[line])]
            *path, last = places[rng.integers(len(places))]
            value = _VALUES[rng.integers(len(_VALUES))]
            for sample in samples if kind == 3 else samples[line : line + 1]:
                for key in path:
                    sample = sample[key]
                if kind == 5:
                    del sample[last]
                else:
                    sample[last] = value
            lines = [json.dumps(sample) for sample in samples]
    return lines


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a sample."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else pairs:
        yield from _places(inner, (*path, key))


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


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The commands of a group and of the groups in it, with their names."""
    context = group.make_context("pairbench", [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command
