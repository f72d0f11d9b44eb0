"""Claims of cards and panels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.claims.measured import Generator, Measured, holds, of_level
from lmms_eval_tasks.pairbench.ratings import ORDERS
from pairbench_ext.core import registry
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.readers import Reading
from pairbench_ext.runs.card import choices
from pairbench_ext.runs.card.lines import card_of, flags
from pairbench_ext.runs.compare import compare_shared
from pairbench_ext.runs.comparisons import adjusted
from pairbench_ext.runs.group_cards import KAPPA, kappas_of
from pairbench_ext.runs.panel import panel_of
from pairbench_ext.runs.panel_votes import Bench
from pairbench_ext.runs.ranking_finding import ranked_groups
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.seeds import generator


def cards(repetitions: int) -> Iterator[Measured]:
    """Judges without a problem, of any accuracy, and with one: the flags of their cards."""
    for votes in (1, 2):
        for accuracy in (0.55, 0.6, 0.75, 0.9, 1.0):
            flags = _flags(_Judged(accuracy, votes), repetitions)
            case = f"accuracy {accuracy:g}, {_ORDERS[votes]}"
            share = np.mean([bool(of) for of in flags])
            yield Measured(
                case, "any flag", share, most=1.0 if accuracy < 0.6 else of_level(repetitions)
            )
    for name, judge in (
        ("blind", _Judged(0.5, 2)),
        ("first_position", _Judged(0.8, 2, first=0.2)),
        ("longer", _Judged(0.8, 2, longer=0.3)),
        ("ignores_condition", _Judged(0.9, 2, obeys=0.0)),
    ):
        flags = _flags(judge, repetitions)
        yield Measured(f"{name}, in both orders", "found", np.mean([name in f for f in flags]))


def habits(repetitions: int) -> Iterator[Measured]:
    """Cards of one task: a judge that says "first" in a fifth of its answers, and a fair one."""
    benchmark, most = registry.benchmark_of("vl_rewardbench"), of_level(repetitions)
    for items in (50, 150):
        for orders, accuracies in ((1, (0.6, 0.75, 0.9, 1.0)), (2, (0.75,))):
            for accuracy in accuracies:
                case = f"right in {accuracy:g}, {items} items, {_ORDERS[orders]}"
                for first in (0.0, 0.2):
                    judge = _Judged(accuracy, orders, first)
                    rng = generator(0, "habits", items, *map(str, judge))
                    found = []
                    for _ in range(repetitions):
                        outcomes = islice(_choices(rng, judge), items * orders)
                        readings = tuple(Reading((x,)) for x in outcomes)
                        run = Run(benchmark, Path("task"), readings, "task")
                        run.numbers = {}
                        found.append(flags(card_of([run])))
                    if first:
                        named = np.mean(["first_position" in of for of in found])
                        yield Measured(case, "habit of 10 points found", named)
                    else:
                        yield Measured(case, "any flag", np.mean([*map(bool, found)]), most=most)


def biases(repetitions: int) -> Iterator[Measured]:
    """The share of answers "first" on a card, of judges that say it whatever they are shown."""
    for orders in (1, 2):
        for items in (1, 12, 50, 150):
            for accuracy, first in ((1.0, 0.0), (1.0, 0.2), (0.75, 0.0), (0.75, 0.2)):
                judge = _Judged(accuracy, orders, first)
                rng = generator(0, "biases", items, *map(str, judge))
                made = []
                for _ in range(repetitions):
                    found = choices.order([*islice(_choices(rng, judge), items * orders)])
                    if found is not None and not math.isnan(found.value):
                        ends = np.array([found.low, found.high])
                        low, high = sorted(1 - ends if found.flag == "last_position" else ends)
                        made.append(Interval(low, high))
                if made:
                    case = f"right in {accuracy:g}, {items} items, {_ORDERS[orders]}"
                    case += f', says "first" in {first:g}' if first else ""
                    yield holds(case, made, 0.5 + first / 2)
                    wide = np.mean([high - low > 0.01 for low, high in made])
                    yield Measured(case, "interval has a width", wide, least=1.0)


def first_screens(repetitions: int) -> Iterator[Measured]:
    """Judges of equal ability, without a bias and with one of 0.4: what the first screen says.

    The longer answer is right in as many items as the shorter one, or in 70%; yes likewise.
    """
    for bias, flag in _PLANTED.items():
        for accuracy in (0.7, 0.9):
            for skew in (0.5, 0.7):
                fair, biased = (_screens(bias, accuracy, skew, x, repetitions) for x in (0.0, 0.4))
                case = f"{bias} bias of 0.4, right in {accuracy:g}, 150 items"
                case += f", {skew:.0%} of them right by it" if bias != "position" else ""
                if bias == "position" and skew > 0.5:
                    continue
                names = [flag in screen.flags for screen in biased]
                yield Measured(case, "is named", np.mean(names), least=0.95)
                accused = [bool(screen.flags) for screen in fair]
                yield Measured(
                    f"{case}: without it", "any flag", np.mean(accused), most=of_level(repetitions)
                )
                for number in ("accuracy", "kappa"):
                    if number == "accuracy" and skew > accuracy - 0.1:
                        continue  # a bias is then right nearly as often as the judge
                    values = [
                        np.mean([getattr(screen, number) for screen in screens])
                        for screens in (fair, biased)
                    ]
                    yield Measured(case, f"{number} rises", np.mean(values[1] > values[0]), most=0)


_PLANTED = {"position": "first_position", "length": "longer", "yes": "says_yes"}


class _Screen(NamedTuple):
    """A judge's row of the first screen: its numbers, and the flags of its card."""

    accuracy: float
    kappa: float
    flags: set[str]


