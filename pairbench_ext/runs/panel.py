"""Combine the verdicts of several judges (a panel), and compare panels with the best judge.

A panel is a judge: what its members' answers to a question say together is its answer, and all of
the benchmark's numbers are those of such a judge. Nothing is asked again.

-   Choices: the majority (one vote each), and votes weighted by the log-odds of each judge's
    accuracy (`statistics.voting`), of three judges or more: two have no majority. A coin decides
    ties, which are half right in expectation. Ratings: the mean, and the median.
-   Weights are cross-fitted over ten folds of whole clusters. So is the value of the best single
    judge: a judge that is picked on the questions that it is then evaluated on looks better than it
    is.
-   Panels are tested against every judge, all tests adjusted together: who is the best one may then
    be picked in hindsight. The weighted vote counts as different where it is so both with cross-
    fitted weights and with those of earlier folds alone; of these, p is the larger one, for only
    the latter's test is exact (`statistics.voting.fitted_votes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.progress import tracked
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.compare import TOO_FEW, check_numbers, no_such_number
from pairbench_ext.runs.comparisons import Comparison, adjusted, compared
from pairbench_ext.runs.panel_votes import MAJORITY, MEAN, MEDIAN, WEIGHTED, Bench, BestSingle
from pairbench_ext.runs.scoring import Judge, files_document
from pairbench_ext.runs.side_by_side import FloatArray, SideBySide, side_by_side
from pairbench_ext.runs.task_outcomes import Value, item_text
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.kappa import cohen_kappa, joint_kappa
from pairbench_ext.statistics.panel import EffectiveVotes, correlations, effective_votes


@dataclass(frozen=True)
class TaskPanel:
    """The combined verdicts (panels) of several judges on one task.

    Attributes:
        side: the judges.
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
    """

    side: SideBySide
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

    @property
    def questions(self) -> int:
        """Return how many questions all judges were asked."""
        return len(self.side.together.questions)

    @property
    def clusters(self) -> int:
        """Return the number of clusters of the questions that all judges were asked."""
        return len(set(self.side.together.clusters))

    @property
    def unusable(self) -> dict[str, int]:
        """Return how many of each judge's answers are unreadable, keyed by judge."""
        unread = self.side.together.unread.sum(axis=1).tolist()
        return {name: count for name, count in zip(self.side.names, unread, strict=True) if count}

    def to_dict(self) -> dict[str, Any]:
        """Return the panels for JSON, without comparisons."""
        side = self.side
        same = ("questions", "clusters", "unusable", "ties", "weights", "kappa", "alpha")
        return {
            "task": side.name,
            "benchmark": side.benchmark.name,
            "kind": side.kind,
            "judges": side.names,
            "left_out": side.left_out,
            "unmeasured": side.unmeasured,
            **{name: getattr(self, name) for name in same},
            "values": [
                {"number": number, "judge": judge, "panel": judge in self.panels, **value._asdict()}
                for number, values in self.values.items()
                for judge, value in values.items()
            ],
            "best_single": [{"number": name, **best._asdict()} for name, best in self.best.items()],
            "pairs": self.pairs,
            "error_correlation": self.effective.correlation,
            "effective_votes": self.effective.votes,
            "effective_votes_ci95": self.effective.interval,
            "missed_by_all": self.missed,
            "asked": side.asked,
        }


