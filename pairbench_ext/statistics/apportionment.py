"""Order items so that the first n items are a stratified sample, whatever n is."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np

from pairbench_ext.statistics.seeds import Key, stable_hash

Name = TypeVar("Name", bound=Key)


def nested_order(strata: Mapping[Name, Hashable]) -> list[Name]:
    r"""Return items in an order whose first n items are a stratified sample, whatever n is.

    Within a stratum, items come by a hash of their names: an item's place among others
    depends on neither the order of the data nor on what else is in them. Of N items, N_s in stratum
    s, the k-th is of the stratum with the largest

        N_s / (a_s + 1)   among those with a_s < k N_s / N

    for the a_s items of it among the k - 1 before. This quota method keeps the promise of largest
    remainders (every a_s is k N_s / N, rounded up or down), and as k grows it never takes an item
    away, as they do. Of equal strata, a hash of their names decides.

    Args:
        strata: the stratum of each item, by the item's name.

    Reference: Balinski and Young, "The Quota Method of Apportionment", American Mathematical
    Monthly 82 (1975).

    >>> order = nested_order({n: n % 10 < 3 for n in range(100)})
    >>> [sum(n % 10 < 3 for n in order[:k]) for k in (10, 20, 50)]
    [3, 6, 15]
    """
    members: dict[Hashable, list[Name]] = {}
    for name, stratum in strata.items():
        members.setdefault(stratum, []).append(name)
    for items in members.values():
        items.sort(key=lambda name: (stable_hash(0, "nested sample", name), str(name)))
    ranked = sorted(
        members,
        key=lambda s: (-len(members[s]), stable_hash(0, "stratum", repr(s)), repr(s)),
    )
    sizes = np.array([len(members[stratum]) for stratum in ranked], dtype=np.int64)
    taken = np.zeros_like(sizes)
    order = []
    for k in range(1, len(strata) + 1):
        place = int(np.argmax(np.where(taken * len(strata) < sizes * k, sizes / (taken + 1), -1)))
        order.append(members[ranked[place]][taken[place]])
        taken[place] += 1
    return order
