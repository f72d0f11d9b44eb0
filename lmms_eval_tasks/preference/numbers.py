"""The numbers of a preference benchmark, declared for any grouping of its items.

Paper: VL-RewardBench, Section 3.2. `accuracy` and `bias` define them, `intervals` their intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np

from lmms_eval_tasks.preference import accuracy, bias
from lmms_eval_tasks.preference.accuracy import KS, WRONG
from lmms_eval_tasks.preference.grouping import Grouping
from lmms_eval_tasks.preference.intervals import (
    Intervals,
    accuracy_intervals,
    group_of_items,
    macro_of_items,
    overall_of_items,
    votes_of_items,
)
from lmms_eval_tasks.preference.votes import Vote, VoteTable
from pairbench_ext.core.benchmark import Breakdown, Number, Option, Pool
from pairbench_ext.core.plurals import counted, plural
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.statistics.shares import Share, share_with_interval

_NEITHER = "a vote for neither answer; undecided items are left out"


def pools(table: Callable[..., Preferences], *, coin: bool = False) -> tuple[Pool, ...]:
    """How votes are pooled: as the paper and its authors do.

    Args:
        table: of votes.
        coin: the authors toss a coin for an unusable reply; ours falls by seed and vote.
    """

    def tossed(votes: Iterable[Vote], **options: Any) -> Preferences:
        return table((vote if vote.usable else _tossed(vote) for vote in votes), **options)

    authors = Pool("authors", "a coin's vote", tossed) if coin else Pool("authors", _NEITHER, table)
    return Pool("paper", _NEITHER, table), authors


def _tossed(vote: Vote) -> Vote:
    return vote._replace(verdict=1 + draw(2, 0, "coin", vote.item, vote.repeat, vote.order))


K_OPTION = Option("k", int | None, None, "Use the first K judgments of each item.", 1)


class Preferences:
    """The votes of one run, and what is computed from them once.

    Args:
        votes: in any order.
        grouping: of the items.
        k: use the first k repeats of each item; None for all.

    Raises:
        ValueError: if votes contradict each other, or no item has as many repeats as `k`.
    """

    equal_worth = 0  # of every pair, one response is the better

    def __init__(
        self,
        votes: Iterable[Vote],
        grouping: Grouping,
        k: int | None = None,
    ) -> None:
        self.grouping = grouping
        self.every = VoteTable.from_votes(votes)
        self.most = int(self.every.repeats_per_item.max(initial=0))
        if k is not None and k > self.most:
            raise ValueError(f"no item was judged {k} times; the most is {self.most}")
        self.table = self.every.first(k or max(self.most, 1))

    @cached_property
    def authors(self) -> VoteTable:
        """The same votes, read and counted by the authors' rule."""
        return self.table.by_authors()

    @cached_property
    def groups(self) -> dict[bool, dict[str, float]]:
        """Accuracy by group, by whether undecided items count as wrong."""
        of = partial(accuracy.accuracy_by_group, self.table, self.grouping)
        return {strict: of(strict=strict) for strict in (False, True)}

    @cached_property
    def intervals(self) -> dict[bool, Intervals]:
        """Intervals of the accuracies, by whether undecided items count as wrong."""
        return {
            strict: accuracy_intervals(self.table, self.grouping, strict=strict)
            for strict in (False, True)
        }

    @cached_property
    def both_orders(self) -> int:
        """How many items were judged in both orders."""
        return int(bias.judged_in_both_orders(self.table)[0].sum())


def numbers(grouping: Grouping) -> tuple[Number, ...]:
    """The numbers of a benchmark whose `table` makes `Preferences`."""
    return (*accuracies(grouping), *_dependence())


def accuracies(grouping: Grouping) -> tuple[Number, ...]:
    """Accuracies overall, macro and by group: over decided items, and over all (`_strict`)."""
    return (*_accuracies(grouping, strict=False), *_accuracies(grouping, strict=True))


def _accuracies(grouping: Grouping, *, strict: bool) -> Iterator[Number]:
    end = "_strict" if strict else ""
    where = "strict: accuracy over all items" if strict else "accuracy over decided items"
    averages: tuple[tuple[str, Callable[[Preferences], float], Any], ...] = (
        (
            "overall",
            lambda run: accuracy.overall_accuracy(run.table, strict=strict),
            overall_of_items,
        ),
        (
            "macro",
            lambda run: accuracy.macro_accuracy(run.table, run.grouping, strict=strict),
            macro_of_items,
        ),
    )
    for name, of, by_item in averages:
        yield Number(
            f"{name}_accuracy{end}",
            name,
            of,
            section=where,
            clustered=lambda run, by_item=by_item: by_item(  # type: ignore[misc]
                run.table, run.grouping, strict=strict
            ),
            interval=lambda run, name=name: getattr(run.intervals[strict], name),  # type: ignore[misc]
            ci95=f"{name}{end}_ci95",
        )
    for group in grouping.names:
        yield Number(
            f"{_identifier(group)}{end}",
            group,
            lambda run, group=group: run.groups[strict][group],  # type: ignore[misc]
            section=where,
            clustered=lambda run, group=group: group_of_items(  # type: ignore[misc]
                run.table, run.grouping, group, strict=strict
            ),
        )
    if strict:
        yield Number(
            "items", "items", lambda run: len(run.table.items), "count", None, where, digits=0
        )
    else:
        yield Number(
            "items_decided",
            "decided items",
            lambda run: int((accuracy.outcomes(run.table) <= WRONG).sum()),
            "count",
            None,
            where,
        )


