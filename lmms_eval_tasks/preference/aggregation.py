"""Numbers of votes that the harness has gathered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.grouping import Grouping
from lmms_eval_tasks.preference.votes import Vote, VoteTable
from pairbench_ext.upstream.common import gathered


def of_votes(votes: Sequence[Mapping[str, Any]], measure: Callable[[VoteTable], float]) -> float:
    """What a measure says of votes."""
    return measure(VoteTable.from_votes(gathered(Vote, votes)))


def of_group(votes: Sequence[Mapping[str, Any]], grouping: Grouping, name: str) -> float:
    """The accuracy over one group of items."""
    return of_votes(votes, lambda table: accuracy.accuracy_by_group(table, grouping)[name])
