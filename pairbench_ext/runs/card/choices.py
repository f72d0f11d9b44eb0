"""Evidence from choices: does the judge see, and is it fair to order and length?

Tests are of items, one verdict each: answers about one item are not independent. Where an item was
asked in both orders, its verdict is the option that won in both: position alone produces none. Only
items of one task and group are compared, because groups differ in all respects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.table import same_in_both_orders, winners
from pairbench_ext.runs.card.model import (
    Aspect,
    Evidence,
    Finding,
    associated,
    bias_of,
    finder,
    number_alone,
    share_of,
    sight,
)


class Verdict(NamedTuple):
    """A judge's verdict on an item, with options numbered alike in both orders.

    Attributes:
        said, right, longer: options, in the order of the data; for an item that was asked in one
            order, in the order shown.
        options: how many there are.
        both: whether it was asked in both orders.
        group: items of one task and source.
    """

    said: int
    right: int
    longer: int | None
    options: int
    both: bool
    group: Hashable


def verdicts(answers: Iterable[Outcome]) -> list[Verdict]:
    """Return one for each item that has a winner, the same in all orders that were asked."""
    given = []
    for of_orders in _winners(answers):
        won = [winner for winner in of_orders if winner is not None]
        if len(won) == len(of_orders) and len({winner.option for winner in won}) == 1:
            winner, both = won[0], len(won) > 1
            places = winner.option, winner.truth, winner.longer
            if not both:
                places = tuple(map(winner.place_of, places))
            given.append(Verdict(*places, winner.options, both, _group(winner)))
    return given


def _group(answer: Outcome) -> Hashable:
    return tuple(answer.facets.get(name) for name in ("task", "source", "category"))


def alike(answers: Iterable[Outcome]) -> Finding:
    """Return the share, of items asked in both orders, with the same winner, and its interval."""
    same = same_in_both_orders(answers)
    return Finding("", **share_of(int(same.sum()), len(same))) if len(same) else Finding("")


def _winners(answers: Iterable[Outcome]) -> list[list[Outcome | None]]:
    """Return, for each item, its winner in each order that was asked."""
    return [list(by_order.values()) for by_order in winners(answers).values()]


def sees(answers: Sequence[Outcome], *, blind: bool = False) -> Finding | None:
    """Whether verdicts follow the truth, beyond position and length.

    Args:
        answers: of some runs.
        blind: whether images were hidden: verdicts that follow the truth then come from the text.
    """
    given = verdicts(answers)
    if not given:
        return Finding("no item has the same winner in all orders") if answers else None
    test = associated(
        ((v.options, v.both, v.longer, v.group), str(v.said), str(v.right)) for v in given
    )
    right = sum(verdict.said == verdict.right for verdict in given)
    both = " with the same winner in all orders" if any(v.both for v in given) else ""
    guessed = sum(1 / verdict.options for verdict in given)
    says = f"{right} of {len(given)} items right{both}; guessing gives {guessed:.1f}"
    if not test.defined:
        return Finding(f"{says}; position and length explain all of them")
    null = "verdicts do not depend on the truth, given position and length"
    return sight(test, says, null, len(given), blind=blind)


def agrees_with_people(answers: Sequence[Outcome]) -> Finding | None:
    """Whether verdicts follow people's, beyond position and length."""
    finding = sees(answers)
    if finding is None or not finding.flag:
        return finding
    return replace(finding, flag="unlike_people", todo="do not use it in people's place")


def order(answers: Sequence[Outcome]) -> Finding | None:
    """Whether an option wins for being shown first, or last.

    Answers to one item in several orders are compared with each other, and items that were asked in
    one order with other such items. The value is how often the option at that place would be chosen
    if it were right as often as the others; where items have different numbers of options, it is
    the share of items in which the place decides.
    """
    items = [[w for w in of_item if w is not None] for of_item in _winners(answers)]
    won = [winner for of_item in items for winner in of_item]
    if not won:
        return None
    by_side = {
        side: associated(
            (
                number if len(of_item) > 1 else ("items", winner.options, _group(winner)),
                winner.right,
                float(_is_right_at(winner, side)),
            )
            for number, of_item in enumerate(items)
            for winner in of_item
        )
        for side in ("first", "last")
    }
    side = max(by_side, key=lambda name: (by_side[name].difference, name == "first"))
    test = by_side[side]
    chosen = sum(winner.said == _place(winner, side) for winner in won)
    right = sum(_is_right_at(winner, side) for winner in won)
    says = f"chooses the {side} option in {chosen} of {len(won)} answers; "
    says += f"that option is right in {right}"
    if not test.weight:
        return Finding(says)
    fair, counts = sum(1 / x.options for x in won) / len(won), sorted({x.options for x in won})
    if len(counts) > 1:
        says += (
            f"; with {counts[0]} to {counts[-1]} options, the share that position decides (fair: 0)"
        )
    return Finding(
        says,
        "an option is right equally often in each position",
        test.p_difference,
        f"{side}_position",
        "ask in several orders and vote",
        **bias_of(test, fair, len(items), standardised=len(counts) > 1),
    )


