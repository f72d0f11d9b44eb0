"""What is said of a panel of judges, and all of it as JSON.

{"panels": [{"task": ..., "benchmark": ..., "kind": "choice" | "rating", "judges": [names],
             "questions": n, "clusters": n, "left_out": {judge: {"questions": n, "named": [ids]}},
             "unusable": {judge: n}, "undecided": {panel: n}, "weights": {judge: weight},
             "values": [{"number", "judge", "panel", "value", "ci95_low", "ci95_high"}],
             "best_single": [{"number", "value", "picked": {judge: folds}, "in_hindsight": judge}],
             "pairs": [{"a", "b", "questions", "agreement", "correlation", "kappa", "alpha",
                        "error_correlation", "error_consistency", "same_error"}],
             "kappa": ..., "alpha": ..., "error_correlation": ...,
             "effective_votes": ..., "effective_votes_ci95_low": ..., "..._high": ...,
             "missed_by_all": [ids] | null, "asked": {judge: ...}, "unmeasured": [judges]}],
 "comparisons": as in `pairbench compare`, "not_possible": {task: reason}, "files": {...}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pairbench_ext.core.answers import Kind
from pairbench_ext.runs.comparisons import Comparison, Value
from pairbench_ext.runs.completeness import Completeness
from pairbench_ext.runs.judge_runs import JudgeRun, files_document
from pairbench_ext.statistics.panel import EffectiveVotes

MAJORITY, WEIGHTED, MEAN, MEDIAN = "majority vote", "weighted vote", "mean", "median"
BEST = "best single judge"


class LeftOut(NamedTuple):
    """Questions of one judge that not all were asked: how many, and the first few."""

    questions: int
    named: tuple[str, ...]


class BestSingle(NamedTuple):
    """Which judge is best by a number.

    Attributes:
        value: of the number, if in each fold the judge is heard that is the best in all others.
        picked: in how many folds each judge was the best in all others.
        in_hindsight: the best one on the very questions that it is judged by.
    """

    value: float
    picked: Mapping[str, int]
    in_hindsight: str


@dataclass(frozen=True)
class PairOfJudges:
    """How far two judges agree.

    Attributes:
        a, b: the judges.
        questions: to which both have usable answers.
        agreement: share of equal answers; NaN for ratings.
        correlation: Spearman's, of ratings; NaN for choices.
        kappa: agreement beyond each judge's own base rates (Cohen; quadratic weights for ratings).
        alpha: agreement beyond the base rates of both together (Krippendorff).
        error_correlation: of their errors, an unusable answer being wrong; of ratings, of their
            distances from the truth.
        error_consistency: whether they are right and wrong on the same questions, beyond what their
            accuracies imply; NaN for ratings.
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


@dataclass(frozen=True)
class TaskPanel:
    """What one task says of a panel.

    Attributes:
        task, benchmark: which.
        kind: of its answers.
        judges: on it.
        questions: how many all of them were asked.
        clusters: how many these come in.
        left_out: by judge, questions that not all were asked.
        unusable: by judge, answers that could not be used.
        undecided: by panel, questions without a decision: ties, or no usable answer.
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
    undecided: Mapping[str, int]
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
        """For JSON, without the comparisons."""
        return {
            "task": self.task,
            "benchmark": self.benchmark,
            "kind": self.kind,
            "judges": list(self.judges),
            "questions": self.questions,
            "clusters": self.clusters,
            "left_out": self.left_out,
            "unusable": self.unusable,
            "undecided": self.undecided,
            "weights": self.weights,
            "values": [
                {
                    "number": number,
                    "judge": judge,
                    "panel": judge in self.panels,
                    "value": value.value,
                    "ci95_low": value.ci95.low,
                    "ci95_high": value.ci95.high,
                }
                for number, values in self.values.items()
                for judge, value in values.items()
            ],
            "best_single": [{"number": name, **one._asdict()} for name, one in self.best.items()],
            "pairs": [vars(pair) for pair in self.pairs],
            "kappa": self.kappa,
            "alpha": self.alpha,
            "error_correlation": self.effective.correlation,
            "effective_votes": self.effective.votes,
            "effective_votes_ci95_low": self.effective.interval.low,
            "effective_votes_ci95_high": self.effective.interval.high,
            "missed_by_all": None if self.missed is None else list(self.missed),
            "asked": {judge: one.document() for judge, one in self.asked.items()},
            "unmeasured": list(self.unmeasured),
        }


@dataclass(frozen=True)
class Panels:
    """All that is said of the judges.

    Attributes:
        runs: the judges.
        tasks: what each task says.
        comparisons: of all tasks, adjusted together.
        not_possible: tasks on which judges cannot be put together, and why.
    """

    runs: tuple[JudgeRun, ...]
    tasks: tuple[TaskPanel, ...]
    comparisons: tuple[Comparison, ...]
    not_possible: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "panels": [one.document() for one in self.tasks],
            "comparisons": [one.document() for one in self.comparisons],
            "not_possible": dict(self.not_possible),
            "files": files_document(self.runs),
        }
