"""Write a finding that ranks judges: which is best, how sure that is, and each judge's problems.

This is the first screen of `compare`, of several cards, of the report and of a notebook. Judges
stand in the order of a group's main number; tests only decide how far their ranks may spread.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Literal

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.texts import capitalised, counted, listed
from pairbench_ext.runs.card.lines import CardLine, card_of, evidence_of
from pairbench_ext.runs.card.model import ASPECTS, Aspect
from pairbench_ext.runs.comparisons import Comparison, Comparisons
from pairbench_ext.runs.group_cards import (
    COLUMNS,
    KAPPA,
    PEOPLES_KAPPA,
    TOLD_BY_KAPPA,
    columns_of,
    kappas_of,
    problems_of,
)
from pairbench_ext.runs.judge_groups import JudgeGroup, Kind, is_control, runs_in
from pairbench_ext.runs.panel import panel_of
from pairbench_ext.runs.panel_finding import agreement_table
from pairbench_ext.runs.score_finding import cautions_of, sources_of
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import (
    SideBySide,
    describe_incomplete,
    describe_left_out,
    describe_untied,
)

_MOST_NAMED = 6
_MOST_CAUTIONS = 2
_RUN = "lmms-eval --model MODEL --tasks {tasks} --log_samples --output_path out/{judge}"
_OF_CHOICES: tuple[Aspect, ...] = ("sees", "order", "length", "instructions", "itself", "people")
#: What can be tested of a kind of questions.
_ASPECTS_OF: Mapping[Kind, Sequence[Aspect]] = {
    "pairs": _OF_CHOICES,
    "options": _OF_CHOICES,
    "yes_no": ("sees", "yes", "instructions", "itself", "people"),
    "ratings": tuple(aspect for aspect in ASPECTS if aspect not in ("length", "yes")),
    "other": ("instructions", "itself", "people"),
}
_TITLES = {
    "pairs": "Which of two is better?",
    "yes_no": "Yes or no?",
    "options": "Which option is right?",
    "ratings": "Which rating is right?",
    "other": "Further tasks",
}


@dataclass(eq=False)
class RankedGroup:
    """A group of judges that are ranked together, with their cards and differences.

    Attributes:
        group: the judges and tasks.
        cards: of each judge, on the tasks of the group.
        tested: comparisons by the main number, by pair.
        baseline: the judge that all others are compared with; None where all pairs are.
    """

    group: JudgeGroup
    cards: Mapping[str, Sequence[CardLine]]
    tested: Mapping[tuple[str, str], Comparison]
    baseline: str | None = None

    @cached_property
    def values(self) -> dict[str, Quantity]:
        """Return the main number of each ranked judge, the best first."""
        values = {}
        for judge in self.group.judges:
            value = self.group.value(judge)
            values[judge] = (
                Quantity(why="Undefined: no reply can be read.")
                if value is None
                else Quantity(value.value, value.ci95, self.items_of(judge))
            )
        sign = 1 if self.group.number is not None and self.group.number.better == "lower" else -1

        def place(judge: str) -> tuple[bool, float]:
            value = values[judge].value
            return (True, 0.0) if not isinstance(value, (int, float)) else (False, sign * value)

        return {judge: values[judge] for judge in sorted(values, key=place)}

    def items_of(self, judge: str) -> int:
        """Return the number of items over which a judge's main number is computed."""
        if not self.group.apart:
            return self.group.items
        return sum(len(outcomes.items) for outcomes in self.group.outcomes_of(judge))

    @cached_property
    def ranked(self) -> list[str]:
        """Return the judges that have a main number and a readable reply, the best first."""
        measured = (judge for judge, value in self.values.items() if value.value is not None)
        return [judge for judge in measured if self.group.reads(judge)]

    @property
    def unordered(self) -> bool:
        """Return whether judges cannot be ranked.

        They cannot if they share no item, or if neither high nor low values of the main number are
        better.
        """
        number = self.group.number
        return self.group.apart or (number is not None and number.better is None)

    def ahead(self, a: str, b: str) -> bool:
        """Return whether judge `a` is significantly better than judge `b`."""
        comparison = self.compared(a, b)
        return comparison is not None and comparison.differs and comparison.advantage(a).value > 0

    def compared(self, a: str, b: str) -> Comparison | None:
        """Return the comparison of two judges' main numbers; None if they are not compared."""
        return self.tested.get((a, b)) or self.tested.get((b, a))

    def rank(self, judge: str) -> tuple[int, int] | None:
        """Return a judge's best and worst rank according to tests; None if it is not ranked."""
        ranked = self.ranked
        if judge not in ranked or len(ranked) < 2 or self.unordered or self.baseline:
            return None
        others = [other for other in ranked if other != judge]
        better = sum(self.ahead(other, judge) for other in others)
        return 1 + better, len(ranked) - sum(self.ahead(judge, other) for other in others)

    @property
    def tied(self) -> list[str]:
        """Return the judges that may be the best: no other is significantly better."""
        ranks = {judge: self.rank(judge) for judge in self.ranked}
        return [judge for judge, rank in ranks.items() if rank is None or rank[0] == 1]

    def best(self, judge: str) -> Literal["", "best", "tied"]:
        """Return whether a judge is the best or shares the first place."""
        tied = self.tied
        if judge not in tied or self.rank(judge) is None:
            return ""
        return "best" if len(tied) == 1 else "tied"


