"""Judges beside the people who rated the same items, one task, judge and part at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pairbench_ext.core.answers import Answers, People, RatersOf
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.outcome_table import each_once
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.completeness import Completeness
from pairbench_ext.runs.judge_runs import JudgeRun
from pairbench_ext.runs.task_comparison import read_judges
from pairbench_ext.statistics.alternative_annotator import EPSILON, AgainstAnnotator
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.kappa import FloatArray, Scale
from pairbench_ext.statistics.people import AgainstPeople, against_people

BaseRates = Mapping[str, float]


@dataclass(frozen=True)
class Beside:
    """A judge beside people, on one part of a task.

    Attributes:
        task, judge, part: which; the part is empty where a task has one only.
        scale: of what is said.
        people: their names.
        found: the numbers.
        base_rates: of the judge (under its name) and of each person, over the items that both
            rated: shares of labels, or mean and standard deviation of numbers.
    """

    task: str
    judge: str
    part: str
    scale: Scale
    people: tuple[str, ...]
    found: AgainstPeople
    base_rates: Mapping[str, BaseRates]

    def document(self) -> dict[str, Any]:
        """For JSON, in the shape that `Besides.document` shows."""
        found = self.found
        with_people = zip(self.people, found.kappas, found.alt_test.by_annotator, strict=True)
        return {
            "task": self.task,
            "judge": self.judge,
            "part": self.part,
            "scale": self.scale,
            "items": found.items,
            "silent": found.silent,
            "unrated": found.unrated,
            "kappa": found.kappa,
            "people_kappa": found.people_kappa,
            "correlations": None if found.correlations is None else found.correlations._asdict(),
            "epsilon": found.alt_test.epsilon,
            "winning_rate": found.alt_test.winning_rate,
            "advantage": found.alt_test.advantage,
            "passes": found.alt_test.passes,
            "constant_winning_rate": found.constant,
            "people": [
                {"name": name, "kappa": kappa.value, **_annotator(one)}
                for name, kappa, one in with_people
            ],
            "base_rates": self.base_rates,
        }


def _annotator(one: AgainstAnnotator) -> dict[str, Any]:
    return {**one._asdict(), "wins": None if one.reason else one.wins}


@dataclass(frozen=True)
class Besides:
    """All judges beside people.

    Attributes:
        every: one for each task, judge and part.
        not_possible: tasks, by judge, that have nobody to compare with, and why.
        asked: by task, by judge: how much of the task its file holds.
    """

    every: tuple[Beside, ...]
    not_possible: Mapping[str, str]
    asked: Mapping[str, Mapping[str, Completeness]] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For JSON.

        {"people": [{"task", "judge", "part", "scale", "items", "silent", "unrated", "kappa",
                     "people_kappa", "correlations": {"with_mean", "with_others", "ceiling",
                     "undefined", "single"} | null, "epsilon", "winning_rate", "advantage",
                     "passes", "constant_winning_rate", "people": [{"name", "kappa", "advantage",
                     "annotators", "n", "p", "adjusted", "reason", "wins"}],
                     "base_rates": {name: {label: share} | {"mean", "std"}}}],
         "not_possible": {"judge, task": reason}, "asked": {task: {judge: as in `score`}}}
        """
        return {
            "people": [one.document() for one in self.every],
            "not_possible": dict(self.not_possible),
            "asked": {
                task: {judge: one.document() for judge, one in own.items()}
                for task, own in self.asked.items()
            },
        }


