"""Declare the metrics of a preference benchmark, for any grouping of its items.

Paper: VL-RewardBench, Section 3.2. `accuracy` defines them and their intervals.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.accuracy import KS, WRONG
from lmms_eval_tasks.preference.ties import consistency
from lmms_eval_tasks.preference.votes import Grouping, most_repeats, pairs, votes
from pairbench_ext.core.benchmark import (
    Breakdown,
    ByCluster,
    Mean,
    Number,
    Option,
    Outcome,
    OutcomeTable,
    Pool,
)
from pairbench_ext.core.table import same_in_both_orders
from pairbench_ext.core.texts import counted
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.statistics.shares import Share, mean_with_interval

_NEITHER = "counts as a vote for neither answer; undecided items are left out"

K_OPTION = Option("k", int | None, None, "Use only the first K judgments of each item.", 1)


def pools(*, coin: bool = False) -> tuple[Pool, ...]:
    """Return two ways to count unreadable votes: the paper's, and that of the authors' code.

    Args:
        coin: whether the authors toss a coin for an unusable reply; ours is drawn by seed and vote.
    """
    authors = Pool("authors", "a coin's vote", tossed) if coin else Pool("authors", _NEITHER)
    return Pool("paper", _NEITHER), authors


def tossed(vote: Outcome) -> Outcome:
    """Return the vote or, if it is unreadable, a vote drawn by a coin flip."""
    if vote.usable:
        return vote
    order = vote.order
    return replace(vote, said=draw(2, 0, "coin", vote.item, vote.repeat, order))  # type: ignore[arg-type]


def numbers(grouping: Grouping) -> tuple[Number, ...]:
    """Return all metrics of a preference benchmark, from accuracies to length bias."""
    return (*accuracies(grouping), *_dependence())


def accuracies(grouping: Grouping) -> tuple[Number, ...]:
    """Return overall accuracy and, if items have groups, macro accuracy and each group's accuracy.

    Each of them over decided items and, under a name that ends in `_strict`, over all items.
    """
    return tuple(number for strict in (False, True) for number in _accuracies(grouping, strict))


def _accuracies(grouping: Grouping, strict: bool) -> Iterator[Number]:
    end = "_strict" if strict else ""
    where = "strict: accuracy over all items" if strict else "accuracy over decided items"

    def number(name: str, title: str, part: Callable[..., Clustered], interval: str = "") -> Number:
        by_item = ByCluster(lambda table: part(votes(table), strict=strict))
        return Number(f"{name}{end}", title, by_item, section=where, interval=interval)

    yield number("overall_accuracy", "overall", accuracy.overall, f"overall{end}_ci95")
    if grouping.names:
        macro = partial(accuracy.macro, grouping=grouping)
        yield number("macro_accuracy", "macro", macro, f"macro{end}_ci95")
    for group in grouping.names:
        part = partial(accuracy.of_group, grouping=grouping, group=group)
        yield number(group, group, part)
    if strict:
        yield _count("items", "items", lambda table: len(votes(table).items), where)
    else:
        yield _count("items_decided", "decided items", _decided, where)


def _decided(table: OutcomeTable) -> int:
    return int((accuracy.outcomes(votes(table)) <= WRONG).sum())


def _count(name: str, title: str, count: Callable[[OutcomeTable], int], section: str) -> Number:
    return Number(name, title, count, "count", None, section)


def _mean(value: Callable[[Outcome], float | bool | None]) -> Mean:
    """Return the declaration of a mean over the votes that count."""
    return Mean(lambda vote: value(vote) if vote.kind == "chosen" else None, rows=votes)


def position_numbers(section: str) -> tuple[Number, ...]:
    """Return three metrics of votes: coverage, share for the first answer, position consistency."""
    return (
        Number("coverage", "coverage", _mean(lambda vote: vote.usable), section=section),
        Number(
            "first_position_rate",
            "says first",
            _mean(lambda vote: vote.first),
            better=None,
            section=section,
        ),
        Number(
            "position_consistency",
            "same winner in both orders",
            consistency(votes, ties=False),
            section=section,
            resampled=True,
        ),
    )


def length_numbers(section: str) -> Iterator[Number]:
    """Yield two accuracies: on pairs whose better response is longer, and where it is shorter."""

    def over(table: OutcomeTable, *, longer: bool) -> float:
        items = votes(table).items
        mask = [None not in (p.longer, p.truth) and (p.longer == p.truth) == longer for p in items]
        return accuracy.accuracy_over(votes(table), np.array(mask, dtype=np.bool_))

    for longer, word in ((True, "longer"), (False, "shorter")):
        accuracy_over = partial(over, longer=longer)
        yield Number(f"accuracy_{word}_better", f"{word} is better", accuracy_over, section=section)


def _dependence() -> Iterator[Number]:
    where = "accuracy per vote, coverage and position bias"
    # What a user gets who asks once. It has no position bias if items are asked in both orders.
    right = _mean(lambda vote: vote.right)
    yield Number("vote_accuracy", "accuracy per vote", right, section=where, interval="vote_ci95")
    yield from position_numbers(where)
    yield from length_numbers(where)
    yield _count("votes", "votes", lambda table: len(votes(table)), where)
    yield _count("items_both_orders", "items asked in both orders", _both_orders, where)


def _both_orders(table: OutcomeTable) -> int:
    return len(same_in_both_orders(votes(table)))


def remarks(table: OutcomeTable) -> Iterator[str]:
    """Yield a remark that says how many items are undecided, if there are any."""
    undecided = len(votes(table).items) - _decided(table)
    if undecided:
        yield (
            f"{counted(undecided, 'item', 'is')} undecided (ties, unreadable votes). As in the "
            f"authors' code, accuracy leaves {'it' if undecided == 1 else 'them'} out. `strict` "
            "counts undecided items as wrong"
        )


def by_k(table: OutcomeTable, grouping: Grouping) -> dict[int, dict[str, float]]:
    """Return, for each k, the accuracies from the first k judgments of each item (Figure 5b)."""
    shares = [number for number in accuracies(grouping) if number.kind == "share"]
    tables = {k: table.with_options({"k": k}) for k in KS if k <= most_repeats(table)}
    return {k: {share.name: share.of(first) for share in shares} for k, first in tables.items()}


def votes_by_source(table: OutcomeTable) -> dict[str, Share]:
    """Return each data source's accuracy per vote, with a cluster-bootstrap interval."""
    cast = votes(table)
    item, right = cast.codes("item"), accuracy.right(cast)
    sources = np.array(accuracy.sources(cast), dtype=object)[item]
    return {
        name: mean_with_interval(right[sources == name], item[sources == name])
        for name in sorted(set(sources))
    }


