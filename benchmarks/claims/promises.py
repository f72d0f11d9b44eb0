"""Claims of `pairbench trust`: promises that are kept, and labels that were not drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.claims.measured import Array, Generator, Measured
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.runs.label_checks import Question, not_drawn
from pairbench_ext.runs.people_labels import ItemLabels
from pairbench_ext.runs.promised import Trust
from pairbench_ext.runs.trust import Items, promise
from pairbench_ext.runs.trusted_items import TrustedItem
from pairbench_ext.statistics.seeds import generator

AGREE, DELTA = 0.9, 0.1
ITEMS, LABELS = 300, 100


def _items(
    agreement: Array,
    labelled: Array,
    confidence: Array,
    clusters: Array,
    *,
    strata: Array | None = None,
    probability: Array | None = None,
    raters: int = 1,
) -> tuple[TrustedItem, ...]:
    """Items of which some are labelled; agreement is of all, in [0, 1]."""
    made = []
    for n, (agrees, known) in enumerate(zip(agreement, labelled, strict=True)):
        outcome = Outcome("chosen", f"q{n}", 0, cluster=int(clusters[n]), options=2)
        drawn = math.nan if probability is None else float(probability[n])
        people = {str(rater): 0 for rater in range(raters)} if known else {}
        made.append(
            TrustedItem(
                Question(f"q{n}", "", [outcome], ItemLabels(people, drawn), n),
                "first",
                float(confidence[n]),
                float(agrees) if known else math.nan,
                int(clusters[n]),
                stratum="" if strata is None else str(strata[n]),
            )
        )
    return tuple(made)


def _broken(made: Sequence[Trust], truths: Sequence[Array]) -> bool:
    """Whether a promise is wrong: fewer of the trusted items agree."""
    for trust, agreement in zip(made, truths, strict=True):
        trusted = np.array([trust.is_trusted(item) for item in trust.items])
        if trusted.any() and agreement[trusted].mean() < trust.agree - 1e-9:
            return True
    return False


def _just_below(rng: Generator, n: int, share: float = AGREE) -> Array:
    """Items of which as many agree as may without the promise being kept."""
    return (rng.permutation(n) < math.ceil(share * n) - 1).astype(float)


#: By case, from a generator: agreement of all items, their levels, clusters, strata and raters.
Case = Callable[[Generator], Mapping[str, Any]]


def _levels(rng: Generator, count: int) -> dict[str, Any]:
    """At every level, and so at all together, just too few agree."""
    levels = np.sort(rng.integers(0, count, ITEMS))
    agreement = np.concatenate([_just_below(rng, int((levels == n).sum())) for n in range(count)])
    return {"agreement": agreement, "confidence": 1 - levels / count}


def _clusters(rng: Generator) -> dict[str, Any]:
    """Five items of an image agree or do not as one."""
    return {"agreement": np.repeat(_just_below(rng, 60), 5), "clusters": np.arange(ITEMS) // 5}


def _ties(rng: Generator) -> dict[str, Any]:
    """A sixth of the labels are ties, which agree half."""
    agreement = np.array([0.5] * 50 + [1.0] * 244 + [0.0] * 6)[rng.permutation(ITEMS)]
    return {"agreement": agreement}


def _two_strata(rng: Generator) -> dict[str, Any]:
    """The judge is worse in the larger stratum, of which fewer labels are drawn."""
    parts = _just_below(rng, 200, 0.855), np.ones(100)
    return {"agreement": np.concatenate(parts), "strata": np.repeat([0, 1], (200, 100))}


def _three_strata(rng: Generator) -> dict[str, Any]:
    parts = _just_below(rng, 100, 0.75), np.ones(100), _just_below(rng, 100, 0.95)
    return {"agreement": np.concatenate(parts), "strata": np.repeat([0, 1, 2], 100)}


def _several_raters(rng: Generator) -> dict[str, Any]:
    """Shares of three raters, of all items together just too low."""
    shares = rng.binomial(3, rng.beta(9, 1, ITEMS)) / 3
    while shares.mean() >= AGREE:
        shares[rng.integers(ITEMS)] = 0.0
    return {"agreement": shares, "raters": 3}


CASES: Mapping[str, Case] = {
    "one level": lambda rng: _levels(rng, 1),
    "three levels": lambda rng: _levels(rng, 3),
    "eight levels": lambda rng: _levels(rng, 8),
    "five items per image, alike": _clusters,
    "ties": _ties,
    "two strata": _two_strata,
    "three strata": _three_strata,
    "three raters": _several_raters,
}


def these_items(repetitions: int) -> Iterator[Measured]:
    """Promises of 90% for 300 items, by 100 labels drawn at random; at every level just too few."""
    for case, of in CASES.items():
        rng, broken = generator(0, "these items", case), 0
        for _ in range(repetitions):
            made, truth = _promised(rng, of(rng))
            broken += _broken([made], [truth])
        yield Measured(case, "broken", np.float64(broken / repetitions), most=DELTA)
    rng, broken = generator(0, "these items", "tasks"), 0
    for _ in range(repetitions):
        groups = [_group(rng, _levels(rng, 3)) for _ in range(3)]
        made_of = promise([Items(str(n), ("a",), "", x, True) for n, (x, _) in enumerate(groups)],
                          AGREE, DELTA)  # fmt: skip
        broken += _broken(made_of, [truth for _, truth in groups])
    yield Measured("three tasks", "broken", np.float64(broken / repetitions), most=DELTA)


def _group(rng: Generator, case: Mapping[str, Any]) -> tuple[tuple[TrustedItem, ...], Array]:
    truth, strata = case["agreement"], case.get("strata")
    labelled = rng.permutation(ITEMS) < LABELS
    if strata is not None:
        parts = [rng.permutation(n) < LABELS // (max(strata) + 1) for n in np.bincount(strata)]
        labelled = np.concatenate(parts)
    confidence = case.get("confidence", np.ones(ITEMS))
    clusters = case.get("clusters", np.arange(ITEMS))
    raters = case.get("raters", 1)
    return _items(truth, labelled, confidence, clusters, strata=strata, raters=raters), truth


def _promised(
    rng: Generator, case: Mapping[str, Any], *, future: bool = False
) -> tuple[Trust, Array]:
    items, truth = _group(rng, case)
    [made] = promise([Items("t", ("a",), "", items, drawn=True)], AGREE, DELTA, future=future)
    return made, truth


def items_kept(repetitions: int) -> Iterator[Measured]:
    """The share of 300 items that a promise of 90% keeps: 98%, 95%, 75% agree, five per image."""
    for future in (False, True):
        rng, kept = generator(0, "items kept"), []
        for _ in range(repetitions):
            clusters = np.arange(ITEMS) // 5
            level = rng.choice(3, 60, p=(0.5, 0.3, 0.2))[clusters]
            shares = np.array([0.98, 0.95, 0.75])[level]
            alike = rng.random(60)[clusters]
            mixed = np.where(rng.random(ITEMS) < 0.5, alike, rng.random(ITEMS))
            case = {
                "agreement": (mixed < shares).astype(float),
                "confidence": 1 - level / 3,
                "clusters": clusters,
            }
            made, _ = _promised(rng, case, future=future)
            kept.append(sum(map(made.is_trusted, made.items)) / ITEMS)
        what = "kept, for future items" if future else "kept, for these items"
        yield Measured("300 items, 100 labels", what, np.mean(kept))


def weighed_labels(repetitions: int) -> Iterator[Measured]:
    """Promises for future items by labels drawn six times as often of easy items; 80% agree."""
    for case, ratio in (("0.6 and 0.1", 6.0), ("0.6 and 0.02", 30.0)):
        for agree in (0.8, 0.9):
            rng, broken = generator(0, "weighed", case, str(agree)), 0
            for _ in range(repetitions):
                hard = np.arange(400) % 2
                truth = (rng.random(400) < np.where(hard, 0.605, 0.99)).astype(float)
                chance = np.where(hard, 0.6 / ratio, 0.6)
                labelled = rng.random(400) < chance
                items = _items(truth, labelled, np.ones(400), np.arange(400), probability=chance)
                [made] = promise([Items("t", ("a",), "", items)], agree, DELTA, future=True)
                broken += made.promised is not None
            what = f"promised {agree:.0%}"
            yield Measured(case, what, np.float64(broken / repetitions), most=DELTA)


def drawn_labels(repetitions: int) -> Iterator[Measured]:
    """Labels of 120 of 300 items: honest draws that are refused, and planted ones that are."""
    for facets in (3, 8):
        rng = generator(0, "drawn", facets)
        refused = dict.fromkeys(("at random", *PLANTED), 0)
        for _ in range(repetitions):
            known = rng.integers(0, 3, (facets, ITEMS))
            said = rng.integers(0, 2, ITEMS)
            for name in refused:
                weights = PLANTED[name](known, said) if name in PLANTED else np.ones(ITEMS)
                keys = rng.random(ITEMS) ** (1 / np.maximum(weights, 1e-9))
                labelled = np.argsort(np.argsort(-keys)) < 120
                refused[name] += _refused(known, said, labelled)
        for name, count in refused.items():
            share = np.float64(count / repetitions)
            goal = {"most": 0.02} if name == "at random" else {"least": 0.95}
            yield Measured(f"{facets} facets, {name}", "refused", share, **goal)


PLANTED: Mapping[str, Callable[[Array, Array], Array]] = {
    "two of three sources alone": lambda known, _: (known[0] > 0).astype(float),
    "the judge says first": lambda _, said: (said == 0).astype(float),
    "the first half of the file": lambda *_: (np.arange(ITEMS) < ITEMS / 2).astype(float),
    "four times as often of a source": lambda known, _: np.where(known[0] > 0, 1.0, 4.0),
}


def _refused(known: Array, said: Array, labelled: Array) -> bool:
    questions = [
        Question(f"q{n}", "", [outcome], ItemLabels({"a": 0} if labelled[n] else {}), n)
        for n in range(ITEMS)
        for facets in [{f"f{k}": int(of[n]) for k, of in enumerate(known)}]
        for outcome in [Outcome("chosen", f"q{n}", int(said[n]), options=2, facets=facets)]
    ]
    return not_drawn(questions, [""] * ITEMS) is not None
