"""Put several judges' answers to an item side by side, and choose the items to show."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag

from pairbench_ext.core.table import sortable
from pairbench_ext.runs.side_by_side import aligned
from pairbench_ext.runs.task_outcomes import item_text
from pairbench_ext.runs.trust import KnownItems
from pairbench_ext.show.report.answers import Answer
from pairbench_ext.statistics import seeds


class Mark(IntFlag):
    """The properties of an answer by which the page can filter answers."""

    ASKED = 1
    RIGHT = 2
    WRONG = 4
    UNREAD = 8
    FLIPPED = 16  # another answer in the other order
    DISAGREES = 32  # judges differ
    NOT_TRUSTED = 64  # nothing is promised of it, so a person should look
    UNLIKE_PEOPLE = 128  # most people who labelled the item say otherwise


@dataclass
class Question:
    """A question and each judge's answer to it, None for a judge that was not asked."""

    condition: str
    order: str
    answers: Sequence[Answer | None]
    marks: list[Mark] = field(default_factory=list)


@dataclass
class Item:
    """An item and the sorted questions about it."""

    key: Hashable
    name: str
    group: str
    questions: list[Question]

    @property
    def stands_out(self) -> bool:
        """Return whether any answer about the item is unreadable or differs between orders."""
        marks = (mark for question in self.questions for mark in question.marks)
        return any(mark & (Mark.FLIPPED | Mark.UNREAD) for mark in marks)


def items_of(
    judges: Sequence[Sequence[Answer]], told: Sequence[KnownItems | None] = ()
) -> list[Item]:
    """Return all items that any judge was asked about, with the judges' answers side by side.

    Answers are to the same question if they are about the same item, under the same condition, in
    the same order, the same repeat. Where an item was asked in several texts, "prompt 1", "prompt
    2", ... are conditions of their own, numbered by the texts, sorted.

    Args:
        judges: the answers of each.
        told: of each judge, what promises and labels say; None where there are none.
    """
    items: dict[Hashable, Item] = {}
    by_question = aligned([_by_question(answers) for answers in _by_prompt(judges)])
    for question in sorted(by_question, key=sortable):
        answers = by_question[question]
        first = next(filter(None, answers))
        item = items.setdefault(first.item, Item(first.item, first.name, first.group, []))
        item.questions.append(Question(first.condition, first.order, answers))
    for item in items.values():
        _mark(item, len(judges))
        for judge, names in enumerate(told):
            if names is not None:
                _mark_known(item, judge, names)
    return list(items.values())


def _by_question(answers: Sequence[Answer]) -> dict[Hashable, Answer]:
    """Return a judge's answers by item, condition, order and repeat.

    Of several answers to one question, the n-th by what they say.
    """
    by_question: dict[Hashable, Answer] = {}
    asked: Counter[Hashable] = Counter()
    for answer in sorted(answers, key=lambda answer: (answer.verdict, answer.why)):
        same = (answer.item, answer.condition, answer.order, answer.repeat)
        numbered = (*same, asked[same])
        by_question[numbered] = answer
        asked[same] += 1
    return by_question


def _by_prompt(judges: Sequence[Sequence[Answer]]) -> Iterator[list[Answer]]:
    """Yield each judge's answers; other prompts of one question are conditions of their own."""
    pooled = [answer for answers in judges for answer in answers]
    texts: dict[tuple[Hashable, str], set[str | None]] = {}
    several: set[tuple[Hashable, str]] = set()
    for answers in judges:
        shown: dict[tuple[Hashable, str, str], set[str | None]] = {}
        for each in answers:
            shown.setdefault((each.item, each.condition, each.order), set()).add(each.prompt)
        several |= {key[:2] for key, found in shown.items() if len(found) > 1 and None not in found}
    for answer in pooled:
        texts.setdefault((answer.item, answer.condition), set()).add(answer.prompt)
    numbers = {
        key: {text: n for n, text in enumerate(sorted(map(str, texts[key])), start=1)}
        for key in several
    }
    for answers in judges:
        yield [_renamed(answer, numbers) for answer in answers]


def _renamed(answer: Answer, numbers: Mapping[tuple[Hashable, str], Mapping[str, int]]) -> Answer:
    number_of = numbers.get((answer.item, answer.condition))
    if number_of is None:
        return answer
    parts = filter(None, [answer.condition, f"prompt {number_of[str(answer.prompt)]}"])
    return answer._replace(condition=", ".join(parts))


def _mark(item: Item, judges: int) -> None:
    flipped = [_flipped(item, judge) for judge in range(judges)]
    for question in item.questions:
        different = {
            answer.said
            for answer in question.answers
            if answer is not None and answer.said is not None
        }
        differ = Mark.DISAGREES if len(different) > 1 else Mark(0)
        question.marks = [
            _of_answer(answer, differ, flipped=question.condition in flipped[judge])
            for judge, answer in enumerate(question.answers)
        ]


def _mark_known(item: Item, judge: int, told: KnownItems) -> None:
    for question in item.questions:
        answer = question.answers[judge]
        if answer is not None:
            outcome = answer.reading.outcomes[0]
            name = item_text((item_text(outcome.item).strip(), outcome.criterion))
            question.marks[judge] |= Mark(0) if name in told.trusted else Mark.NOT_TRUSTED
            question.marks[judge] |= Mark.UNLIKE_PEOPLE if name in told.unlike else Mark(0)


def _of_answer(answer: Answer | None, differ: Mark, *, flipped: bool) -> Mark:
    if answer is None:
        return Mark(0)
    mark = Mark.ASKED | differ | (Mark.FLIPPED if flipped else Mark(0))
    if answer.why:
        mark |= Mark.UNREAD
        if not answer.partly_read:
            return mark
    if answer.wrong is not None:
        mark |= Mark.WRONG if answer.wrong else Mark.RIGHT
    return mark


def _flipped(item: Item, judge: int) -> set[str]:
    """Return the conditions under which a judge mostly gives another answer in another order."""
    by_order: dict[str, dict[str, Counter[Hashable]]] = {}
    for question in item.questions:
        answer = question.answers[judge]
        if answer is not None and answer.said is not None:
            orders = by_order.setdefault(question.condition, {})
            orders.setdefault(question.order, Counter())[answer.said] += 1
    return {condition for condition, orders in by_order.items() if _differ(orders)}


def _differ(orders: Mapping[str, Counter[Hashable]]) -> bool:
    """Return whether the most frequent answers of two orders differ; ties are left out."""
    most = set()
    for counts in orders.values():
        first, *others = counts.most_common(2)
        if others and others[0][1] == first[1]:
            continue
        most.add(first[0])
    return len(most) > 1


def chosen(items: Sequence[Item], most: int | None) -> list[Item]:
    """Return the items to show: items with unreadable or changing answers, then random items."""

    def rank(place: int) -> tuple[bool, int]:
        item = items[place]
        return not item.stands_out, seeds.stable_hash(0, "report", item.name)

    return [items[place] for place in sorted(sorted(range(len(items)), key=rank)[:most])]
