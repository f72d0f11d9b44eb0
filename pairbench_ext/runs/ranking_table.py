"""The ranked table of judges: the best first, the headlines and the questions of the card.

What opens `pairbench compare`, the report and the card: every judge has a row, every headline and
every question that was measured a column. A sentence says which judge is the best, of each group of
judges that can be compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pairbench_ext.core import registry
from pairbench_ext.core.plurals import counted, listed
from pairbench_ext.runs.card.lines import CardLine, cards_of, flags
from pairbench_ext.runs.card.model import ASPECTS
from pairbench_ext.runs.compare import if_comparable
from pairbench_ext.runs.comparisons import Advantage, Comparison, Comparisons, Ranking
from pairbench_ext.runs.ranking_columns import Cell, Column, Defect, Mark, columns_of, short
from pairbench_ext.runs.scoring import Judge

#: Headlines that a table in a terminal or a figure shows.
MOST_HEADLINES = 8
#: By two judges, by task: by how much the first one is better.
Pairs: TypeAlias = Mapping[tuple[str, str], Mapping[str, Advantage]]
_MOST_NAMED = 6  # judges that the sentence names


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
    headlines = headline_rankings(compared) if compared else []
    pairs = advantages(compared.every, headlines) if compared else {}
    groups = _in_order(cards, headlines, pairs) if headlines else [tuple(cards)]
    judges = [judge for group in groups for judge in group]
    columns = {aspect: [*columns_of(aspect, judges, cards)] for aspect in ASPECTS}
    return RankedTable(
        tuple(groups),
        tuple(_headline(ranking, judges) for ranking in headlines),
        tuple(column for of_aspect in columns.values() for column in of_aspect),
        tuple(aspect for aspect, of_aspect in columns.items() if not of_aspect),
        sentences(groups, headlines, pairs) if headlines else "",
    )


def best_first(judges: Sequence[Judge]) -> list[Judge]:
    """Judges in the order of the ranked table; as they are given where they cannot be compared."""
    if len(judges) < 2:
        return list(judges)
    compared, _ = if_comparable(judges, headlines_alone=True)
    return ranked_table(cards_of(judges), compared).in_order(judges)


def headline_rankings(compared: Comparisons) -> list[Ranking]:
    """The first number of each group, and of each task that is in none."""
    tested = {(c.task, c.number) for c in compared.every if c.headline}
    first: dict[str, Ranking] = {}
    for ranking in compared.rankings:
        if (ranking.task, ranking.number) in tested:
            first.setdefault(ranking.task, ranking)
    return list(first.values())


def _in_order(
    cards: Mapping[str, Sequence[CardLine]], headlines: Sequence[Ranking], pairs: Pairs
) -> list[tuple[str, ...]]:
    """By significant differences won less lost, then fewer defects, then mean rank by headlines.

    Judges stand in groups: those of different groups have no headline in common.
    """
    won = points(pairs)

    def mean_rank(judge: str) -> float:
        ranks = [[*ranking.values].index(judge) for ranking in headlines if judge in ranking.values]
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
    return Column(ranking.task, ranking.title, cells, benchmark=_benchmark(ranking.task))


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


def advantages(every: Sequence[Comparison], headlines: Sequence[Ranking]) -> Pairs:
    """The differences by each headline, positive where the first judge is better."""
    wanted = {(ranking.task, ranking.number) for ranking in headlines}
    pairs: dict[tuple[str, str], dict[str, Advantage]] = {}
    for c in every:
        if (c.task, c.number) not in wanted or math.isnan(c.difference):
            continue
        for first, second in ((c.a, c.b), (c.b, c.a)):
            pairs.setdefault((first, second), {})[c.task] = c.advantage(first)
    return pairs


def points(pairs: Pairs) -> Counter[str]:
    """By judge, the number of significant differences that it won minus those it lost."""
    made: Counter[str] = Counter()
    for (judge, _), by_task in pairs.items():
        for advantage in by_task.values():
            if advantage.differs:
                made[judge] += 1 if advantage.value > 0 else -1
    return made


def in_groups(judges: Sequence[str], pairs: Pairs) -> list[list[str]]:
    """Judges in groups that shared headlines connect, the largest group first.

    >>> in_groups("abcd", {("a", "c"): {}, ("c", "a"): {}})
    [['a', 'c'], ['b'], ['d']]
    """
    groups: list[list[str]] = []
    for judge in judges:
        met = [group for group in groups if any((judge, other) in pairs for other in group)]
        groups = [group for group in groups if group not in met]
        groups.append([*(other for group in met for other in group), judge])
    ordered = [sorted(group, key=judges.index) for group in groups]
    return sorted(ordered, key=lambda group: (-len(group), judges.index(group[0])))


def sentences(groups: Sequence[Sequence[str]], headlines: Sequence[Ranking], pairs: Pairs) -> str:
    """Which judge is the best of each group, and that groups are not comparable."""
    parts = [_sentence(group, headlines, pairs) for group in groups if len(group) > 1]
    if len(groups) > 1:
        apart = "; ".join(listed(group, _MOST_NAMED) for group in groups)
        parts.append(f"Groups that share no headline cannot be compared: {apart}.")
    return " ".join(parts)


def _sentence(judges: Sequence[str], headlines: Sequence[Ranking], pairs: Pairs) -> str:
    """Which judge is the best, beside the next one, or among which there is no difference."""
    first, *others = judges
    here = [ranking for ranking in headlines if first in ranking.values]
    won = {other: _decided(pairs.get((first, other), {}), 1) for other in others}
    lost = {other: _decided(pairs.get((first, other), {}), -1) for other in others}
    next_one = others[0]
    where = f"on {len(won[next_one])} of {counted(len(here), 'headline')}"
    if any(lost.values()):
        losses = [_behind(other, lost[other], won[other]) for other in others if lost[other]]
        beaten = [other for other in others if won[other] and not lost[other]]
        more = f"; it is ahead of {listed(beaten, 2)}" if beaten else ""
        return (
            "No judge is the best in everything: "
            f"{first} is behind {listed(losses, 2, between='; ')}{more}."
        )
    apart = [other for other in others if not pairs.get((first, other))]
    if apart:
        others_apart = listed(apart, 2)
        return f"{first} and {others_apart} have no headline in common, so they are not compared."
    group = _no_different(judges, pairs)
    later = judges[len(group) :]
    unplaced = [judge for judge in later if _differs_from_none(pairs, judge, group)]
    end = f"; not enough data to place {listed(unplaced, 2)}." if unplaced else "."
    if len(group) > 1:
        behind = [
            judge for judge in others if all(_ahead(pairs, member, judge) for member in group)
        ]
        ahead = f"; they are ahead of {listed(behind, 2)}" if behind else ""
        return f"No significant difference between {listed(group, _MOST_NAMED)}{ahead}{end}"
    task, largest = max(won[next_one].items(), key=lambda item: item[1].value)
    ends = f"{short(largest.ci95.low, '+')} to {short(largest.ci95.high, '+')}"
    unclear = [r.task for r in here if r.task not in won[next_one]]
    more = f"; no significant difference on {listed(unclear, 2)}" if unclear else ""
    best = "is" if unplaced else "is the best judge here:"
    return (
        f"{first} {best} ahead of {next_one} {where} "
        f"({task} {short(largest.value, '+')}, {ends}){more}{end}"
    )


def _behind(other: str, lost: Collection[str], won: Collection[str]) -> str:
    """Where the first judge is behind another one, and where it is ahead of it.

    >>> _behind("b", ["pairs"], []), _behind("b", ["pairs"], ["scores"])
    ('b on pairs', 'b on pairs but ahead of it on scores')
    """
    ahead = f" but ahead of it on {listed(list(won), 2)}" if won else ""
    return f"{other} on {listed(list(lost), 2)}{ahead}"


def _no_different(judges: Sequence[str], pairs: Pairs) -> list[str]:
    """The first judge and those that follow it, up to the first that differs from one before it."""
    for place, judge in enumerate(judges):
        if not _differs_from_none(pairs, judge, judges[:place]):
            return list(judges[:place])
    return list(judges)


def _differs_from_none(pairs: Pairs, judge: str, others: Sequence[str]) -> bool:
    """Whether a judge is compared with all of some others, and differs from none significantly."""
    compared = [pairs.get((judge, other), {}).values() for other in others]
    return all(
        by_headline and not any(advantage.differs for advantage in by_headline)
        for by_headline in compared
    )


def _ahead(pairs: Pairs, judge: str, other: str) -> bool:
    """Whether a judge is significantly better than another by a headline, and worse by none."""
    by_task = pairs.get((judge, other), {})
    return bool(_decided(by_task, 1)) and not _decided(by_task, -1)


def _decided(by_task: Mapping[str, Advantage], sign: int) -> dict[str, Advantage]:
    return {task: a for task, a in by_task.items() if a.differs and sign * a.value > 0}
