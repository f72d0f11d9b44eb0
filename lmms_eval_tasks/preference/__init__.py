"""What benchmarks of pairs share; a new one reads its rows and says what is shown.

- One of two answers is right, as in VL-RewardBench: rows become a `Pair`, trials are
  `PreferenceTrials`, outcomes are `VOTE`, numbers are `vote_numbers`.
- People may call both equal, as in MLLM-as-a-Judge: `TIED` outcomes, the numbers `TIES` and
  `CONSISTENCY`; of pairs of images, rows become a `TiedPair` and trials are `TiedPairs`.
"""

from lmms_eval_tasks.preference.numbers import (
    K_OPTION,
    breakdowns,
    pools,
    remarks,
    vote_numbers,
    votes_by_source,
)
from lmms_eval_tasks.preference.ties import (
    CONSISTENCY,
    TIED,
    TIES,
    OrderedItems,
    OrderEntry,
    TiedPair,
    TiedPairs,
    place_or_tie,
)
from lmms_eval_tasks.preference.trials import Pair, PreferenceEntry, PreferenceTrials, in_order
from lmms_eval_tasks.preference.votes import GRAMMAR, VOTE, Grouping, Row, read, votes_by_authors

__all__ = [
    "CONSISTENCY",
    "GRAMMAR",
    "K_OPTION",
    "TIED",
    "TIES",
    "VOTE",
    "Grouping",
    "OrderEntry",
    "OrderedItems",
    "Pair",
    "PreferenceEntry",
    "PreferenceTrials",
    "Row",
    "TiedPair",
    "TiedPairs",
    "breakdowns",
    "in_order",
    "place_or_tie",
    "pools",
    "read",
    "remarks",
    "vote_numbers",
    "votes_by_authors",
    "votes_by_source",
]