def by_length(grouping: Grouping) -> tuple[Breakdown, Breakdown]:
    """Return how often votes choose the longer answer, and how often that answer is the better one.

    Both are over usable votes on answers of different lengths, by group and over all groups.
    """

    def shares(table: OutcomeTable, *, of_truth: bool) -> dict[str, Share]:
        cast = pairs(table).where(lambda vote: vote.usable and vote.longer is not None)
        item = cast.codes("item")
        groups = np.array([grouping.of(vote["source"]) for vote in cast], dtype=object)
        options = (vote.truth if of_truth else vote.option for vote in cast)
        hits = np.array([s == v.longer for s, v in zip(options, cast, strict=True)], dtype=np.bool_)
        masks = {name: groups == name for name in grouping.names}
        masks["all"] = np.ones(len(cast), dtype=np.bool_)
        return {
            name: mean_with_interval(hits[mask], item[mask])
            for name, mask in masks.items()
            if mask.any()
        }

    voted, right = (partial(shares, of_truth=of_truth) for of_truth in (False, True))
    return (
        Breakdown("says_longer", "share of votes for the longer answer", voted),
        Breakdown("longer_is_better", "how often the longer answer is the better one", right),
    )


def breakdowns(grouping: Grouping) -> tuple[Breakdown, ...]:
    """Return accuracy by source, accuracy by K judgments, and the preference for longer answers."""
    return (
        Breakdown(
            "by_source",
            "accuracy by source",
            lambda table: accuracy.accuracy_by_label(votes(table), accuracy.sources(votes(table))),
        ),
        Breakdown(
            "by_k",
            "accuracy by K (Figure 5b)",
            partial(by_k, grouping=grouping),
            shown=lambda table: most_repeats(table) >= KS[1],
        ),
        *by_length(grouping),
    )
