"""Compare a judge with the people who rated the same items."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairbench_ext.core.benchmark import Answers, Benchmark, People
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.people_labels import LabelsOf, PeopleLabels
from pairbench_ext.runs.side_by_side import SideBySide, tasks_of
from pairbench_ext.runs.task_outcomes import TaskOutcomes, is_undecided, verdict
from pairbench_ext.runs.trusted_items import TrustedItem, trusted_items
from pairbench_ext.statistics.alternative_annotator import EPSILON
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.kappa import FloatArray, Scale
from pairbench_ext.statistics.people import AgainstPeople, against_people

BaseRates = Mapping[str, float]
#: The columns of items on which a judge and people disagree.
DISAGREEMENT = ("task", "judge", "item", "criterion", "verdict", "people", "agreement")
HALF = 0.5  # of an item's labels, that agree with the verdict


@dataclass(frozen=True)
class Beside:
    """The comparison of a judge with people, on one task or one criterion of it.

    Attributes:
        task, judge, part: which; the part is empty where a task has one only.
        scale: of the answers.
        people: their names.
        numbers: of the judge against the people.
        base_rates: of the judge (under its name) and of each person, over the items that both
            rated: shares of labels, or mean and standard deviation of numbers.
        undecided: items that people rated, on which the judge's readable answers contradict each
            other.
    """

    task: str
    judge: str
    part: str
    scale: Scale
    people: tuple[str, ...]
    numbers: AgainstPeople
    base_rates: Mapping[str, BaseRates]
    undecided: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        numbers, test = self.numbers, self.numbers.alt_test
        return {
            "task": self.task,
            "judge": self.judge,
            "part": self.part,
            "scale": self.scale,
            "items": numbers.items,
            "silent": numbers.silent,
            "undecided": self.undecided,
            "unrated": numbers.unrated,
            "kappa": numbers.kappa,
            "people_kappa": numbers.people_kappa,
            "correlations": numbers.correlations,
            "epsilon": test.epsilon,
            "winning_rate": test.winning_rate,
            "advantage": test.advantage,
            "passes": test.passes,
            "constant_winning_rate": numbers.constant,
            "ci95": numbers.intervals,
            "people": [
                {
                    "name": name,
                    "kappa": kappa.value,
                    **person._asdict(),
                    "wins": None if person.reason else person.wins,
                }
                for name, kappa, person in zip(
                    self.people, numbers.kappas, test.by_annotator, strict=True
                )
            ],
            "base_rates": self.base_rates,
        }


@dataclass(frozen=True)
class Besides:
    """All judges compared with people.

    Attributes:
        every: one comparison for each task, judge and part.
        not_possible: each judge's tasks without people to compare with, and the reason.
        sides: the judges on each task that people judged, too.
    """

    every: tuple[Beside, ...]
    not_possible: Mapping[str, str]
    sides: tuple[SideBySide, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all comparisons for JSON.

        {"people": [{"task", "judge", "part", "scale", "items", "silent", "undecided", "unrated",
                     "kappa", "people_kappa",
                     "correlations": {"with_mean", "with_others", "ceiling", "undefined",
                     "single"} | null, "epsilon", "winning_rate", "advantage",
                     "passes", "constant_winning_rate", "ci95": {name: [low, high]},
                     "people": [{"name", "kappa", "advantage", "annotators", "n", "p", "adjusted",
                     "reason", "wins"}],
                     "base_rates": {name: {label: share} | {"mean", "std"}}}],
         "not_possible": {"judge, task": reason}, "asked": {task: {judge: as in `score`}}}
        """
        return {
            "people": self.every,
            "not_possible": self.not_possible,
            "asked": {side.name: side.asked for side in self.sides},
        }


def beside_people(
    sides: Sequence[SideBySide],
    people: PeopleLabels | None = None,
    *,
    epsilon: float = EPSILON,
    progress: Callable[[str], None] = lambda _: None,
) -> Besides:
    """Compare judges with the people who rated the same items.

    Args:
        sides: the judges on each task.
        people: labels or ratings from files, for tasks whose logs have none.
        epsilon: of the alternative annotator test, in [0, 1).
        progress: is told of each task that is done.

    Raises:
        RecordError: if no task has anybody to compare with.
        ValueError: if epsilon is not in [0, 1).
    """
    compared: list[Beside] = []
    not_possible: dict[str, str] = {}
    judged: list[SideBySide] = []
    of_people = _labels(sides, people)
    for side in sides:
        reason = _why_nobody(side.benchmark, bool(people and people.paths))
        if reason:
            not_possible |= {f"{name}, {side.task or 'plain rows'}": reason for name in side.asked}
            continue
        judged.append(side)
        for name in side.asked:
            judge = side.judges.get(name)
            of_judge = _of_judge(side, name, of_people(judge) if judge else None, epsilon)
            if isinstance(of_judge, str):
                not_possible[f"{name}, {side.name}"] = of_judge
            else:
                compared += of_judge
        progress(side.task)
    if not compared:
        raise RecordError(f"no task of these runs has people's judgments: {_reasons(not_possible)}")
    return Besides(tuple(compared), not_possible, tuple(judged))


def _labels(
    sides: Sequence[SideBySide], people: PeopleLabels | None
) -> Callable[[TaskOutcomes], LabelsOf | None]:
    """Return a function from a judge to labels: those of files, or else of the data."""
    in_data = PeopleLabels((), tasks_of(sides))
    in_files = people if people is not None and people.paths else in_data
    return lambda judge: in_files.of(judge) or in_data.of(judge)