def ranked_groups(
    compared: Comparisons, cards: Mapping[str, Sequence[CardLine]] = MappingProxyType({})
) -> list[RankedGroup]:
    """Return the groups of judges that were compared, with their cards."""
    cards_of = _cards(
        [group for group, _ in compared.groups], {j.name: j for j in compared.judges}, cards
    )
    return [
        RankedGroup(group, of_judges, pairs, compared.baseline)
        for (group, pairs), of_judges in zip(compared.groups, cards_of, strict=True)
    ]


def _cards(
    groups: Sequence[JudgeGroup],
    judges: Mapping[str, Judge],
    whole_cards: Mapping[str, Sequence[CardLine]],
) -> Iterator[dict[str, Sequence[CardLine]]]:
    """Yield the cards of each group; those of one judge share the level of their flags."""
    parts = Counter(name for group in groups for name in (*group.judges, *group.lacking))
    for group in groups:
        cards: dict[str, Sequence[CardLine]] = {}
        for name in tracked((*group.judges, *group.lacking), "testing judges"):
            runs = runs_in(group, judges[name])
            whole = len(runs) == len(judges[name].runs) and name in whole_cards
            cards[name] = whole_cards[name] if whole else card_of(runs, parts[name])
        yield cards


def ranking_finding(
    compared: Comparisons,
    kind: str = "compare",
    cards: Mapping[str, Sequence[CardLine]] = MappingProxyType({}),
) -> Finding:
    """Return a finding that ranks judges: a table for each group of tasks.

    Raises:
        RecordError: if no numbers follow from a run.
    """
    judges, sides, instead = compared.judges, compared.tasks, compared.stand_ins
    groups = ranked_groups(compared, cards)
    tables = [_table(ranked, groups[:place]) for place, ranked in enumerate(groups)]
    says = tuple(_says(groups, [judge.name for judge in judges]))
    if len(groups) == 1:
        says, tables = (*says, *tables[0].says), [replace(tables[0], says=())]
    if instead is not None:
        says = (*says, _without_main(groups, instead))
        tables += _agreement(sides)
    return Finding(
        kind,
        (*_cautions(judges), *describe_incomplete(sides), *says),
        tuple(tables),
        sources_of(run for judge in judges for run in judge.runs.values()),
        notes=(*describe_left_out(sides), *describe_untied(sides), *_notes(judges)),
    )


def _without_main(groups: Sequence[RankedGroup], instead: Sequence[str]) -> str:
    """Say by what judges are compared where no main number is measured."""
    numbers = (ranked.group.number for ranked in groups)
    titles = dict.fromkeys(
        f"'{number.title}'" for number in numbers if number and number.name in instead
    )
    return (
        "The right answers are unknown, so judges are compared by "
        f"{listed([*titles, 'their agreement'], 4)}. With people's labels, `pairbench correct` "
        "and `pairbench people` say more."
    )


def _agreement(sides: Sequence[SideBySide]) -> Iterator[FindingTable]:
    """Yield how often judges agree."""
    panels = (panel_of(side) for side in sides if len(side.judges) > 1)
    yield from (agreement_table(panel) for panel in panels if not isinstance(panel, str))


def _cautions(judges: Sequence[Judge]) -> Iterator[str]:
    """Yield what to check of how replies were read; of many such lines, the first few."""
    lines = cautions_of(judges)
    yield from lines[:_MOST_CAUTIONS]
    if len(lines) > _MOST_CAUTIONS:
        more = len(lines) - _MOST_CAUTIONS
        yield f"The same problem in {counted(more, 'more task')}; `pairbench check` shows them."