@dataclass(frozen=True)
class Panels:
    """The combined verdicts (panels) of several judges on all tasks.

    Attributes:
        judges: the judges that were combined.
        tasks: the panels of each task.
        comparisons: the comparisons of all tasks; p-values are adjusted over all of them.
        not_possible: tasks on which the judges cannot be combined, and why.
    """

    judges: tuple[Judge, ...]
    tasks: tuple[TaskPanel, ...]
    comparisons: tuple[Comparison, ...]
    not_possible: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return all panels for JSON.

        {"panels": [{"task", "benchmark", "kind": "choice" | "rating", "judges": [names],
                     "questions", "clusters", "left_out": {judge: {"questions", "named": [ids]}},
                     "unusable": {judge: n}, "ties": {panel: n}, "weights": {judge: weight},
                     "values": [{"number", "judge", "panel", "value", "ci95": [low, high]}],
                     "best_single": [{"number", "value", "picked": {judge: folds}, "in_hindsight"}],
                     "pairs": [as `PairOfJudges`], "kappa", "alpha", "error_correlation",
                     "effective_votes", "effective_votes_ci95",
                     "missed_by_all": [ids] | null, "asked": {judge: ...}, "unmeasured": [judges]}],
         "comparisons": as in `pairbench compare`, "not_possible": {task: reason}, "files": {...}}
        """
        return {
            "panels": self.tasks,
            "comparisons": self.comparisons,
            "not_possible": self.not_possible,
            "files": files_document(self.judges),
        }


def panel(
    judges: Sequence[Judge],
    *,
    numbers: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Panels:
    """Combine the verdicts of several judges, task by task.

    Args:
        judges: at least two.
        numbers: by which panels are compared with the best single judge; by default those that the
            benchmark says, or its headline.
        progress: is told of each task before judges are put together on it.

    Raises:
        RecordError: if there are fewer than two judges, no task on which two of them can be put
            together, no such number, or a run from which no numbers follow.
    """
    if len(judges) < 2:
        raise RecordError(TOO_FEW)
    panels = []
    not_possible = {}
    sides = side_by_side(judges)
    check_numbers(sides, numbers)
    for side in tracked(sides, "combining"):
        combined: TaskPanel | str = f"only {next(iter(side.asked))} has it"
        if len(side.asked) > 1:
            progress(side.task)
            combined = panel_of(side, numbers)
        if isinstance(combined, str):
            not_possible[side.task] = combined
        else:
            panels.append(combined)
    if not panels:
        reasons = "; ".join(f"{task or 'plain rows'}: {why}" for task, why in not_possible.items())
        raise RecordError(f"the judges cannot be combined on any task: {reasons}")
    if numbers and not any(task.values for task in panels):
        raise no_such_number([task.side for task in panels], numbers)
    comparisons = adjusted([comparison for task in panels for comparison in task.comparisons])
    return Panels(tuple(judges), tuple(panels), comparisons, not_possible)


def panel_of(side: SideBySide, numbers: Sequence[str] = ()) -> TaskPanel | str:
    """Return the panel of judges on one task, or the reason why there is none.

    Raises:
        RecordError: if answers contradict each other, judges were asked different things under the
            name of one question, or a judge is called as a panel is.
    """
    if len(side.judges) < 2:
        return f"no sample of {', '.join(side.unmeasured)} has a result; pairbench score says why"
    if side.benchmark.answers.why_not:
        return side.benchmark.answers.why_not
    rated = side.benchmark.outcome.kind == "rated"
    if rated and any(judge.rewarded for judge in side.judges.values()):
        return "a reward model's scores are on another scale than ratings"
    if side.benchmark.outcome.kind == "text":
        return "rankings and texts cannot be combined"
    if not side.together.questions:
        return f"no question was asked of all these judges: {', '.join(side.names)}"
    side.check_same_truths()
    reserved = {MAJORITY, WEIGHTED, MEAN, MEDIAN} & set(side.judges)
    if reserved:
        raise RecordError(f"{reserved.pop()!r} is the name of a panel; rename the judge's folder")
    default = side.benchmark.answers.numbers or filter(None, [side.benchmark.headline])
    return _panel(side, list(numbers or default))


def _panel(side: SideBySide, names: Sequence[str]) -> TaskPanel:
    """Return the panels of a task, and their comparisons with each judge by some numbers."""
    asked = side.together
    bench = Bench(asked)
    decisions = bench.decisions()
    panels = {n: bench.judge(n, bench.panel(d.answers)) for n, d in decisions.items()}
    both = SideBySide(side.task, side.benchmark, {**asked.judges, **panels})
    best: dict[str, BestSingle] = {}
    comparisons: list[Comparison] = []
    values: dict[str, dict[str, Value]] = {}
    for number in asked.numbers(names):
        if number.better is not None and bench.folds.max(initial=0) > 0:
            best[number.name] = bench.best(number)
        for name in panels:
            for judge in asked.names:
                found = compared(both, number, name, judge)
                comparisons.append(bench.exact(found, number) if name == WEIGHTED else found)
        values[number.name] = {name: judge.value(number) for name, judge in both.judges.items()}
    return TaskPanel(
        side=side,
        ties={name: decision.ties for name, decision in decisions.items() if decision.ties},
        weights=decisions[WEIGHTED].weights if WEIGHTED in decisions else {},
        values=values,
        panels=tuple(panels),
        best=best,
        comparisons=tuple(comparisons),
        pairs=pairs_of_judges(asked),
        kappa=joint_kappa(asked.ratings, asked.scale).value,
        alpha=krippendorff_alpha(asked.ratings, asked.scale).value,
        effective=effective_votes(asked.errors, codes_of(asked.clusters)[1]),
        missed=missed_by_all(asked),
    )


class PairOfJudges(NamedTuple):
    """The agreement between two judges.

    Attributes:
        a, b: the names of the two judges.
        questions: the number of questions to which both judges gave a readable answer.
        agreement: the share of these questions with equal answers; NaN for ratings.
        correlation: Spearman's correlation between the two judges' ratings; NaN for choices.
        kappa: agreement beyond each judge's own base rates (Cohen; quadratic weights for ratings).
        alpha: agreement beyond the base rates of both together (Krippendorff).
        error_correlation: the correlation of the two judges' errors. An unreadable answer is an
            error. The error of a rating is its distance from the truth.
        error_consistency: whether they are right and wrong on the same questions, beyond what their
            accuracies imply: Cohen's kappa of right and wrong (Geirhos, Meding and Wichmann,
            "Beyond Accuracy", 2020, Equations 1 to 3); NaN for ratings.
        same_error: of the questions on which both give a wrong answer, the share with the same one;
            NaN for ratings, and 1 where there are two options.
    """

    a: str
    b: str
    questions: int
    agreement: float
    correlation: float
    kappa: float
    alpha: float
    error_correlation: float
    error_consistency: float
    same_error: float


def pairs_of_judges(side: SideBySide) -> tuple[PairOfJudges, ...]:
    """Return the agreement of each pair of judges on questions that both answered readably.

    Errors cover all questions whose right answer is known. An unreadable choice is an error.
    """
    together = correlations(side.errors)
    pairs = combinations(range(len(side.names)), 2)
    return tuple(_pair(side, i, j, float(together[i, j])) for i, j in pairs)


def _pair(side: SideBySide, i: int, j: int, error_correlation: float) -> PairOfJudges:
    both, errors = side.ratings[[i, j]], side.errors
    usable = ~np.isnan(both).any(axis=0)
    x, y = both[:, usable]
    agreement = consistency = same_error = spearman = math.nan
    if side.kind == "choice":
        wrong = (errors[i] == 1) & (errors[j] == 1) & usable
        agreement = _share(x == y)
        consistency = cohen_kappa(errors[i], errors[j]).value
        same_error = _share(both[0, wrong] == both[1, wrong])
    elif len(x) > 1:
        spearman = correlation(x, y)
    return PairOfJudges(
        a=side.names[i],
        b=side.names[j],
        questions=len(x),
        agreement=agreement,
        correlation=spearman,
        kappa=cohen_kappa(x, y, side.scale).value,
        alpha=krippendorff_alpha(both, side.scale).value,
        error_correlation=error_correlation,
        error_consistency=consistency,
        same_error=same_error,
    )


def _share(hits: npt.NDArray[np.bool_]) -> float:
    return float(hits.mean()) if hits.size else math.nan


def missed_by_all(side: SideBySide) -> tuple[str, ...] | None:
    """Return the items that no judge gets right in over half of its answers; None for ratings."""
    if side.kind == "rating":
        return None
    right: dict[Hashable, list[FloatArray]] = {}
    for first, column in zip(side.first, side.right.T, strict=True):
        if not np.isnan(column).any():
            right.setdefault(first.item, []).append(column)
    shares = {item: np.mean(columns, axis=0) for item, columns in right.items()}
    return tuple(item_text(item) for item, share in shares.items() if share.max() <= 0.5)
