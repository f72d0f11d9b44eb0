"""Test a judge's choices: their accuracy, position bias, length bias, yes bias and consistency.

Tests are of items, one verdict each: answers about one item are not independent. Where an item was
asked in both orders, its verdict is the option that won in both: position alone produces none. Only
items of one task and group are compared, because groups differ in all respects.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.outcomes import TIE, Outcome, shared
from pairbench_ext.core.table import by_question, same_in_both_orders
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.card.model import (
    Answers,
    Aspect,
    AspectResult,
    Evidence,
    bias_of,
    finder,
    share_of,
    sight,
)
from pairbench_ext.statistics.association import Association, association
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.kappa import clustered_kappa
from pairbench_ext.statistics.shares import mean_with_interval

_UNKNOWN = "right answer unknown"
#: The title of what is found where images were hidden.
BLIND = "accuracy with grey images instead of the real ones"


class Verdict(NamedTuple):
    """A judge's verdict on one item: which option it chooses, which is right and which is longer.

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
    """Return a verdict on each item in which the same option wins in every order that was asked."""
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


def alike(answers: Iterable[Outcome]) -> AspectResult:
    """Return the share of items in which the same option wins in both orders, with its interval."""
    same = same_in_both_orders(answers)
    return (
        AspectResult("", **share_of(int(same.sum()), len(same))) if len(same) else AspectResult("")
    )


def _winners(answers: Iterable[Outcome]) -> list[list[Outcome | None]]:
    return (answers if isinstance(answers, Answers) else Answers(answers)).winners


def sees(answers: Sequence[Outcome], *, blind: bool = False) -> AspectResult | None:
    """Test whether verdicts agree with the right answers beyond what position and length explain.

    Unreadable answers are wrong. Beside it stands what guesses, and a judge that always gives the
    answer that is right most often, would get.

    Args:
        answers: of some runs.
        blind: whether images were hidden: verdicts that follow the truth then come from the text.
    """
    if not answers:
        return None
    accuracy = _accuracy(answers)
    given = verdicts(answers)
    test = association(
        ((v.options, v.both, v.longer, v.group), str(v.said), str(v.right)) for v in given
    )
    if not test.defined:
        why = "position and length explain all of its verdicts" if given else _NO_WINNER
        return replace(accuracy, says=f"{accuracy.says}; {why}")
    null = "verdicts do not depend on the truth, given position and length"
    found = sight(test, accuracy.says, null, len(given), blind=blind)
    error = test.spread / len(given) if blind else math.nan
    value, ends = accuracy.value, (accuracy.low, accuracy.high)
    return replace(found, value=value, low=ends[0], high=ends[1], error=error)


_NO_WINNER = "no item has an option that wins in all orders"


def _accuracy(answers: Sequence[Outcome]) -> AspectResult:
    right = np.array([answer.right for answer in answers])
    _, clusters = codes_of(answer.cluster for answer in answers)
    value, (low, high), n = mean_with_interval(right, clusters)
    guessed = float(np.mean([1 / answer.options for answer in answers]))
    places = Counter(answer.place_of(answer.truth) for answer in answers)
    return AspectResult(
        f"right in {int(right.sum()):,} of {counted(n, 'answer')} (guessing: {guessed:.0%}; always "
        f"the same answer: {max(places.values()) / n:.0%})",
        value=value,
        low=low,
        high=high,
    )


def kappa(answers: Sequence[Outcome]) -> AspectResult | None:
    """Return Cohen's kappa between the judge's choices and the right answers.

    If several people judged the items, the text of the result also states one person's kappa with
    the other people.
    """
    judge, person = kappas(answers)
    if judge is None:
        return None
    value, (low, high) = judge.statistic.estimate(), clustered_interval(judge)
    if math.isnan(value):
        return None
    says = f"agreement beyond chance (Cohen's kappa) {decimal(value, 2)}"
    if person is not None:
        best = decimal(person.statistic.estimate(), 2)
        says += (
            f"; one person's kappa is {best} (judge and person are each compared with the "
            "majority of the other people)"
        )
    return AspectResult(says, value=value, low=low, high=high)


