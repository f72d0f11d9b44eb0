"""The numbers of a preference benchmark, declared for any grouping of its items.

Paper: VL-RewardBench, Section 3.2. `accuracy` and `bias` define them, `intervals` their intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lmms_eval_tasks.preference import accuracy, bias, intervals
from lmms_eval_tasks.preference.accuracy import KS, WRONG
from lmms_eval_tasks.preference.votes import Grouping, VoteTable, every_vote, votes
from pairbench_ext.core.benchmark import Breakdown, Number, Option, Outcome, OutcomeTable, Pool
from pairbench_ext.core.plurals import counted, plural
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.statistics.shares import Share, share_with_interval

_NEITHER = "a vote for neither answer; undecided items are left out"

K_OPTION = Option("k", int | None, None, "Use the first K judgments of each item.", 1)


def pools(*, coin: bool = False) -> tuple[Pool, ...]:
    """The ways to pool votes: as the paper and as its authors do.

    Args:
        coin: the authors toss a coin for an unusable reply; ours falls by seed and vote.
    """
    authors = Pool("authors", "a coin's vote", tossed) if coin else Pool("authors", _NEITHER)
    return Pool("paper", _NEITHER), authors


def tossed(vote: Outcome) -> Outcome:
    """A vote, or a coin's in the place of an unusable one."""
    if vote.usable:
        return vote
    order = vote.order
    return replace(vote, said=draw(2, 0, "coin", vote.item, vote.repeat, order))  # type: ignore[arg-type]


def numbers(grouping: Grouping) -> tuple[Number, ...]:
    """The numbers of a benchmark of votes on pairs."""
    return (*accuracies(grouping), *_dependence())


def accuracies(
    grouping: Grouping, of: Callable[[OutcomeTable], VoteTable] = votes
) -> tuple[Number, ...]:
    """Accuracies overall, macro and by group: over decided items, and over all (`_strict`).

    Args:
        grouping: of the items.
        of: the votes of a table.
    """
    return tuple(
        number for strict in (False, True) for number in _accuracies(grouping, of, strict=strict)
    )


def _accuracies(
    grouping: Grouping, of: Callable[[OutcomeTable], VoteTable], *, strict: bool
) -> Iterator[Number]:
    end = "_strict" if strict else ""
    where = "strict: accuracy over all items" if strict else "accuracy over decided items"

    def number(
        name: str, title: str, value: Callable[..., Any], by_item: Callable[..., Any]
    ) -> Number:
        return Number(
            f"{name}{end}",
            title,
            lambda table: value(of(table), strict=strict),
            section=where,
            clustered=lambda table: by_item(of(table), strict=strict),
        )

    overall = number(
        "overall_accuracy",
        "overall",
        accuracy.overall_accuracy,
        partial(intervals.overall_of_items, grouping=grouping),
    )
    macro = number(
        "macro_accuracy",
        "macro",
        partial(accuracy.macro_accuracy, grouping=grouping),
        partial(intervals.macro_of_items, grouping=grouping),
    )
    for average, interval in (
        (overall, intervals.overall_interval),
        (macro, intervals.macro_interval),
    ):
        yield replace(
            average,
            interval=lambda table, interval=interval: interval(of(table), grouping, strict=strict),  # type: ignore[misc]
            ci95=f"{average.title}{end}_ci95",
        )
    for group in grouping.names:
        yield number(
            _identifier(group),
            group,
            partial(accuracy.group_accuracy, grouping=grouping, group=group),
            partial(intervals.group_of_items, grouping=grouping, group=group),
        )
    if strict:
        yield Number("items", "items", lambda table: len(of(table).items), "count", None, where)
    else:
        yield Number(
            "items_decided",
            "decided items",
            lambda table: int((accuracy.outcomes(of(table)) <= WRONG).sum()),
            "count",
            None,
            where,
        )


def _of_votes(
    name: str,
    title: str,
    value: Callable[[VoteTable], float],
    section: str,
    of: Callable[[OutcomeTable], VoteTable] = votes,
    **more: Any,
) -> Number:
    """A number that is computed from the votes of a table."""
    return Number(name, title, lambda table: value(of(table)), section=section, **more)


def position_numbers(section: str) -> tuple[Number, ...]:
    """Coverage and position bias of votes; outcomes of other kinds have no value per trial."""

    def usable(vote: Outcome) -> float | None:
        return float(vote.usable) if vote.kind == "chosen" else None

    def first(vote: Outcome) -> float | None:
        return vote.first if vote.kind == "chosen" else None

    says_first = partial(_of_votes, "first_position_rate", "says first", bias.first_position_rate)
    same = "same winner in both orders"
    return (
        _of_votes("coverage", "coverage", bias.coverage, section, per_trial=usable),
        says_first(section, better=None, per_trial=first),
        _of_votes("position_consistency", same, bias.position_consistency, section),
    )


