"""Check people's labels: were the labelled items drawn at random?

One place for all commands that take labels: `trust` and `correct` refuse labels that were not drawn
at random.
"""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.people_labels import ItemLabels, LabelsOf
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text, verdict
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.label_checks import bunched_p, drawn_p

_NOT_DRAWN = 0.01  # over everything that is compared
_BUNCHED = 0.005
_BLOCKS, _MOST_LEVELS, _RARE = 5, 20, 5


class Question(NamedTuple):
    """A judge's outcomes on one item, in all orders and repeats, with people's labels of it."""

    item: str
    criterion: str
    outcomes: Sequence[Outcome]
    labels: ItemLabels
    place: int

    @property
    def name(self) -> str:
        """Return the name of the item, with its criterion if there is one."""
        return item_text((self.item, self.criterion))

    @property
    def is_labelled(self) -> bool:
        """Return whether people labelled the question."""
        return bool(self.labels.by_rater)


def questions_of(judge: TaskOutcomes, labels_of: LabelsOf) -> dict[str, list[Question]]:
    """Return the questions that a judge was asked, keyed by part of the task.

    A part is a condition or an aspect of ratings.

    Raises:
        RecordError: if a label is none of an item's answers.
    """
    places = {id(outcome): place for place, outcome in enumerate(judge.logged)}
    return {
        part: [
            Question(
                item_text(outcomes[0].item).strip(),
                outcomes[0].criterion,
                outcomes,
                labels_of(outcomes[0]),
                min(places[id(outcome)] for outcome in outcomes),
            )
            for outcomes in by_item.values()
        ]
        for part, by_item in judge.parts.items()
    }


class NotDrawn(NamedTuple):
    """A property in which labelled questions differ from the unlabelled ones.

    Attributes:
        what: what is compared, such as `source`.
        value: the value that is too frequent, or too rare.
        labelled, with_label: questions of that value, and those with a label; or images, or
            prompts, of which all questions are labelled or none.
        total, all_labels: all of these, and all with a label.
        questions: that have a label.
        p: of the test, adjusted for what else is compared.
        is_field: whether it is a field that `--strata` takes.
    """

    what: str
    value: str
    labelled: int
    with_label: int
    total: int
    all_labels: int
    questions: int
    p: float
    is_field: bool

    def describe(self) -> str:
        """Return how the labelled items differ from the others, and what to type next."""
        draw = f"`pairbench trust RUN --draw {self.questions} --out sheet.csv`"
        field = self.what if self.is_field else "FIELD"
        labelled = counted(self.all_labels, "labelled item")
        if self.all_labels < self.questions:
            labelled = f"{self.all_labels:,} labelled images or prompts"
        return (
            f"labelled items differ from the others: {self.what} is {self.value} for "
            f"{self.with_label:,} of {labelled}, but for {self.labelled:,} of all {self.total:,} "
            f"(p {self.p:.2g}). People must label items that were drawn at random, as {draw} draws "
            "them. If items were drawn separately within parts of the data, name the field that "
            f"holds the part: --strata {field}. If items had different chances of being drawn, "
            "write each chance in a column `probability`"
        )


