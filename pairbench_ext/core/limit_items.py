"""A part of a task's items: `"limit_items": 200` in its entry, or `PAIRBENCH_LIMIT_ITEMS=200`.

The part is a nested stratified sample (`statistics.apportionment`): the same items for every model,
the first 200 of 500 of all, with the shares that the strata have of all items. An item keeps all of
its trials, and items are asked in the order of the draw, so that a larger part begins with the
smaller one. Every logged trial says what it is a part of; scoring weighs items by that, so that
means and their intervals are of all items' shares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics.apportionment import nested_order
from pairbench_ext.statistics.seeds import Key

KEY = "limit_items"  # in entries, and in logged trials
VARIABLE = "PAIRBENCH_LIMIT_ITEMS"


class Sampled(NamedTuple):
    """What a trial's item was drawn from.

    Attributes:
        items: how many were drawn.
        of: from how many.
        stratum: of the item.
        of_stratum: how many items it has in all, drawn or not.
    """

    items: int
    of: int
    stratum: str
    of_stratum: int

    @classmethod
    def logged(cls, trial: Mapping[str, Any]) -> Sampled | None:
        """What a logged trial says; None where no part was drawn, or it is not readable."""
        said = trial.get(KEY)
        if not isinstance(said, Mapping) or set(said) != set(cls._fields):
            return None
        counts = [said["items"], said["of"], said["of_stratum"]]
        if any(type(count) is not int or count < 1 for count in counts):
            return None
        return cls(said["items"], said["of"], str(said["stratum"]), said["of_stratum"])

    def describe(self) -> str:
        """How many of how many.

        >>> Sampled(200, 1250, "general", 183).describe()
        '200 of 1,250 items, stratified'
        """
        return f"{self.items:,} of {self.of:,} items, stratified"


def limit_of(entry: Mapping[str, Any]) -> int | None:
    """How many items a task asks about: what its entry says, else the environment; None for all.

    Raises:
        SourceError: if that is no number of items.
    """
    said, where = entry.get(KEY), f"the task's entry: {KEY!r}"
    if said is None:
        text, where = os.environ.get(VARIABLE, "").strip(), VARIABLE
        if not text:
            return None
        said = int(text) if text.isdecimal() else text
    if type(said) is not int or said < 1:
        raise SourceError(f"{where} must be a number of items, 1 or more, not {said!r:.40}")
    return said


class Drawn(NamedTuple):
    """A request that was drawn: its number among all, and what it was drawn from."""

    number: int
    sampled: Sampled


def drawn(units: Iterable[tuple[Key, Hashable]], limit: int) -> list[Drawn]:
    """The requests of the items that are drawn, item by item in the order of the draw.

    Args:
        units: of each request, the item that it is about, and a stratum. An item whose requests are
            of several strata is of their combination.
        limit: how many items to draw; all of them, if there are fewer.
    """
    numbers: dict[Key, list[int]] = {}
    found: dict[Key, set[str]] = {}
    for number, (name, stratum) in enumerate(units):
        numbers.setdefault(name, []).append(number)
        found.setdefault(name, set()).add(str(stratum))
    strata = {name: " + ".join(sorted(own)) for name, own in found.items()}
    sizes: dict[str, int] = {}
    for stratum in strata.values():
        sizes[stratum] = sizes.get(stratum, 0) + 1
    order = nested_order(strata)[:limit]
    return [
        Drawn(number, Sampled(len(order), len(strata), strata[name], sizes[strata[name]]))
        for name in order
        for number in numbers[name]
    ]


def strata_of(
    readings: Iterable[Any], cluster: Callable[[Any], Hashable]
) -> dict[Hashable, Sampled]:
    """What each cluster was drawn from; nothing where all items were asked about.

    Args:
        readings: what the samples of a run say (`benchmark.Reading`).
        cluster: of an outcome.
    """
    return {
        cluster(outcome): reading.sampled
        for reading in readings
        if reading.sampled is not None
        for outcome in reading.outcomes
    }


def weights_of(
    clusters: Iterable[Hashable], strata: Mapping[Hashable, Sampled]
) -> dict[Hashable, float]:
    """What each cluster weighs, so that strata have the shares that they have of all items.

        w = (N_s / n_s) / (sum_t N_t / n),   the sums over strata that occur

    for N_s items in all and n_s of n clusters in stratum s. (Post-stratification: Cochran,
    "Sampling Techniques" (1977), Section 5A.9.)

    Args:
        clusters: of a run, or of what two runs have in common.
        strata: what clusters were drawn from.

    Returns:
        Nothing where there is nothing to weigh: a cluster was not drawn, or all weigh the same.
    """
    names = list(dict.fromkeys(clusters))
    if not names or any(name not in strata for name in names):
        return {}
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for name in names:
        one = strata[name]
        counts[one.stratum] = counts.get(one.stratum, 0) + 1
        sizes[one.stratum] = one.of_stratum
    scale = sum(sizes.values()) / len(names)
    by_stratum = {name: sizes[name] / counts[name] / scale for name in sizes}
    if max(by_stratum.values()) - min(by_stratum.values()) < 1e-12:
        return {}
    return {name: by_stratum[strata[name].stratum] for name in names}


def sample_remarks(readings: Sequence[Any]) -> list[str]:
    """That a run is of a part of the items; nothing where it is of all."""
    known = [reading.sampled for reading in readings if reading.sampled is not None]
    if not known:
        return []
    # Of runs of several settings in one file, the first one is as good as any.
    return [f"{known[0].describe()}: means are weighted to the strata's shares of all items"]