def _place(answer: Outcome, side: str) -> int:
    return 0 if side == "first" else answer.options - 1


def _is_right_at(answer: Outcome, side: str) -> bool:
    """Whether the right option stands there."""
    return bool(answer.place_of(answer.truth) == _place(answer, side))


def length(answers: Sequence[Outcome]) -> Finding | None:
    """Whether the longer option wins for being the longer one.

    The value is how often it would be chosen if it were right in half of the items.
    """
    given = [verdict for verdict in verdicts(answers) if verdict.longer is not None]
    if not given:
        return None
    test = associated(
        (v.group, float(v.said == v.right), float(v.longer == v.right)) for v in given
    )
    longer = sum(verdict.said == verdict.longer for verdict in given)
    right = sum(verdict.longer == verdict.right for verdict in given)
    says = f"chooses the longer option in {longer} of {len(given)} items; "
    says += f"that option is right in {right}"
    if not test.weight:
        return Finding(says)
    return Finding(
        says,
        "it is right equally often where the longer and where the shorter option is right",
        test.p_difference,
        "longer" if test.excess >= 0 else "shorter",
        "compare answers of similar length, or weight long and short ones equally",
        **bias_of(test, 0.5, len(given)),
    )


def repeats(answers: Sequence[Outcome]) -> Finding | None:
    """Whether it gives the same answer again.

    No flag: any judge above chance is also self-consistent above chance.
    """
    by_question = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.repeat):
        by_question[answer.item_and_variant, answer.shown].append(answer.said)
    pairs = [
        (number, str(before), str(after))
        for places in by_question.values()
        for number, (before, after) in enumerate(pairwise(places))
        if before is not None and after is not None
    ]
    if not pairs:
        return None
    same = sum(before == after for _, before, after in pairs)
    test = associated(pairs)
    says = f"the same answer again in {same} of {len(pairs)} repeats"
    if not test.defined:
        return Finding(f"{says}; all answers are the same", **share_of(same, len(pairs)))
    return Finding(
        says,
        "an answer tells nothing about the next one to the same question",
        chance=test.p_no_more(),
        **share_of(same, len(pairs)),
    )


def chosen_of(run: Any) -> Iterator[Outcome]:
    """The choices of a run that can be right, one for each reply; a tie is no choice.

    Under greedy decoding one reply may stand for several votes of an item; they are one answer. A
    sample of several replies has one for each of its outcomes.
    """
    kept: dict[Hashable, Outcome] = {}
    for reading in run.readings:
        alike: set[Hashable] = set()
        for outcome in reading.outcomes:
            if outcome.kind == "text" or outcome.truth in (None, TIE):
                continue
            question = outcome.item_and_variant, outcome.shown
            if len(reading.rows) > 1 or question not in alike:
                kept[outcome.question] = outcome
            alike.add(question)
    for choice in kept.values():
        answer = choice.saying(None) if choice.said == TIE else choice
        yield replace(
            answer, item=(run.file, choice.item), facets={**choice.facets, "task": run.file}
        )


def choice_evidence(accuracy: str, *, same: str = "", people: bool = False) -> Iterator[Evidence]:
    """The evidence of choices.

    Args:
        accuracy: the name of the benchmark's accuracy.
        same: the name of its share of items with the same winner in both orders.
        people: whether the truth is what people prefer.
    """
    aspect: Aspect = "people" if people else "sees"
    yield number_alone(aspect, accuracy, "accuracy")
    found = partial(finder, chosen_of)
    yield Evidence(aspect, "right beyond guessing", found(agrees_with_people if people else sees))
    yield Evidence("order", "prefers one position", found(order))
    if same:
        yield Evidence("order", "same winner in both orders", found(alike), same)
    yield Evidence("length", "for the longer one", found(length))
    yield Evidence("itself", "same answer again", found(repeats))


def blind_evidence() -> tuple[Evidence, ...]:
    """The evidence of choices made without seeing the images.

    Refusing to answer is no fault there, so unreadable replies are no evidence.
    """
    title = "right beyond guessing, with grey images"
    return (Evidence("sees", title, finder(chosen_of, partial(sees, blind=True))),)