def disagreements(
    sides: Sequence[SideBySide], people: PeopleLabels | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield the items on which most people disagree with the judge, as rows for a CSV file.

    Two ratings say the same if they are at most a tenth of the scale apart.
    """
    of_people = _labels(sides, people)
    for side in sides:
        for name, judge in side.judges.items():
            labels_of = of_people(judge)
            for item in trusted_items([judge], labels_of) if labels_of else ():
                if item.agreement < HALF:
                    yield side.name, name, *_said(item, side.benchmark.answers)


def _said(item: TrustedItem, answers: Answers) -> tuple[str, ...]:
    """Return an item, the judge's verdict and what people say of it."""
    first = item.question.outcomes[0]
    labels = item.question.labels.by_rater.items()
    words = ((x, y if first.kind == "rated" else answers.named(first, y)) for x, y in labels)
    people = "; ".join(f"{rater}: {answer}" for rater, answer in words)
    judge = "" if item.verdict is None else f"{item.verdict}"
    return item.item, item.criterion, judge, people, f"{item.agreement:.3f}"


def _reasons(not_possible: Mapping[str, str]) -> str:
    by_reason: dict[str, list[str]] = {}
    for judge_and_task, why in not_possible.items():
        by_reason.setdefault(why, []).append(judge_and_task)
    return "; ".join(f"{why} ({listed(x, 2, between='; ')})" for why, x in by_reason.items())


def _why_nobody(benchmark: Benchmark, labelled: bool) -> str:
    """Return why nobody can be compared with; empty if somebody may be."""
    people = benchmark.answers.people
    if benchmark.outcome.kind == "text":
        return (
            "`pairbench score` compares rankings and texts with people's answers; this command "
            "cannot"
        )
    if benchmark.answers.why_not or (people is None and not labelled):
        return "the task's data hold no judgments by people"
    if people is not None and people.files is not None and not labelled:
        return "people's ratings are in separate files: name them with --people"
    return ""


def _of_judge(
    side: SideBySide, name: str, labels_of: LabelsOf | None, epsilon: float
) -> list[Beside] | str:
    """Return a judge beside people in all parts that somebody rated; or why there are none."""
    judge = side.judges.get(name)
    if judge is not None and judge.rewarded and judge.benchmark.outcome.kind == "rated":
        return (
            "a reward model's scores are on another scale than people's ratings; `pairbench "
            "score` shows their rank correlation"
        )
    compared = []
    for part, by_item in judge.parts.items() if judge is not None and labels_of else ():
        items = list(by_item.values())
        ratings = [labels_of(outcomes[0]).by_rater for outcomes in items]  # type: ignore[misc]
        if any(ratings):
            compared.append(_beside((side.name, name, part), side, items, ratings, epsilon))
    return compared or "nobody rated any of the items"


def _beside(
    where: tuple[str, str, str],
    side: SideBySide,
    items: Sequence[Sequence[Outcome]],
    ratings: Sequence[Mapping[str, Any]],
    epsilon: float,
) -> Beside:
    """A judge beside people in one part, from its outcomes and their ratings, item by item."""
    answers, scale = side.benchmark.answers, side.scale
    people = answers.people or People()
    names = tuple(dict.fromkeys(name for of_item in ratings for name in of_item))
    rows = [
        [verdict(outcomes) for outcomes in items],
        *([of_item.get(name) for of_item in ratings] for name in names),
    ]
    options: list[Any] = []
    if scale == "nominal":
        options = sorted({x for row in rows for x in row if x is not None})
    labels, matrix = _names_of(answers, items, options), _matrix(rows, options)
    numbers = against_people(
        matrix[0],
        matrix[1:],
        scale,
        epsilon=epsilon,
        clusters=codes_of(outcomes[0].cluster for outcomes in items)[1],
        strata=codes_of(people.stratum(outcomes[0]) for outcomes in items)[1],
        mean=people.mean,
    )
    both = ~np.isnan(matrix[0]) & (~np.isnan(matrix[1:])).any(axis=0)
    shares = {
        name: _base_rates(row[both], labels, scale)
        for name, row in zip(("judge", *names), matrix, strict=True)
    }
    return Beside(*where, scale, names, numbers, shares, _undecided(items, ratings))


def _undecided(items: Sequence[Sequence[Outcome]], ratings: Sequence[Mapping[str, Any]]) -> int:
    """Return how many items that people rated have answers that contradict each other."""
    return sum(
        bool(rated) and is_undecided(of_item) for of_item, rated in zip(items, ratings, strict=True)
    )


def _matrix(rows: Sequence[Sequence[Any]], options: Sequence[Any]) -> FloatArray:
    """Return shape (raters, items): numbers of options, or ratings; NaN where there is none."""
    place = {option: number for number, option in enumerate(options)} if options else {}
    values = [[place.get(x, x) for x in row] for row in rows]
    return np.array(values, dtype=np.float64)  # None is NaN


def _names_of(
    answers: Answers, items: Sequence[Sequence[Outcome]], options: Sequence[Any]
) -> list[Any]:
    """Return what options are called: as their systems, where all items have the same two."""
    if len({outcomes[0].systems for outcomes in items}) > 1:
        return [answers.label(option) for option in options]
    return [answers.named(items[0][0], option) for option in options]


def _base_rates(values: FloatArray, labels: Sequence[Any], scale: Scale) -> BaseRates:
    present = values[~np.isnan(values)]
    if not present.size:
        return {}
    if scale == "interval":
        return {"mean": float(present.mean()), "std": float(present.std())}
    return {str(label): float((present == code).mean()) for code, label in enumerate(labels)}
