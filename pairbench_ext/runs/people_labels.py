"""Match people's labels with questions; labels come from label files or from rows of judgments.

A label says what a person says of a question: of an item of a task, under a criterion where there
are several. `stacks.records.labels` reads files of labels into rows with the fields

    item, label         the item as `pairbench trust --out` writes it, and what the person says
    task                where several tasks have items of the same names
    criterion           where an item is asked several things; without it, the label is for each
    rater               who says it
    probability         with which the item was drawn to be labelled
    first, second       the two systems, if a label says `first`, `A` or `0` and not a name

and further fields of the items, such as `condition`. Files of `pairbench rate` are read, too.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.core.benchmark import TIE, Benchmark, RatersOf
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, did_you_mean, listed
from pairbench_ext.runs.label_rows import PLACES, LabelFile, LabelRow
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text

_YES_NO = {"yes": 0, "y": 0, "true": 0, "1": 0, "no": 1, "n": 1, "false": 1, "0": 1}
_OF_ANSWERS = ("kind", "said", "truth", "options", "people", "measured", "distribution")
#: What a label is, for help texts and errors.
LABEL = (
    "a number for ratings; yes, no, 1 or 0 for yes-no questions. For choices: the name of the "
    "better system; `tie`; 0, first or A if the first option is better; 1, second or B if the "
    "second option is better"
)
_GIVE_LABELS = "give a file of labels with --people FILE, in which each row has an item and a label"


class ItemLabels(NamedTuple):
    """The labels that people gave to one question.

    Attributes:
        by_rater: options in the order of the data, from 0, or `TIE`; or ratings.
        probability: with which the item was drawn to be labelled; NaN where no file says.
        rows: the rows of files of labels; a rating of `pairbench rate` is in none.
    """

    by_rater: Mapping[str, Any]
    probability: float = math.nan
    rows: tuple[LabelRow, ...] = ()

    @property
    def answers(self) -> tuple[Any, ...]:
        """Return the labels without the names of the people who gave them."""
        return tuple(self.by_rater.values())


LabelsOf: TypeAlias = Callable[[Outcome], ItemLabels]


class _Asked:
    """What judges were asked on one task, by which a label is told to be of it."""

    def __init__(self) -> None:
        self.base = ""  # the task, without its criterion
        self.names: set[str] = set()
        self.items: set[str] = set()
        self.criteria: set[str] = set()
        self.orders: set[Any] = set()  # in which choices were shown
        self._variants: dict[str, set[str]] = {}

    def add(self, task: TaskOutcomes) -> None:
        """Add the questions of one judge."""
        self.base = getattr(task, "base_task", "") or task.benchmark.name
        self.names |= {task.task_name, self.base}
        self.items.update(item_text(item).strip() for item in task.items)
        for outcome in task.outcomes:
            self.criteria.add(outcome.criterion)
            if outcome.kind == "chosen":
                self.orders.add(outcome.order)
            for name, value in outcome.variant.items():
                self._variants.setdefault(name, set()).add(str(value).strip())

    def is_called(self, name: str) -> bool:
        """Return whether a label's row names this task or no task."""
        return name in ("", *self.names)

    def names_criterion(self, row: LabelRow) -> bool:
        """Return whether a label's row fits the question about its item."""
        return any(row.fields.get(name) for name in ("criterion", *self._variants))

    def fits(self, row: LabelRow) -> bool:
        """Return whether a label's criterion, if any, is one of this task's criteria."""
        if row.fields.get("criterion", "") not in ("", *self.criteria):
            return False
        return all(row.fields.get(n, "") in ("", *values) for n, values in self._variants.items())