def beside_people(
    runs: Sequence[JudgeRun],
    *,
    ratings: Sequence[Path] = (),
    epsilon: float = EPSILON,
    rule: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Besides:
    """Set judges beside people.

    Args:
        runs: of the judges.
        ratings: files of people's ratings, for benchmarks whose logs have none.
        epsilon: of the alternative annotator test.
        rule: how replies are read; None for the rule of each run, or else the default.
        progress: is told of each task that is done.

    Raises:
        RecordError: if a file cannot be read, or no task has anybody to compare with.
        ValueError: if epsilon is not in [0, 1).
    """
    for path in ratings:
        if not path.exists():
            raise RecordError(f"{path}: no such file; check the name")
    found: list[Beside] = []
    not_possible: dict[str, str] = {}
    raters: dict[str, RatersOf] = {}
    asked: dict[str, dict[str, Completeness]] = {}
    for run in runs:
        for task, file in run.files.items():
            benchmark, judges = read_judges(task, {run.name: file}, rule)
            of_people = _raters_of(benchmark, ratings, raters)
            if isinstance(of_people, str):
                not_possible[f"{run.name}, {task or 'plain rows'}"] = of_people
                continue
            name = task or benchmark.name
            asked.setdefault(name, {})[run.name] = judges[run.name].asked
            parts = _parts(benchmark, of_people, judges[run.name].outcomes)
            if not parts:
                not_possible[f"{run.name}, {name}"] = "nobody rated any of its items"
            found += [
                _beside((name, run.name, part), benchmark, items, epsilon)
                for part, items in parts.items()
            ]
            progress(task)
    if ratings and not raters:
        tasks = dict.fromkeys(task or "plain rows" for run in runs for task in run.files)
        raise RecordError(
            f"--ratings {ratings[0]}: {', '.join(tasks)}: not compared with ratings in files; "
            "they have people's judgments in their data, or none; leave --ratings out"
        )
    if not found:
        reasons = "; ".join(f"{where}: {why}" for where, why in not_possible.items())
        raise RecordError(f"no task with people's judgments: {reasons}")
    return Besides(tuple(found), not_possible, asked)


def _raters_of(
    benchmark: Benchmark, ratings: Sequence[Path], known: dict[str, RatersOf]
) -> RatersOf | str:
    """Who rated an outcome's item, and how; or why nobody did."""
    people, answers = benchmark.people, benchmark.answers
    if people is None or isinstance(answers, str):
        return "its data hold no judgments of people"
    if people.files is None:
        return answers.people
    if not ratings:
        return "people's ratings are in files of their own: name them with --ratings"
    if benchmark.name not in known:
        known[benchmark.name] = people.files(ratings)
    return known[benchmark.name]


@dataclass
class _Item:
    """What is said of one item."""

    said: list[Any]
    raters: Mapping[str, Any]
    cluster: Hashable
    stratum: Hashable


def _parts(
    benchmark: Benchmark, raters: RatersOf, outcomes: Iterable[Any]
) -> dict[str, list[_Item]]:
    """The items by part; parts that nobody rated are left out."""
    people, answers = _declared(benchmark)
    parts: dict[str, dict[Hashable, _Item]] = {}
    for outcome in each_once(outcomes):
        answer = answers.answer(outcome)
        if answer is None:
            continue
        items = parts.setdefault(getattr(answer, "condition", ""), {})
        if answer.item not in items:
            place = benchmark.cluster(outcome), people.stratum(outcome)
            items[answer.item] = _Item([], raters(outcome), *place)
        items[answer.item].said.append(answers.said(outcome))
    return {
        part: list(items.values())
        for part, items in parts.items()
        if any(item.raters for item in items.values())
    }


def _declared(benchmark: Benchmark) -> tuple[People, Answers]:
    assert benchmark.people is not None
    assert isinstance(benchmark.answers, Answers)
    return benchmark.people, benchmark.answers


def _beside(
    where: tuple[str, str, str], benchmark: Benchmark, items: Sequence[_Item], epsilon: float
) -> Beside:
    people, answers = _declared(benchmark)
    scale = answers.scale
    names = tuple(dict.fromkeys(name for item in items for name in item.raters))
    opinions = [_opinion(item.said, scale) for item in items]
    rows = [opinions, *([item.raters.get(name) for item in items] for name in names)]
    labels = sorted({one for row in rows for one in row if one is not None}, key=repr)
    code = {label: number for number, label in enumerate(labels)}
    number = code.__getitem__ if scale == "nominal" else float
    matrix = np.array(
        [[np.nan if one is None else number(one) for one in row] for row in rows], dtype=np.float64
    )
    found = against_people(
        matrix[0],
        matrix[1:],
        scale,
        epsilon=epsilon,
        clusters=codes_of(item.cluster for item in items)[1],
        strata=codes_of(item.stratum for item in items)[1],
        mean=people.mean,
    )
    both = ~np.isnan(matrix[0]) & (~np.isnan(matrix[1:])).any(axis=0)
    shares = {
        name: _base_rates(row[both], labels, scale)
        for name, row in zip(("judge", *names), matrix, strict=True)
    }
    return Beside(*where, scale, names, found, shares)


def _opinion(said: Sequence[Any], scale: Scale) -> Any:
    """The mean of numbers, the majority of labels; None where nothing is usable, or a tie."""
    known = [one for one in said if one is not None]
    if not known:
        return None
    if scale == "interval":
        return sum(map(float, known)) / len(known)
    (first, most), *rest = Counter(known).most_common(2)
    return None if rest and rest[0][1] == most else first


def _base_rates(values: FloatArray, labels: Sequence[Any], scale: Scale) -> BaseRates:
    known = values[~np.isnan(values)]
    if not known.size:
        return {}
    if scale == "interval":
        return {"mean": float(known.mean()), "std": float(known.std())}
    return {str(label): float((known == code).mean()) for code, label in enumerate(labels)}