def _screens(bias: str, accuracy: float, skew: float, planted: float, times: int) -> list[_Screen]:
    """Rows of judges that follow a bias in a share of items, and else are right so often."""
    rng = generator(0, "screens", bias, str(accuracy), str(skew))
    benchmark = registry.benchmark_of("judgments_yesno" if bias == "yes" else "vl_rewardbench")
    made = []
    for _ in range(times):
        right, follows, seen, by_bias = rng.random((4, 150))
        outcomes = []
        for item in range(150):
            truth = int(right[item] < 0.5)
            liked = truth if by_bias[item] < skew else 1 - truth
            if bias == "yes":  # option 0 is yes
                truth, liked = int(right[item] > skew), 0
            told = truth if seen[item] < accuracy else 1 - truth
            said = told if follows[item] >= planted else 0 if bias == "position" else liked
            longer = liked if bias == "length" else None
            outcomes.append(_chosen(item, said, truth, 0, longer, labels=("yes", "no")))
        run = Run(benchmark, Path("run"), tuple(Reading((x,)) for x in outcomes), "task", "judge")
        [ranked] = ranked_groups(compare_shared([Judge("judge", {"task": run})]))
        cells = ranked.values["judge"], kappas_of(ranked.group, "judge")[KAPPA.name]
        main, kappa = (cell.value if isinstance(cell.value, float) else math.nan for cell in cells)
        made.append(_Screen(main, kappa, flags(ranked.cards["judge"])))
    return made


class _Judged(NamedTuple):
    """A judge, by how often two options are told apart, and by its problems."""

    accuracy: float
    orders: int
    first: float = 0.0
    longer: float = 0.0
    obeys: float = 1.0


_ORDERS = {1: "asked once", 2: "in both orders"}


_TRUTHS = {"identical": (10, 10), "moved": (6, 10), "irrelevant": (1, 1)}


def _flags(judge: _Judged, repetitions: int) -> list[set[str]]:
    """The flags of cards of two tasks of 150 choices, of unequal groups, and one of 30 rows."""
    choices, ratings = (registry.benchmark_of(name) for name in ("vl_rewardbench", "pairbench"))
    rng = generator(0, "cards", *map(str, judge))
    made = []
    for _ in range(repetitions):
        runs = [
            Run(benchmark, Path(name), tuple(Reading((x,)) for x in outcomes(rng, judge)), name)
            for benchmark, name, outcomes in (
                (choices, "first task", _choices),
                (choices, "second task", _choices),
                (ratings, "ratings", _ratings),
            )
        ]
        for run in runs:
            run.numbers = {}  # no flag needs them
        made.append(flags(card_of(runs)))
    return made


