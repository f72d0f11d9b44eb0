"""Answers of several judges, side by side: which are to the same question, and what stands out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag

from pairbench_ext.runs.side_by_side import aligned
from pairbench_ext.runs.task_outcomes import item_text
from pairbench_ext.show.report.answers import Answer
from pairbench_ext.statistics import seeds


class Mark(IntFlag):
    """Properties of an answer, by which the page filters."""

    ASKED = 1
    RIGHT = 2
    WRONG = 4
    UNREAD = 8
    FLIPPED = 16  # another answer in the other order
    DISAGREES = 32  # judges differ
    NOT_TRUSTED = 64  # nothing is promised of it, so a person should look


@dataclass
class Question:
    """One question, and the answer of every judge; None where a judge was not asked."""

    condition: str
    order: str
    answers: Sequence[Answer | None]
    marks: list[Mark] = field(default_factory=list)


@dataclass
class Item:
    """An item, and all questions about it, in the order of the log."""

    key: Hashable
    name: str
    group: str
    questions: list[Question]

    @property
    def stands_out(self) -> bool:
        """Return whether an answer is unread, or differs between orders."""
        marks = (mark for question in self.questions for mark in question.marks)
        return any(mark & (Mark.FLIPPED | Mark.UNREAD) for mark in marks)


def items_of(
    judges: Sequence[Sequence[Answer]], trusted: Sequence[Collection[str] | None] = ()
) -> list[Item]:
    """Return the items that several judges were asked about, with their answers side by side.

    Answers are to the same question if they are about the same item, under the same condition, in
    the same order; of several such ones, the n-th of one judge and the n-th of the other. Where
    these were asked in several texts, "prompt 1", "prompt 2", ... are conditions of their own.

    Args:
        judges: the answers of each.
        trusted: of each judge, the names of what it can be trusted on; None where that is unknown.
    """
    items: dict[Hashable, Item] = {}
    for answers in aligned([_by_question(answers) for answers in judges]).values():
        first = next(filter(None, answers))
        item = items.setdefault(first.item, Item(first.item, first.name, first.group, []))
        item.questions.append(Question(first.condition, first.order, answers))
    for item in items.values():
        _mark(item, len(judges))
        for judge, names in enumerate(trusted):
            if names is not None:
                _mark_untrusted(item, judge, names)
    return list(items.values())


def _by_question(answers: Sequence[Answer]) -> dict[Hashable, Answer]:
    """Return a judge's answers by item, condition, order, and how often it was asked before."""
    asked: Counter[Hashable] = Counter()
    made: dict[Hashable, Answer] = {}
    for answer in _by_prompt(answers):
        same = (answer.item, answer.condition, answer.order)
        made[same, asked[same]] = answer
        asked[same] += 1
    return made


def _by_prompt(answers: Sequence[Answer]) -> list[Answer]:
    """Return a judge's answers; those to other prompts of one question get own conditions."""
    prompts: dict[tuple[Hashable, str, str], dict[str | None, int]] = {}
    for answer in answers:
        numbers = prompts.setdefault((answer.item, answer.condition, answer.order), {})
        numbers.setdefault(answer.prompt, len(numbers) + 1)
    several = {
        (item, condition)
        for (item, condition, _), numbers in prompts.items()
        if len(numbers) > 1 and None not in numbers
    }
    renamed = []
    for answer in answers:
        if (answer.item, answer.condition) in several:
            number = prompts[answer.item, answer.condition, answer.order][answer.prompt]
            parts = filter(None, [answer.condition, f"prompt {number}"])
            answer = answer._replace(condition=", ".join(parts))
        renamed.append(answer)
    return renamed


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


def _mark_untrusted(item: Item, judge: int, trusted: Collection[str]) -> None:
    for question in item.questions:
        answer = question.answers[judge]
        if answer is not None and _question_name(answer) not in trusted:
            question.marks[judge] |= Mark.NOT_TRUSTED


def _question_name(answer: Answer) -> str:
    outcome = answer.reading.outcomes[0]
    return item_text((item_text(outcome.item).strip(), outcome.criterion))


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
    """Return the items to show: first those that stand out, then a draw of the others.

    Args:
        items: in the order of the log, which is kept.
        most: how many; None for all.
    """

    def rank(place: int) -> tuple[bool, int]:
        item = items[place]
        return not item.stands_out, seeds.stable_hash(0, "report", item.name)

    kept = sorted(sorted(range(len(items)), key=rank)[:most])
    return [items[place] for place in kept]