class PeopleLabels:
    """People's labels for the questions of several tasks.

    Args:
        files: of labels, or of ratings of a study. Without any, the labels are what the judgments'
            own rows say of people.
        tasks: what every judge said on every task.

    Raises:
        RecordError: naming file and row: if no row of a file names an item of the tasks, or one
            names an item that several tasks have; or if a file of ratings cannot be read.
    """

    def __init__(self, files: Sequence[LabelFile], tasks: Iterable[TaskOutcomes]) -> None:
        self.paths = [file.path for file in files]
        self.notes = [note for file in files for note in file.notes]
        self._tasks: dict[str, _Asked] = {}
        self._rows: dict[str, dict[str, list[LabelRow]]] = {}
        benchmarks: dict[str, Benchmark] = {}
        for task in tasks:
            self._tasks.setdefault(task.task_name, _Asked()).add(task)
            benchmarks[task.benchmark.name] = task.benchmark
        for file in files:
            self.notes += self._add(file)
        studies = [file.path for file in files if file.rows is None]
        self._raters = dict(_raters_of(benchmarks.values(), studies)) if studies else {}

    def _add(self, file: LabelFile) -> list[str]:
        """Add the labels of a file, and return a note on those that belong to no question.

        Raises:
            RecordError: if all of them do.
        """
        strange: list[LabelRow] = []
        for row in file.rows or ():
            task = self._task_of(row)
            if task is None:
                strange.append(row)
            else:
                self._rows.setdefault(task, {}).setdefault(row.item, []).append(row)
        if not strange:
            return []
        if len(strange) == len(file.rows or ()):
            raise RecordError(f"{strange[0].where}: {self._stranger(strange[0])}")
        items = dict.fromkeys(row.item for row in strange)
        return [
            f"{file.path}: left out {counted(len(strange), 'label')} of "
            f"{counted(len(items), 'item')} that no judge was asked about: "
            f"{listed([*map(repr, items)], 3)}"
        ]

    def _called(self, row: LabelRow) -> dict[str, _Asked]:
        """Return the tasks that a label's row names; all, if it names none.

        Raises:
            RecordError: if there is no such task.
        """
        named = row.fields.get("task", "")
        called = {name: asked for name, asked in self._tasks.items() if asked.is_called(named)}
        if not called:
            names = sorted(set().union(*(asked.names for asked in self._tasks.values())))
            raise RecordError(
                f"{row.where}: no task {named!r} in these runs, which have {listed(names, 6)}"
                f"{did_you_mean(named, names)}"
            )
        return called

    def _task_of(self, row: LabelRow) -> str | None:
        """Return the task that a label is of; None if no task has its item and criterion.

        Raises:
            RecordError: if it may be of several.
        """
        having = self._having(row)
        fitting = [name for name, asked in having.items() if asked.fits(row)]
        if len(fitting) > 1:
            raise RecordError(f"{row.where}: {_which(row, having, fitting)}")
        return fitting[0] if fitting else None

    def _having(self, row: LabelRow) -> dict[str, _Asked]:
        """Return the tasks that have a label's item."""
        return {name: asked for name, asked in self._called(row).items() if row.item in asked.items}

    def _stranger(self, row: LabelRow) -> str:
        """Return why a label belongs to no question."""
        if having := self._having(row):
            return _which(row, having, ())
        items = sorted(set().union(*(asked.items for asked in self._called(row).values())))
        return (
            f"no item {row.item!r} in the runs, which have items such as "
            f"{listed([*map(repr, items)], 2)}"
        )

    def missing(self) -> RecordError:
        """Return the error to raise if no item has a label."""
        what = "these judgments have no labels of people"
        if self.paths:
            what = f"{self.paths[0]}: no label belongs to an item of these judgments"
        return RecordError(f"{what}; {_GIVE_LABELS}")

    def remark(self, judge: TaskOutcomes) -> str:
        """Return a note on labels that name no criterion; empty if every label names one."""
        asked = self._tasks[judge.task_name]
        rows = (row for of_item in self._rows.get(judge.task_name, {}).values() for row in of_item)
        if len(asked.criteria) < 2 or all(asked.names_criterion(row) for row in rows):
            return ""
        return (
            f"labels without a column `criterion` count for every criterion, "
            f"{listed(sorted(asked.criteria), 6)}"
        )

    def of(self, judge: TaskOutcomes) -> LabelsOf | None:
        """Return a function that gives an outcome's labels; None if the task has no labels.

        Raises:
            RecordError: from the function, if a label is none of the item's options, or not on the
                benchmark's scale.
        """
        if not self.paths:
            some = any(outcome.people for outcome in judge.outcomes)
            return (lambda outcome: ItemLabels(outcome.people)) if some else None
        raters, rows = self._raters.get(judge.benchmark.name), self._rows.get(judge.task_name, {})
        if raters is None and not rows:
            return None
        coding = Coding(judge.benchmark, self._tasks[judge.task_name].orders)

        def labels_of(outcome: Outcome) -> ItemLabels:
            named = rows.get(item_text(outcome.item).strip(), ())
            fitting = tuple(r for r in named if r.fits(outcome) and not coding.declines(outcome, r))
            by_rater = dict(raters(outcome)) if raters else {}
            for row in fitting:
                by_rater[_unlike(row.fields.get("rater") or "label", by_rater)] = coding.answer(
                    outcome, row
                )
            drawn = {r.number("probability", 0, 1) for r in fitting if r.fields.get("probability")}
            if len(drawn) > 1:
                raise RecordError(
                    f"{fitting[-1].where}: item {fitting[-1].item!r} was drawn with two different "
                    f"probabilities, {listed(sorted(map(str, drawn)), 2)}"
                )
            return ItemLabels(by_rater, drawn.pop() if drawn else math.nan, fitting)

        return labels_of


