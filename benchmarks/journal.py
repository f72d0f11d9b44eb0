"""The journal of answers: opening a large one, and what it costs to have answers on disk.

Time and memory of opening are those of a fresh process per side (`python -m benchmarks.journal SIDE
FOLDER SIZE`), from before the journal is opened until everything in it can be looked up.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import (
    Row,
    Usage,
    as_size,
    as_time,
    best_seconds,
    measure,
    quotient,
    require,
    say,
)
from pairbench_ext.resumable.journal.store import Answer, Entry, Journal
from pairbench_ext.statistics import seeds

_OPENING_TARGET = 1.0
_LINES = "answers.jsonl"
_WRITTEN_AT_ONCE = 1_000
_WORDS = ("the", "left", "image", "shows", "a", "red", "mug", "on", "wood", "Score:", "7", "café")


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        answers: in the journal that is opened.
        words: of an answer's text.
        blocks: how many are appended.
        block: answers of a block; one at a time is measured too.
        rounds: of which the best counts.
    """

    answers: int = 100_000
    words: int = 80
    blocks: int = 100
    block: int = 16
    rounds: int = 3


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for opening a journal and for appending to one."""
    root = folder / "journals"
    root.mkdir()
    try:
        return [*_opening_rows(root, size), *_appending_rows(root, size)]
    finally:
        shutil.rmtree(root)


def made_up(number: int, words: int) -> Entry:
    """An answer as a judge writes it."""
    key = f"{seeds.stable_hash(0, number):016x}" * 4
    text = " ".join(_WORDS[(number + word * word) % len(_WORDS)] for word in range(words))
    return Entry(key, "task", Answer(f"{number}: {text}", {"output_tokens": words}), doc=number)


def open_journal(path: Path) -> Callable[[str], Answer | None]:
    """Ours: keys and places in memory, answers on disk."""
    return Journal.open(path).get


def read_lines(path: Path) -> Callable[[str], Answer | None]:
    """JSON lines into a dictionary, as one writes it first."""
    answers: dict[str, Answer] = {}
    with (path / _LINES).open() as file:
        for line in file:
            row = json.loads(line)
            answers[row["key"]] = Answer(row["text"], row["tokens"])
    return answers.get


OURS, LINES, SQLITE = "journal", "JSON lines into a dictionary", "SQLite"
SIDES: dict[str, Callable[[Path], Callable[[str], Answer | None]]] = {
    OURS: open_journal,
    LINES: read_lines,
}


def _write_both(path: Path, size: Size) -> None:
    """A journal, and in the same folder its answers as JSON lines."""
    say(f"journal: {size.answers:,} answers")
    with Journal.open(path) as journal, (path / _LINES).open("w") as file:
        for first in range(0, size.answers, _WRITTEN_AT_ONCE):
            end = min(first + _WRITTEN_AT_ONCE, size.answers)
            entries = [made_up(number, size.words) for number in range(first, end)]
            journal.append(entries)
            for entry in entries:
                row = {"key": entry.key, "task": entry.task, **entry.answer._asdict()}
                file.write(json.dumps(row) + "\n")


def _child(side: str, path: Path, size: Size) -> Usage:
    lookups: list[Callable[[str], Answer | None]] = []
    usage = measure(lambda: lookups.append(SIDES[side](path)))
    for number in range(size.answers):
        entry = made_up(number, size.words)
        require(lookups[0](entry.key) == entry.answer, f"answer {number} of {side}")
    return usage


def _in_fresh_process(side: str, path: Path, size: Size) -> Usage:
    command = [sys.executable, "-m", "benchmarks.journal", side, str(path), json.dumps(size)]
    done = subprocess.run(
        command,
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return Usage(*json.loads(done.stdout))


def _opening_rows(root: Path, size: Size) -> list[Row]:
    path = root / "large"
    _write_both(path, size)
    measured: dict[str, list[Usage]] = {side: [] for side in SIDES}
    for number in range(1, size.rounds + 1):
        for side, usages in measured.items():
            say(f"opening by {side}: round {number} of {size.rounds}")
            usages.append(_in_fresh_process(side, path, size))
    # The best of each quantity: the machine's other work only ever adds.
    best = {
        side: {name: min(getattr(x, name) for x in usages) for name in ("seconds", "growth")}
        for side, usages in measured.items()
    }
    ours, lines = best[OURS], best[LINES]
    on_disk = (path / _LINES).stat().st_size
    what = f"open {size.answers:,} recorded answers ({as_size(on_disk)} of text)"
    return [
        Row(
            f"{what}: time",
            as_time(ours["seconds"]),
            f"{as_time(lines['seconds'])}, {LINES}",
            quotient(lines["seconds"], ours["seconds"]),
            f"below {_OPENING_TARGET:g} s",
            ours["seconds"] < _OPENING_TARGET,
        ),
        Row(
            f"{what}: memory",
            as_size(ours["growth"]),
            f"{as_size(lines['growth'])}, {LINES}",
            quotient(lines["growth"], ours["growth"]),
        ),
    ]


def _appending_rows(root: Path, size: Size) -> list[Row]:
    rows = []
    for block in (size.block, 1):
        numbers = iter(range(size.answers, 10**9))

        def entries(block: int = block, numbers: Iterator[int] = numbers) -> list[Entry]:
            return [made_up(number, size.words) for number in islice(numbers, block)]

        with Journal.open(root / f"by {block}") as journal, _database(root, block) as database:
            rows.append(_appending_row(journal, database, entries, block, size))
    return rows


def _appending_row(
    journal: Journal,
    database: sqlite3.Connection,
    entries: Callable[[], list[Entry]],
    block: int,
    size: Size,
) -> Row:
    prepared = [[entries() for _ in range(size.blocks)] for _ in range(2 * size.rounds)]

    def append() -> None:
        for one in prepared.pop():
            journal.append(one)

    def insert() -> None:
        for one in prepared.pop():
            with database:
                rows = [(x.key, x.task, x.answer.text, json.dumps(x.answer.tokens)) for x in one]
                database.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)

    best = best_seconds(f"appending by {block}", {OURS: append, SQLITE: insert}, size.rounds)
    recorded = database.execute("SELECT count(*) FROM answers").fetchone()[0]
    require(len(journal) == recorded == size.rounds * size.blocks * block, "what was recorded")
    per_answer = {side: seconds / (size.blocks * block) for side, seconds in best.items()}
    return Row(
        f"answers brought to disk by {block}, per answer",
        as_time(per_answer[OURS]),
        f"{as_time(per_answer[SQLITE])}, {SQLITE}",
        quotient(per_answer[SQLITE], per_answer[OURS]),
    )


@contextmanager
def _database(root: Path, block: int) -> Iterator[sqlite3.Connection]:
    """SQLite with a write-ahead log, a transaction on disk when it is committed."""
    database = sqlite3.connect(root / f"by {block}.sqlite")
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE answers (key TEXT PRIMARY KEY, task, text, tokens)")
        yield database
    finally:
        database.close()


if __name__ == "__main__":
    print(json.dumps(_child(sys.argv[1], Path(sys.argv[2]), Size(*json.loads(sys.argv[3])))))
