"""Match several judges' answers on one task, question by question, for all findings.

A question is what all judges are asked alike (`Outcome.question`): an item under a condition, in an
order, the n-th time. Comparisons, panels, people, corrections and the report look at judges through
this module, so that all of them leave out, and count, the same.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.benchmark import Benchmark, Number, Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.table import IntArray, without_ties
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.completeness import Completeness
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text
from pairbench_ext.statistics.kappa import Scale
from pairbench_ext.statistics.kendall import highest_tau_b
from pairbench_ext.statistics.means import mean_of
from pairbench_ext.statistics.noise import NoiseSplit
from pairbench_ext.statistics.voting import NONE

FloatArray: TypeAlias = npt.NDArray[np.float64]
Kind: TypeAlias = Literal["choice", "rating"]
Answer = TypeVar("Answer")

NAMED = 3  # items or questions that not all were asked


class LeftOut(NamedTuple):
    """How many of a judge's questions some other judge was not asked, and the first few of them."""

    questions: int
    named: tuple[str, ...]


class Both(NamedTuple):
    """Two judges' outcomes on the items on which the two are compared.

    Attributes:
        a, b: the judges on these items.
        items: how many there are.
        only_a, only_b: the other items of each.
        uneven: how many items have different numbers of answers from the two.
    """

    a: TaskOutcomes
    b: TaskOutcomes
    items: int
    only_a: list[Hashable]
    only_b: list[Hashable]
    uneven: int


