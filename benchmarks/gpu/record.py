"""What was measured, kept as it comes: a run that ends early, however it ends, loses one line.

Beside the Markdown file stands a file of JSON lines with the same name and `.jsonl`. A later run of
the same model on the same device adds to it what it measures, so that a table can be made in
pieces, and ratios are to what an earlier piece has measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.common import Line, Row, say
from benchmarks.gpu.goals import goals
from benchmarks.gpu.meters import Measured
from benchmarks.gpu.order import Order
from benchmarks.gpu.processes import FAILED
from benchmarks.gpu.ranks import Agreement
from benchmarks.gpu.speed import Speed
from benchmarks.gpu.stages import Stage
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import OutputError, check_file

AGAINST = "notebook", "bare"  # sides with whose first line all speeds are compared
KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Speed, Stage, Order, Agreement, Row)
}


class Record:
    """Lines by side, on disk too if there is a file.

    Args:
        about: device, versions, model and sizes: lines of others are not mixed with these.
        markdown: file of the tables; None to keep nothing.
        describe: tables as Markdown.
        judged: whether goals are said to be met or not.

    Attributes:
        failed: sides of this run of which a line says so.

    Raises:
        OutputError: if the file is there and is not of such runs, or has no lines beside it.
    """

    def __init__(
        self,
        about: str = "",
        markdown: Path | None = None,
        describe: Callable[[list[Line], str], str] | None = None,
        *,
        judged: bool = False,
    ) -> None:
        self._about = about
        self._markdown = markdown
        self._describe = describe
        self._judged = judged
        self._sides: dict[str, list[Any]] = {}
        self._begun: set[str] = set()
        self.failed: list[str] = []
        if markdown is None:
            return
        if not markdown.parent.is_dir():
            raise OutputError(f"there is no folder {markdown.parent}")
        self._file = markdown.with_name(f"{markdown.name}.jsonl")
        if self._file.is_file() and not markdown.is_dir():
            for side, line in _read(self._file, about):
                self._sides.setdefault(side, []).append(line)
        else:
            check_file(markdown)

    def add(self, side: str, line: Any) -> None:
        """A line more; a side's first one replaces what an earlier run had of it."""
        if side not in self._begun:
            self._begun.add(side)
            self._sides[side] = []
        if getattr(line, "why", "").startswith(FAILED) and side not in self.failed:
            self.failed.append(side)
        self._sides[side].append(line)
        try:
            self._write()
        except OSError as error:  # it is printed at the end all the same
            say(str(error))

    def first(self, side: str) -> Speed | None:
        """The first speed of a side that was measured."""
        speeds = (line for line in self._sides.get(side, ()) if isinstance(line, Speed))
        return next((line for line in speeds if line.took), None)

    def lines(self) -> list[Line]:
        """All lines, table by table, with their ratios."""
        rates = [None if line is None else line.rate for line in map(self.first, AGAINST)]
        found: list[Line] = [
            replace(line, notebook=rates[0], bare=rates[1]) if isinstance(line, Speed) else line
            for lines in self._sides.values()
            for line in lines
        ]
        reached = goals(*map(self.first, ("resumable", *AGAINST, "stock")))
        found = [*(reached if self._judged else ()), *found]
        places = list(KINDS.values())
        return sorted(found, key=lambda line: places.index(type(line)))

    def _write(self) -> None:
        if self._markdown is None or self._describe is None:
            return
        kept = [
            {"about": self._about, "side": side, "kind": type(line).__name__, **asdict(line)}
            for side, lines in self._sides.items()
            for line in lines
        ]
        write_atomically(self._file, "".join(f"{json.dumps(one)}\n" for one in kept))
        write_atomically(self._markdown, self._describe(self.lines(), self._about))


def _read(file: Path, about: str) -> Iterator[tuple[str, Any]]:
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            kept = json.loads(text)
            said, side, kind = (kept.pop(name) for name in ("about", "side", "kind"))
            line = _line(KINDS[kind], kept)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutputError(
                f"{file}, line {number}: no line of this benchmark ({error!r}): name another file"
            ) from error
        if said != about:
            raise OutputError(
                f"{file} is of another run ({said}; this one would be {about}): name another file"
            )
        yield side, line


def _line(kind: type[Any], kept: Mapping[str, Any]) -> Any:
    values = {name: tuple(it) if isinstance(it, list) else it for name, it in kept.items()}
    if values.get("took") is not None:
        values["took"] = Measured(*values["took"])
    return kind(**values)