def position_numbers(section: str) -> tuple[Number, ...]:
    """Coverage and position bias, of any run that has a `table` of votes.

    Outcomes that are no votes have no value per trial.
    """
    return (
        Number(
            "coverage",
            "coverage",
            lambda run: bias.coverage(run.table),
            section=section,
            per_trial=lambda outcome: getattr(outcome, "usable", None),
        ),
        Number(
            "first_position_rate",
            "says first",
            lambda run: bias.first_position_rate(run.table),
            better=None,
            section=section,
            per_trial=lambda outcome: getattr(outcome, "first", None),
        ),
        Number(
            "position_consistency",
            "same winner in both orders",
            lambda run: bias.position_consistency(run.table),
            section=section,
        ),
    )


def length_numbers(section: str) -> tuple[Number, ...]:
    """Accuracy by which response is the longer one."""
    return (
        Number(
            "accuracy_longer_better",
            "longer is better",
            lambda run: bias.accuracy_longer_better(run.table),
            section=section,
        ),
        Number(
            "accuracy_shorter_better",
            "shorter is better",
            lambda run: bias.accuracy_shorter_better(run.table),
            section=section,
        ),
    )


def _dependence() -> tuple[Number, ...]:
    where = "what the votes depend on"
    return (
        Number(
            "vote_accuracy",
            "accuracy per vote",
            lambda run: accuracy.vote_accuracy(run.table),
            section=where,
            per_trial=lambda vote: vote.right,
            clustered=lambda run: votes_of_items(run.table),
            interval=True,
            ci95="vote_ci95",
        ),
        *position_numbers(where),
        *length_numbers(where),
        Number("votes", "votes", lambda run: len(run.table), "count", None, where),
        Number(
            "items_both_orders",
            "items in both orders",
            lambda run: run.both_orders,
            "count",
            None,
            where,
        ),
    )


def _identifier(group: str) -> str:
    """A group's name as that of a number.

    >>> _identifier("safety/bias")
    'safety_bias'
    """
    return "".join(letter if letter.isalnum() else "_" for letter in group)


def remarks(run: Preferences) -> Iterator[str]:
    """What to say beside the numbers: undecided items, and items with fewer votes than others."""
    undecided = int((accuracy.outcomes(run.table) > WRONG).sum())
    if undecided:
        yield (
            f"{counted(undecided, 'item', 'is')} undecided (ties, unusable votes): "
            f"{plural('it leaves', undecided)} the denominator, as in the authors' code; under "
            f"`strict` {plural('it counts', undecided)} as wrong"
        )
    votes = run.table.votes_per_item
    most = int(votes.max(initial=0))
    fewer = int((votes < most).sum())
    if fewer:
        of = f"{fewer} of {counted(len(votes), 'item')} have"
        yield f"{of} fewer than {counted(most, 'vote')} (--limit?)"


def by_k(run: Preferences) -> dict[int, dict[str, float]]:
    """What the first k judgments of each item give, for the k of Figure 5b that there are."""
    found = {}
    for k in (k for k in KS if k <= run.most):
        first = run.every.first(k)
        groups = {
            s: accuracy.accuracy_by_group(first, run.grouping, strict=s) for s in (False, True)
        }
        found[k] = {
            f"{name}{'_strict' if strict else ''}": value
            for strict in (False, True)
            for name, value in (
                ("overall_accuracy", accuracy.overall_accuracy(first, strict=strict)),
                ("macro_accuracy", accuracy.macro_accuracy(first, run.grouping, strict=strict)),
                *((_identifier(group), value) for group, value in groups[strict].items()),
            )
        }
    return found


def votes_by_source(run: Preferences) -> dict[str, Share]:
    """Accuracy per vote of each source, with its interval by cluster bootstrap over items."""
    sources = np.array(run.table.sources, dtype=object)[run.table.item]
    right = run.table.winner == run.table.truth[run.table.item]
    return {
        name: share_with_interval(right[sources == name], run.table.item[sources == name])
        for name in sorted(set(run.table.sources))
    }


BREAKDOWNS = (
    Breakdown(
        "by_source", "accuracy by source", lambda run: accuracy.accuracy_by_source(run.table)
    ),
    Breakdown("by_k", "accuracy by K (Figure 5b)", by_k, shown=lambda run: bool(run.most >= KS[1])),
)
