"""Find an item's source and group in VL-RewardBench from the prefix of the item's id.

Paper: VL-RewardBench, Section 2.1 and Table 1: 183 general multimodal instructions, 749 queries on
hallucinations, 318 reasoning tasks. The names of the sources are those of the authors' `cal.py`.
"""

import re

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.votes import Grouping, Tag, votes
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable

GROUPS = ("general", "hallucination", "reasoning")

SOURCES = {
    "wildvision-battle": "general",
    "vlfeedback": "general",
    "rlaif-v": "hallucination",
    "rlhf-v": "hallucination",
    "povid": "hallucination",
    "reasoning_tasks": "reasoning",
}
_SOURCE_OF_PREFIX = {
    "wildvision": "wildvision-battle",
    "RLAIF": "rlaif-v",
    "RLHF": "rlhf-v",
    "hallucination": "povid",
    "mathverse": "reasoning_tasks",
    "mmmu": "reasoning_tasks",
}
_NAMED = re.compile(rf"({'|'.join(SOURCES)})(?=[-_]|$)", re.IGNORECASE)


def source_of(item_id: str) -> str:
    """Return the source that an item's id names by its prefix, which ends before `-` or `_`.

    Unknown prefixes are `vlfeedback`, whose ids name the data sets that it was drawn from.

    >>> source_of("RLAIF-V-3"), source_of("mmmu_Art_9"), source_of("svit-31")
    ('rlaif-v', 'reasoning_tasks', 'vlfeedback')
    """
    return _SOURCE_OF_PREFIX.get(re.split("[-_]", item_id, maxsplit=1)[0], "vlfeedback")


def group_of(source_or_id: str) -> str:
    """Return the group, one of `GROUPS`, to which a source or an item's id belongs.

    A name in `SOURCES` or `GROUPS` is taken as such, anything else as an id.

    >>> group_of("povid"), group_of("hallucination_pair-7"), group_of("reasoning")
    ('hallucination', 'hallucination', 'reasoning')
    """
    if source_or_id in GROUPS:
        return source_or_id
    return SOURCES[source_or_id if source_or_id in SOURCES else source_of(source_or_id)]


def unknown_sources(table: OutcomeTable) -> list[str]:
    """Return the sources in a table that the paper does not have; their items count as general."""
    in_paper = {*GROUPS, *SOURCES}
    return [
        source
        for source in table.labels("source")
        if source not in in_paper and source_of(source) == "vlfeedback"
    ]


def misnamed(table: OutcomeTable) -> list[str]:
    """Return items whose id begins with one source's name, but whose prefix stands for another.

    The authors' code knows other prefixes than the names that the paper's tables print.
    """
    named = {str(pair.item): _NAMED.match(str(pair.item)) for pair in votes(table).items}
    return [item for item, name in named.items() if name and source_of(item) != name[1].casefold()]


GROUPING = Grouping(GROUPS, group_of)


def _by_tag(table: OutcomeTable) -> dict[str, float]:
    """Return accuracy by type of error.

    Untagged items of the reasoning group have the type `reasoning`, as in Section 4.1; other
    untagged items are left out. An item with several types counts for each. The paper's error rates
    are over all items of a type, so they are not 1 minus this where items are undecided.
    """
    cast = votes(table)
    labels: list[Tag] = [
        "reasoning" if not pair["tag"] and group_of(pair["source"]) == "reasoning" else pair["tag"]
        for pair in cast.items
    ]
    return accuracy.accuracy_by_label(cast, labels)


BY_TAG = Breakdown(
    "by_tag",
    "accuracy by type of error in the worse answer",
    _by_tag,
    shown=lambda table: any(pair["tag"] is not None for pair in votes(table).items),
)