def _says(groups: Sequence[RankedGroup], judges: Sequence[str]) -> Iterator[str]:
    """Say in which groups judges are ranked, and what to run to rank all of them together."""
    if not groups:
        yield "No main number is measured, so judges are not ranked."
        return
    if len(groups) < 2 or len(judges) < 2:
        return
    found = _best_of_groups(groups)
    if any({*r.group.judges, *r.group.lacking} == {*judges} for r in groups):
        criteria = any(ranked.group.criterion for ranked in groups)
        why = "Each criterion has its own ranking" if criteria else "The tasks are of several kinds"
        yield f"{why}: judges are ranked in {len(groups)} groups.{found}"
        return
    kinds = {ranked.group.kind for ranked in groups}
    if len(kinds) > 1 and any(_recorded(ranked.group) for ranked in groups):
        so = f"they are ranked in {len(groups)} groups"
        so = "there is a ranking for each kind" if len(kinds) == len(groups) else so
        yield f"The {len(judges)} judges were asked different kinds of questions, so {so}.{found}"
        return
    tasks = [task for ranked in groups for task in ranked.group.tasks]
    why = (
        "did not all run the same tasks"
        if len({*tasks}) == len(tasks)
        else "were not all asked about the same items"
    )
    yield f"The {len(judges)} judges {why}, so they are ranked in {len(groups)} groups.{found}"
    yield from _to_rank_all(groups)


def _to_rank_all(groups: Sequence[RankedGroup]) -> Iterator[str]:
    """Say what to run, so that the judges of all groups are ranked with those of the largest."""
    first, *_ = named = [[*ranked.values, *ranked.group.lacking] for ranked in groups]
    missing = [judge for judge in dict.fromkeys(chain(*named)) if judge not in first]
    if missing:
        who = listed(missing, 3)
        add = f"run this for {who}: {_run(groups[0].group.tasks, missing[0])}"
        if _recorded(groups[0].group):
            add = f"add judgments by {who} on the items that {first[0]} judged."
        yield f"To rank all judges in one list, {add}"


def _run(tasks: Sequence[str], judge: str) -> str:
    """Return the command that asks a judge."""
    return _RUN.format(tasks=",".join(tasks), judge=judge)


def _recorded(group: JudgeGroup) -> bool:
    """Return whether judgments were recorded by other tools, so no task of ours asks again."""
    return not any(side.benchmark.tasks for side in group.sides)


def _best_of_groups(groups: Sequence[RankedGroup]) -> str:
    """Return which judge is the best of which group; empty if none is."""
    best = (
        f"{ranked.tied[0]} ({_title(ranked.group).rstrip('?').lower()})"
        for ranked in groups
        if len(ranked.tied) == 1 and len(ranked.ranked) > 1
    )
    named = ", ".join(best)
    return f" Best judge by group: {named}." if named else ""


def _title(group: JudgeGroup) -> str:
    title = _TITLES[group.kind]
    return f"{title} ({group.criterion})" if group.criterion else title


def _name(group: JudgeGroup) -> str:
    number = "" if group.number is None else group.number.name
    return "_".join(filter(None, (group.kind, number, group.criterion)))


def _table(ranked: RankedGroup, before: Sequence[RankedGroup]) -> FindingTable:
    group = ranked.group
    named = [_name(other.group) for other in before].count(_name(group))
    columns, cells = _columns(ranked)
    rows = [_row(ranked, judge, cells) for judge in ranked.values]
    rows += [_lacking(ranked, judge, cells) for judge in group.lacking]
    titles = dict.fromkeys(side.benchmark.title.partition(",")[0] for side in group.sides)
    items = "no items that all judges were asked" if group.apart else counted(group.items, "item")
    return FindingTable(
        _name(group) + (f"_{named + 1}" if named else ""),
        _title(group),
        ("Judge",),
        columns,
        tuple(rows),
        f"{listed(list(titles), 3)}: {counted(len(group.sides), 'task')}, {items}",
        tuple(sentences(ranked)),
        tuple(_not_measured(ranked, columns)),
        tasks=group.tasks,
    )


def main_measure(group: JudgeGroup) -> Measure | None:
    """Return the table column for the main number of a group of judges."""
    number = group.number
    if number is None:
        return None
    heads = ((side, side.benchmark.headline) for side in group.sides)
    is_main = number.name in {x.fitting(x.benchmark.number(name)).name for x, name in heads if name}
    choices, share = group.kind in ("pairs", "yes_no", "options"), number.kind == "share"
    is_accuracy = choices and share and is_main
    has_chance = is_accuracy if share else choices or number.kind == "correlation"
    right = "Share of answers that are right. An unreadable reply counts as wrong."
    scale = {"share": (0.0, 1.0), "correlation": (-1.0, 1.0)}.get(number.kind)
    meant = f"The main number of the benchmark: {number.title}." if is_main else ""
    return Measure(
        number.name,
        "Accuracy" if is_accuracy else capitalised(number.title),
        right if is_accuracy else meant,
        "share" if share else "number",
        number.better,
        scale,
        group.chance if has_chance else None,
        "chance",
        main=True,
    )


