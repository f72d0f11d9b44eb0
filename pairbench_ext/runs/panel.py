"""Panels: several judges together, beside the best one alone.

A panel is a judge: what its members' answers to a question say together is its answer, and all of
the benchmark's numbers are those of such a judge. Nothing is asked again.

-   Choices: the majority (one vote each), and votes weighted by the log-odds of each judge's
    accuracy (`statistics.voting`), of three judges or more: two have no majority. A coin decides
    ties, which are half right in expectation. Ratings: the mean, and the median.
-   Weights are cross-fitted: ten folds of whole clusters, each decided by what the others say. So
    is the value of the best single judge, for whoever is picked on the same questions that it is
    then judged by looks better than it is.
-   Panels are tested against every judge, all tests adjusted together: who is the best one may then
    be picked in hindsight. The weighted vote counts as different where it is so both with cross-
    fitted weights and with those of earlier folds alone; of these, p is the larger one, for only
    the latter's test is exact (`statistics.voting.fitted_votes`).
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.compare import Comparison, TaskResult, adjusted
from pairbench_ext.runs.completeness import Completeness
from pairbench_ext.runs.panel_questions import (
    FloatArray,
    IntArray,
    Kind,
    LeftOut,
    NothingInCommonError,
    PairOfJudges,
    Questions,
    questions_of,
)
from pairbench_ext.runs.scoring import (
    Judge,
    Run,
    files_document,
    runs_by_task,
    shared_benchmark,
)
from pairbench_ext.runs.task_outcomes import TaskOutcomes, Value, chosen_numbers
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.kappa import joint_kappa
from pairbench_ext.statistics.panel import EffectiveVotes, effective_votes
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.voting import NONE, fitted_votes, folds_of, vote

MAJORITY, WEIGHTED, MEAN, MEDIAN = "majority vote", "weighted vote", "mean", "median"
BEST = "best single judge"


class BestSingle(NamedTuple):
    """The judge that is best by a number.

    Attributes:
        value: of the number, if in each fold the judge is heard that is the best in all others.
        picked: in how many folds each judge was the best in all others.
        in_hindsight: the best one on the very questions that it is judged by.
    """

    value: float
    picked: Mapping[str, int]
    in_hindsight: str


@dataclass(frozen=True)
class TaskPanel:
    """The panels of judges on one task.

    Attributes:
        task, benchmark: which.
        kind: of its answers.
        judges: on it.
        questions: how many all of them were asked.
        clusters: how many these come in.
        left_out: by judge, questions that not all were asked.
        unusable: by judge, answers that could not be used.
        ties: by panel, questions that a coin decides.
        weights: by judge, mean over folds; empty for ratings.
        values: by number, of each judge and panel.
        panels: which of these are panels.
        best: by number, the best single judge.
        comparisons: of each panel with each judge.
        pairs: of judges.
        kappa: of all judges, beyond each one's own base rates (Conger).
        alpha: beyond the base rates of all together (Krippendorff).
        effective: how many independent judges they are worth.
        missed: items that no judge has right in more than half of its answers; None for ratings.
        asked: by judge, how much of the task its file holds.
        unmeasured: judges of whom no sample has an outcome; they are left out.
    """

    task: str
    benchmark: str
    kind: Kind
    judges: tuple[str, ...]
    questions: int
    clusters: int
    left_out: Mapping[str, LeftOut]
    unusable: Mapping[str, int]
    ties: Mapping[str, int]
    weights: Mapping[str, float]
    values: Mapping[str, Mapping[str, Value]]
    panels: tuple[str, ...]
    best: Mapping[str, BestSingle]
    comparisons: tuple[Comparison, ...]
    pairs: tuple[PairOfJudges, ...]
    kappa: float
    alpha: float
    effective: EffectiveVotes
    missed: tuple[str, ...] | None
    asked: Mapping[str, Completeness] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """For JSON, without the comparisons, in the shape that `Panels.document` shows."""
        same = (
            "task benchmark kind judges questions clusters left_out unusable ties weights "
            "kappa alpha unmeasured"
        )
        return {
            **{name: getattr(self, name) for name in same.split()},
            "values": [
                {
                    "number": number,
                    "judge": judge,
                    "panel": judge in self.panels,
                    **value.document(),
                }
                for number, values in self.values.items()
                for judge, value in values.items()
            ],
            "best_single": [{"number": name, **best._asdict()} for name, best in self.best.items()],
            "pairs": [pair._asdict() for pair in self.pairs],
            "error_correlation": self.effective.correlation,
            "effective_votes": self.effective.votes,
            "effective_votes_ci95_low": self.effective.interval.low,
            "effective_votes_ci95_high": self.effective.interval.high,
            "missed_by_all": None if self.missed is None else list(self.missed),
            "asked": {judge: part.document() for judge, part in self.asked.items()},
        }


@dataclass(frozen=True)
class Panels:
    """The panels of some judges.

    Attributes:
        judges: that were put together.
        tasks: the panel of each task.
        comparisons: of all tasks, adjusted together.
        not_possible: tasks on which judges cannot be put together, and why.
    """

    judges: tuple[Judge, ...]
    tasks: tuple[TaskPanel, ...]
    comparisons: tuple[Comparison, ...]
    not_possible: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For JSON.

        {"panels": [{"task", "benchmark", "kind": "choice" | "rating", "judges": [names],
                     "questions", "clusters", "left_out": {judge: {"questions", "named": [ids]}},
                     "unusable": {judge: n}, "ties": {panel: n}, "weights": {judge: weight},
                     "values": [{"number", "judge", "panel", "value", "ci95_low", "ci95_high"}],
                     "best_single": [{"number", "value", "picked": {judge: folds}, "in_hindsight"}],
                     "pairs": [as `PairOfJudges`], "kappa", "alpha", "error_correlation",
                     "effective_votes", "effective_votes_ci95_low", "..._high",
                     "missed_by_all": [ids] | null, "asked": {judge: ...}, "unmeasured": [judges]}],
         "comparisons": as in `pairbench compare`, "not_possible": {task: reason}, "files": {...}}
        """
        return {
            "panels": [task.document() for task in self.tasks],
            "comparisons": [comparison.document() for comparison in self.comparisons],
            "not_possible": dict(self.not_possible),
            "files": files_document(self.judges),
        }