def kappas(answers: Sequence[Outcome]) -> tuple[Clustered | None, Clustered | None]:
    """Return two Cohen's kappas: the judge's with the truth, and one person's with other people.

    Options are labelled by the places shown; unreadable answers agree never. Chance is reckoned
    apart where the longest option stands at different places, so that a preference for a place or
    for length agrees by chance alone. Where several people judged the items, judge and people are
    compared with the same: with the majority of all people but one.
    """
    of_people = list(_with_others(answers))
    if of_people:
        return _kappa([(x.said, majority, x) for _, majority, x in of_people]), _kappa(of_people)
    rows = [(x.said, x.place_of(x.truth), x) for x in answers]
    return (_kappa(rows) if rows else None), None


def _kappa(rows: Sequence[tuple[Any, Any, Outcome]]) -> Clustered:
    chosen, right, asked = zip(*rows, strict=True)
    strata = [(x.options, x.place_of(x.longer)) for x in asked]
    return clustered_kappa(chosen, right, [x.cluster for x in asked], strata)


def _with_others(answers: Iterable[Outcome]) -> Iterator[tuple[Any, Any, Outcome]]:
    """Yield each person's answer beside the majority of the others, by the places shown."""
    for answer in answers:
        for name, option in answer.people.items() if len(answer.people) > 1 else ():
            others = Counter(choice for other, choice in answer.people.items() if other != name)
            (first, most), *rest = others.most_common(2)
            if first != TIE and not (rest and rest[0][1] == most):
                yield answer.place_of(option), answer.place_of(first), answer


def agrees_with_people(answers: Sequence[Outcome]) -> AspectResult | None:
    """Test whether verdicts agree with people's, beyond what position and length explain."""
    finding = sees(answers)
    if finding is None or not finding.flag:
        return finding
    return replace(finding, flag="unlike_people", todo="do not use this judge instead of people")


def order(answers: Sequence[Outcome]) -> AspectResult | None:
    """Test whether the judge prefers options at one position, such as the first.

    Answers to one item in several orders are compared with each other, and items that were asked in
    one order with other such items. The value is how often the option at that place would be chosen
    if it were right as often as the others; where items have different numbers of options, it is
    the share of items in which the place decides. Two orders of an item tell this without a right
    answer: without the bias, the first place wins both orders as often as the last one does.

    Args:
        answers: of some runs; without a right answer, those that `placed_of` yields.
    """
    items = [[w for w in of_item if w is not None] for of_item in _winners(answers)]
    won = [winner for of_item in items for winner in of_item]
    if not won:
        return None
    by_side = {side: _by_place(items, side) for side in ("first", "last")}
    side = max(by_side, key=lambda name: (by_side[name].difference, name == "first"))
    test = by_side[side]
    says = _says_of_places(won, side)
    if not test.weight:
        return AspectResult(says)
    fair, counts = sum(1 / x.options for x in won) / len(won), sorted({x.options for x in won})
    if len(counts) > 1:
        says += (
            f"; items have {counts[0]} to {counts[-1]} options, so the value is the share of "
            "answers that position decides (no bias: 0)"
        )
    return AspectResult(
        says,
        "the judge chooses an option equally often, wherever it stands",
        test.p_difference,
        f"{side}_position",
        "ask in several orders and vote",
        **bias_of(test, fair, len(items), standardised=len(counts) > 1),
    )


