"""Explain why two runs differ: split a metric's change over groups of questions.

A question is in the first class that fits: asked in one run only; with another prompt or other
settings of the harness; unreadable in one run; shown in another order; all others, where only the
judge can have changed. The earlier run's answers are replaced by the later run's class by class.
What a class does to the number depends on what was replaced before, so its part is the mean over
all sequences of classes (Shapley, "A Value for n-Person Games", 1953): the parts add up to the
change, whatever the number is.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from pairbench_ext.core.benchmark import Number, Outcome
from pairbench_ext.runs.completeness import results_of
from pairbench_ext.runs.scoring import Run
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.seeds import generator

Class: TypeAlias = Literal["one run only", "prompt", "unreadable", "order", "judge"]
CLASSES: tuple[Class, ...] = get_args(Class)
TITLES: Mapping[Class, str] = {
    "one run only": "asked in one run only",
    "prompt": "another prompt, other images or other settings",
    "unreadable": "unreadable in one run",
    "order": "shown in another order (the order or the judge may be the cause)",
    "judge": "the same in both runs (the judge is the cause)",
}
_DRAWS = 100  # of the judge's noise


class Asked(NamedTuple):
    """A run's prompts and generation settings, as far as its files contain them.

    Attributes:
        prompts: a hash of what the judge was shown, keyed by question.
        settings: with which replies were generated, by name: temperature, length, few shots.
    """

    prompts: Mapping[Hashable, int] = MappingProxyType({})
    settings: Mapping[str, str] = MappingProxyType({})

    def changed_settings(self, new: Asked) -> dict[str, tuple[str, str]]:
        """Return the settings that differ in a later run; empty if either run logged none."""
        if not (self.settings and new.settings):
            return {}
        names = sorted({*self.settings, *new.settings})
        pairs = {x: (self.settings.get(x, "-"), new.settings.get(x, "-")) for x in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


class Part(NamedTuple):
    """A group of questions, and how much of a metric's change it explains.

    Attributes:
        name: the name of the class of questions.
        questions: how many questions are in the class.
        change: the part of the number's change that comes from the class.
    """

    name: Class
    questions: int
    change: float


class Split(NamedTuple):
    """A metric's change between two runs, split into the parts that groups of questions explain.

    Attributes:
        number: the name of the number.
        old, new: the number's values in the earlier and the later run.
        parts: the part of the change that comes from each class with questions. The parts add up
            to the change.
        noise: the range of 95% of the changes that the judge's own noise makes; None where no
            question was asked twice in a run.
    """

    number: str
    old: float
    new: float
    parts: tuple[Part, ...]
    noise: tuple[float, float] | None

    @property
    def change(self) -> float:
        """Return the value of the later run minus the value of the earlier run."""
        return self.new - self.old


def asked_of(run: TaskOutcomes) -> Asked:
    """Return a run's prompts, taken from its log, and its settings, taken from its results file."""
    if not isinstance(run, Run) or not run.file.exists():
        return Asked()
    prompts = {question: hash(shown) for question, shown in run.prompts.items()}
    results = results_of(run.file)
    task = results.at("configs", run.base_task)
    kept = {name: task[name] for name in ("num_fewshot", "description") if task.get(name)}
    given = results.at("config").get("gen_kwargs")
    settings = {
        **task.get("generation_kwargs", {}),
        **kept,
        **({"gen_kwargs": given} if given else {}),
    }
    return Asked(prompts, {str(name): str(value) for name, value in settings.items()})


def split(
    old: TaskOutcomes, new: TaskOutcomes, number: Number, asked: Sequence[Asked] = (Asked(),) * 2
) -> Split:
    """Split a metric's change between two runs into the parts that groups of questions explain."""
    classes = _classes(old.outcomes, new.outcomes, *asked)

    def value(replaced: frozenset[Class]) -> float:
        sides = [classes[name][name in replaced] for name in classes]
        return old.saying([outcome for side in sides for outcome in side]).number(number)

    changes = shapley(tuple(classes), value)
    parts = tuple(Part(x, max(map(len, sides)), changes[x]) for x, sides in classes.items())
    before, after = (run.saying(run.outcomes).number(number) for run in (old, new))
    return Split(number.name, before, after, parts, _noise(old, new, classes, number))


