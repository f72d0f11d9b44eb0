"""Make a judge's card from its runs: each line of the card shows the result of one test."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import (
    ALPHA,
    ASPECTS,
    READABLE,
    TOO_FEW,
    WEIGHTS,
    Aspect,
    AspectResult,
    Evidence,
)
from pairbench_ext.runs.card.ratings import rating_evidence
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.multiple import holm_behind_gates

QUESTIONS: dict[Aspect, str] = {
    "sees": "are its answers better than guesses",
    "order": "is it free of position bias",
    "length": "is it free of length bias",
    "yes": "is it free of yes bias",
    "instructions": "can its replies be read",
    "scale": "does it use the rating scale",
    "condition": "do its ratings follow the condition in the prompt",
    "itself": "does it answer the same when asked again",
    "people": "does it agree with people",
}
#: Aspects that only some kinds of questions have: the card leaves them out of all others.
_OF_SOME: tuple[Aspect, ...] = ("yes",)
#: Of what has no number of its benchmark's own.
_MORE_IS_BETTER: tuple[Aspect, ...] = ("sees", "instructions", "itself", "people")
#: A reward model judges one answer at a time, on a scale of its own, and nothing is read.
_NOT_OF_REWARDS: tuple[Aspect, ...] = ("order", "instructions", "scale")
_NOT_MEASURED = "not measured: "  # how such a verdict begins


@dataclass(frozen=True)
class CardLine:
    """One line of a judge's card: the result of one test of the judge.

    Attributes:
        aspect: one of `card.model.ASPECTS`.
        task: the task that the number is from, or how many; empty where nothing was measured.
        title: what the number is, in words.
        value, low, high: the number and its 95% interval, NaN where there is none.
        kind: "share", "correlation", "mean", "score", "count": how it is printed.
        flag: the problem that is raised; empty if none is.
        verdict: one plain sentence.
        null: what was tested, in words; empty where nothing was.
        p: the p-value of that test, adjusted (Holm, over the card); for an ability without a flag,
            the unadjusted one of having no ability. NaN where there is no test.
        detectable: for a bias, the size that would have been found with a power of 80%; NaN if
            none would.
        better: "higher" or "lower", where judges are ranked by this number.
        fair: the value of a judge without the bias; NaN where more is better.
        span: the distance from it to the value of a judge that always shows the bias; NaN likewise.
        ability: whether the line is about an ability, rather than a bias.
        tasks: the tasks that the number is from.
        more: how many more items are needed to tell, where there are too few; NaN if unknown.
        says, todo: what was found, and what to do about a problem: the parts of the verdict.
        n: number of items that it rests on; 0 if unknown.
    """

    aspect: Aspect
    task: str
    title: str
    value: float
    low: float
    high: float
    kind: str
    flag: str
    verdict: str
    null: str
    p: float
    detectable: float = math.nan
    better: str | None = None
    fair: float = math.nan
    span: float = math.nan
    ability: bool = False
    tasks: tuple[str, ...] = ()
    more: float = math.nan
    says: str = ""
    todo: str = ""
    n: int = 0

    @cached_property
    def measured(self) -> bool:
        """Return whether the test could be made: False if the line says "not measured"."""
        return not self.verdict.startswith(_NOT_MEASURED)

    @cached_property
    def too_few(self) -> bool:
        """Return whether the test has too few items for a conclusion."""
        if self.null or self.kind not in ("share", "correlation", "mean"):
            return TOO_FEW in self.verdict
        ci95 = Interval(self.low, self.high)
        return ci95.tells_nothing if self.kind == "share" else math.isnan(self.low)


class _Found(NamedTuple):
    runs: tuple[Run, ...]
    evidence: Evidence
    finding: AspectResult
    p: float  # adjusted
    tests: float  # by which the level of the card is divided for this one, at first

    def among(self, parts: int) -> _Found:
        """Return the test with a p-value that is corrected for multiple tests across cards."""
        if math.isnan(self.p):
            return self
        return self._replace(p=min(1.0, parts * self.p), tests=parts * self.tests)

    @property
    def raised(self) -> bool:
        return self.p <= ALPHA and not self.finding.shown


def card_of(runs: Collection[Run], parts: int = 1) -> list[CardLine]:
    """Return one judge's card: one or more lines for each tested aspect, such as position bias.

    Args:
        runs: of the judge.
        parts: how many such cards its runs are shown on: the level is that of all together.

    Raises:
        RecordError: if no numbers follow from a run.
    """
    results = [found.among(parts) for found in _findings(runs)]
    seen = {x.runs for x in results if x.evidence.aspect == "sees" and x.finding.shown}
    lines = [_line(result, sighted=result.runs in seen) for result in results]
    card = [*lines, *_missing(runs, {line.aspect for line in lines})]
    return sorted(card, key=lambda line: ASPECTS.index(line.aspect))


def _missing(runs: Collection[Run], measured: Collection[Aspect]) -> Iterator[CardLine]:
    """Yield a line for each aspect without one, with the reason."""
    asked = {evidence.aspect for run in runs for evidence in evidence_of(run.benchmark)}
    people = any(run.benchmark.answers.people is not None for run in runs)
    rewarded = all(run.rewarded for run in runs)
    recorded = not any(run.benchmark.tasks for run in runs)  # by others, who cannot be asked
    left_out = ASPECTS if recorded else _OF_SOME
    for aspect in ASPECTS:
        if aspect not in measured and (aspect in asked or aspect not in left_out):
            yield _unmeasured(aspect, aspect in asked, people=people, rewarded=rewarded)


def cards_of(judges: Iterable[Judge]) -> dict[str, list[CardLine]]:
    """Return the card of each judge, keyed by the judge's name."""
    return {judge.name: card_of(judge.runs.values()) for judge in judges}


