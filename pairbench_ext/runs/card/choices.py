"""Evidence from choices: does the judge see, and is it fair to order and length?

Tests are of items, one verdict each: answers about one item are not independent. Where an item was
asked in both orders, its verdict is the option that won in both: position alone brings about none.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.runs.card.model import ALPHA, POWER, Evidence, Finding, share_finding, share_of
from pairbench_ext.statistics.association import association

Side: TypeAlias = Literal["first", "last"]


class Verdict(NamedTuple):
    """A judge's verdict on an item, by places that are the same in both orders.

    Attributes:
        said, right, longer: options, in the order of the data; of an item that was asked in one
            order, as shown.
        options: how many there are.
        both: whether it was asked in both orders.
    """

    said: int
    right: int
    longer: int | None
    options: int
    both: bool


def verdicts(answers: Iterable[Outcome]) -> list[Verdict]:
    """Return one for each item that has a winner, the same in all orders that were asked."""
    given = []
    for of_orders in _winners(answers):
        winners = [winner for winner in of_orders if winner is not None]
        options = {winner.option for winner in winners}
        if len(winners) == len(of_orders) and len(options) == 1:
            given.append(_verdict(winners))
    return given


def _verdict(winners: Sequence[Outcome]) -> Verdict:
    winner, both = winners[0], len(winners) > 1
    if both:
        return Verdict(winner.option, winner.truth, winner.longer, winner.options, both)
    truth, longer = (winner.saying(option).said for option in (winner.truth, winner.longer))
    return Verdict(winner.said, truth, longer, winner.options, both)


def swayed(answers: Iterable[Outcome]) -> list[bool]:
    """Return, for each item of which the same place won in both orders, whether it is the first.

    Only of items with two options: of more, the reverse order moves an option in the middle less.
    """
    pairs = (winners for winners in _winners(answers) if len(winners) == 2)
    return [
        first.said == 0
        for first, second in pairs
        if first is not None and second is not None
        if first.options == 2 and first.said == second.said
    ]


def alike(answers: Iterable[Outcome]) -> Finding:
    """Return the share, of items asked in both orders, with the same winner, and its interval."""
    pairs = [winners for winners in _winners(answers) if len(winners) == 2]
    same = sum(
        first is not None and second is not None and first.option == second.option
        for first, second in pairs
    )
    return Finding("", **share_of(same, len(pairs))) if pairs else Finding("")


def _winners(answers: Iterable[Outcome]) -> Iterator[list[Outcome | None]]:
    """Yield, for each item, its winner in each order that was asked."""
    by_item: dict[Hashable, dict[Hashable, list[Outcome]]] = defaultdict(dict)
    for answer in answers:
        by_item[_item(answer)].setdefault(answer.shown, []).append(answer)
    return ([_winner(same) for same in by_order.values()] for by_order in by_item.values())


def _item(answer: Outcome) -> Hashable:
    return answer.item, *answer.variant.values()


def _winner(answers: Sequence[Outcome]) -> Outcome | None:
    """An answer that more than half of those in one order agree with; None if there is none."""
    if len(answers) == 1:
        return None if answers[0].said is None else answers[0]
    place, votes = Counter(answer.said for answer in answers).most_common(1)[0]
    if place is None or 2 * votes <= len(answers):
        return None
    return next(answer for answer in answers if answer.said == place)


def sees(answers: Sequence[Outcome], *, blind: bool = False) -> Finding | None:
    """Whether verdicts follow the truth, beyond position and length.

    Args:
        answers: of one run.
        blind: the images were not shown: then what follows the truth is solved from the text.
    """
    given = verdicts(answers)
    if not given:
        return Finding("no item has one winner in all orders") if answers else None
    strata = defaultdict(list)
    for verdict in given:
        stratum = verdict.options, verdict.both, verdict.longer
        strata[stratum].append((str(verdict.said), str(verdict.right)))
    test = association(map(_columns, strata.values()), ALPHA)
    right = sum(verdict.said == verdict.right for verdict in given)
    both = " with the same winner in all orders" if any(v.both for v in given) else ""
    guessed = sum(1 / verdict.options for verdict in given)
    says = f"{right} of {len(given)} items right{both}; guessing gives {guessed:.0f}"
    if math.isnan(test.p):
        return Finding(f"{says}; position and length explain all of them")
    null = "verdicts do not depend on the truth, given position and length"
    if blind:
        return Finding(
            says, null, test.p, "solved_blind", "the text gives the answers away: do not use them"
        )
    return Finding(
        says,
        null,
        test.p,
        "blind",
        "do not use it for such images",
        raised="kept",
        able=test.power >= POWER,
    )


def _columns(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def order(answers: Sequence[Outcome]) -> Finding | None:
    """Whether a place wins for being the place that it is.

    Of more than two options, the first order counts that an item was asked in.
    """
    sway = swayed(answers)
    if sway or any(verdict.both and verdict.options == 2 for verdict in verdicts(answers)):
        return _swayed(sway)
    given = verdicts(_in_first_order(answers))
    if not given:
        return None
    first, last = (_at(given, side) for side in ("first", "last"))
    side: Side = "first" if first <= last else "last"
    chosen = sum(verdict.said == _place(verdict, side) for verdict in given)
    right = sum(verdict.right == _place(verdict, side) for verdict in given)
    return Finding(
        f"chooses the {side} option in {chosen} of {len(given)} items; it is right in {right}",
        "options are right as often wherever they stand",
        min(1.0, 2 * min(first, last)),
        f"{side}_position",
        "ask in several orders and vote",
        able=2 * _least(_places(given, side), "greater") <= ALPHA,
        **share_of(chosen, len(given)),
    )


def _in_first_order(answers: Sequence[Outcome]) -> list[Outcome]:
    first: dict[Hashable, Hashable] = {}
    return [
        answer
        for answer in answers
        if first.setdefault(_item(answer), answer.shown) == answer.shown
    ]


def _swayed(sway: Sequence[bool]) -> Finding:
    n, first = len(sway), sum(sway)
    side: Side = "first" if 2 * first >= n else "last"
    hits = max(first, n - first)
    told: dict[str, Any] = {
        "null": "a winner that changes with the order is the first option as often as the last",
        "flag": f"{side}_position",
        "todo": "ask in both orders and vote",
    }
    if not n:
        return Finding("no winner changes with the order", p=1.0, **told, fine="")
    says = f"chooses the {side} option in {hits} of {n} items whose winner changes with the order"
    return share_finding(hits, n, 0.5, side="two-sided", says=says, **told)


def _place(verdict: Verdict, side: Side) -> int:
    return 0 if side == "first" else verdict.options - 1


def _at(given: Sequence[Verdict], side: Side) -> float:
    """P-value: it is more often right where the right option stands there."""
    return _more_often(_places(given, side), "greater")


def _places(given: Sequence[Verdict], side: Side) -> list[tuple[bool, bool]]:
    """For each verdict: whether the right option stands there, and whether it is right."""
    return [
        (verdict.right == _place(verdict, side), verdict.said == verdict.right) for verdict in given
    ]


def _more_often(rows: Sequence[tuple[bool, bool]], side: Literal["greater", "two-sided"]) -> float:
    """Fisher's exact test that the second is as often true whether the first is or not."""
    from scipy.stats import fisher_exact

    count = Counter(rows)
    table = [[count[group, hit] for hit in (True, False)] for group in (True, False)]
    return float(fisher_exact(table, side).pvalue)