def _choices(rng: Generator, judge: _Judged) -> Iterator[Outcome]:
    for item in range(150):
        hard = item % 3 == 0  # here the longer option is mostly the wrong one
        right = int(rng.integers(2))
        longer = right if rng.random() < (0.3 if hard else 0.7) else 1 - right
        sight = 0.5 + (judge.accuracy - 0.5) * (0.7 if hard else 1.15)
        seen = right if rng.random() < min(1.0, sight) else 1 - right
        preferred = longer if rng.random() < judge.longer else seen
        for order in range(judge.orders):
            said = 0 if rng.random() < judge.first else preferred ^ order
            yield _chosen(item, said, right, order, longer, "hard" if hard else "easy")


def _chosen(
    item: int,
    said: int,
    right: int,
    order: int,
    longer: int | None = 0,
    source: str = "general",
    **more: Any,
) -> Outcome:
    facets = {"source": source, **more}
    return Outcome("chosen", item, said, right, None, {}, ORDERS[order], 0, 2, longer, {}, facets)


def _ratings(rng: Generator, judge: _Judged) -> Iterator[Outcome]:
    """Half the scale is used; as often as its accuracy is above one half, the truth is said."""
    for row in range(30):
        for pair, truths in _TRUTHS.items():
            for name, truth in zip(("sens", "inv"), truths, strict=True):
                for order in ORDERS:
                    obeyed = truth if rng.random() < judge.obeys else truths[1]
                    at_random = rng.random() > 2 * judge.accuracy - 1
                    said = rng.integers(1, 11) if at_random else obeyed
                    yield Outcome(
                        "rated", (row, pair), 3 + float(said) / 2, truth, row,
                        {"condition": name}, order,
                    )  # fmt: skip


def panels(repetitions: int) -> Iterator[Measured]:
    """Panels that are as good as each of their judges, and better ones.

    Equal: all judges know a third of the items; what a majority gains on a third that is easy for
    all, it loses on a third that is hard for all. Better: judges err independently.
    """
    for size in range(2, 9):
        for orders in (1, 2):
            rng = generator(0, "panels", size, orders)
            differ = _differ(rng, size, orders, (1.0, 0.8, 0.2), repetitions)
            share = np.mean([bool(of) for of in differ])
            yield Measured(
                f"{size} judges, {_ORDERS[orders]}",
                "equal, differ",
                share,
                most=of_level(repetitions),
            )
    for size in (3, 5, 8):
        fewer = max(1, repetitions // 5)  # a share of them needs no fine level
        better = _differ(generator(0, "panels", size), size, 2, (0.7,), fewer)
        share = np.mean([sum(d > 0 for d in of) >= size for of in better])
        what = "better than every judge, in a fifth of the sets"
        yield Measured(f"{size} judges, 0.7 each", what, share)


def _differ(
    rng: Generator, size: int, orders: int, accuracies: tuple[float, ...], repetitions: int
) -> list[list[float]]:
    """The significant differences of each panel from its judges, on 120 items."""
    benchmark = registry.benchmark_of("vl_rewardbench")
    made = []
    for _ in range(repetitions):
        truth = rng.integers(2, size=120)
        accuracy = np.resize(accuracies, 120)
        judges = {}
        for name in map(str, range(size)):
            said = np.where(rng.random((orders, 120)) < accuracy, truth, 1 - truth)
            outcomes = [
                _chosen(item, int(said[order, item]) ^ order, int(truth[item]), order)
                for item in range(120)
                for order in range(orders)
            ]
            judges[name] = TaskOutcomes(name, "task", benchmark, outcomes)
        with patch.object(Bench, "best", return_value=None):  # no difference needs it
            panel = panel_of(SideBySide("task", benchmark, judges))
        assert not isinstance(panel, str)
        made.append([c.difference for c in adjusted(panel.comparisons) if c.differs])
    return made