@dataclass(eq=False)
class SideBySide:
    """The answers of several judges on one task.

    Attributes:
        task: its name; empty for plain rows.
        benchmark: whose it is.
        judges: by name, those of whom there is anything to compute from.
        asked: by judge, how much of the task its file holds.
        unmeasured: judges of whom no sample has an outcome; they are left out.
        name: the task; of plain rows, the benchmark.
    """

    task: str
    benchmark: Benchmark
    judges: Mapping[str, TaskOutcomes]
    asked: Mapping[str, Completeness] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.name = self.task or self.benchmark.name
        self._pairs: dict[tuple[str, str], Both] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the judges' names."""
        return tuple(self.judges)

    @property
    def noise(self) -> dict[str, NoiseSplit]:
        """Return the noise of each judge's main number, for judges with repeated questions."""
        splits = {name: judge.noise for name, judge in self.judges.items()}
        return {name: split for name, split in splits.items() if split is not None}

    @cached_property
    def questions(self) -> dict[Hashable, tuple[Outcome | None, ...]]:
        """Return all judges' answers, keyed by question; None for a judge that was not asked."""
        return aligned([_answers(judge) for judge in self.judges.values()])

    @property
    def answers(self) -> list[tuple[Outcome | None, ...]]:
        """Return the answers of all judges, question by question."""
        return list(self.questions.values())

    def check_same_truths(self) -> SideBySide:
        """Raise `RecordError` if two judges have different right answers to a question."""
        if self.benchmark.answers.why_not:  # outcomes answer no questions that all are asked
            return self
        for first, answers in zip(self.first, self.answers, strict=True):
            for name, answer in zip(self.judges, answers, strict=True):
                if answer is not None and answer.truth != first.truth:
                    other = self.names[answers.index(first)]
                    raise RecordError(
                        f"{self.name}: question {item_text(first.question)}: the right answer is "
                        f"{first.truth!r} for {other}, {answer.truth!r} for {name}; judges were "
                        "asked about different data"
                    )
        return self

    @cached_property
    def common(self) -> frozenset[Hashable]:
        """Return the items that all judges were asked."""
        asked = [judge.items.keys() for judge in self.judges.values()]
        return frozenset.intersection(*map(frozenset, asked)) if asked else frozenset()

    @cached_property
    def on_common(self) -> dict[str, TaskOutcomes]:
        """Return each judge's outcomes on the judges' common items; each item counts once."""
        return self._on(self.common, self.names)

    def _on(self, items: frozenset[Hashable], names: Sequence[str]) -> dict[str, TaskOutcomes]:
        judges = {name: self.judges[name] for name in names}
        by_item = len({judge.items[item] for judge in judges.values() for item in items}) > 1
        return {name: judge.on(items, by_item=by_item) for name, judge in judges.items()}

    def both(self, a: str, b: str) -> Both:
        """Return two judges' outcomes on items that all judges share, or else that these two do.

        So all differences, and the order of judges, rest on the same items.
        """
        if (a, b) not in self._pairs:
            first, second = self.judges[a].items, self.judges[b].items
            items, judges = self.common, self.on_common
            if not items:
                items = frozenset(first.keys() & second.keys())
                judges = self._on(items, (a, b))
            self._pairs[a, b] = Both(
                judges[a],
                judges[b],
                len(items),
                [item for item in first if item not in items],
                [item for item in second if item not in items],
                sum(first[item] != second[item] for item in items),
            )
        return self._pairs[a, b]

    @property
    def uneven(self) -> int:
        """Return how many common items have more answers from one judge than from another."""
        return sum(len({j.items[item] for j in self.judges.values()}) > 1 for item in self.common)

    @property
    def narrowed(self) -> tuple[str, int]:
        """Return the judge without which the others share most items, and how many they share."""
        without = {}
        for name in self.names if len(self.names) > 2 else ():
            others = [frozenset(j.items) for other, j in self.judges.items() if other != name]
            without[name] = len(frozenset.intersection(*others))
        name = max(without, key=without.__getitem__, default="")
        more = without.get(name, 0)
        return (name, more) if more > len(self.common) else ("", 0)

    @property
    def sharing(self) -> list[SideBySide]:
        """Return groups of judges that share items; one group if no two judges share any.

        Judges belong together if each shares an item with another of them.
        """
        parts: list[tuple[set[str], set[Hashable]]] = []
        for name, judge in self.judges.items():
            near = [part for part in parts if not part[1].isdisjoint(judge.items)]
            parts = [part for part in parts if part not in near]
            names = {name}.union(*(of_part for of_part, _ in near))
            parts.append((names, {*judge.items}.union(*(items for _, items in near))))
        if len(parts) in (1, len(self.judges)):
            return [self]
        largest, *others = sorted((names for names, _ in parts), key=len, reverse=True)
        return [self.of({*largest, *self.unmeasured}), *map(self.of, others)]

    def of(self, names: Collection[str]) -> SideBySide:
        """Return the answers of only the named judges, in the same order."""
        return SideBySide(
            self.task,
            self.benchmark,
            {name: judge for name, judge in self.judges.items() if name in names},
            {name: part for name, part in self.asked.items() if name in names},
            tuple(name for name in self.unmeasured if name in names),
        )

    @cached_property
    def together(self) -> SideBySide:
        """Return the judges' answers to the questions that all of them were asked.

        Outcomes that answer no question are the first judge's for all.
        """
        common = [answers for answers in self.answers if None not in answers]
        texts = ([x for x in j.outcomes if x.kind == "text"] for j in self.judges.values())
        texts_of_one = next(filter(None, texts), [])
        return SideBySide(
            self.task,
            self.benchmark,
            {
                name: judge.saying([*texts_of_one, *(answers[place] for answers in common)])
                for place, (name, judge) in enumerate(self.judges.items())
            },
            self.asked,
            self.unmeasured,
        )

    @property
    def left_out(self) -> dict[str, LeftOut]:
        """Return, for each judge, its questions that some other judge was not asked."""
        some = [(q, answers) for q, answers in self.questions.items() if None in answers]
        left_out = {}
        for place, name in enumerate(self.judges):
            names = [question for question, answers in some if answers[place] is not None]
            if names:
                left_out[name] = LeftOut(len(names), tuple(map(item_text, names[:NAMED])))
        return left_out

    def measures(self, number: Number) -> bool:
        """Return whether a metric is defined for every judge."""
        return not any(np.isnan(x.numbers.get(number.name, np.nan)) for x in self.judges.values())

    def numbers(self, names: Sequence[str] = ()) -> list[Number]:
        """Return the metrics to compare judges by: the named ones, or all that have an interval.

        Only numbers that are measured, of at least one judge, and unless asked for apply to all.
        """
        declared = self.benchmark.numbers
        judges = self.judges.values()
        if names:
            chosen = [number for number in declared if set(names) & set(number.names)]
        else:
            chosen = [n for n in map(self.fitting, declared) if n.interval and n.better is not None]
            chosen = [n for n in chosen if all(judge.applies(n) for judge in judges)]
            headline = self.benchmark.headline
            first = headline and self.fitting(self.benchmark.number(headline)).name
            chosen.sort(key=lambda number: number.name != first)
        return [n for n in chosen if not all(np.isnan(judge.number(n)) for judge in judges)]

    @cached_property
    def untied(self) -> tuple[str, ...]:
        """Return the judges whose ratings hardly ever tie; empty if this holds for all judges."""
        untied = [name for name, judge in self.judges.items() if without_ties(judge.outcomes)]
        return tuple(untied) if len(untied) < len(self.judges) else ()

    def fitting(self, number: Number) -> Number:
        """Return the metric to compare these judges by: the given one or its replacement.

        It is replaced if the ratings of some judges hardly ever tie, and those of other judges do.
        """
        return number.if_some_tie if number.if_some_tie and self.untied else number

    @property
    def swapped(self) -> tuple[Number, Number] | None:
        """Return the main number and its replacement; None if no replacement is needed."""
        number = self.benchmark.ranked_by
        fitting = number and self.fitting(number)
        return (number, fitting) if number and fitting and fitting is not number else None

    @property
    def ceiling(self) -> float:
        """Return the highest tau-b with the truth that ratings without ties can reach."""
        truths: dict[str, list[float]] = {}
        for answer in self.first:
            if answer.kind == "rated" and answer.truth is not None:
                truths.setdefault(answer.condition, []).append(answer.truth)
        return mean_of(map(highest_tau_b, truths.values()))

    @property
    def kind(self) -> Kind:
        """Return whether the answers are choices or ratings."""
        return "choice" if self.benchmark.outcome.kind == "chosen" else "rating"

    @property
    def scale(self) -> Scale:
        """Return the scale of the answers: "nominal" for choices, "interval" for ratings."""
        return "nominal" if self.kind == "choice" else "interval"

    # As arrays: a row for each judge, a column for each question.

    @cached_property
    def first(self) -> list[Outcome]:
        """Return, for each question, the answer of the first judge that was asked it."""
        return [next(filter(None, answers)) for answers in self.answers]

    @cached_property
    def by_judge(self) -> list[tuple[Outcome | None, ...]]:
        """Return the answers to all questions, judge by judge."""
        return list(zip(*self.answers, strict=True))

    @cached_property
    def truth(self) -> list[Any]:
        """Return the right answer to each question; None where it is unknown."""
        return [answer.truth for answer in self.first]

    @cached_property
    def clusters(self) -> list[Hashable]:
        """Return the cluster of each question, such as its image."""
        return [answer.cluster for answer in self.first]

    @cached_property
    def said(self) -> list[list[Any]]:
        """Return each judge's chosen option or rating for each question; None if there is none."""
        return [[answer and answer.option for answer in answers] for answers in self.by_judge]

    @cached_property
    def unread(self) -> npt.NDArray[np.bool_]:
        """Return whether each answer is unreadable; False where a judge was not asked."""
        rows = [[a is not None and not a.usable for a in answers] for answers in self.by_judge]
        return np.array(rows, dtype=np.bool_)

    @cached_property
    def options(self) -> list[Any]:
        """Return all options that are right or that some judge chose, sorted."""
        return sorted({x for row in (*self.said, self.truth) for x in row if x is not None})

    @cached_property
    def choices(self) -> IntArray:
        """Return the index in `options` of each judge's choice on each question; -1 if none."""
        place = {option: number for number, option in enumerate(self.options)}
        rows = [[NONE if x is None else place[x] for x in of_judge] for of_judge in self.said]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def ratings(self) -> FloatArray:
        """Return each judge's ratings, or the indices of its chosen options; NaN if unreadable."""
        if self.kind == "choice":
            return np.where(self.choices == NONE, np.nan, self.choices.astype(np.float64))
        return np.array(self.said, dtype=np.float64)  # None is NaN

    @cached_property
    def right(self) -> FloatArray:
        """Return 1 for each right choice, else 0; NaN if the right answer is unknown."""
        rows = [
            [np.nan if a is None or a.truth is None else a.right for a in answers]
            for answers in self.by_judge
        ]
        return np.array(rows, dtype=np.float64)

    @cached_property
    def errors(self) -> FloatArray:
        """Return each judge's error on each question; NaN if the right answer is unknown.

        1 where a choice is wrong or unusable, else 0; of ratings, how far they are above the truth,
        NaN where unusable.
        """
        if self.kind == "choice":
            return np.asarray(1 - self.right)
        return np.asarray(self.ratings - np.array(self.truth, dtype=np.float64))

    @cached_property
    def chance(self) -> float:
        """Return the accuracy of guesses: the mean of 1 / number of options."""
        ties = self.benchmark.answers.ties
        return float(np.mean([1 / (answer.options + ties) for answer in self.first]))


