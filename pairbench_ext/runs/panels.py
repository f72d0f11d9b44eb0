"""Several judges on the same questions: are they better together than the best one alone?

A panel is a judge: what its members' answers to a question say together is its answer, and all of
the benchmark's numbers are those of such a judge. Nothing is asked again.

-   Choices: the majority (one vote each), and votes weighted by the log-odds of each judge's
    accuracy (`statistics.voting`). Ratings: the mean, and the median.
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from pairbench_ext.core.answers import Answers
from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.comparisons import Comparison, adjusted
from pairbench_ext.runs.judge_runs import JudgeRun, files_by_task
from pairbench_ext.runs.panel_agreement import pairs_of
from pairbench_ext.runs.panel_questions import (
    FloatArray,
    IntArray,
    NothingInCommonError,
    Questions,
    questions_of,
)
from pairbench_ext.runs.panel_results import (
    BEST,
    MAJORITY,
    MEAN,
    MEDIAN,
    WEIGHTED,
    BestSingle,
    Panels,
    TaskPanel,
)
from pairbench_ext.runs.scoring import pooled
from pairbench_ext.runs.task_comparison import (
    Judge,
    TaskResult,
    chosen_numbers,
    compare_number,
    measured,
    read_judges,
)
from pairbench_ext.runs.task_processes import each_task
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.kappa import joint_kappa
from pairbench_ext.statistics.panel import effective_votes
from pairbench_ext.statistics.voting import NONE, fitted_votes, folds_of, vote


def panel(
    runs: Sequence[JudgeRun],
    *,
    rule: str | None = None,
    pool: str | None = None,
    numbers: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Panels:
    """Put judges together, task by task.

    Args:
        runs: of the judges, at least two.
        rule: how replies are read; None for the rule of each run, or else the default.
        pool: what an unusable one counts as; None as each run says.
        numbers: by which panels are compared with the best single judge; by default those that the
            benchmark says, or its headline.
        progress: is told of each task that is done.

    Raises:
        RecordError: if there are fewer than two judges, no task on which two of them can be put
            together, or a file that cannot be scored.
    """
    if len(runs) < 2:
        raise RecordError("at least two judges are needed: give a folder or file of each")
    every_files = files_by_task(runs)
    tasks = [(task, files) for task, files in every_files.items() if len(files) > 1]
    not_possible = {
        task: f"only {next(iter(files))} has it"
        for task, files in every_files.items()
        if len(files) < 2
    }
    found = []
    make = partial(panel_of_task, rule=rule, pool=pool, numbers=tuple(numbers))
    for (task, _), made in zip(tasks, each_task(make, tasks), strict=True):
        progress(task)
        if isinstance(made, str):
            not_possible[task] = made
        else:
            found.append(made)
    if not found:
        reasons = "; ".join(f"{task or 'plain rows'}: {why}" for task, why in not_possible.items())
        raise RecordError(f"no task on which judges can be put together: {reasons}")
    every = [one for made in found for one in made.comparisons]
    return Panels(tuple(runs), tuple(found), adjusted(every), not_possible)


def panel_of_task(
    task: str,
    files: Mapping[str, Path],
    *,
    rule: str | None = None,
    pool: str | None = None,
    numbers: Sequence[str] = (),
    each: Callable[..., Iterable[Any]] = map,
) -> TaskPanel | str:
    """The panel of judges on one task, or why there is none.

    Args:
        task: its name; empty for plain rows.
        files: of the judges, by their names.
        rule: how replies are read; None for the rule of each run, or else the default.
        pool: what an unusable one counts as; None as each run says.
        numbers: by which panels are compared with the best single judge.
        each: how files are read: `map`, or that of a pool of processes.

    Raises:
        RecordError: if a file cannot be scored, the files are of several benchmarks, or the judges
            have no question in common.
    """
    benchmark, every = read_judges(task, files, rule, pool, each)
    judges = measured(every)
    unmeasured = tuple(name for name in every if name not in judges)
    if len(judges) < 2:
        return f"no sample of {', '.join(unmeasured)} has an outcome; pairbench score says why"
    answers = benchmark.answers
    if isinstance(answers, str):
        return answers
    try:
        asked = questions_of(benchmark, answers, judges)
    except NothingInCommonError as error:
        return str(error)
    reserved = {MAJORITY, WEIGHTED, MEAN, MEDIAN} & set(asked.judges)
    if reserved:
        raise RecordError(f"a judge is called {reserved.pop()!r}, as a panel is: rename its folder")
    made = _Bench(task, asked, pool).result(_numbers(benchmark, answers, numbers))
    held = {name: judge.asked for name, judge in every.items()}
    return replace(made, asked=held, unmeasured=unmeasured)


def _numbers(benchmark: Benchmark, answers: Answers, names: Sequence[str]) -> list[str]:
    return list(names or answers.numbers or filter(None, [benchmark.headline]))


@dataclass(frozen=True)
class _Decision:
    """What a panel says to each question; None where it is undecided."""

    answers: list[Any]
    weights: Mapping[str, float]

    @property
    def undecided(self) -> int:
        return sum(one is None for one in self.answers)


class _Bench:
    """Judges side by side on one task, and the panels that they make."""

    def __init__(self, task: str, asked: Questions, pool: str | None) -> None:
        self.task = task
        self.asked = asked
        self.pool = pool
        self.folds = folds_of(asked.clusters)
        self.members = {
            name: self._judge(name, asked.of(place)) for place, name in enumerate(asked.judges)
        }
        self._tables: dict[tuple[str, int], Any] = {}

    def _judge(self, name: str, outcomes: list[Any]) -> Judge:
        asked = self.asked
        return Judge(name, self.task, asked.benchmark, outcomes, self.pool, asked.strata)

    def result(self, names: Sequence[str]) -> TaskPanel:
        """All that is said of the task."""
        asked, benchmark = self.asked, self.asked.benchmark
        decisions = self._decisions()
        panels = {
            name: self._judge(name, asked.panel(one.answers)) for name, one in decisions.items()
        }
        compared = TaskResult(self.task or benchmark.name, benchmark.name)
        best: dict[str, BestSingle] = {}
        numbers = chosen_numbers(benchmark, names, list(self.members.values()))
        everyone = {**self.members, **panels}
        for number in numbers:
            if self.folds.max(initial=0) > 0:
                best[number.name] = self._best(number)
            for name, one in panels.items():
                for judge in self.members.values():
                    compare_number(compared, number, one, judge)
                    if name == WEIGHTED:
                        compared.comparisons[-1] = self._exact(compared.comparisons[-1], number)
            compared.values[number.name] = {
                name: judge.value(number) for name, judge in everyone.items()
            }
        scale = asked.answers.scale
        return TaskPanel(
            compared.task,
            benchmark.name,
            asked.answers.kind,
            asked.judges,
            len(asked.outcomes),
            len(set(asked.clusters)),
            asked.left_out,
            {
                name: n
                for name, said in zip(asked.judges, asked.said, strict=True)
                if (n := said.count(None))
            },
            {name: one.undecided for name, one in decisions.items() if one.undecided},
            decisions[WEIGHTED].weights if WEIGHTED in decisions else {},
            compared.values,
            tuple(panels),
            best,
            tuple(compared.comparisons),
            pairs_of(asked),
            joint_kappa(asked.ratings, scale, asked.weights).value,
            krippendorff_alpha(asked.ratings, scale, asked.weights).value,
            effective_votes(asked.errors, asked.cluster_codes, asked.weights),
            asked.missed(),
        )

    def _decisions(self) -> dict[str, _Decision]:
        asked = self.asked
        if asked.answers.kind == "rating":
            ways: dict[str, Callable[[list[float]], float]] = {MEAN: statistics.fmean}
            if len(asked.judges) > 2:  # of two ratings, the median is the mean
                ways[MEDIAN] = statistics.median
            return {
                name: _Decision([_middle(own, of) for own in zip(*asked.said, strict=True)], {})
                for name, of in ways.items()
            }
        found = {MAJORITY: _Decision(self._options(vote(asked.choices)), {})}
        if self.folds.max(initial=0) > 0:
            decided, weights = self._fitted(earlier=False)
            means = dict(zip(asked.judges, weights.mean(axis=0).tolist(), strict=True))
            found[WEIGHTED] = _Decision(self._options(decided), means)
        return found

    def _fitted(self, *, earlier: bool) -> tuple[IntArray, FloatArray]:
        asked = self.asked
        # Weights are of usable answers; the others are no votes.
        right = np.where(asked.choices == NONE, np.nan, asked.right)
        repeats = len(asked.outcomes) / len(set(asked.clusters))
        return fitted_votes(
            asked.choices, right, self.folds, asked.chance, repeats, earlier=earlier
        )

    @cached_property
    def _of_earlier(self) -> Judge:
        """The weighted vote with weights of earlier folds alone."""
        decided, _ = self._fitted(earlier=True)
        return self._judge(WEIGHTED, self.asked.panel(self._options(decided)))

    def _exact(self, found: Comparison, number: Number) -> Comparison:
        """A comparison of the weighted vote that counts only where an exact test says so, too."""
        again = TaskResult(found.task, self.asked.benchmark.name)
        compare_number(again, number, self._of_earlier, self.members[found.b])
        [other] = again.comparisons
        opposite = found.difference * other.difference < 0
        return replace(found, p=1.0 if opposite else float(np.fmax(found.p, other.p)))

    def _options(self, decided: IntArray) -> list[Any]:
        return [None if one == NONE else self.asked.options[one] for one in decided]

    def _best(self, number: Number) -> BestSingle:
        """The judge that is best in all other folds, fold by fold, and in hindsight."""
        places = np.zeros(len(self.folds), dtype=np.int64)
        picked: Counter[str] = Counter()
        for fold in range(int(self.folds.max()) + 1):
            place = self._ahead(number, [self._without(n, fold) for n in self.asked.judges])
            places[self.folds == fold] = place
            picked[self.asked.judges[place]] += 1
        rows = zip(self.asked.outcomes, places, strict=True)
        outcomes = [*self.asked.others, *(own[place] for own, place in rows)]
        last = self._ahead(number, [judge.whole.table for judge in self.members.values()])
        value = self._judge(BEST, outcomes).whole.value(number)
        return BestSingle(value, dict(picked), self.asked.judges[last])

    def _ahead(self, number: Number, tables: Sequence[Any]) -> int:
        """Which table has the best value; the first of several."""
        sign = -1 if number.better == "lower" else 1
        values = [sign * float(number.of(table)) for table in tables]
        return max(
            range(len(values)), key=lambda n: -math.inf if math.isnan(values[n]) else values[n]
        )

    def _without(self, name: str, fold: int) -> Any:
        """The table of a judge's answers outside a fold."""
        if (name, fold) not in self._tables:
            outcomes = self.asked.of(self.asked.judges.index(name), self.folds != fold)
            self._tables[name, fold] = pooled(self.asked.benchmark, outcomes, self.pool)
        return self._tables[name, fold]


def _middle(said: Sequence[Any], of: Callable[[list[float]], float]) -> float | None:
    """The mean or median of the usable ratings; None if there is none."""
    known = [float(one) for one in said if one is not None]
    return of(known) if known else None
