"""The gate `pairbench compare NEW BASE --fail-if-worse`: may NEW replace BASE?

Without a margin, NEW passes unless it is significantly worse by a headline, or there are too few
items for any significant difference. With a margin it passes if the 95% intervals show that it is
less than the margin worse by every headline (a test of non-inferiority), fails if it is
significantly worse by one, and otherwise the items cannot tell. A judge as good as BASE then fails
in at most 5%, one that is worse by the margin passes in 2.5%.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, listed, plural
from pairbench_ext.runs.comparisons import (
    ALPHA,
    Advantage,
    Comparison,
    Comparisons,
    spell_difference,
    unit_of,
)
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.task_outcomes import item_text
from pairbench_ext.statistics.power import items_by_error, standard_error

Verdict: TypeAlias = Literal["failed", "cannot tell", "passed"]
EXIT_STATUS: dict[Verdict, int] = {"failed": 1, "cannot tell": 3, "passed": 0}  # 2: an error
_WORST_FIRST = list(EXIT_STATUS)
_ROUNDING = 1e-9
_VERDICT = Measure("verdict", "Verdict", "passed, failed or cannot tell.", "text")
_DIFFERENCE = Measure(
    "new_less_base",
    "Difference",
    "How much better the new judge is; negative where it is worse.",
    reference=0.0,
    digits=3,
    main=True,
)
_ENOUGH = Measure(
    "items_for_margin",
    "Items needed for the margin",
    "Number of items with which an equally good judge passes in 80% of runs.",
    "count",
)


class SharedItems(NamedTuple):
    """How many items the run BASE has, and which of these items the run NEW lacks.

    Attributes:
        of: how many items the run BASE has.
        missing: names of the items of BASE that the run NEW lacks.
        fewer: names of the items to which NEW has fewer answers than BASE.
        more: how many items of these tasks NEW has, but BASE lacks.
        tasks: the tasks of BASE of which NEW has no samples.
    """

    of: int
    missing: tuple[str, ...]
    fewer: tuple[str, ...]
    more: int
    tasks: tuple[str, ...]

    def describe(self, new: str) -> str:
        """Return in words how many items are compared, and how many the run BASE has."""
        lacking = len(self.missing)
        text = (
            f"{self.of - lacking:,} of {self.of:,} items" if lacking else counted(self.of, "item")
        )
        notes = [f"no samples of {', '.join(self.tasks)}"] if self.tasks else []
        notes += [f"{len(self.fewer):,} with fewer answers from {new}"] if self.fewer else []
        notes += [f"{new} has {self.more:,} other items"] if self.more else []
        return f"{text} ({'; '.join(notes)})" if notes else text


class HeadlineVerdict(NamedTuple):
    """The gate's verdict on one main number.

    Attributes:
        verdict: the verdict by this main number alone.
        advantage: how much better NEW is than BASE.
        enough: with how many items a judge as good as BASE passes in 80% of runs; None if not
            known.
    """

    verdict: Verdict
    advantage: Advantage
    enough: int | None = None


@dataclass(frozen=True)
class Gate:
    """The gate's verdict on all main numbers together.

    Attributes:
        new, base: the judges.
        margin: how much worse NEW may be; None for whatever is not significant.
        items: the items on which the two judges are compared.
        headlines: the verdict by each main number, at least one; the one that decides is first.
    """

    new: str
    base: str
    margin: float | None
    items: SharedItems
    headlines: tuple[HeadlineVerdict, ...]

    @property
    def verdict(self) -> Verdict:
        """Return "failed" if any main number failed, "passed" if all passed, else "cannot tell".

        It is the verdict on the first main number, as the worst comes first.
        """
        return self.headlines[0].verdict

    def describe(self) -> Iterator[str]:
        """Yield a line on the first main number, and on each other one that did not pass."""
        first, *others = (
            f"{headline.verdict}: {self._claim(headline)}: {_number(headline)}"
            for headline in self.headlines
            if headline is self.headlines[0] or headline.verdict != "passed"
        )
        yield f"{first}, on {self.items.describe(self.new)}"
        yield from others

    def _claim(self, headline: HeadlineVerdict) -> str:
        if headline.verdict == "failed":
            return f"{self.new} is significantly worse than {self.base}"
        if math.isnan(headline.advantage.ci95.low):
            return f"{self.new} and {self.base} cannot be compared"
        if self.margin is None and headline.verdict == "cannot tell":
            return f"there are too few items to show whether {self.new} is worse"
        if self.margin is None:
            return f"{self.new} is not significantly worse than {self.base}"
        worse = f"worse than {self.base} by {self.margin:g} or more"
        if headline.verdict == "passed":
            return f"{self.new} is not {worse}"
        enough = headline.enough or 0
        need = (
            f" (about {enough:,} items are needed to rule it out)"
            if enough > headline.advantage.comparison.items
            else ""
        )
        return f"{self.new} may be {worse}{need}"

    def finding(self) -> Finding:
        """Return the verdict as a finding, which is truthy only if the gate "passed"."""
        rows = tuple(map(_row, self.headlines))
        unit = unit_of(headline.advantage.comparison for headline in self.headlines)
        columns = (_VERDICT, replace(_DIFFERENCE, unit=unit), _ENOUGH)
        keys = ("Task", "Number")
        table = FindingTable("gate", f"{self.new} minus {self.base}", keys, columns, rows)
        return Finding("gate", tuple(self.describe()), (table,), fields=self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return {
            "verdict": self.verdict,
            "says": list(self.describe()),
            "margin": self.margin,
            "items": self.items,
            "headlines": [
                {
                    "task": headline.advantage.comparison.task,
                    "number": headline.advantage.comparison.number,
                    "verdict": headline.verdict,
                    "new_less_base": headline.advantage.value,
                    "items_for_margin": headline.enough,
                }
                for headline in self.headlines
            ],
        }


def _row(headline: HeadlineVerdict) -> FindingRow:
    advantage = headline.advantage
    cells = {
        "verdict": Quantity(headline.verdict),
        "new_less_base": Quantity(advantage.value, advantage.ci95, advantage.comparison.items),
        "items_for_margin": Quantity(headline.enough),
    }
    return FindingRow((advantage.comparison.task, advantage.comparison.number), cells)


def _number(headline: HeadlineVerdict) -> str:
    comparison, _, value, _ = headline.advantage
    ends = headline.advantage.ci95
    if math.isnan(ends.low):
        why = "is undefined" if math.isnan(value) else "has no interval"
        return f"{comparison.task} {comparison.number} {why}"
    return spell_difference(comparison, value, ends)


def gate_of(
    compared: Comparisons, margin: float | None = None, *, allow_missing: bool = False
) -> Gate:
    """Return the gate's verdict: may the new judge replace the base judge?

    Args:
        compared: NEW and BASE.
        margin: how much worse it may be; None for whatever is not significant.
        allow_missing: whether to compare what both have, if NEW lacks items of BASE.

    Raises:
        RecordError: if these are not two judges, NEW lacks items or answers of BASE, or neither end
            of a number is better.
    """
    if len(compared.judges) != 2:
        given = len(compared.judges)
        raise RecordError(f"--fail-if-worse: two judges are needed, {given} given")
    new, base = compared.judges
    items = _shared_items(new, base)
    if not allow_missing:
        _check_complete(items, new.name, base.name)
    headlines = [headline_verdict(c, new.name, margin) for c in _headlines(compared)]
    headlines.sort(key=lambda h: (_WORST_FIRST.index(h.verdict), h.advantage.ci95.low))
    return Gate(new.name, base.name, margin, items, tuple(headlines))


def _shared_items(new: Judge, base: Judge) -> SharedItems:
    total, more = 0, 0
    missing: list[str] = []
    fewer: list[str] = []
    for task, run in base.runs.items():
        wanted = run.items
        answered = new.runs[task].items if task in new.runs else {}
        total += len(wanted)
        more += sum(item not in wanted for item in answered)
        for item, count in wanted.items():
            repeats = answered.get(item, 0)
            if repeats < count:
                (fewer if repeats else missing).append(f"{run.name} {item_text(item)}")
    tasks = tuple(run.name for task, run in base.runs.items() if task not in new.runs)
    return SharedItems(total, tuple(missing), tuple(fewer), more, tasks)


def _check_complete(items: SharedItems, new: str, base: str) -> None:
    faults = []
    if items.tasks:
        faults.append(f"{new} has no samples of {', '.join(items.tasks)}, but {base} has")
    for names, what in ((items.missing, "not answered"), (items.fewer, "answered less often")):
        if names:
            which = f"{len(names):,} of {counted(items.of, 'item')} of {base}"
            verb = plural("is", len(names))
            faults.append(f"{which} {verb} {what} by {new}: {listed(names, 3)}")
    if faults:
        raise RecordError(f"{'; '.join(faults)}; --allow-missing compares the items that both have")


def _headlines(compared: Comparisons) -> list[Comparison]:
    """Return all that are tested first, and headlines that cannot be tested.

    A number that takes the place of its task's headline, which is undefined, does not excuse it.
    """
    first: dict[str, str] = {}
    for ranking in compared.rankings:  # a mean over benchmarks has none
        first.setdefault(ranking.task, ranking.number)
    return [
        c
        for c in compared.every
        if c.headline and c.task in first and (not math.isnan(c.p) or first[c.task] == c.number)
    ]


def headline_verdict(comparison: Comparison, new: str, margin: float | None) -> HeadlineVerdict:
    """Return the gate's verdict on one main number; arguments as for `gate_of`.

    Raises:
        RecordError: if neither end of the number is better.
    """
    if comparison.better is None:
        raise RecordError(
            f"--fail-if-worse: {comparison.number} cannot show which judge is worse, because "
            "neither a high nor a low value is better"
        )
    advantage = comparison.advantage(new)
    worse = advantage.differs and advantage.value < 0
    verdict: Verdict
    if math.isnan(comparison.p):
        return HeadlineVerdict("cannot tell", advantage)
    if margin is None:
        few = 0.5**comparison.result.clusters > ALPHA  # p, if all of them are worse
        return HeadlineVerdict("failed" if worse else "cannot tell" if few else "passed", advantage)
    if advantage.ci95.low > -margin - _ROUNDING:
        verdict = "passed"
    else:
        verdict = "failed" if worse else "cannot tell"
    error = standard_error(advantage.ci95)
    enough = items_by_error(error, comparison.items, margin) if margin else None
    return HeadlineVerdict(verdict, advantage, enough)
