"""Whether what comparisons say is right as often as they say, for judges whose truth is known.

    python -m benchmarks.claims [NAME ...] [--repetitions 1000]

A function for each claim; it yields what was measured, and the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.claims import cards, comparisons, labels
from benchmarks.claims.measured import Measured

CLAIMS: Mapping[str, Callable[[int], Iterator[Measured]]] = {
    claim.__name__: claim
    for claim in (
        comparisons.baseline,
        comparisons.unlike_judges,
        comparisons.single_votes,
        comparisons.uneven_clusters,
        comparisons.gates,
        comparisons.headlines_first,
        comparisons.few_models,
        labels.corrected,
        labels.rare_labels,
        labels.few_ratings,
        labels.label_checks,
        cards.cards,
        cards.biases,
        cards.panels,
    )
}