def not_drawn(
    questions: Sequence[Question],
    strata: Sequence[Hashable],
    also: Mapping[str, Sequence[Any]] | None = None,
    parts: int = 1,
) -> NotDrawn | None:
    """Test whether labelled questions differ from unlabelled ones in any known property.

    These are the judge's verdict, the position that it chose, each facet of the item, the criterion
    and the place in the file. Holm's procedure over all of them rejects at 1%, so that of honest
    samples at most 1% are refused. Where whole clusters are labelled, clusters are compared.

    Args:
        questions: all of a task.
        strata: within which items were drawn.
        also: what else to compare, a value for each question.
        parts: of how many parts of the data this is one: the 1% are of all of them together.

    Returns:
        What differs most clearly; None if nothing does.
    """
    labelled = np.array([question.is_labelled for question in questions])
    n_labelled = int(labelled.sum())
    clusters = codes_of(question.outcomes[0].cluster for question in questions)[1]
    units = list(range(len(questions)))
    if bunched_p(labelled, clusters) <= _BUNCHED:
        units = np.unique(clusters, return_index=True)[1].tolist()
        labelled = np.isin(np.arange(len(units)), clusters[labelled])
    of_units = [questions[place] for place in units]
    in_strata = codes_of(strata[place] for place in units)[1]
    tested = []
    compared = {**_known(of_units), **{n: [v[u] for u in units] for n, v in (also or {}).items()}}
    for what, values in compared.items():
        names, codes = _levels(values)
        p, level = drawn_p(labelled, codes, in_strata)
        if not math.isnan(p):
            tested.append((p, what, names[level], codes == level))
    if not tested:
        return None
    p, what, value, having = min(tested, key=lambda test: test[:2])
    p = min(1.0, p * len(tested) * parts)
    if p > _NOT_DRAWN:
        return None
    counts = int(having.sum()), int((having & labelled).sum())
    facets = of_units[0].outcomes[0]
    is_field = what in {*facets.facets, *facets.variant}
    of_all = len(units), int(labelled.sum()), n_labelled
    return NotDrawn(what, value, *counts, *of_all, p, is_field)


def are_bunched(questions: Sequence[Question]) -> bool:
    """Test whether labels are clustered, as when people label all items of only a few images."""
    labelled = np.array([question.is_labelled for question in questions])
    clusters = codes_of(question.outcomes[0].cluster for question in questions)[1]
    return bunched_p(labelled, clusters) <= _BUNCHED


def _known(questions: Sequence[Question]) -> dict[str, list[Any]]:
    """Return what is known of questions before anybody labels them, by name."""
    first = [question.outcomes[0] for question in questions]
    fields = dict.fromkeys(name for outcome in first for name in outcome.facets)
    properties: dict[str, list[Any]] = {
        "the judge's verdict": [verdict(question.outcomes) for question in questions],
        "the position chosen": [_position(question.outcomes) for question in questions],
        "the longer answer": [outcome.longer for outcome in first],
        "the criterion": [question.criterion for question in questions],
        **{name: [outcome.facets.get(name) for outcome in first] for name in fields},
    }
    places = np.argsort(np.argsort([question.place for question in questions]))
    properties["the position in the file"] = places.tolist()
    return properties


def _position(outcomes: Sequence[Outcome]) -> str | None:
    """Return the position of a judge's choices; None of other answers, or if they differ."""
    places = {outcome.said for outcome in outcomes if outcome.usable and outcome.kind == "chosen"}
    if len(places) != 1:
        return None
    [place] = places
    return "tie" if place == TIE else f"place {place + 1}"


def _levels(values: Sequence[Any]) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Names of the levels of values, and the level of each: blocks of numbers, rare ones as one."""
    present = [x for x in values if x is not None]
    if len({*present}) > 2 * _BLOCKS and all(map(_is_number, present)):
        return _blocks(np.array(values, dtype=np.float64))  # None is NaN
    texts = ["none" if x is None else item_text(x) for x in values]
    common = Counter(texts).most_common(_MOST_LEVELS)
    kept = sorted(text for text, count in common if count >= _RARE)
    names = [*kept, "another value"]
    place = {text: number for number, text in enumerate(kept)}
    return names, np.array([place.get(text, len(kept)) for text in texts], dtype=np.int64)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _blocks(numbers: npt.NDArray[np.float64]) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return blocks of about as many numbers each; the last level is of missing ones."""
    missing = np.isnan(numbers)
    ends = np.quantile(numbers[~missing], np.arange(1, _BLOCKS) / _BLOCKS)
    codes = np.where(missing, _BLOCKS, np.searchsorted(ends, numbers, side="left"))
    parts = [numbers[codes == block] for block in range(_BLOCKS)]
    names = [f"from {part.min():g} to {part.max():g}" if part.size else "" for part in parts]
    return [*names, "none"], codes.astype(np.int64)
