"""What is said of several judges: differences, p-values, rankings, noise; and all of it as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pairbench_ext.runs.completeness import Completeness
from pairbench_ext.runs.judge_runs import JudgeRun, files_document
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.noise import NoiseSplit

ALPHA = 0.05


@dataclass(frozen=True)
class Comparison:
    """One number of two judges.

    Attributes:
        task: the task, or group of tasks.
        number: its name.
        better: "higher", "lower", or None if neither is.
        a, b: the judges.
        difference: of a, less that of b, over the items of both; NaN where one is undefined.
        ci95: its interval; NaN, NaN for numbers that nothing says how to resample.
        p: that it is 0; NaN likewise.
        p_holm: the same, adjusted for all comparisons that were asked for together.
        test: how p was computed.
        items: how many both judges were asked.
        clusters: how many there are to resample.
        only_a, only_b: how many only one of them was asked.
        named_a, named_b: the first few of these.
        uneven: how many items have not as many answers of both.
    """

    task: str
    number: str
    better: str | None
    a: str
    b: str
    difference: float
    ci95: Interval
    p: float
    test: str
    items: int
    clusters: int
    only_a: int = 0
    only_b: int = 0
    named_a: tuple[str, ...] = ()
    named_b: tuple[str, ...] = ()
    uneven: int = 0
    p_holm: float = math.nan

    @property
    def differs(self) -> bool:
        """Whether the difference is real at 5%, all comparisons together."""
        return self.p_holm <= ALPHA

    def document(self) -> dict[str, Any]:
        """For JSON."""
        low, high = self.ci95
        return {
            "task": self.task,
            "number": self.number,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "ci95_low": low,
            "ci95_high": high,
            "p": self.p,
            "p_holm": self.p_holm,
            "items": self.items,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "clusters": self.clusters,
            "test": self.test,
            "named_a": list(self.named_a),
            "named_b": list(self.named_b),
            "uneven": self.uneven,
        }


def adjusted(every: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons with their p-values adjusted for all of them together (Holm)."""
    p_values = holm([one.p for one in every])
    return tuple(replace(one, p_holm=p) for one, p in zip(every, p_values, strict=True))


@dataclass(frozen=True)
class Value:
    """One number of one judge, over all items that it was asked, and its interval."""

    value: float
    ci95: Interval


@dataclass(frozen=True)
class Ranking:
    """One number of all judges.

    Attributes:
        task, number: which.
        title: of the number.
        values: by judge, the best one first.
        letters: by judge; two that share a letter cannot be told apart. Empty unless all pairs were
            compared.
    """

    task: str
    number: str
    title: str
    values: Mapping[str, Value]
    letters: Mapping[str, str]


def describe_unmeasured(unmeasured: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """By task, who is left out because nothing was measured, in a line each."""
    for task, names in unmeasured.items():
        who = ", ".join(names)
        yield f"{task}: no sample of {who} has an outcome; pairbench score says why"


@dataclass(frozen=True)
class Comparisons:
    """All that was compared.

    Attributes:
        runs: the judges.
        every: the comparisons, adjusted together.
        rankings: of each number and task.
        noise: by task, by judge; the name of the number that it is of comes first.
        asked: by task, by judge: how much of the task its file holds.
        unmeasured: by task, the judges of whom no sample has an outcome; they are left out.
    """

    runs: tuple[JudgeRun, ...]
    every: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    noise: Mapping[str, tuple[str, Mapping[str, NoiseSplit]]]
    asked: Mapping[str, Mapping[str, Completeness]] = field(default_factory=dict)
    unmeasured: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "asked": {
                task: {judge: one.document() for judge, one in own.items()}
                for task, own in self.asked.items()
            },
            "unmeasured": {task: list(names) for task, names in self.unmeasured.items()},
            "passed_over": [
                {"file": str(one.file), "why": one.why}
                for run in self.runs
                for one in run.passed_over
            ],
            "comparisons": [one.document() for one in self.every],
            "rankings": [
                {
                    "task": one.task,
                    "number": one.number,
                    "judges": [
                        {
                            "judge": judge,
                            "value": value.value,
                            "ci95_low": value.ci95.low,
                            "ci95_high": value.ci95.high,
                            "letters": one.letters.get(judge, ""),
                        }
                        for judge, value in one.values.items()
                    ],
                }
                for one in self.rankings
            ],
            "noise": [
                {"task": task, "number": number, "judge": judge, **split.document()}
                for task, (number, splits) in self.noise.items()
                for judge, split in splits.items()
            ],
            "files": files_document(self.runs),
        }