def _which(row: LabelRow, having: Mapping[str, _Asked], fitting: Sequence[str]) -> str:
    """What is wrong with a label that is of none, or of several, of the tasks with its item."""
    if fitting:
        column = "task" if len({asked.base for asked in having.values()}) > 1 else "criterion"
        return (
            f"item {row.item!r} is in {len(fitting)} tasks, {listed(fitting, 3)}: add a column "
            f"`{column}` that says which of them the label belongs to"
        )
    criteria = sorted(set().union(*(asked.criteria for asked in having.values())))
    return (
        f"item {row.item!r} is judged by the criteria {listed(criteria, 6)}, but the label's row "
        "names another criterion"
    )


class Coding:
    """Translate the labels in a file into ratings or options of one task."""

    def __init__(self, benchmark: Benchmark, orders: set[Any]) -> None:
        self._benchmark, self._orders = benchmark, orders

    def answer(self, outcome: Outcome, row: LabelRow) -> Any:
        """Return a label as a rating, or as the index of an option in the order of the data.

        Raises:
            RecordError: if the label says nothing, or `first` where nobody knows which one that is.
        """
        if outcome.kind == "rated":
            return row.number("label", *(self._benchmark.outcome.scale or (-math.inf, math.inf)))
        names = _names(self._benchmark, outcome, row.systems)
        places = _places(self._benchmark, outcome)
        if row.label in names:
            return names[row.label]
        if row.label not in places:
            words = ", ".join([*places, *names])
            raise RecordError(f"{row.where}: label {row.fields['label']!r:.40} is none of {words}")
        return self._placed(outcome, row, places[row.label])

    def declines(self, outcome: Outcome, row: LabelRow) -> bool:
        """Return whether a person declined to choose an option on the page of questions."""
        return row.may_decline and row.label not in _places(self._benchmark, outcome)

    def _placed(self, outcome: Outcome, row: LabelRow, place: int) -> int:
        """Return the option at a place: of the systems that the row names, or as they were shown.

        Raises:
            RecordError: if the row names other systems than the item has, or it names none and the
                systems changed places between judgments.
        """
        if not outcome.systems:
            return place
        if row.systems:
            named = [name.lower() for name in outcome.systems]
            meant = row.systems[place].lower()
            if meant not in named:
                raise RecordError(
                    f"{row.where}: columns `first` and `second` name {' and '.join(row.systems)}; "
                    f"the systems of item {row.item!r} are {' and '.join(outcome.systems)}"
                )
            return named.index(meant)
        if len(self._orders) > 1:
            raise RecordError(
                f"{row.where}: label {row.fields['label']!r:.40}: the judgments show the systems "
                f"in both orders. Write the name of the better one "
                f"({' or '.join(outcome.systems)}), or add the columns `first` and "
                "`second` with the names of both"
            )
        return outcome.shown[place]