def aligned(
    judges: Sequence[Mapping[Hashable, Answer]],
) -> dict[Hashable, tuple[Answer | None, ...]]:
    """Return judges' answers, keyed by question, in the order in which questions were first asked.

    Args:
        judges: of each judge, its answers by question.

    Returns:
        By question, an answer of each judge; None of those that were not asked.
    """
    questions = dict.fromkeys(question for answers in judges for question in answers)
    return {q: tuple(answers.get(q) for answers in judges) for q in questions}


def _answers(judge: TaskOutcomes) -> dict[Hashable, Outcome]:
    return {x.question: x for x in judge.outcomes if x.kind != "text"}


def side_by_side(judges: Sequence[Judge]) -> list[SideBySide]:
    """Return, for each task of any judge, the answers of the judges that ran it.

    Raises:
        RecordError: if a task is of several benchmarks.
    """
    by_task: dict[str, dict[str, Run]] = {}
    for judge in judges:
        for task, run in judge.runs.items():
            by_task.setdefault(task, {})[judge.name] = run
    return [_side(task, runs) for task, runs in by_task.items()]


def tasks_of(sides: Iterable[SideBySide]) -> list[TaskOutcomes]:
    """Return the outcomes of every judge on every task."""
    return [task for side in sides for task in side.judges.values()]


