"""The ranked table of judges: the best first, the headlines and the questions of the card.

What opens `pairbench compare`, the report and the card, below a sentence (`ranking_sentence`):
every judge has a row, every headline and every question that was measured a column. A cell of a
question has the worst number of what it stands for, and how sure that is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from pairbench_ext.core import registry
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.card.lines import QUESTIONS, CardLine, flags
from pairbench_ext.runs.card.model import ASPECTS, Aspect
from pairbench_ext.runs.comparisons import Comparisons, Pairs, Ranking, in_groups, points
from pairbench_ext.runs.ranking_sentence import sentences, short
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.statistics.bootstrap import Interval

#: Headlines that a table in a terminal or a figure shows.
MOST_HEADLINES = 8
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
        items: of a headline on which judges have different items, how many all were asked: the
            cells are of these alone. 0 where the cells are of all items.
    """

    name: str
    title: str
    cells: Mapping[str, Cell]
    fair: float = math.nan
    benchmark: str = ""
    parts: tuple[str, ...] = ()
    items: int = 0

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


@dataclass(frozen=True)
class RankedTable:
    """All judges in order.

    Attributes:
        groups: the judges that can be compared, by one another; of each group the best first.
        headlines: of tasks, and of groups as their mean; empty where judges are not compared.
        aspects: the questions that were measured, in the order of the card.
        missing: the aspects that were not measured of any judge.
        sentence: which judge is the best; empty where judges are not compared.
    """

    groups: tuple[tuple[str, ...], ...]
    headlines: tuple[Column, ...]
    aspects: tuple[Column, ...]
    missing: tuple[str, ...]
    sentence: str

    @property
    def judges(self) -> tuple[str, ...]:
        """All judges, group by group."""
        return tuple(judge for group in self.groups for judge in group)

    def in_order(self, judges: Iterable[Judge]) -> list[Judge]:
        """Judges in this order."""
        return sorted(judges, key=lambda judge: self.judges.index(judge.name))

    @property
    def folded(self) -> tuple[Column, ...]:
        """The headlines, with one column for each benchmark.

        Of several headlines of a benchmark it is their mean, if they are the same number and each
        judge has all of them or none. Those of different numbers are left out, unless all are.
        """
        by_benchmark: dict[str, list[Column]] = {}
        for column in self.headlines:
            by_benchmark.setdefault(column.benchmark, []).append(column)
        made = [_mean_of(parts) for parts in by_benchmark.values()]
        return tuple(column for column in made if column is not None) or self.headlines

    def shown(self, most: int) -> list[Column]:
        """So many columns: aspects with a finding, headlines, then the other aspects.

        In the order of `columns`; two headlines are always there.
        """
        marked = [column for column in self.aspects if column.marked]
        headlines = self.folded[: max(2, most - len(marked))]
        others = [column for column in self.aspects if not column.marked]
        room = max(0, most - len(marked) - len(headlines))
        return [*headlines, *(x for x in self.aspects if x in marked or x in others[:room])]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The headlines, then the aspects."""
        return (*self.headlines, *self.aspects)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The defects that all of several judges have: no cell is marked for them."""
        names = [{defect.name for defect in self._defects_of(judge)} for judge in self.judges]
        return tuple(sorted(set.intersection(*names))) if len(names) > 1 else ()

    def mark(self, column: Column, judge: str) -> Mark:
        """The mark of a cell, beside the others."""
        cell = column.cells[judge]
        shared = {defect.name for defect in cell.defects} <= {*self.shared}
        of_all = column.unclear if cell.mark == "not enough data" else shared
        return "" if of_all and cell.mark != "best" else cell.mark

    @property
    def defects(self) -> dict[str, list[Defect]]:
        """The defects that not all judges have, by judge."""
        by_judge = {
            judge: [d for d in self._defects_of(judge) if d.name not in self.shared]
            for judge in self.judges
        }
        return {judge: defects for judge, defects in by_judge.items() if defects}

    def _defects_of(self, judge: str) -> list[Defect]:
        every = (defect for column in self.aspects for defect in column.cells[judge].defects)
        return list({defect.name: defect for defect in every}.values())


