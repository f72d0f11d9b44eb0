"""Logs and other files that were changed at random, and command lines that nobody should type.

Each must end with numbers, or with one error that says what is wrong: never in a traceback.
"""

from __future__ import annotations

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
from tests.files import subcommands

_SAMPLES = 60  # of a log that is changed
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
    imported = hostile_files.imported(scratch, generator(0, "files"), files)
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
        text = "\n".join(hostile_files.changed(lines, rng))
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
    for name, command in subcommands(group).items():  # type: ignore[no-untyped-call]
        inner = [*_commands(command, *path, name)]
        yield from inner or [((*path, name), command)]
