"""The ranked table of judges: the best first, the headlines and the questions of the card.

What opens `pairbench compare`, the report and the card: every judge has a row, every headline and
every question that was measured a column, and one sentence says which judge is the best.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from pairbench_ext.core.decimals import decimal
from pairbench_ext.core.plurals import counted, listed
from pairbench_ext.runs.card.lines import CardLine, flags
from pairbench_ext.runs.card.model import ASPECTS
from pairbench_ext.runs.comparisons import Advantage, Comparison, Comparisons, Ranking
from pairbench_ext.statistics.bootstrap import Interval

Mark: TypeAlias = Literal["", "defect", "not enough data", "best"]
#: Headlines that a table in a terminal or a figure shows.
MOST_HEADLINES = 8
_MOST_NAMED = 6  # judges that the sentence names
_NOTHING = Interval(math.nan, math.nan)


@dataclass(frozen=True)
class Cell:
    """A number of one judge.

    Attributes:
        value: a headline, or an aspect's number of all tasks together; NaN where not measured.
        ci95: its 95% interval; NaN, NaN where there is none.
        mark: at most one: "defect" (a test of the card raised it), "not enough data" (no task could
            tell: no interval, that of a share is over half of the scale, or a bias that matters
            would not have been found), "best" (significantly better than every other judge).
        flags: the names of the defects.
        worst: of several tasks, the one with the worst value.
        more: how many more items would tell, where there is not enough data; NaN if unknown.
    """

    value: float = math.nan
    ci95: Interval = _NOTHING
    mark: Mark = ""
    flags: tuple[str, ...] = ()
    worst: str = ""
    more: float = math.nan


class Column(NamedTuple):
    """A headline or an aspect.

    Attributes:
        name: of the task or group, or of the aspect.
        title: of its number.
        cells: of all judges.
        fair: the number of a judge without the bias; NaN where more is better.
    """

    name: str
    title: str
    cells: Mapping[str, Cell]
    fair: float = math.nan


@dataclass(frozen=True)
class RankedTable:
    """All judges in order.

    Attributes:
        judges: the best first.
        headlines: of tasks, and of groups as their mean; empty where judges are not compared.
        aspects: the questions that were measured, in the order of the card.
        missing: the aspects that were not measured of any judge.
        sentence: which judge is the best; empty where judges are not compared.
    """

    judges: tuple[str, ...]
    headlines: tuple[Column, ...]
    aspects: tuple[Column, ...]
    missing: tuple[str, ...]
    sentence: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The headlines, then the aspects."""
        return (*self.headlines, *self.aspects)

    @property
    def shared(self) -> tuple[str, ...]:
        """The defects that all of several judges have: no cell is marked for them."""
        flags = [{f for c in self.aspects for f in c.cells[judge].flags} for judge in self.judges]
        return tuple(sorted(set.intersection(*flags))) if len(flags) > 1 else ()

    def mark(self, cell: Cell) -> Mark:
        """The mark of a cell, beside the others."""
        return "" if cell.mark == "defect" and {*cell.flags} <= {*self.shared} else cell.mark

    @property
    def defects(self) -> dict[str, list[str]]:
        """The defects that not all judges have, by judge, and the task where each is worst."""
        cells = {judge: [column.cells[judge] for column in self.aspects] for judge in self.judges}
        of = {
            judge: [
                f"{flag.replace('_', ' ')}{f' mostly in {cell.worst}' if cell.worst else ''}"
                for cell in of_judge
                for flag in cell.flags
                if flag not in self.shared
            ]
            for judge, of_judge in cells.items()
        }
        return {judge: list(dict.fromkeys(flags)) for judge, flags in of.items() if flags}


def ranked_table(
    cards: Mapping[str, Sequence[CardLine]], compared: Comparisons | None = None
) -> RankedTable:
    """Rank judges by their headlines.

    Args:
        cards: the lines of each judge.
        compared: the same judges; None where they are not compared, and keep their order.
    """
    headlines = headline_rankings(compared) if compared else []
    pairs = _advantages(compared.every, headlines) if compared else {}
    judges = _in_order(cards, headlines, pairs)
    columns = [_aspect(aspect, judges, cards) for aspect in ASPECTS]
    return RankedTable(
        judges,
        tuple(_headline(ranking, judges) for ranking in headlines),
        tuple(column for column in columns if column is not None),
        tuple(a for a, column in zip(ASPECTS, columns, strict=True) if column is None),
        _sentence(judges, headlines, pairs) if headlines else "",
    )