def _least(rows: Sequence[tuple[bool, bool]], side: Literal["greater", "two-sided"]) -> float:
    """The p-value, were the second true just where the first is: no answers give less."""
    return _more_often([(group, group) for group, _ in rows], side)


def length(answers: Sequence[Outcome]) -> Finding | None:
    """Whether the longer option wins for being the longer one."""
    given = [verdict for verdict in verdicts(answers) if verdict.longer is not None]
    if not given:
        return None
    rows = [(verdict.longer == verdict.right, verdict.said == verdict.right) for verdict in given]
    longer = sum(verdict.said == verdict.longer for verdict in given)
    right = sum(at_longer for at_longer, _ in rows)
    count = Counter(rows)
    rates = [
        count[group, True] / max(1, count[group, True] + count[group, False])
        for group in (True, False)
    ]
    towards = "longer" if rates[0] >= rates[1] else "shorter"
    return Finding(
        f"chooses the longer option in {longer} of {len(given)} items; it is right in {right}",
        "it is right as often where the longer option is right",
        _more_often(rows, "two-sided"),
        towards,
        "compare answers of like length, or weigh long and short ones alike",
        able=_least(rows, "two-sided") <= ALPHA,
        **share_of(longer, len(given)),
    )


def repeats(answers: Sequence[Outcome]) -> Finding | None:
    """Whether it gives the same answer again.

    No flag: any judge above chance is also self-consistent above chance.
    """
    by_question = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.repeat):
        by_question[_item(answer), answer.shown].append(answer.said)
    pairs: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for places in by_question.values():
        for number, (before, after) in enumerate(pairwise(places)):
            if before is not None and after is not None:
                pairs[number].append((str(before), str(after)))
    if not pairs:
        return None
    every = [pair for same_repeat in pairs.values() for pair in same_repeat]
    same = sum(before == after for before, after in every)
    test = association(map(_columns, pairs.values()), ALPHA)
    says = f"the same answer again in {same} of {len(every)} repeats"
    if math.isnan(test.p):
        return Finding(f"{says}; always the same one", **share_of(same, len(every)))
    return Finding(
        says,
        "an answer tells nothing about the next one to the same question",
        test.p,
        raised="kept",
        **share_of(same, len(every)),
    )