def _says_of_places(won: Sequence[Outcome], side: str) -> str:
    """Return how often a side is chosen, and how often that is right."""
    chosen = sum(winner.said == _place(winner, side) for winner in won)
    says = f"chooses the {side} option in {chosen:,} of {len(won):,} answers; "
    clear = [winner for winner in won if not winner.facets.get(_UNKNOWN, False)]
    if not clear:
        return f"{says}each item was asked with its options in several orders"
    says += f"that option is right in {sum(_is_right_at(winner, side) for winner in clear):,}"
    return says + f" of the {len(clear):,} answers with known truth" * (len(clear) < len(won))


def _by_place(items: Sequence[Sequence[Outcome]], side: str) -> Association:
    """Return how far answers are right by whether the right option stands at a side."""
    return association(
        (
            number if len(of_item) > 1 else ("items", winner.options, _group(winner)),
            winner.right,
            float(_is_right_at(winner, side)),
        )
        for number, of_item in enumerate(items)
        for winner in of_item
    )


def _place(answer: Outcome, side: str) -> int:
    return 0 if side == "first" else answer.options - 1


def _is_right_at(answer: Outcome, side: str) -> bool:
    """Return whether the right option stands there."""
    return bool(answer.place_of(answer.truth) == _place(answer, side))


def length(answers: Sequence[Outcome]) -> AspectResult | None:
    """Test whether the judge prefers the longer option.

    The value is how often it would be chosen if it were right in half of the items.
    """
    given = [(verdict, verdict.longer) for verdict in verdicts(answers)]
    return _prefers(
        [(verdict, longer) for verdict, longer in given if longer is not None],
        "chooses the longer option",
        "the judge is right equally often, whether the longer or the shorter option is right",
        ("longer", "shorter"),
        "compare answers of similar length, or balance items so that the longer answer is right "
        "in half of them",
    )


def says_yes(answers: Sequence[Outcome]) -> AspectResult | None:
    """Test for a bias towards "yes" or "no": does accuracy depend on which of the two is right?

    The value is the share of yes minus people's share of yes. It depends on how often yes is right:
    where it mostly is, errors alone lower it. The test does not depend on that.
    """
    given = verdicts(answers)
    found = _prefers(
        [(verdict, 0) for verdict in given],
        "says yes",
        "the judge is right equally often, whether yes or no is right",
        ("says_yes", "says_no"),
        "ask each question also in the negative, or balance questions so that yes is right in "
        "half of them",
    )
    if found is None or not found.null:
        return found
    yes, no = (
        np.mean([x.said == x.right for x in given if (x.right == 0) is is_yes])
        for is_yes in (True, False)
    )
    readable = [x for x in answers if x.usable]
    value, (low, high), _ = mean_with_interval(
        np.array([(x.said == 0) - float(x.truth == 0) for x in readable]),
        codes_of(x.cluster for x in readable)[1],
        lowest=-1.0,
    )
    says = f"{found.says}. Accuracy: {yes:.0%} where yes is right, {no:.0%} where no is right"
    return replace(found, says=says, value=value, low=low, high=high, fair=0.0)


def _prefers(
    given: Sequence[tuple[Verdict, int]], does: str, null: str, kinds: tuple[str, str], todo: str
) -> AspectResult | None:
    """Return whether one option of each item is chosen more often than it is right.

    Args:
        given: a verdict on each item, and the option.
        does: that it chooses it, in words.
        null: as for a finding.
        kinds: the flags of choosing it too often, and too seldom.
        todo: as for a finding.
    """
    if not given:
        return None
    test = association(
        (v.group, float(v.said == v.right), float(option == v.right)) for v, option in given
    )
    chosen = sum(verdict.said == option for verdict, option in given)
    right = sum(verdict.right == option for verdict, option in given)
    says = f"{does} in {chosen:,} of {len(given):,} items; that option is right in {right:,}"
    if not test.weight:
        return AspectResult(says)
    flag = kinds[0] if test.excess >= 0 else kinds[1]
    return AspectResult(says, null, test.p_difference, flag, todo, **bias_of(test, 0.5, len(given)))