def _side(task: str, runs: Mapping[str, Run]) -> SideBySide:
    (first, run), *others = runs.items()
    for name, other in others:
        if other.benchmark.name != run.benchmark.name:
            raise RecordError(
                f"{task or 'the files'}: the samples of {first} belong to {run.benchmark.name!r}, "
                f"those of {name} to {other.benchmark.name!r}; compare judges on one benchmark"
            )
    return SideBySide(
        task,
        run.benchmark,
        {name: run for name, run in runs.items() if run.measured},
        {name: run.asked for name, run in runs.items()},
        tuple(name for name, run in runs.items() if not run.measured),
    )


def stand_ins(sides: Sequence[SideBySide]) -> tuple[str, ...] | None:
    """Return the metrics to use if no main number was measured; None if one was measured.

    How many replies can be read ranks nobody.
    """
    if any(side.numbers() for side in sides) or all(len(side.judges) < 2 for side in sides):
        return None
    found = (n for side in sides for n in side.benchmark.numbers if side.measures(n))
    return tuple(dict.fromkeys(n.name for n in found if n.better and n.name != "coverage"))


def describe_left_out(sides: Iterable[SideBySide]) -> Iterator[str]:
    """Yield lines on each task's items that are left out, or have unequal numbers of answers."""
    for side in sides:
        left: dict[tuple[str, str], list[str]] = {}
        parts = [part for part in side.sharing if part.common]
        for part in parts:
            for judge, of_judge in part.judges.items():
                others = [item for item in of_judge.items if item not in part.common]
                if others:
                    named = listed(list(map(item_text, others[:NAMED])), NAMED, len(others))
                    left.setdefault((counted(len(others), "item"), named), []).append(judge)
        for (items, named), judges in left.items():
            whom = f"each of {listed(judges, 4)}" if len(judges) > 1 else judges[0]
            yield (
                f"{side.name}: left out {items} of {whom}, because not all judges were asked: "
                f"{named}"
            )
        uneven = sum(part.uneven for part in parts)
        if uneven:
            items = counted(uneven, "item", "has")
            yield (
                f"{side.name}: {items} more answers from some judges than from others; each item "
                "counts once, as the mean of its answers"
            )
        name, more = side.narrowed
        if name:
            yield (
                f"{side.name}: all {len(side.names)} judges share "
                f"{counted(len(side.common), 'item')}; without {name}, the others share {more:,}"
            )


def describe_unmeasured(sides: Sequence[SideBySide]) -> Iterator[str]:
    """Yield, for each task, a line that names the judges without any result."""
    for side in sides:
        if side.unmeasured:
            names = ", ".join(side.unmeasured)
            yield f"{side.name}: no sample of {names} has a result; `pairbench score` says why"


def describe_incomplete(sides: Sequence[SideBySide]) -> Iterator[str]:
    """Yield a line for each judge's log of a task that is incomplete or empty."""
    for side in sides:
        for judge, part in side.asked.items():
            lines = (*part.describe(), part.part)
            yield from (f"{side.name}, {judge}: {line}" for line in lines if line)
    yield from describe_unmeasured(sides)


def describe_untied(sides: Sequence[SideBySide]) -> Iterator[str]:
    """Yield a line for each main number that is replaced because some ratings never tie."""
    swapped: dict[tuple[str, str, tuple[str, ...]], list[float]] = {}
    for side in sides:
        if side.swapped:
            number, fitting = side.swapped
            key = number.title, fitting.title, side.untied
            swapped.setdefault(key, []).append(side.ceiling)
    for (title, instead, judges), ceilings in swapped.items():
        yield (
            f"Judges are compared by {instead}, not by {title}. Ratings of {listed(judges, 3)} "
            f"hardly ever tie, those of the other judges do. The truth has ties, so {title} of "
            f"ratings without ties is at most {mean_of(ceilings):.2f} here."
        )