def chosen_of(run: Any) -> list[Outcome]:
    """Return the choices of a run that can be right, one for each reply; a tie is no choice.

    Under greedy decoding one reply may stand for several votes of an item; they are one answer. A
    sample of several replies has one for each of its outcomes.
    """
    kept: dict[Hashable, Outcome] = {}
    for reading in run.readings:
        alike: set[Hashable] = set()
        for outcome in reading.outcomes:
            if outcome.kind == "text" or outcome.truth in (None, TIE):
                continue
            question = _item(outcome), outcome.shown
            if len(reading.rows) > 1 or question not in alike:
                kept[outcome.question] = outcome
            alike.add(question)
    return [choice.saying(None) if choice.said == TIE else choice for choice in kept.values()]


def choice_evidence(accuracy: str, *, same: str = "", people: bool = False) -> Iterator[Evidence]:
    """The evidence of choices.

    Args:
        accuracy: the benchmark's number of that.
        same: its number of the share of items with the same winner in both orders.
        people: whether the truth is what people prefer.
    """

    def finder(test: Callable[[Sequence[Outcome]], Finding | None]) -> Callable[[Any], Any]:
        return lambda run: test(chosen_of(run))

    yield Evidence("people" if people else "sees", "accuracy", finder(sees), accuracy)
    yield Evidence("order", "for one position", finder(order))
    if same:
        yield Evidence("order", "same winner in both orders", finder(alike), same)
    yield Evidence("length", "for the longer one", finder(length))
    yield Evidence("itself", "same answer again", finder(repeats))


def blind_evidence(accuracy: str) -> tuple[Evidence, ...]:
    """The evidence of choices made without seeing the images.

    Refusing to answer is no fault there, so nothing is said of replies that cannot be read.

    Args:
        accuracy: the benchmark's number of that.
    """
    title = "accuracy with grey images"
    return (Evidence("sees", title, lambda run: sees(chosen_of(run), blind=True), accuracy),)