def headline_rankings(compared: Comparisons) -> list[Ranking]:
    """The first number of each group, and of each task that is in none."""
    tested = {(c.task, c.number) for c in compared.every if c.headline}
    first: dict[str, Ranking] = {}
    for ranking in compared.rankings:
        if (ranking.task, ranking.number) in tested:
            first.setdefault(ranking.task, ranking)
    return list(first.values())


_Pairs: TypeAlias = Mapping[tuple[str, str], Mapping[str, Advantage]]  # by judges, by task


def _advantages(every: Sequence[Comparison], headlines: Sequence[Ranking]) -> _Pairs:
    """The differences by each headline, positive where the first judge is better."""
    wanted = {(ranking.task, ranking.number) for ranking in headlines}
    pairs: dict[tuple[str, str], dict[str, Advantage]] = {}
    for c in every:
        if (c.task, c.number) not in wanted or math.isnan(c.difference):
            continue
        for first, second in ((c.a, c.b), (c.b, c.a)):
            pairs.setdefault((first, second), {})[c.task] = c.advantage(first)
    return pairs


def _in_order(
    cards: Mapping[str, Sequence[CardLine]], headlines: Sequence[Ranking], pairs: _Pairs
) -> tuple[str, ...]:
    """By significant differences won less lost, then fewer defects, then mean rank by headlines.

    Judges that are not compared keep their order.
    """
    points: Counter[str] = Counter()
    for (judge, _), by_task in pairs.items():
        for advantage in by_task.values():
            if advantage.differs:
                points[judge] += 1 if advantage.value > 0 else -1

    def mean_rank(judge: str) -> float:
        ranks = [[*ranking.values].index(judge) for ranking in headlines if judge in ranking.values]
        return sum(ranks) / len(ranks) if ranks else math.inf

    def place(judge: str) -> tuple[float, ...]:
        return -points[judge], len(flags(cards[judge])), mean_rank(judge)

    return tuple(sorted(cards, key=place) if headlines else cards)


def _headline(ranking: Ranking, judges: Sequence[str]) -> Column:
    cells = {judge: Cell() for judge in judges}
    for judge, (value, ci95) in ranking.values.items():
        mark: Mark = "not enough data" if judge in ranking.unclear else ""
        mark = "best" if judge == ranking.best else mark
        cells[judge] = Cell(value, ci95, mark)
    return Column(ranking.task, ranking.title, cells)


def _aspect(
    aspect: str, judges: Sequence[str], cards: Mapping[str, Sequence[CardLine]]
) -> Column | None:
    """One number of an aspect: of all tasks together, if these are the same for all judges.

    Else of those that all judges were asked, or of each judge's own where there is none.
    """
    lines = {j: [line for line in cards[j] if line.aspect == aspect and line.task] for j in judges}
    known = [x for of_judge in lines.values() for x in of_judge if not math.isnan(x.value)]
    if not known:
        return None
    count = Counter((x.title, bool(x.flag), bool(x.null)) for x in known)
    title = max(count, key=lambda key: (key[1], key[2], count[key]))[0]
    chosen = {
        judge: {line.tasks: line for line in of_judge if line.title == title}
        for judge, of_judge in lines.items()
    }
    single = [{tasks for tasks in of if len(tasks) == 1} for of in chosen.values() if of]
    shared = set.intersection(*({*of} for of in chosen.values() if of))
    if shared and any(tasks != single[0] for tasks in single):
        chosen = {j: {key: of[key] for key in of if key in shared} for j, of in chosen.items()}
    shown = {judge: _most_tasks(list(chosen[judge].values())) for judge in judges}
    fair = {round(line.fair, 2) for line in shown.values() if line and not math.isnan(line.fair)}
    cells = {judge: _cell(shown[judge], chosen[judge], lines[judge]) for judge in judges}
    return Column(aspect, title, cells, fair.pop() if len(fair) == 1 else math.nan)