def length_numbers(
    section: str, of: Callable[[OutcomeTable], VoteTable] = votes
) -> tuple[Number, ...]:
    """Accuracy by which response is the longer one."""
    longer, shorter = bias.accuracy_longer_better, bias.accuracy_shorter_better
    return (
        _of_votes("accuracy_longer_better", "longer is better", longer, section, of),
        _of_votes("accuracy_shorter_better", "shorter is better", shorter, section, of),
    )


def _dependence() -> tuple[Number, ...]:
    where = "what the votes depend on"
    count = partial(_of_votes, section=where, kind="count", better=None)
    return (
        _of_votes(
            "vote_accuracy",
            "accuracy per vote",
            accuracy.vote_accuracy,
            where,
            per_trial=lambda vote: vote.right,
            clustered=lambda table: intervals.votes_of_items(votes(table)),
            interval=True,
            ci95="vote_ci95",
        ),
        *position_numbers(where),
        *length_numbers(where),
        count("votes", "votes", len),
        count(
            "items_both_orders",
            "items in both orders",
            lambda table: int(bias.judged_in_both_orders(table)[0].sum()),
        ),
    )


def _identifier(group: str) -> str:
    """A group's name as that of a number.

    >>> _identifier("safety/bias")
    'safety_bias'
    """
    return "".join(letter if letter.isalnum() else "_" for letter in group)


def remarks(table: OutcomeTable) -> Iterator[str]:
    """Remarks beside the numbers: undecided items, and items with fewer votes than others."""
    counted_votes = votes(table)
    undecided = int((accuracy.outcomes(counted_votes) > WRONG).sum())
    if undecided:
        yield (
            f"{counted(undecided, 'item', 'is')} undecided (ties, unusable votes): "
            f"{plural('it leaves', undecided)} the denominator, as in the authors' code; under "
            f"`strict` {plural('it counts', undecided)} as wrong"
        )
    votes_per_item = counted_votes.votes_per_item
    most = int(votes_per_item.max(initial=0))
    fewer = int((votes_per_item < most).sum())
    if fewer:
        of = f"{fewer} of {counted(len(votes_per_item), 'item')} have"
        yield f"{of} fewer than {counted(most, 'vote')} (--limit?)"


def by_k(every: VoteTable, grouping: Grouping) -> dict[int, dict[str, float]]:
    """The accuracies by the first k judgments of each item, for the k of Figure 5b that occur."""
    most = int(every.repeats_per_item.max(initial=0))
    by_votes: dict[int, dict[str, float]] = {}
    for k in (k for k in KS if k <= most):
        first = every.first_repeats(k)
        by_votes[k] = {}
        for strict, end in ((False, ""), (True, "_strict")):
            values = {
                "overall_accuracy": accuracy.overall_accuracy(first, strict=strict),
                "macro_accuracy": accuracy.macro_accuracy(first, grouping, strict=strict),
                **accuracy.accuracy_by_group(first, grouping, strict=strict),
            }
            by_votes[k] |= {f"{_identifier(name)}{end}": value for name, value in values.items()}
    return by_votes


def votes_by_source(table: OutcomeTable) -> dict[str, Share]:
    """Accuracy per vote of each source, with its interval by cluster bootstrap over items."""
    counted_votes = votes(table)
    sources = np.array(counted_votes.sources, dtype=object)[counted_votes.item]
    right = counted_votes.winner == counted_votes.truth[counted_votes.item]
    return {
        name: share_with_interval(right[sources == name], counted_votes.item[sources == name])
        for name in sorted(set(counted_votes.sources))
    }


def breakdowns(
    grouping: Grouping,
    of: Callable[[OutcomeTable], VoteTable] = votes,
    every: Callable[[OutcomeTable], VoteTable] = every_vote,
) -> tuple[Breakdown, ...]:
    """Accuracy by source and by K.

    Args:
        grouping: of the items.
        of: the votes of a table that count.
        every: all of its votes.
    """
    return (
        Breakdown(
            "by_source",
            "accuracy by source",
            lambda table: accuracy.accuracy_by_label(of(table), of(table).sources),
        ),
        Breakdown(
            "by_k",
            "accuracy by K (Figure 5b)",
            lambda table: by_k(every(table), grouping),
            shown=lambda table: len(by_k(every(table), grouping)) > 1,
        ),
    )