def _columns(ranked: RankedGroup) -> tuple[tuple[Measure, ...], dict[str, dict[str, Quantity]]]:
    """Return the columns, and by judge the cells by column."""
    cells: dict[str, dict[str, Quantity]] = {judge: {} for judge in ranked.cards}
    main, columns = main_measure(ranked.group), []
    if main is not None:
        columns.append(main)
        for judge, value in ranked.values.items():
            cells[judge][main.name] = value
    if ranked.group.kind in ("pairs", "yes_no", "options"):
        for judge in ranked.values:
            cells[judge] |= kappas_of(ranked.group, judge)
        names = {name for of_judge in cells.values() for name in of_judge}
        columns += [column for column in (KAPPA, PEOPLES_KAPPA) if column.name in names]
    for column, by_judge in columns_of(ranked.cards):
        if KAPPA in columns and column.name in TOLD_BY_KAPPA:
            _mark_kappa(cells, by_judge)
            continue
        columns.append(column)
        for judge, cell in by_judge.items():
            cells[judge][column.name] = cell
    return tuple(columns), cells


def _mark_kappa(cells: dict[str, dict[str, Quantity]], told: Mapping[str, Quantity]) -> None:
    """Mark the kappa of judges with a problem that it tells."""
    for judge, cell in told.items():
        kappa = cells[judge].get(KAPPA.name)
        if kappa is not None and cell.problem:
            cells[judge][KAPPA.name] = replace(kappa, problem=cell.problem)


def _row(
    ranked: RankedGroup, judge: str, cells: Mapping[str, Mapping[str, Quantity]]
) -> FindingRow:
    problems = problems_of(ranked.cards[judge])
    return FindingRow((judge,), cells[judge], ranked.rank(judge), ranked.best(judge), problems)


def _lacking(
    ranked: RankedGroup, judge: str, cells: Mapping[str, Mapping[str, Quantity]]
) -> FindingRow:
    tasks = ranked.group.lacking[judge]
    note = f"Not ranked: it did not run {listed(list(tasks), 3)}. To rank it: {_run(tasks, judge)}"
    if _recorded(ranked.group):
        note = f"Not ranked: it has no judgments of {listed(list(tasks), 3)}. To rank it, add them."
    return FindingRow((judge,), cells[judge], problems=problems_of(ranked.cards[judge]), note=note)


def sentences(ranked: RankedGroup) -> Iterator[str]:
    """Yield sentences that say which judge is best, or how judges compare with the baseline."""
    main = main_measure(ranked.group)
    why_not = _why_unordered(ranked, main)
    if why_not or main is None:
        yield why_not
        return
    if ranked.baseline and ranked.baseline in ranked.ranked:
        yield _against(ranked, ranked.baseline)
        return
    yield from _leaders(ranked, main)
    first = ranked.values[ranked.ranked[0]]
    low = first.ci95[0] if first.ci95 else math.nan
    if main.reference is not None and main.better == "higher" and low <= main.reference:
        who = "It is not" if len(ranked.tied) == 1 else "None of them is"
        yield f"{who} shown to be better than {main.reference_says} ({main.spell(main.reference)})."


def _why_unordered(ranked: RankedGroup, main: Measure | None) -> str:
    """Return why judges are not ranked; empty if they are."""
    if main is None or not any(value.value is not None for value in ranked.values.values()):
        return "No main number is measured, so judges are not ranked."
    if not ranked.ranked:
        return "No reply can be read, so judges are not ranked."
    if ranked.group.apart:
        same = f"run the same items with each: {_run(ranked.group.tasks, ranked.ranked[-1])}"
        if _recorded(ranked.group):
            same = "add judgments by each of them on the same items."
        return (
            "These judges were asked about different items, so they are not ranked. Each number "
            f"covers only the items of its own judge. To rank them, {same}"
        )
    named = f"Judges are not ranked by {main.name}: neither more nor less is better."
    return "" if main.better else named


