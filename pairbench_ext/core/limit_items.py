"""Ask about some items only, as many as `limit_items` or PAIRBENCH_LIMIT_ITEMS says.

The part is a nested stratified sample (`statistics.apportionment`): the same items for every model,
200 of them among any 500, with the strata's shares of all items. An item keeps all of
its trials, and items are asked in the order of the draw, so that a larger part begins with the
smaller one. Every logged trial says what it is a part of. Allocation is proportional, so that plain
means over the part estimate those over all items (Cochran, "Sampling Techniques", 1977, Section
5.4).
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics.apportionment import nested_order
from pairbench_ext.statistics.seeds import Key

KEY = "limit_items"  # in entries, and in logged trials
VARIABLE = "PAIRBENCH_LIMIT_ITEMS"


class Sampled(NamedTuple):
    """The size of a sample of items, and the number of items it was drawn from."""

    items: int
    of: int

    @classmethod
    def logged(cls, trial: Mapping[str, Any]) -> Sampled | None:
        """Return the sample size that a logged trial states; None if all items were asked about."""
        logged = trial.get(KEY)
        return cls(**logged) if isinstance(logged, dict) and set(logged) == {*cls._fields} else None


#: A request that was drawn: its number among all, and the sample.
Drawn: TypeAlias = tuple[int, Sampled]


def limit_of(entry: Mapping[str, Any]) -> int | None:
    """Return the limit on items that the task's settings or the environment set; None: no limit.

    Raises:
        SourceError: if that is no number of items.
    """
    limit = entry.get(KEY)
    if limit is None:
        limit = os.environ.get(VARIABLE, "").strip() or None
    if limit is None:
        return None
    if not str(limit).isdecimal() or int(limit) < 1:
        raise SourceError(
            f"{KEY!r} must be a number of items, 1 or more, not {limit!r:.40} "
            f"(set in the task's settings or in the variable {VARIABLE})"
        )
    return int(limit)


def drawn(units: Iterable[tuple[Key, Hashable]], limit: int) -> list[Drawn]:
    """Draw items at random, and return the requests about them, item by item.

    Args:
        units: of each request, the item that it is about, and a stratum. An item whose requests are
            of several strata is of their combination.
        limit: how many items to draw; all of them, if there are fewer.
    """
    numbers: dict[Key, list[int]] = {}
    strata_of: dict[Key, set[str]] = {}
    for number, (name, stratum) in enumerate(units):
        numbers.setdefault(name, []).append(number)
        strata_of.setdefault(name, set()).add(str(stratum))
    strata = {name: " + ".join(sorted(of_item)) for name, of_item in strata_of.items()}
    order = nested_order(strata)[:limit]
    sampled = Sampled(len(order), len(strata))
    return [(number, sampled) for name in order for number in numbers[name]]


def sample_remarks(readings: Iterable[Any]) -> list[str]:
    """Return a remark if a run asked about a sample of the items; no remark if about all items."""
    sampled = next((reading.sampled for reading in readings if reading.sampled is not None), None)
    if sampled is None:
        return []
    return [f"{sampled.items:,} of {sampled.of:,} items: a stratified sample"]