def _names(
    benchmark: Benchmark, outcome: Outcome, systems: Sequence[str] = ()
) -> Mapping[str, int]:
    """Return options by names that do not depend on an order."""
    labels = [str(label).lower() for label in benchmark.answers.labels]
    of_item = {str(n).lower(): p for p, n in enumerate(outcome.facets.get("labels") or ())}
    if is_yes_no(benchmark):
        return {**_YES_NO, **of_item}
    names = {"tie": TIE, **of_item}
    if benchmark.answers.ties and labels:
        names[labels[-1]] = TIE
    for place, name in enumerate(outcome.systems or systems):
        names[name.lower()] = place
    return names


def _places(benchmark: Benchmark, outcome: Outcome) -> Mapping[str, int]:
    """Return options by words for their place."""
    count = max(2, outcome.options)
    places = {str(place): place for place in range(count)}
    places |= {name: place for place, name in enumerate(PLACES)}
    places |= {chr(ord("a") + place): place for place in range(count)}
    return places | {str(n).lower(): p for p, n in enumerate(benchmark.answers.labels[:count])}


def words_of(benchmark: Benchmark, outcome: Outcome) -> set[str]:
    """Return the words that people may use to label a choice, in lower case; empty for ratings."""
    if outcome.kind != "chosen":
        return set()
    names = _names(benchmark, outcome)
    return {*names} if is_yes_no(benchmark) else {*names, *_places(benchmark, outcome)}


def kind_of_answer(benchmark: Benchmark, outcome: Outcome) -> str:
    """Return an answer's type as records name it, such as `rating` or `pair`; empty for texts."""
    if outcome.kind != "chosen":
        return "rating" if outcome.kind == "rated" else ""
    if is_yes_no(benchmark):
        return "yesno"
    if outcome.facets.get("labels"):
        return "category"
    return "pair" if outcome.options == 2 else "choice"


def each_sort(task: TaskOutcomes) -> Iterator[Outcome]:
    """Yield one outcome for each combination of systems, labels and criterion."""
    seen = set()
    for outcome in task.outcomes:
        sort = outcome.systems, outcome.options, outcome.criterion, id(outcome.facets)
        if sort not in seen:
            seen.add(sort)
            yield outcome


def is_yes_no(benchmark: Benchmark) -> bool:
    """Return whether a benchmark's options are "yes" and "no", in this order."""
    return [str(label).lower() for label in benchmark.answers.labels] == ["yes", "no"]


def field_of(outcome: Outcome, name: str | None) -> Any:
    """Return the value of an item's field, such as its system or stratum; None if `name` is None.

    Raises:
        RecordError: if items have no such field, naming those that they have.
    """
    try:
        if name in _OF_ANSWERS:  # else a column that the data lack would be one stratum
            raise KeyError(name)
        return None if name is None else outcome[name]
    except KeyError as error:
        fields = ", ".join(sorted({*outcome.facets, *outcome.variant}))
        raise RecordError(f"items have no field {error}; known: {fields}") from None


def _unlike(name: str, labels: Mapping[str, Any]) -> str:
    """Return a rater's name, numbered where there are labels by that name."""
    return next(
        new
        for number in range(1, len(labels) + 2)
        if (new := f"{name} #{number}" if number > 1 else name) not in labels
    )


def _raters_of(
    benchmarks: Iterable[Benchmark], studies: Sequence[Path]
) -> Iterator[tuple[str, RatersOf]]:
    """By benchmark, a function from an outcome to people's ratings in files of a rating study.

    Raises:
        RecordError: if a file cannot be read, or none of the benchmarks has such files.
    """
    found = False
    for benchmark in benchmarks:
        people = benchmark.answers.people
        if people is not None and people.files is not None:
            found = True
            yield benchmark.name, people.files(studies)
    if not found:
        raise RecordError(
            f"{studies[0]}: the file has no fields item and label, and the benchmarks of these "
            "runs read no other files of people's ratings"
        )
