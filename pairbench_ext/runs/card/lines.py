"""From one judge's runs to the lines of its card."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import ALPHA, ASPECTS, READABLE, Aspect, Evidence, Finding
from pairbench_ext.runs.card.ratings import rating_evidence
from pairbench_ext.runs.files import JudgeRun, owner
from pairbench_ext.runs.scoring import Run, score_file
from pairbench_ext.statistics.multiple import holm

QUESTIONS: dict[Aspect, str] = {
    "sees": "does it see",
    "order": "is it fair to order",
    "length": "is it fair to length",
    "instructions": "does it follow instructions",
    "scale": "does it use its scale",
    "condition": "does it obey the condition",
    "itself": "does it agree with itself",
    "people": "does it agree with people",
}
#: Of what has no number of its benchmark's own.
_MORE_IS_BETTER: tuple[Aspect, ...] = ("sees", "instructions", "itself", "people")
_NOT_MEASURED = "not measured: "  # how such a verdict begins


@dataclass(frozen=True)
class CardLine:
    """One line of a judge's card.

    Attributes:
        aspect: one of `card.model.ASPECTS`.
        task: that the number is from; empty where nothing was measured.
        title: what the number is, in words.
        value, low, high: the number and its 95% interval, NaN where there is none.
        kind: "share", "correlation", "mean", "score", "count": how it is printed.
        flag: the defect that is raised; empty if none is.
        verdict: one plain sentence.
        null: what was tested, in words; empty where nothing was.
        p: of that test; adjusted (Holm, over the card) where its rejection raises the flag. NaN
            where there is no test.
        better: "higher" or "lower", where one judge stands before another by this number.
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
    better: str | None = None

    @property
    def measured(self) -> bool:
        """Whether the run says anything of it."""
        return not self.verdict.startswith(_NOT_MEASURED)


class _Found(NamedTuple):
    run: Run
    evidence: Evidence
    finding: Finding
    p: float  # adjusted, where rejecting raises the flag


def card(run: JudgeRun) -> list[CardLine]:
    """The card of one judge, from its files.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    return card_of(scored(run))


def scored(run: JudgeRun) -> list[Run]:
    """What one judge's files measure, for `card_of`.

    Raises:
        RecordError: as `card`.
    """
    benchmarks = registry.every_benchmark()
    return [score_file(owner(benchmarks, file), file) for file in run.files.values()]


def card_of(runs: Sequence[Run]) -> list[CardLine]:
    """The card of one judge, from its runs: one or more lines for each aspect, in their order."""
    results = _adjusted(list(_findings(runs)))
    seen = {id(result.run) for result in results if _shows_sight(result)}
    lines = [_line(result, sighted=id(result.run) in seen) for result in results]
    asked = {evidence.aspect for run in runs for evidence in evidence_of(run.benchmark)}
    known = {line.aspect for line in lines}
    people = any(run.benchmark.people is not None for run in runs)
    missing = [
        _unmeasured(result, result in asked, people=people)
        for result in ASPECTS
        if result not in known
    ]
    return sorted([*lines, *missing], key=lambda line: ASPECTS.index(line.aspect))


def evidence_of(benchmark: Benchmark) -> tuple[Evidence, ...]:
    """The evidence that a benchmark declares; by default, that of its choices or ratings."""
    answers, headline = benchmark.answers, benchmark.headline
    if benchmark.card:
        return benchmark.card
    if answers.why_not or headline is None:
        return (READABLE,)
    if benchmark.outcome.kind == "rated":
        return (READABLE, *rating_evidence(headline))
    same = "position_consistency"
    known = any(number.name == same for number in benchmark.numbers)
    return (READABLE, *choice_evidence(headline, same=same if known else ""))


def _findings(runs: Iterable[Run]) -> Iterator[_Found]:
    for run in runs:
        for evidence in evidence_of(run.benchmark) if run.measured else ():
            finding = evidence.find(run)
            if finding is not None and (finding.says or _has_number(run, evidence)):
                yield _Found(run, evidence, finding, finding.p)


def _has_number(run: Run, evidence: Evidence) -> bool:
    return not math.isnan(run.numbers.get(evidence.number, math.nan))


def _adjusted(results: Sequence[_Found]) -> list[_Found]:
    """With Holm's p-values where a rejected null raises a flag."""
    at = [n for n, result in enumerate(results) if result.finding.raised == "rejected"]
    adjusted = dict(zip(at, holm([results[n].p for n in at]), strict=True))
    return [result._replace(p=adjusted.get(n, result.p)) for n, result in enumerate(results)]


def _shows_sight(result: _Found) -> bool:
    return (
        result.evidence.aspect == "sees" and result.finding.raised == "kept" and result.p <= ALPHA
    )


def _line(result: _Found, *, sighted: bool) -> CardLine:
    run, evidence, finding = result.run, result.evidence, result.finding
    value, low, high = finding.value, finding.low, finding.high
    kind = evidence.kind
    better: str | None = "higher" if evidence.aspect in _MORE_IS_BETTER else None
    if evidence.number:
        number = run.benchmark.number(evidence.number)
        ends = number.ends or ("", "")
        value, low, high = (run.numbers.get(n, math.nan) for n in (number.name, *ends))
        if not number.ends and math.isclose(value, finding.value):
            low, high = finding.low, finding.high
        kind, better = number.kind, number.better
    if evidence.aspect == "sees" and finding.raised == "rejected":
        better = None  # of a control, in which nothing can be seen
    blocked = evidence.needs_sight and not sighted
    flag = "" if blocked or not _is_raised(result) else finding.flag
    return CardLine(
        evidence.aspect,
        run.name,
        evidence.title,
        float(value),
        float(low),
        float(high),
        kind,
        flag,
        _verdict(result, flag, value, blocked=blocked),
        finding.null,
        result.p,
        better,
    )


def _is_raised(result: _Found) -> bool:
    if not result.finding.tested:
        return False
    rejected = result.p <= ALPHA
    return rejected if result.finding.raised == "rejected" else not rejected and result.finding.able


def _verdict(result: _Found, flag: str, value: float, *, blocked: bool) -> str:
    finding = result.finding
    if not finding.says:
        return f"{result.evidence.title}: {value:.2f}"
    if flag:
        return f"{finding.says}: {finding.todo}"
    if blocked and finding.tested:
        return f"{_NOT_MEASURED}the judge was not shown to see in this task ({finding.says})"
    if not finding.tested:
        return f"{_NOT_MEASURED}{finding.says}"
    if finding.raised == "kept":
        shown = result.p <= ALPHA
        return finding.says if shown else f"not shown: {finding.says}, too few to tell"
    fine = finding.fine if finding.able else "too few to tell"
    return f"{finding.says}: {fine}" if fine else finding.says


def _unmeasured(aspect: Aspect, asked: bool, *, people: bool) -> CardLine:
    why = "no item tests this" if asked else "no task tests this"
    if aspect == "people" and people and not asked:
        why = "`pairbench people compare` does"
    verdict = f"{_NOT_MEASURED}{why} ({QUESTIONS[aspect]}?)"
    nan = math.nan
    return CardLine(aspect, "", QUESTIONS[aspect], nan, nan, nan, "", "", verdict, "", nan)


def flags(lines: Iterable[CardLine]) -> set[str]:
    """The defects that a card raises."""
    return {line.flag for line in lines} - {""}