def panel(
    judges: Sequence[Judge],
    *,
    numbers: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Panels:
    """Put judges together, task by task.

    Args:
        judges: at least two.
        numbers: by which panels are compared with the best single judge; by default those that the
            benchmark says, or its headline.
        progress: is told of each task before judges are put together on it.

    Raises:
        RecordError: if there are fewer than two judges, no task on which two of them can be put
            together, or a run from which no numbers follow.
    """
    if len(judges) < 2:
        raise RecordError("at least two judges are needed: give a folder or file of each")
    every = runs_by_task(judges)
    tasks = [(task, runs) for task, runs in every.items() if len(runs) > 1]
    not_possible = {
        task: f"only {next(iter(runs))} has it" for task, runs in every.items() if len(runs) < 2
    }
    panels = []
    for task, runs in tasks:
        progress(task)
        made = panel_of_task(task, runs, numbers)
        if isinstance(made, str):
            not_possible[task] = made
        else:
            panels.append(made)
    if not panels:
        reasons = "; ".join(f"{task or 'plain rows'}: {why}" for task, why in not_possible.items())
        raise RecordError(f"no task on which judges can be put together: {reasons}")
    comparisons = adjusted([comparison for made in panels for comparison in made.comparisons])
    return Panels(tuple(judges), tuple(panels), comparisons, not_possible)


def panel_of_task(
    task: str, runs: Mapping[str, Run], numbers: Sequence[str] = ()
) -> TaskPanel | str:
    """The panel of judges on one task, or why there is none; arguments as `panel` takes them.

    Raises:
        RecordError: if no numbers follow from a run, or the runs are of several benchmarks.
    """
    benchmark = shared_benchmark(task, runs)
    judges = {name: run.task_outcomes for name, run in runs.items() if run.measured}
    unmeasured = tuple(name for name in runs if name not in judges)
    if len(judges) < 2:
        return f"no sample of {', '.join(unmeasured)} has an outcome; pairbench score says why"
    made = panel_of_judges(task or benchmark.name, benchmark, judges, numbers)
    if isinstance(made, str):
        return made
    asked = {name: run.asked for name, run in runs.items()}
    return replace(made, asked=asked, unmeasured=unmeasured)


def panel_of_judges(
    task: str, benchmark: Benchmark, judges: Mapping[str, TaskOutcomes], numbers: Sequence[str] = ()
) -> TaskPanel | str:
    """The panel of judges whose outcomes are read, or why there is none.

    Raises:
        RecordError: if answers contradict each other, or a judge is called as a panel is.
    """
    if benchmark.answers.why_not:
        return benchmark.answers.why_not
    try:
        asked = questions_of(benchmark, judges)
    except NothingInCommonError as error:
        return str(error)
    reserved = {MAJORITY, WEIGHTED, MEAN, MEDIAN} & set(judges)
    if reserved:
        raise RecordError(f"a judge is called {reserved.pop()!r}, as a panel is: rename its folder")
    names = list(numbers or benchmark.answers.numbers or filter(None, [benchmark.headline]))
    return _Bench(task, asked).result(names)


class _Decision(NamedTuple):
    """The answer of a panel to each question, None where no judge has a usable one.

    Attributes:
        answers: to the questions.
        weights: of judges.
        ties: how many of the answers are a coin's.
    """

    answers: list[Any]
    weights: Mapping[str, float]
    ties: int = 0


class _Bench:
    """Judges side by side on one task, and the panels that they make."""

    def __init__(self, task: str, asked: Questions) -> None:
        self.task = task
        self.asked = asked
        self.folds = folds_of(asked.clusters)
        self.members = {
            name: judge.saying(asked.of(place))
            for place, (name, judge) in enumerate(asked.judges.items())
        }
        self._tables: dict[tuple[str, int], Any] = {}

    def _judge(self, name: str, outcomes: list[Any]) -> TaskOutcomes:
        return next(iter(self.members.values())).saying(outcomes, name)

    def result(self, names: Sequence[str]) -> TaskPanel:
        """The panels of the task, and their comparisons with each judge by some numbers."""
        asked, scale = self.asked, self.asked.scale
        decisions = self._decisions()
        panels = {name: self._judge(name, asked.panel(d.answers)) for name, d in decisions.items()}
        unusable = {
            n: answers.count(None) for n, answers in zip(asked.names, asked.said, strict=True)
        }
        compared = TaskResult(self.task, asked.benchmark.name)
        best: dict[str, BestSingle] = {}
        for number in chosen_numbers(asked.benchmark, names, list(self.members.values())):
            if self.folds.max(initial=0) > 0:
                best[number.name] = self._best(number)
            for name, made in panels.items():
                for judge in self.members.values():
                    compared.compare(number, made, judge)
                    if name == WEIGHTED:
                        compared.comparisons[-1] = self._exact(compared.comparisons[-1], number)
            compared.values[number.name] = {
                name: judge.value(number) for name, judge in (self.members | panels).items()
            }
        return TaskPanel(
            task=self.task,
            benchmark=asked.benchmark.name,
            kind=asked.kind,
            judges=asked.names,
            questions=len(asked.outcomes),
            clusters=len(set(asked.clusters)),
            left_out=asked.left_out,
            unusable={name: count for name, count in unusable.items() if count},
            ties={name: made.ties for name, made in decisions.items() if made.ties},
            weights=decisions[WEIGHTED].weights if WEIGHTED in decisions else {},
            values=compared.values,
            panels=tuple(panels),
            best=best,
            comparisons=tuple(compared.comparisons),
            pairs=asked.pairs(),
            kappa=joint_kappa(asked.ratings, scale).value,
            alpha=krippendorff_alpha(asked.ratings, scale).value,
            effective=effective_votes(asked.errors, codes_of(asked.clusters)[1]),
            missed=asked.missed(),
        )

    def _decisions(self) -> dict[str, _Decision]:
        asked = self.asked
        if asked.kind == "rating":
            ways: dict[str, Callable[[list[float]], float]] = {MEAN: statistics.fmean}
            if len(asked.judges) > 2:  # of two ratings, the median is the mean
                ways[MEDIAN] = statistics.median
            return {
                name: _Decision(
                    [_middle(ratings, of) for ratings in zip(*asked.said, strict=True)], {}
                )
                for name, of in ways.items()
            }
        if len(asked.judges) < 3:
            return {}
        coin = generator(0, "ties of a panel")
        made = {MAJORITY: self._decision(vote(asked.choices), vote(asked.choices, coin=coin))}
        if self.folds.max(initial=0) > 0:
            undecided, _ = self._fitted()
            decided, weights = self._fitted(coin=coin)
            means = dict(zip(asked.names, weights.mean(axis=0).tolist(), strict=True))
            made[WEIGHTED] = self._decision(undecided, decided, means)
        return made

    def _decision(
        self, undecided: IntArray, decided: IntArray, weights: Mapping[str, float] | None = None
    ) -> _Decision:
        """A decision, from the votes without and with a coin for ties."""
        ties = int(np.count_nonzero(undecided != decided))
        return _Decision(self._options(decided), weights or {}, ties)

    def _fitted(self, **options: Any) -> tuple[IntArray, FloatArray]:
        """The weighted vote, with options of `fitted_votes`."""
        asked = self.asked
        # Weights are of usable answers; the others are no votes.
        right = np.where(asked.choices == NONE, np.nan, asked.right)
        repeats = len(asked.outcomes) / len(set(asked.clusters))
        return fitted_votes(asked.choices, right, self.folds, asked.chance, repeats, **options)

    @cached_property
    def _of_earlier(self) -> TaskOutcomes:
        """The weighted vote with weights of earlier folds alone."""
        decided, _ = self._fitted(coin=generator(0, "ties of a panel"), earlier=True)
        return self._judge(WEIGHTED, self.asked.panel(self._options(decided)))

    def _exact(self, fitted: Comparison, number: Number) -> Comparison:
        """A comparison of the weighted vote that counts only where an exact test says so, too."""
        again = TaskResult(fitted.task, self.asked.benchmark.name)
        again.compare(number, self._of_earlier, self.members[fitted.b])
        [other] = again.comparisons
        opposite = fitted.difference * other.difference < 0
        return replace(fitted, p=1.0 if opposite else float(np.fmax(fitted.p, other.p)))

    def _options(self, decided: IntArray) -> list[Any]:
        return [None if x == NONE else self.asked.options[x] for x in decided]

    def _best(self, number: Number) -> BestSingle:
        """The judge that is best in all other folds, fold by fold, and in hindsight."""
        names = self.asked.names
        places = np.zeros(len(self.folds), dtype=np.int64)
        picked: Counter[str] = Counter()
        for fold in range(int(self.folds.max()) + 1):
            place = self._ahead(number, [self._without(n, fold) for n in range(len(names))])
            places[self.folds == fold] = place
            picked[names[place]] += 1
        rows = zip(self.asked.outcomes, places, strict=True)
        outcomes = [
            *self.asked.others,
            *(row[place] for row, place in rows),
        ]
        last = self._ahead(number, [judge.table for judge in self.members.values()])
        value = self._judge(BEST, outcomes).number(number)
        return BestSingle(value, dict(picked), names[last])

    def _ahead(self, number: Number, tables: Sequence[Any]) -> int:
        """The place of the table with the best value; the first of several."""
        sign = -1 if number.better == "lower" else 1
        values = [sign * float(number.of(table)) for table in tables]
        return int(np.argmax(np.nan_to_num(values, nan=-math.inf)))

    def _without(self, judge: int, fold: int) -> Any:
        """The table of a judge's answers outside a fold."""
        name = self.asked.names[judge]
        if (name, fold) not in self._tables:
            outcomes = self.asked.of(judge, self.folds != fold)
            self._tables[name, fold] = self._judge(name, outcomes).table
        return self._tables[name, fold]


def _middle(answers: Sequence[Any], of: Callable[[list[float]], float]) -> float | None:
    """The mean or median of the usable ratings; None if there is none."""
    known = [float(x) for x in answers if x is not None]
    return of(known) if known else None