def repeats(answers: Sequence[Outcome]) -> AspectResult | None:
    """Test whether the judge gives the same answer when the same question is asked again.

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
    test = association(pairs)
    says = f"gives the same answer again in {same:,} of {len(pairs):,} repeats"
    if not test.defined:
        return AspectResult(
            f"{says}; all answers to all questions are the same", **share_of(same, len(pairs))
        )
    return AspectResult(
        says,
        "an answer says nothing about the next answer to the same question",
        chance=test.p_no_more(),
        **share_of(same, len(pairs)),
    )


def chosen_of(run: Any) -> Iterator[Outcome]:
    """Yield a run's choices in items with one right option; items whose truth is a tie are omitted.

    Under greedy decoding one reply may stand for several votes of an item; they are one answer. A
    sample of several replies has one for each of its outcomes.
    """
    return _choices(run, lambda outcome: outcome.truth not in (None, TIE))


def placed_of(run: Any) -> Iterator[Outcome]:
    """Yield choices that can show position bias: the truth is known, or several orders were asked.

    Without a right answer, one option stands for it: which one makes no difference there.
    """
    yield from chosen_of(run)
    orders = defaultdict(set)
    unknown = list(_choices(run, lambda outcome: outcome.truth is None))
    for choice in unknown:
        orders[choice.item_and_variant].add(choice.shown)
    for choice in unknown:
        if len(orders[choice.item_and_variant]) > 1:
            yield replace(choice, truth=0, facets={**choice.facets, _UNKNOWN: True})


def _prefers_position(runs: Sequence[Any]) -> AspectResult | None:
    """Test the order by the choices of the other tests, unless some have no right answer."""
    outcomes = (x for run in runs for reading in run.readings for x in reading.outcomes)
    return finder(placed_of if any(x.truth is None for x in outcomes) else chosen_of, order)(runs)


def _choices(run: Any, wanted: Callable[[Outcome], bool]) -> Iterator[Outcome]:
    kept: dict[Hashable, Outcome] = {}
    for reading in run.readings:
        alike: set[Hashable] = set()
        for outcome in reading.outcomes:
            if outcome.kind == "text" or not wanted(outcome):
                continue
            question = outcome.item_and_variant, outcome.shown
            if len(reading.rows) > 1 or question not in alike:
                kept[outcome.question] = outcome
            alike.add(question)
    file = str(run.file)
    for choice in by_question(kept.values()):
        answer = None if choice.said == TIE else choice.said
        yield choice.answered(answer, (file, choice.item), shared({**choice.facets, "task": file}))


def choice_evidence(
    *, same: str = "", people: bool = False, places: bool = True, yes: bool = False
) -> Iterator[Evidence]:
    """Yield the card's tests of a judge that chooses between options.

    Args:
        same: the name of the benchmark's share of items with the same winner in both orders.
        people: whether the truth is what people prefer.
        places: whether options have places and lengths.
        yes: whether they are two labels, such as yes and no.
    """
    aspect: Aspect = "people" if people else "sees"
    found = partial(finder, chosen_of)
    yield Evidence(aspect, "accuracy", found(agrees_with_people if people else sees))
    yield Evidence(aspect, "Cohen's kappa", found(kappa), kind="score")
    if places:
        yield Evidence("order", "prefers one position", _prefers_position)
    if same:
        yield Evidence("order", "same winner in both orders", found(alike), same)
    if places:
        yield Evidence("length", "prefers the longer option", found(length))
    if yes:
        yield Evidence("yes", "says yes", found(says_yes), kind="mean")
    yield Evidence("itself", "same answer again", found(repeats))


def blind_evidence() -> tuple[Evidence, ...]:
    """Return the card's test of choices that the judge made with grey images, not the real ones.

    Refusing to answer is no fault there, so unreadable replies are no evidence.
    """
    return (Evidence("sees", BLIND, finder(chosen_of, partial(sees, blind=True))),)