def evidence_of(benchmark: Benchmark) -> tuple[Evidence, ...]:
    """Return the card tests that a benchmark declares, or else the defaults for its answer type."""
    answers, headline = benchmark.answers, benchmark.headline
    if benchmark.card:
        return benchmark.card
    if answers.why_not or headline is None:
        return (READABLE,)
    if benchmark.outcome.kind == "rated":
        return (READABLE, *rating_evidence(headline))
    same = "position_consistency"
    declared = any(number.name == same for number in benchmark.numbers)
    return (READABLE, *choice_evidence(same=same if declared else ""))


def _findings(runs: Iterable[Run]) -> list[_Found]:
    """What each run says, and what all runs of the same evidence say together, if not nothing.

    P-values are adjusted for all tests that can raise a flag (Holm, by `WEIGHTS`). A bias is tested
    in all tasks together first, then behind that gate in each. An ability may be there in one task
    and not in another, and one task may be dead among many that are well: these stand alone.
    One-sided tests that point away from a problem spend nothing (`AspectResult.spends`).
    """
    results: list[_Found] = []
    gates: list[int | None] = []
    for of_title in _by_title(runs).values():
        together = _together(of_title)
        gate = len(results) if together else None
        if together is not None:
            results.append(together)
            gates.append(None)
        for run, evidence, finding in of_title:
            results.append(_Found((run,), evidence, finding, finding.p, 0))
            alone = evidence is READABLE or not math.isnan(finding.chance)
            gates.append(None if alone else gate)
    spending = [
        result._replace(p=result.finding.p if place in gates else result.finding.spends)
        for place, result in enumerate(results)
    ]
    weights = _weights(spending, gates)
    p_values = holm_behind_gates([result.p for result in spending], gates, weights)
    spent = math.fsum(
        weight
        for result, weight, gate in zip(spending, weights, gates, strict=True)
        if gate is None and not math.isnan(result.p)
    )
    return [
        result._replace(
            p=1.0 if math.isnan(p) and result.p <= 1 else p, tests=spent / weight if weight else 1.0
        )
        for result, p, weight in zip(results, p_values, weights, strict=True)
    ]


def _together(of_title: Sequence[tuple[Run, Evidence, AspectResult]]) -> _Found | None:
    """Return what all runs that have a test say together; None where that are fewer than two."""
    tested = [(run, evidence) for run, evidence, finding in of_title if finding.tested]
    if len(tested) < 2:
        return None
    runs, evidence = tuple(run for run, _ in tested), tested[0][1]
    found = evidence.find(runs)
    return None if found is None or not found.tested else _Found(runs, evidence, found, found.p, 0)


def _by_title(
    runs: Iterable[Run],
) -> dict[tuple[str, str], list[tuple[Run, Evidence, AspectResult]]]:
    """Return what each run says, by the aspect and title of the evidence."""
    alike: dict[tuple[str, str], list[tuple[Run, Evidence, AspectResult]]] = {}
    for run in runs:
        for evidence in evidence_of(run.benchmark) if run.measured else ():
            if run.rewarded and evidence.aspect in _NOT_OF_REWARDS:
                continue
            finding = evidence.find([run])
            if finding is None:
                continue
            name = evidence.number
            value = run.numbers.get(name, math.nan) if name else finding.value
            if finding.says or not math.isnan(value):
                title = evidence.aspect, evidence.title
                alike.setdefault(title, []).append((run, evidence, finding))
    return alike