def ranked_table(
    cards: Mapping[str, Sequence[CardLine]], compared: Comparisons | None = None
) -> RankedTable:
    """Rank judges by their headlines.

    Args:
        cards: the lines of each judge.
        compared: the same judges; None where they are not compared, and keep their order.
    """
    headlines = compared.headlines if compared else []
    pairs = compared.advantages if compared else {}
    groups = _in_order(cards, headlines, pairs) if headlines else [tuple(cards)]
    judges = [judge for group in groups for judge in group]
    columns = {aspect: [*columns_of(aspect, judges, cards)] for aspect in ASPECTS}
    return RankedTable(
        tuple(groups),
        tuple(_headline(ranking, judges) for ranking in headlines),
        tuple(column for of_aspect in columns.values() for column in of_aspect),
        tuple(aspect for aspect, of_aspect in columns.items() if not of_aspect),
        sentences(groups, headlines, pairs) if headlines else _why_no_order(compared),
    )


def _why_no_order(compared: Comparisons | None) -> str:
    """Why compared judges are in no order: no number that was tested has a better end."""
    numbers = dict.fromkeys(c.number for c in compared.every) if compared else {}
    if not numbers:
        return ""
    return f"Judges are not ranked by {listed(list(numbers), 3)}: neither more nor less is better."


def _in_order(
    cards: Mapping[str, Sequence[CardLine]], headlines: Sequence[Ranking], pairs: Pairs
) -> list[tuple[str, ...]]:
    """By significant differences won less lost, then fewer defects, then mean rank by headlines.

    Judges stand in groups: those of different groups have no headline in common.
    """
    won = points(pairs)

    def mean_rank(judge: str) -> float:
        ranked = [ranking for ranking in headlines if ranking.items and judge in ranking.values]
        ranks = [[*ranking.values].index(judge) for ranking in ranked]
        return sum(ranks) / len(ranks) if ranks else math.inf

    def place(judge: str) -> tuple[float, ...]:
        return -won[judge], len(flags(cards[judge])), mean_rank(judge)

    return [tuple(sorted(group, key=place)) for group in in_groups(list(cards), pairs)]


def _headline(ranking: Ranking, judges: Sequence[str]) -> Column:
    cells = {judge: Cell() for judge in judges}
    for judge, (value, ci95) in ranking.values.items():
        mark: Mark = "not enough data" if judge in ranking.unclear else ""
        mark = "best" if judge == ranking.best else mark
        cells[judge] = Cell(value, ci95, mark)
    return Column(
        ranking.task,
        ranking.title,
        cells,
        benchmark=_benchmark(ranking.task),
        items=ranking.items if ranking.own else 0,
    )


def _benchmark(task: str) -> str:
    """The title of the benchmark whose name a task's begins with; the task's own if there is none.

    >>> _benchmark("vl_rewardbench_both"), _benchmark("judge_audit_grey"), _benchmark("mine")
    ('VL-RewardBench', 'Judge audit', 'mine')
    """
    folders = [name for name in registry.folders() if task.startswith(name)]
    declared = registry.of_folder(max(folders, key=len)) if folders else ()
    return declared[0].title.partition(",")[0] if declared else task


def _mean_of(parts: Sequence[Column]) -> Column | None:
    """One column for the headlines of a benchmark; None where they have no mean."""
    first, *others = parts
    if not others:
        return first
    cells = {}
    for judge in first.cells:
        values = [value for part in parts if not math.isnan(value := part.cells[judge].value)]
        if 0 < len(values) < len(parts) or {part.title for part in parts} != {first.title}:
            return None
        cells[judge] = Cell(sum(values) / len(values)) if values else Cell()
    names = tuple(part.name for part in parts)
    return Column(
        f"mean of {len(parts)}", first.title, cells, benchmark=first.benchmark, parts=names
    )


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
