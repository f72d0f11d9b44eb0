"""The numbers of a preference benchmark, declared for any grouping of its items.

Paper: VL-RewardBench, Section 3.2. `accuracy` defines them and their intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.accuracy import KS, WRONG
from lmms_eval_tasks.preference.votes import (
    NONE,
    Grouping,
    every_vote,
    most_repeats,
    votes,
)
from pairbench_ext.core.benchmark import Breakdown, Number, Option, Outcome, OutcomeTable, Pool
from pairbench_ext.core.plurals import counted, plural
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.statistics.shares import Share, share, share_with_interval

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


def accuracies(grouping: Grouping) -> tuple[Number, ...]:
    """Accuracies overall, macro and by group: over decided items, and over all (`_strict`)."""
    return tuple(number for strict in (False, True) for number in _accuracies(grouping, strict))


def _accuracies(grouping: Grouping, strict: bool) -> Iterator[Number]:
    end = "_strict" if strict else ""
    where = "strict: accuracy over all items" if strict else "accuracy over decided items"

    def number(name: str, title: str, part: Callable[..., Clustered], **more: Any) -> Number:
        def clustered(table: OutcomeTable) -> Clustered:
            return part(votes(table), strict=strict)

        return clustered_number(f"{name}{end}", title, clustered, section=where, **more)

    yield number(
        "overall_accuracy",
        "overall",
        accuracy.overall,
        interval=lambda table: accuracy.overall_interval(votes(table), strict=strict),
        ci95=f"overall{end}_ci95",
    )
    yield number(
        "macro_accuracy",
        "macro",
        partial(accuracy.macro, grouping=grouping),
        interval=lambda t: accuracy.macro_interval(votes(t), grouping=grouping, strict=strict),
        ci95=f"macro{end}_ci95",
    )
    for group in grouping.names:
        part = partial(accuracy.of_group, grouping=grouping, group=group)
        yield number(group, group, part)
    if strict:
        yield _count("items", "items", lambda table: len(votes(table).items), where)
    else:
        yield _count("items_decided", "decided items", _decided, where)


def clustered_number(
    name: str, title: str, clustered: Callable[[OutcomeTable], Clustered], **more: Any
) -> Number:
    """A number that is a statistic of clusters.

    Args:
        name: of the number.
        title: of its column.
        clustered: the statistic, from the benchmark's table.
        more: of `Number`.
    """

    def value(table: OutcomeTable) -> float:
        return clustered(table).statistic.estimate()

    return Number(name, title, value, clustered=clustered, **more)


def _decided(table: OutcomeTable) -> int:
    return int((accuracy.outcomes(votes(table)) <= WRONG).sum())


def _count(name: str, title: str, of: Callable[[OutcomeTable], int], section: str) -> Number:
    return Number(name, title, of, "count", None, section)


def position_numbers(section: str) -> tuple[Number, ...]:
    """Coverage and position bias of votes; outcomes of other kinds have no value per trial."""
    return (
        Number(
            "coverage",
            "coverage",
            lambda table: share(votes(table).usable),
            section=section,
            per_trial=lambda vote: float(vote.usable) if vote.kind == "chosen" else None,
        ),
        Number(
            "first_position_rate",
            "says first",
            lambda table: accuracy.first_position_rate(votes(table)),
            better=None,
            section=section,
            per_trial=lambda vote: vote.first if vote.kind == "chosen" else None,
        ),
        Number(
            "position_consistency",
            "same winner in both orders",
            lambda table: accuracy.position_consistency(votes(table)),
            section=section,
        ),
    )


def length_numbers(section: str) -> Iterator[Number]:
    """Accuracy by which response has more words; NaN without such items."""

    def longer(table: OutcomeTable) -> float:
        return accuracy.accuracy_over(votes(table), votes(table).longer == votes(table).truth)

    def shorter(table: OutcomeTable) -> float:
        return accuracy.accuracy_over(votes(table), votes(table).longer == 1 - votes(table).truth)

    yield Number("accuracy_longer_better", "longer is better", longer, section=section)
    yield Number("accuracy_shorter_better", "shorter is better", shorter, section=section)


def _dependence() -> Iterator[Number]:
    where = "what the votes depend on"
    yield clustered_number(
        "vote_accuracy",
        "accuracy per vote",
        lambda table: accuracy.by_votes(votes(table)),
        section=where,
        per_trial=lambda vote: vote.right,
        interval=True,
        ci95="vote_ci95",
    )
    yield from position_numbers(where)
    yield from length_numbers(where)
    yield _count("votes", "votes", lambda table: len(votes(table)), where)
    yield _count("items_both_orders", "items in both orders", _both_orders, where)


def _both_orders(table: OutcomeTable) -> int:
    return int(accuracy.judged_in_both_orders(votes(table)).sum())


def remarks(table: OutcomeTable) -> Iterator[str]:
    """A remark beside the numbers: undecided items."""
    undecided = len(votes(table).items) - _decided(table)
    if undecided:
        yield (
            f"{counted(undecided, 'item', 'is')} undecided (ties, unusable votes): "
            f"{plural('it leaves', undecided)} the denominator, as in the authors' code; under "
            f"`strict` {plural('it counts', undecided)} as wrong"
        )


def by_k(table: OutcomeTable, grouping: Grouping) -> dict[int, dict[str, float]]:
    """The accuracies by the first k judgments of each item, for the k of Figure 5b that occur."""
    shares = [number for number in accuracies(grouping) if number.kind == "share"]
    tables = {k: OutcomeTable(table, {"k": k}) for k in KS if k <= most_repeats(table)}
    return {k: {share.name: share.of(first) for share in shares} for k, first in tables.items()}


def votes_by_source(table: OutcomeTable) -> dict[str, Share]:
    """Accuracy per vote of each source, with its interval by cluster bootstrap over items."""
    counted_votes = votes(table)
    sources = np.array(counted_votes.sources, dtype=object)[counted_votes.item]
    right = counted_votes.winner == counted_votes.truth[counted_votes.item]
    return {
        name: share_with_interval(right[sources == name], counted_votes.item[sources == name])
        for name in sorted(set(counted_votes.sources))
    }


def by_length(grouping: Grouping) -> tuple[Breakdown, Breakdown]:
    """The share of votes for the longer answer, and the share where the longer one is better.

    Both of the usable votes on answers of different lengths, by group and over all.
    """

    def shares(table: OutcomeTable, *, of_truth: bool) -> dict[str, Share]:
        cast = every_vote(table)
        groups = np.array([grouping.of(source) for source in cast.sources], dtype=object)[cast.item]
        longer = cast.longer[cast.item]
        kept = cast.usable & (longer != NONE)
        hits = longer == (cast.truth[cast.item] if of_truth else cast.winner)
        masks = {name: kept & (groups == name) for name in grouping.names} | {"all": kept}
        return {
            name: share_with_interval(hits[mask], cast.item[mask])
            for name, mask in masks.items()
            if mask.any()
        }

    said, right = (partial(shares, of_truth=of_truth) for of_truth in (False, True))
    return (
        Breakdown("says_longer", "votes for the longer answer", said),
        Breakdown("longer_is_better", "the same votes: the longer answer is the better one", right),
    )


def breakdowns(grouping: Grouping) -> tuple[Breakdown, ...]:
    """Accuracy by source and by K, and the preference for the longer answer."""
    return (
        Breakdown(
            "by_source",
            "accuracy by source",
            lambda table: accuracy.accuracy_by_label(votes(table), votes(table).sources),
        ),
        Breakdown(
            "by_k",
            "accuracy by K (Figure 5b)",
            partial(by_k, grouping=grouping),
            shown=lambda table: most_repeats(table) >= KS[1],
        ),
        *by_length(grouping),
    )
