"""The columns of the ranked table: headlines, and the questions of the card.

A cell of a question has the worst number of what it stands for, and how sure that is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from pairbench_ext.core.decimals import decimal
from pairbench_ext.runs.card.lines import QUESTIONS, CardLine
from pairbench_ext.runs.card.model import Aspect
from pairbench_ext.statistics.bootstrap import Interval

Mark: TypeAlias = Literal["", "defect", "not enough data", "best"]
_NOTHING = Interval(math.nan, math.nan)


class Defect(NamedTuple):
    """A defect of one judge.

    Attributes:
        name: of the flag, in words.
        aspect: that it is of.
        line: of the card, that with the flag which is least likely by chance.
        only: of several tasks, the one with the defect; empty where several have it.
    """

    name: str
    aspect: Aspect
    line: CardLine
    only: str

    @property
    def words(self) -> str:
        """The defect, with its number: "first position (order .68, .63 to .72; fair .50)"."""
        line = self.line
        ends = "" if math.isnan(line.low) else f", {short(line.low)} to {short(line.high)}"
        fair = "" if math.isnan(line.fair) else f"; fair {short(line.fair)}"
        where = f" in {self.only}" if self.only else ""
        return f"{self.name}{where} ({self.aspect} {short(line.value)}{ends}{fair})"


@dataclass(frozen=True)
class Cell:
    """A number of one judge.

    Attributes:
        value: a headline, or of an aspect the worst number; NaN where not measured.
        ci95: its 95% interval; NaN, NaN where there is none.
        mark: at most one: "defect" (a test of the card raised it), "not enough data" (no interval,
            that of a share is over half of the scale, or a bias that matters would not have been
            found), "best" (significantly better than every other judge).
        defects: those of the aspect.
        source: which test it is of, and in which task.
        more: how many more items would tell, where there is not enough data; NaN if unknown.
    """

    value: float = math.nan
    ci95: Interval = _NOTHING
    mark: Mark = ""
    defects: tuple[Defect, ...] = ()
    source: str = ""
    more: float = math.nan


class Column(NamedTuple):
    """A headline or an aspect.

    Attributes:
        name: of the task or group, or of the aspect.
        title: of its number.
        cells: of all judges.
        fair: the number of a judge without the bias; NaN where more is better.
        benchmark: the title of a headline's benchmark.
        parts: the names of the headlines whose mean it is; empty where it is one.
    """

    name: str
    title: str
    cells: Mapping[str, Cell]
    fair: float = math.nan
    benchmark: str = ""
    parts: tuple[str, ...] = ()

    @property
    def unclear(self) -> bool:
        """Whether there is not enough data on any of several judges: no cell is marked for it."""
        marks = [cell.mark for cell in self.cells.values() if not math.isnan(cell.value)]
        return len(marks) > 1 and {*marks} == {"not enough data"}

    @property
    def needed(self) -> float:
        """How many more items would tell, by the judge that needs most; NaN if that is unknown."""
        unclear = (cell for cell in self.cells.values() if cell.mark == "not enough data")
        return max((cell.more for cell in unclear if not math.isnan(cell.more)), default=math.nan)

    @property
    def marked(self) -> bool:
        """Whether a judge has a defect there, or there is not enough data on one."""
        return any(cell.mark in ("defect", "not enough data") for cell in self.cells.values())


def columns_of(
    aspect: Aspect, judges: Sequence[str], cards: Mapping[str, Sequence[CardLine]]
) -> Iterator[Column]:
    """The columns of an aspect that was measured: one of abilities, one of each test of a bias.

    A cell has the worst number of its judge, of each test in all of its tasks together.
    """
    known = {j: [x for x in cards[j] if x.aspect == aspect and x.task] for j in judges}
    tested = {line.title for of_judge in known.values() for line in of_judge if line.null}
    sources_of = {judge: _sources(of_judge, tested) for judge, of_judge in known.items()}
    if all(math.isnan(line.value) for of_judge in sources_of.values() for line in of_judge):
        return
    every = [line for of_judge in sources_of.values() for line in of_judge]
    every.sort(key=lambda line: line.kind == "mean")  # choices before ratings
    apart = dict.fromkeys(line.title for line in every if not math.isnan(line.span))
    together = {line.title for line in every} - {*apart}
    sources = [{title} for title in apart] + ([together] if together else [])
    for titles in sources:
        lines = {j: [line for line in sources_of[j] if line.title in titles] for j in judges}
        shown = [line for of_judge in lines.values() for line in of_judge]
        kind = "ratings" if shown[0].kind == "mean" else "choices"
        name = aspect if titles == sources[0] else f"{aspect} of {kind}"
        yield _column(name, QUESTIONS[aspect], lines)


def _column(name: str, question: str, lines: Mapping[str, Sequence[CardLine]]) -> Column:
    """Of each judge the worst line; biases as distances, if they have not all one fair value."""
    every = [line for of_judge in lines.values() for line in of_judge]
    if len({round(line.fair, 2) for line in every if not math.isnan(line.span)}) > 1:
        lines = {judge: list(map(_standardised, of_judge)) for judge, of_judge in lines.items()}
    cells = {
        judge: _cell(min(of_judge, key=_rank), of_judge) if of_judge else Cell()
        for judge, of_judge in lines.items()
    }
    titles = {line.title for line in every}
    shown = (line for of_judge in lines.values() for line in of_judge if not math.isnan(line.fair))
    fair = {round(line.fair, 2) for line in shown}
    title = titles.pop() if len(titles) == 1 else f"{question}: the worst of its tests"
    return Column(name, title, cells, fair.pop() if len(fair) == 1 else math.nan)


def _sources(lines: Sequence[CardLine], tested: Collection[str]) -> list[CardLine]:
    """The lines with a defect, and of each test, or else number, that of most tasks.

    Numbers that are not tested count where no judge has a test.
    """
    first: dict[str, CardLine] = {}
    for line in sorted(lines, key=lambda line: (not line.null, -len(line.tasks))):
        if line.title in tested or not tested:
            first.setdefault(line.title, line)
    return [line for line in lines if line.flag or line in first.values()]


def _rank(line: CardLine) -> tuple[float, float]:
    """Sorts defects first, then what is not known, then the farthest from able or fair."""
    if line.flag:
        return 0, line.p
    if math.isnan(line.value):
        return 4, 0.0
    if not line.null or line.control:
        return 3, line.value
    return (1 if line.too_few or not line.measured else 2), -line.distance


def _standardised(line: CardLine) -> CardLine:
    """A bias as the distance from its fair value, 1 for a judge that always shows it."""
    if math.isnan(line.span):
        return line
    value, low, high = ((x - line.fair) / line.span for x in (line.value, line.low, line.high))
    return replace(line, value=value, low=low, high=high, fair=0.0, span=1.0)


def _cell(line: CardLine, every: Sequence[CardLine]) -> Cell:
    """The cell of a line, with all defects of the column."""
    first: dict[str, CardLine] = {}
    for flagged in sorted((x for x in every if x.flag), key=lambda x: (x.p, -len(x.tasks))):
        first.setdefault(flagged.flag, flagged)
    defects = tuple(
        Defect(flag.replace("_", " "), flagged.aspect, flagged, _only_task(flagged, every))
        for flag, flagged in first.items()
    )
    unclear = line.too_few or not line.measured
    mark: Mark = "defect" if defects else "not enough data" if unclear else ""
    return Cell(
        line.value,
        Interval(line.low, line.high),
        mark,
        defects,
        f"{line.title}, {line.task}: {line.verdict}",
        line.more,
    )


def _only_task(flagged: CardLine, every: Sequence[CardLine]) -> str:
    """The task with a flag, where several had that test and no other has it; else empty."""
    same = [line for line in every if line.title == flagged.title]
    tested = {task for line in same if line.null for task in line.tasks}
    single = {line.task for line in same if line.flag == flagged.flag and len(line.tasks) == 1}
    return single.pop() if len(single) == 1 < len(tested) else ""


def short(value: float, sign: str = "") -> str:
    """A number with two digits, and no zero before the point; its sign, too, if that is "+".

    >>> short(0.825), short(-0.1), short(1.0), short(-0.001), short(0.084, "+")
    ('.82', '-.10', '1.00', '.00', '+.08')
    """
    text = decimal(value, 2, sign)
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text
