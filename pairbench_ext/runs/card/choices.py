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

from pairbench_ext.core.answers import TIE, Chosen
from pairbench_ext.runs.card.model import ALPHA, POWER, Evidence, Finding, share_finding, share_of
from pairbench_ext.statistics.association import association

Side: TypeAlias = Literal["first", "last"]


class Verdict(NamedTuple):
    """A judge's verdict on an item, by places that are the same in both orders.

    Attributes:
        said, right, longer: as those of an answer, by the order that is not reversed; as shown, of
            an item that was asked in one order.
        options: how many there are.
        both: whether it was asked in both orders.
    """

    said: int
    right: int
    longer: int | None
    options: int
    both: bool


def verdicts(answers: Iterable[Chosen]) -> list[Verdict]:
    """One for each item that has a winner, the same one in all orders that were asked."""
    found = []
    for winners in _winners(answers):
        places = [one.option for one in winners if one is not None]
        if len(places) == len(winners) and len(set(places)) == 1:
            found.append(_verdict([one for one in winners if one is not None]))
    return found


def _verdict(winners: Sequence[Chosen]) -> Verdict:
    one, both = winners[0], len(winners) > 1
    if both:
        said, right, longer = one.option, one.right, one.longer
    else:
        said, right, longer = one.said, one.shown_at(one.right), one.shown_at(one.longer)
    assert said is not None
    assert right is not None
    return Verdict(said, right, longer, one.options, both)


def swayed(answers: Iterable[Chosen]) -> list[bool]:
    """For each item of which the same place won in both orders: whether it is the first one.

    Only of items with two options: of more, the reverse order moves an option in the middle less.
    """
    pairs = (winners for winners in _winners(answers) if len(winners) == 2)
    return [
        one.said == 0
        for one, other in pairs
        if one is not None and other is not None
        if one.options == 2 and one.said == other.said
    ]


def alike(answers: Iterable[Chosen]) -> Finding:
    """Of the items that were asked in both orders, the share with the same winner: its interval."""
    pairs = [winners for winners in _winners(answers) if len(winners) == 2]
    same = sum(
        one is not None and other is not None and one.option == other.option for one, other in pairs
    )
    return Finding("", **share_of(same, len(pairs))) if pairs else Finding("")


def _winners(answers: Iterable[Chosen]) -> Iterator[list[Chosen | None]]:
    """For each item, its winner in each order that was asked."""
    found: dict[Hashable, dict[Hashable, list[Chosen]]] = defaultdict(dict)
    for answer in answers:
        found[answer.item].setdefault(answer.shown, []).append(answer)
    return ([_winner(of_order) for of_order in own.values()] for own in found.values())


def _winner(answers: Sequence[Chosen]) -> Chosen | None:
    """An answer that more than half of those in one order agree with; None if there is none."""
    if len(answers) == 1:
        return None if answers[0].said is None else answers[0]
    said, votes = Counter(one.said for one in answers).most_common(1)[0]
    if said is None or 2 * votes <= len(answers):
        return None
    return next(one for one in answers if one.said == said)


def sees(answers: Sequence[Chosen], *, blind: bool = False) -> Finding | None:
    """Whether verdicts follow the truth, beyond position and length.

    Args:
        answers: of one run.
        blind: the images were not shown: then what follows the truth is solved from the text.
    """
    given = verdicts(answers)
    if not given:
        return Finding("no item has one winner in all orders") if answers else None
    strata = defaultdict(list)
    for one in given:
        strata[one.options, one.both, one.longer].append((str(one.said), str(one.right)))
    found = association((_columns(pairs) for pairs in strata.values()), ALPHA)
    right = sum(one.said == one.right for one in given)
    both = " with the same winner in all orders" if any(one.both for one in given) else ""
    guessed = sum(1 / one.options for one in given)
    says = f"{right} of {len(given)} items right{both}; guessing gives {guessed:.0f}"
    if math.isnan(found.p):
        return Finding(f"{says}; position and length explain all of them")
    null = "verdicts do not depend on the truth, given position and length"
    if blind:
        return Finding(
            says, null, found.p, "solved_blind", "the text gives the answers away: do not use them"
        )
    return Finding(
        says,
        null,
        found.p,
        "blind",
        "do not use it for such images",
        raised="kept",
        able=found.power >= POWER,
    )


