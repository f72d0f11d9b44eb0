"""The card of a judge: whether it can be trusted, aspect by aspect, from logged samples.

It knows no benchmark: what a benchmark contributes, it declares as `Benchmark.card`. Verdicts are
tests. All nulls whose rejection raises a flag are tested together (Holm), so that a judge without
any defect has a card without flags with a probability of 99% or more, however many tasks it did.
"""

from pairbench_ext.runs.card.lines import CardLine, card, card_of, flags, scored

__all__ = ["CardLine", "card", "card_of", "flags", "scored"]