def _leaders(ranked: RankedGroup, main: Measure) -> Iterator[str]:
    """Yield the best judge, or those that may be the best, and who is behind them."""
    order, tied = ranked.ranked, ranked.tied
    if len(order) == 1:
        if len(ranked.group.judges) > 1:
            yield (
                f"{order[0]} is the only judge with readable replies, so there is no ranking here."
            )
        yield f"{order[0]}: {main.sentence(ranked.values[order[0]])}"
    elif len(tied) == 1:
        yield _best(ranked, main, order[0], order[1])
    else:
        behind = [judge for judge in order if judge not in tied]
        clear = [judge for judge in behind if all(ranked.ahead(leader, judge) for leader in tied)]
        partly = [judge for judge in behind if judge not in clear]
        more = f" They are ahead of {listed(clear, 3)}." if clear else ""
        more += f" Behind only some of them: {listed(partly, 3)}." if partly else ""
        yield f"No significant difference between {listed(tied, _MOST_NAMED)}.{more}"


def _best(ranked: RankedGroup, main: Measure, first: str, second: str) -> str:
    value = ranked.values[first]
    comparison = ranked.compared(first, second)
    assert comparison is not None  # one is significantly better than the other
    sign = 1 if comparison.a == first else -1
    ends = sorted(sign * end for end in comparison.ci95)
    unit = replace(main, unit="points" if main.unit == "share" else "difference")
    return (
        f"{first} is the best of {len(ranked.ranked)} judges. {main.title}: "
        f"{main.spell(value.value)}, {unit.spell(sign * comparison.difference)} compared with "
        f"{second}, the next judge (95% CI of the difference: "
        f"{unit.spell_interval((ends[0], ends[1]))})."
    )


def _against(ranked: RankedGroup, baseline: str) -> str:
    """Return which judges are better than the one that all are compared with, and which worse."""
    others = [judge for judge in ranked.ranked if judge != baseline]
    better = [judge for judge in others if ranked.ahead(judge, baseline)]
    worse = [judge for judge in others if ranked.ahead(baseline, judge)]
    alike = [judge for judge in others if judge not in (*better, *worse)]
    words = (
        ("significantly better", better),
        ("significantly worse", worse),
        ("no significant difference", alike),
    )
    return f"Compared with {baseline}: " + "; ".join(
        f"{what}: {listed(who, _MOST_NAMED)}" for what, who in words if who
    ) + "."  # fmt: skip


def _not_measured(ranked: RankedGroup, columns: Sequence[Measure]) -> Iterator[str]:
    """Yield what more items would tell, and what no task tests: quieter than what was found."""
    names = {column.name for column in columns}
    for aspect in ASPECTS:
        open_ = _open(ranked, aspect)
        if open_ and COLUMNS[aspect].name in names:
            yield f"Not enough data yet on {COLUMNS[aspect].title.lower()}: {listed(open_, 3)}."
    told = names | {*(TOLD_BY_KAPPA if KAPPA.name in names else ("beyond_guessing",))}
    if any(side.benchmark.answers.people is not None for side in ranked.group.sides):
        told.add(COLUMNS["people"].name)
    untested = (COLUMNS[aspect] for aspect in _aspects_of(ranked.group))
    missing = [column.title.lower() for column in untested if column.name not in told]
    if missing:
        yield f"Not tested: {', '.join(missing)}."


def _aspects_of(group: JudgeGroup) -> Iterator[Aspect]:
    """Yield what can be tested of a group; of places and lengths, if its options have some."""
    asked = {x.aspect for side in group.sides for x in evidence_of(side.benchmark)}
    of_some = {"options": ("order", "length"), "ratings": ("condition",)}.get(group.kind, ())
    for aspect in _ASPECTS_OF[group.kind]:
        if aspect not in of_some or aspect in asked:
            yield aspect


def _open(ranked: RankedGroup, aspect: Aspect) -> list[str]:
    """Return how many more items would tell, of each judge with too few of all tasks together."""
    return [
        f"{judge} (about {line.more:,.0f} more items would be enough)"
        for judge, card in ranked.cards.items()
        for line in card
        if line.aspect == aspect and len(line.tasks) == len(ranked.group.sides)
        if line.too_few and not math.isnan(line.more) and not line.flag
    ]


def _notes(judges: Sequence[Judge]) -> Iterator[str]:
    """Yield what people said of readings, controls that speak against the data, and terms."""
    for judge in judges:
        for run in judge.runs.values():
            if run.how_read.confirmed:
                yield f"{judge.name}, {run.name}: {run.how_read.confirmed}."
        runs = [run for run in judge.runs.values() if is_control(run.benchmark) and run.measured]
        for problem in problems_of(card_of(runs)) if runs else ():
            yield f"{judge.name}: {problem}"
    yield "95% CI: confidence interval. Ranks: Holm's correction over all pairs of judges."