def _columns(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def order(answers: Sequence[Chosen]) -> Finding | None:
    """Whether a place wins for being the place that it is.

    Of more than two options, the first order counts that an item was asked in.
    """
    sway = swayed(answers)
    if sway or any(one.both and one.options == 2 for one in verdicts(answers)):
        return _swayed(sway)
    given = verdicts(_in_first_order(answers))
    if not given:
        return None
    first, last = (_at(given, side) for side in ("first", "last"))
    side: Side = "first" if first <= last else "last"
    said = sum(one.said == _place(one, side) for one in given)
    right = sum(one.right == _place(one, side) for one in given)
    return Finding(
        f"chooses the {side} option in {said} of {len(given)} items; it is right in {right}",
        "options are right as often wherever they stand",
        min(1.0, 2 * min(first, last)),
        f"{side}_position",
        "ask in several orders and vote",
        able=2 * _least(_places(given, side), "greater") <= ALPHA,
        **share_of(said, len(given)),
    )


def _in_first_order(answers: Sequence[Chosen]) -> list[Chosen]:
    first: dict[Hashable, Hashable] = {}
    return [one for one in answers if first.setdefault(one.item, one.shown) == one.shown]


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


def _place(one: Verdict, side: Side) -> int:
    return 0 if side == "first" else one.options - 1


def _at(given: Sequence[Verdict], side: Side) -> float:
    """P-value: it is more often right where the right option stands there."""
    return _more_often(_places(given, side), "greater")


def _places(given: Sequence[Verdict], side: Side) -> list[tuple[bool, bool]]:
    """For each verdict: whether the right option stands there, and whether it is right."""
    return [(one.right == _place(one, side), one.said == one.right) for one in given]


def _more_often(rows: Sequence[tuple[bool, bool]], side: Literal["greater", "two-sided"]) -> float:
    """Fisher's exact test that the second is as often true whether the first is or not."""
    from scipy.stats import fisher_exact

    count = Counter(rows)
    table = [[count[group, hit] for hit in (True, False)] for group in (True, False)]
    return float(fisher_exact(table, side).pvalue)


def _least(rows: Sequence[tuple[bool, bool]], side: Literal["greater", "two-sided"]) -> float:
    """The p-value, were the second true just where the first is: no answers give less."""
    return _more_often([(group, group) for group, _ in rows], side)


def length(answers: Sequence[Chosen]) -> Finding | None:
    """Whether the longer option wins for being the longer one."""
    given = [one for one in verdicts(answers) if one.longer is not None]
    if not given:
        return None
    rows = [(one.longer == one.right, one.said == one.right) for one in given]
    longer = sum(one.said == one.longer for one in given)
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


def repeats(answers: Sequence[Chosen]) -> Finding | None:
    """Whether it gives the same answer again.

    No flag: any judge above chance is also self-consistent above chance.
    """
    own = defaultdict(list)
    for one in sorted(answers, key=lambda one: one.repeat):
        own[one.item, one.shown].append(one.said)
    asked = [said for said in own.values() if len(said) > 1]
    pairs: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for said in asked:
        for place, (before, after) in enumerate(pairwise(said)):
            if before is not None and after is not None:
                pairs[place].append((str(before), str(after)))
    if not pairs:
        return None
    every = [pair for found in pairs.values() for pair in found]
    same = sum(one == other for one, other in every)
    found = association((_columns(one) for one in pairs.values()), ALPHA)
    says = f"the same answer again in {same} of {len(every)} repeats"
    if math.isnan(found.p):
        return Finding(f"{says}; always the same one", **share_of(same, len(every)))
    return Finding(
        says,
        "an answer tells nothing about the next one to the same question",
        found.p,
        raised="kept",
        **share_of(same, len(every)),
    )


def chosen_of(run: Any) -> list[Chosen]:
    """The choices of a run that can be right, one for each reply; a tie is no choice.

    Under greedy decoding one reply may stand for several votes of an item; they are one answer. A
    sample of several replies has one for each of its outcomes.
    """
    found: dict[Hashable, Any] = {}
    for reading in run.readings:
        alike: set[Hashable] = set()
        for outcome in reading.outcomes:
            answer = run.benchmark.answers.answer(outcome)
            if answer is None or answer.right in (None, TIE):
                continue
            asked = answer.item, answer.shown
            if len(reading.rows) > 1 or asked not in alike:
                found[answer.question] = answer
            alike.add(asked)
    return [one._replace(said=None) if one.said == TIE else one for one in found.values()]


def choice_evidence(accuracy: str, *, same: str = "", people: bool = False) -> Iterator[Evidence]:
    """The evidence of choices.

    Args:
        accuracy: the benchmark's number of that.
        same: its number of the share of items with the same winner in both orders.
        people: whether the truth is what people prefer.
    """

    def finder(test: Callable[[Sequence[Chosen]], Finding | None]) -> Callable[[Any], Any]:
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