def _weights(results: Sequence[_Found], gates: Sequence[int | None]) -> list[float]:
    """The weight of each test: titles share that of their part, and tests without a gate theirs."""
    titles = [(x.evidence.aspect, x.evidence.title) for x in results]
    open_ = Counter(
        title
        for title, result, gate in zip(titles, results, gates, strict=True)
        if gate is None and not math.isnan(result.p)
    )

    def part(aspect: str) -> str:
        return aspect if aspect in WEIGHTS else ""

    parts = Counter(part(aspect) for aspect, _ in open_)
    return [
        WEIGHTS[part(title[0])] / max(1, parts[part(title[0])]) / max(1, open_[title])
        for title in titles
    ]


def _line(result: _Found, *, sighted: bool) -> CardLine:
    evidence, finding, runs = result.evidence, result.finding, result.runs
    (value, low, high), kind, better = _shown(evidence, finding, runs)
    if evidence.aspect == "sees" and finding.tested and math.isnan(finding.chance):
        better = None  # of a control, in which nothing can be seen
    blocked = evidence.needs_sight and not sighted
    flag = finding.flag if result.raised and not blocked else ""
    ability, detectable = not math.isnan(finding.chance), finding.detectable(result.tests)
    fair, span = (finding.fair, finding.span) if not evidence.number else (math.nan, math.nan)
    return CardLine(
        evidence.aspect,
        runs[0].name if len(runs) == 1 else f"{len(runs)} tasks",
        evidence.title,
        value,
        low,
        high,
        kind,
        flag,
        _verdict(result, flag, value, blocked=blocked),
        finding.null,
        finding.chance if ability and not flag else result.p,
        detectable if math.isfinite(detectable) else math.nan,
        better,
        fair,
        span,
        ability,
        tuple(run.name for run in runs),
        finding.more(result.tests) if finding.tested else math.nan,
        finding.says,
        finding.todo,
        finding.n,
    )


def _shown(
    evidence: Evidence, finding: AspectResult, runs: Sequence[Run]
) -> tuple[tuple[float, float, float], str, str | None]:
    """Return the value of a line with its interval, its kind, and which end is better."""
    interval = finding.value, finding.low, finding.high
    if not evidence.number or len(runs) > 1:
        return interval, evidence.kind, "higher" if evidence.aspect in _MORE_IS_BETTER else None
    number = runs[0].benchmark.number(evidence.number)
    value, *ends = number.found_in(runs[0].numbers)
    low, high = ends
    if not number.ends and math.isclose(value, finding.value):
        low, high = finding.low, finding.high
    return (value, low, high), number.kind, number.better


def _verdict(result: _Found, flag: str, value: float, *, blocked: bool) -> str:
    finding = result.finding
    if not finding.says:
        return f"{result.evidence.title}: {decimal(value, 2)}"
    if flag:
        return f"{finding.says}: {finding.todo}"
    if blocked and finding.tested:
        return f"{_NOT_MEASURED}in this task the judge does not beat guessing ({finding.says})"
    if not finding.tested:
        return finding.says if finding.value == finding.value else f"{_NOT_MEASURED}{finding.says}"
    if not math.isnan(finding.chance):
        more = finding.more(result.tests)
        needed = "" if math.isnan(more) else f": {counted(int(more), 'more item')} would tell"
        return finding.says if finding.shown else f"not shown: {finding.says}; {TOO_FEW}{needed}"
    if finding.p <= ALPHA:
        return (
            f"{finding.says}. This test alone would show a bias. Corrected for all tests of this "
            f"card, it is not significant (p {finding.p:.3f}, adjusted {result.p:.3f})"
        )
    power = finding.power(result.tests)
    return f"{finding.says}: {power}" if power else finding.says


def _unmeasured(aspect: Aspect, asked: bool, *, people: bool, rewarded: bool) -> CardLine:
    why = "no item tests this" if asked else "no task tests this"
    if aspect == "people" and people and not asked:
        why = "`pairbench people` tests this"
    if rewarded and aspect in _NOT_OF_REWARDS:
        why = "does not apply to a reward model"
    verdict = f"{_NOT_MEASURED}{why} ({QUESTIONS[aspect]}?)"
    nan = math.nan
    return CardLine(aspect, "", QUESTIONS[aspect], nan, nan, nan, "", "", verdict, "", nan)


def flags(lines: Iterable[CardLine]) -> set[str]:
    """Return the names of the problems, such as position bias, that a judge's card shows."""
    return {line.flag for line in lines} - {""}