def _most_tasks(lines: Sequence[CardLine]) -> CardLine | None:
    measured = [line for line in lines if not math.isnan(line.value)]
    return max(measured, key=lambda line: len(line.tasks), default=None)


def _cell(
    shown: CardLine | None,
    by_tasks: Mapping[tuple[str, ...], CardLine],
    every: Sequence[CardLine],
) -> Cell:
    """The number of a line, with the mark of all lines of the aspect."""
    flagged = sorted((line for line in every if line.flag), key=lambda line: line.p)
    defects = tuple(dict.fromkeys(line.flag for line in flagged))
    tested = [line for line in every if line.null]
    decisive = tested or ([shown] if shown else [])
    unclear = bool(decisive) and all(line.too_few or not line.measured for line in decisive)
    mark: Mark = "defect" if defects else "not enough data" if unclear else ""
    more = min((x.more for x in decisive if not math.isnan(x.more)), default=math.nan)
    if shown is None:
        return Cell(mark=mark, flags=defects, more=more)
    single = [x for x in by_tasks.values() if len(x.tasks) == 1 and not math.isnan(x.value)]
    # Of a bias, the least likely by chance; of an ability, the least.
    worst = min(single, key=lambda x: x.value if x.ability else x.p, default=shown)
    return Cell(
        shown.value,
        Interval(shown.low, shown.high),
        mark,
        defects,
        worst.task if len(single) > 1 else "",
        more,
    )


def _sentence(judges: Sequence[str], headlines: Sequence[Ranking], pairs: _Pairs) -> str:
    """Which judge is the best, beside the next one, or among which there is no difference."""
    first, *others = judges
    if not others:
        return ""
    won = {other: _decided(pairs.get((first, other), {}), 1) for other in others}
    lost = {other: _decided(pairs.get((first, other), {}), -1) for other in others}
    next_one = others[0]
    of = f"on {len(won[next_one])} of {counted(len(headlines), 'headline')}"
    if any(lost.values()):
        said = [
            f"{'ahead of' if sign else 'behind'} {other} on {listed(list(decided), 2)}"
            for sign, results in ((1, won), (0, lost))
            for other, decided in results.items()
            if decided
        ]
        return f"No judge is the best in everything: {first} is {', '.join(said)}."
    apart = [other for other in others if not pairs.get((first, other))]
    if apart:
        return f"{first} and {listed(apart, 2)} have no headline in common: not comparable."
    group = _no_different(judges, pairs)
    if len(group) > 1:
        behind = [
            judge for judge in others if all(_ahead(pairs, member, judge) for member in group)
        ]
        ahead = f"; they are ahead of {listed(behind, 2)}" if behind else ""
        return f"No significant difference between {listed(group, _MOST_NAMED)}{ahead}."
    task, largest = max(won[next_one].items(), key=lambda item: item[1].value)
    ends = f"{_signed(largest.ci95.low)} to {_signed(largest.ci95.high)}"
    unclear = [r.task for r in headlines if r.task not in won[next_one]]
    more = f"; no significant difference on {listed(unclear, 2)}" if unclear else ""
    return (
        f"{first} is the best judge here: ahead of {next_one} {of} "
        f"({task} {_signed(largest.value)}, {ends}){more}."
    )


def _no_different(judges: Sequence[str], pairs: _Pairs) -> list[str]:
    """The first judge, and those after it that differ significantly from none before them."""
    group: list[str] = []
    for judge in judges:
        compared = [pairs.get((judge, other), {}).values() for other in group]
        if all(of and not any(advantage.differs for advantage in of) for of in compared):
            group.append(judge)
    return group


def _ahead(pairs: _Pairs, judge: str, other: str) -> bool:
    """Whether a judge is significantly better than another by a headline, and worse by none."""
    by_task = pairs.get((judge, other), {})
    return bool(_decided(by_task, 1)) and not _decided(by_task, -1)


def _decided(by_task: Mapping[str, Advantage], sign: int) -> dict[str, Advantage]:
    return {task: a for task, a in by_task.items() if a.differs and sign * a.value > 0}


def _signed(value: float) -> str:
    """A difference, with its sign and two digits.

    >>> _signed(0.084), _signed(-1.5), _signed(-0.001)
    ('+.08', '-1.50', '+.00')
    """
    text = decimal(value, 2, "+")
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text