def shapley(
    players: Sequence[Class], value: Callable[[frozenset[Class]], float]
) -> dict[Class, float]:
    """Return Shapley values: each player's mean contribution over all orders of the players.

    >>> shapley(("judge", "order"), lambda replaced: float(len(replaced) == 2))
    {'judge': 0.5, 'order': 0.5}
    """
    n = len(players)
    values = {
        frozenset(some): value(frozenset(some))
        for size in range(n + 1)
        for some in combinations(players, size)
    }
    return {
        player: sum(
            (values[others | {player}] - values[others]) / (n * math.comb(n - 1, len(others)))
            for others in values
            if player not in others
        )
        for player in players
    }


def _classes(
    old: Sequence[Outcome], new: Sequence[Outcome], asked_old: Asked, asked_new: Asked
) -> dict[Class, tuple[list[Outcome], list[Outcome]]]:
    """Return the outcomes of both runs by class, of classes that have any."""
    before, after = ({outcome.question: outcome for outcome in outcomes} for outcomes in (old, new))
    classes: dict[Class, tuple[list[Outcome], list[Outcome]]] = {name: ([], []) for name in CLASSES}
    other = bool(asked_old.changed_settings(asked_new))
    for question in filter(after.__contains__, before):
        pair = before[question], after[question]
        shown = asked_old.prompts.get(question), asked_new.prompts.get(question)
        name: Class = "prompt" if other else _class_of(*pair, shown)
        for side, outcome in zip(classes[name], pair, strict=True):
            side.append(outcome)
    _add_unmatched(
        classes,
        [x for question, x in before.items() if question not in after],
        [x for question, x in after.items() if question not in before],
    )
    return {name: sides for name, sides in classes.items() if any(sides)}


def _add_unmatched(
    classes: Mapping[Class, tuple[list[Outcome], list[Outcome]]],
    old: Sequence[Outcome],
    new: Sequence[Outcome],
) -> None:
    """Add questions that were asked in another order, and those of one run only."""
    turned = {_turned(outcome): outcome for outcome in new}
    for outcome in old:
        again = turned.pop(_turned(outcome), None)
        sides = classes["one run only" if again is None else "order"]
        sides[0].append(outcome)
        if again is not None:
            sides[1].append(again)
    classes["one run only"][1].extend(turned.values())


def _class_of(old: Outcome, new: Outcome, shown: tuple[int | None, int | None]) -> Class:
    """Return the class of a question that both runs were asked in the same order."""
    if None not in shown and shown[0] != shown[1]:
        return "prompt"
    return "judge" if old.usable == new.usable else "unreadable"


def _turned(outcome: Outcome) -> Hashable:
    """Return a question without the order in which it was shown."""
    return outcome.item_and_variant, outcome.repeat


def _noise(
    old: TaskOutcomes,
    new: TaskOutcomes,
    classes: Mapping[Class, tuple[list[Outcome], list[Outcome]]],
    number: Number,
) -> tuple[float, float] | None:
    """Return the range of changes if both runs drew their answers from one run's repeats."""
    rest = classes.get("judge", ([], []))[0]
    others = [x for name, (side, _) in classes.items() if name != "judge" for x in side]
    for run in (old, new):
        answers: dict[Hashable, list[Outcome]] = defaultdict(list)
        for x in run.outcomes:
            answers[x.item_and_variant, x.order].append(x)
        repeated = [answers[x.item_and_variant, x.order] for x in rest]
        if any(len(each) > 1 for each in repeated):
            rng = generator(0, "noise of drift", len(rest))
            values = []
            for _ in range(2 * _DRAWS):
                redrawn = [
                    outcome.saying(each[rng.integers(len(each))].option) if each else outcome
                    for outcome, each in zip(rest, repeated, strict=True)
                ]
                values.append(old.saying([*others, *redrawn]).number(number))
            # Drawn again from r answers, they vary by (r - 1) / r of what they do.
            times = np.mean([len(each) for each in repeated if len(each) > 1])
            changes = np.diff(np.array(values).reshape(-1, 2)) * math.sqrt(times / (times - 1))
            low, high = np.nanquantile(changes, [0.025, 0.975])
            return float(low), float(high)
    return None
