"""The samples of a task in the report page: an index for filters, and blocks of data.

The script `page.js` reads the same names.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from PIL.Image import Image

from pairbench_ext.core.benchmark import Exchange, span_in
from pairbench_ext.core.contents import image_digest, short
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.readers import checksum_of
from pairbench_ext.core.sources import why
from pairbench_ext.runs.scoring import Run
from pairbench_ext.runs.trust import KnownItems
from pairbench_ext.show.report.answers import (
    Answer,
    Shown,
    answers_of,
    meaning,
    plain,
    shown,
    trials_of,
)
from pairbench_ext.show.report.data import PictureStore, block, marked, packed
from pairbench_ext.show.report.items import Item, Question, chosen, items_of

PER_PIECE = 20  # items
_LEAST_COMMON = 80  # characters that all prompts have, and that stand once above the list
_ELSEWHERE = ("benchmark", "left_out", "response", "images", "pictures", "statement", "remark")


class Counts(NamedTuple):
    """How many items a task has, and how many of them the page shows.

    Attributes:
        items, shown: how many items there are, and how many are in the page.
        problems: why trials could not be shown as they were: reason -> count.
        changed: how many replies are about images that are not those that were logged.
    """

    items: int
    shown: int
    problems: Counter[str]
    changed: int


class TaskSamples:
    """The samples of a task, written to the report page block by block.

    Args:
        number: of the task in the page.
        task: its name.
        runs: one per judge; None where a judge has no samples of it.
        pictures: where pictures go.
        most: how many items are shown; None for all.
        known: as for `items_of`.
    """

    def __init__(
        self,
        number: int,
        task: str,
        runs: Sequence[Run | None],
        pictures: PictureStore,
        most: int | None,
        told: Sequence[KnownItems | None] = (),
    ) -> None:
        self.number = number
        self.task = task
        self.benchmark = next(run.benchmark for run in runs if run is not None)
        self._pictures = pictures
        self._judges = range(len(runs))
        self._every = items_of([list(answers_of(run)) if run else [] for run in runs], told)
        self._items = chosen(self._every, most)
        self._trials = trials_of(self.benchmark, task)
        self._problems: Counter[str] = Counter()
        self._changed = 0

    def blocks(self) -> Iterator[bytes]:
        """Yield the blocks of data for the page; `counts` is complete after the last block."""
        first: list[int] = []
        common: dict[str, None] | None = None
        for start in tracked(range(0, len(self._items), PER_PIECE), "writing"):
            details = [self._item(item) for item in self._items[start : start + PER_PIECE]]
            first += map(_first_picture, details)
            for lines in (_lines(question) for item in details for question in item["questions"]):
                common = lines if common is None else {x: None for x in common if x in lines}
            yield block(f"detail-{self.number}-{start // PER_PIECE}", packed(details))
        index = self._index(first) | {"common": _common(common or {})}
        yield block(f"index-{self.number}", packed(index))

    @property
    def counts(self) -> Counts:
        """Return how many items the task has, and how many of them the page shows."""
        return Counts(len(self._every), len(self._items), self._problems, self._changed)

    def _index(self, first: Sequence[int]) -> dict[str, Any]:
        questions = [question for item in self._items for question in item.questions]
        groups = _numbered(item.group for item in self._items)
        conditions = _numbered(question.condition for question in questions)
        return {
            "names": [item.name for item in self._items],
            "group": [groups[item.group] for item in self._items],
            "first": list(first),
            "questions": [len(item.questions) for item in self._items],
            "condition": [conditions[question.condition] for question in questions],
            "groups": list(groups),
            "conditions": list(conditions),
            **self._by_judge(questions),
        }

    def _by_judge(self, questions: Sequence[Question]) -> dict[str, Any]:
        """Of each judge the marks, reasons and scores of its answers to the questions."""
        answers = [[question.answers[judge] for question in questions] for judge in self._judges]
        reasons = [[answer.why if answer else "" for answer in judge] for judge in answers]
        different = _numbered(reason for judge in reasons for reason in judge)
        return {
            "marks": [[int(q.marks[judge]) for q in questions] for judge in self._judges],
            "why": [[different[reason] for reason in judge] for judge in reasons],
            "score": [[_percent(answer) for answer in judge] for judge in answers],
            "reasons": list(different),
        }

    def _item(self, item: Item) -> dict[str, Any]:
        questions = [self._question(question) for question in item.questions]
        return {"name": item.name, "group": item.group, "questions": questions}

    def _question(self, question: Question) -> dict[str, Any]:
        asked = next(answer for answer in question.answers if answer)
        seen = shown(self._trials, asked, pictures=self._pictures.size != "none")
        if seen.problem:
            self._problems[seen.problem] += 1
        return {
            "condition": question.condition,
            "order": question.order,
            "system": seen.system,
            "parts": [self._part(part) for part in seen.parts],
            "more": self._further(asked, seen.images),
            "target": self._meaning(asked, "truth") or seen.target,
            "problem": seen.problem,
            "fields": _fields(asked) | self._named_fields(asked),
            "replies": [
                self._reply(answer, seen) if answer else None for answer in question.answers
            ],
        }

    def _meaning(self, answer: Answer, name: str) -> str:
        """Return what an option that a field holds means; empty where it has no name."""
        outcome, option = answer.reading.outcomes[0], answer.trial.get(name)
        if name == "recorded" and isinstance(option, int):
            option = replace(outcome, said=option).option
        return meaning(self.benchmark, outcome, option) if isinstance(option, int) else ""

    def _named_fields(self, answer: Answer) -> dict[str, str]:
        """Return the fields that hold options which have names, with these."""
        named = {name: self._meaning(answer, name) for name in ("truth", "recorded", "longer")}
        people, outcome = answer.trial.get("people"), answer.reading.outcomes[0]
        if isinstance(people, Mapping):
            answers = {who: meaning(self.benchmark, outcome, x) or x for who, x in people.items()}
            named["people"] = plain(answers)
        return {name: text for name, text in named.items() if text}

    def _part(self, part: str | Image) -> Any:
        return part if isinstance(part, str) else self._pictures.add(part)._asdict()

    def _further(self, asked: Answer, images: Sequence[Image]) -> list[dict[str, Any]]:
        if not images:
            return []
        try:
            shown = self.benchmark.view.pictures(asked.trial, images)
        except Exception as error:  # noqa: BLE001  (images may be of any kind; the page goes on)
            self._problems[why(error, "further pictures")] += 1
            return []
        return [
            {"title": title, "pictures": [self._part(picture) for picture in pictures]}
            for title, pictures in shown.items()
        ]

    def _reply(self, answer: Answer, seen: Shown) -> dict[str, Any]:
        logged = answer.trial.get("images")
        now = {short(image_digest(image)) for image in seen.images}
        changed = isinstance(logged, list) and not now <= set(logged)
        self._changed += changed
        remark = answer.trial.get("remark")
        hidden = ("unusable", "kind", *(("said",) if answer.verdict else ()))
        return {
            "verdict": answer.verdict,
            "why": answer.why,
            "unread": answer.unread,
            "replies": answer.replies,
            "score": _percent(answer),
            "changed": changed,
            "exchanges": list(self._exchanges(answer, seen)),
            "log": {
                name: plain(value)
                for name, value in answer.reading.log.items()
                if name not in hidden and value is not None
            }
            | ({"remark": plain(remark)} if remark else {}),
            "tables": self._tables(answer),
        }

    def _tables(self, answer: Answer) -> list[dict[str, Any]]:
        try:
            tables = self.benchmark.view.tables(answer.trial, answer.exchanges)
            return [table._asdict() for table in tables]
        except Exception as error:  # noqa: BLE001  (a damaged log holds anything; the page goes on)
            self._problems[why(error, "the table in a sample")] += 1
            return []

    def _exchanges(self, answer: Answer, seen: Shown) -> Iterator[dict[str, Any]]:
        """Yield the requests of a trial and their replies; the verdict is marked in the last."""
        rows = answer.reading.rows or ({},) * len(answer.exchanges)
        texts = dict(enumerate(("", *seen.following)))
        is_read = not answer.why or answer.partly_read
        for number, (exchange, row) in enumerate(zip(answer.exchanges, rows, strict=False)):
            last = number == len(answer.exchanges) - 1
            span = self._span(answer, exchange) if last and is_read else None
            yield {
                "label": _label(exchange, row) if len(answer.exchanges) > 1 else "",
                "asked": texts.get(number, ""),
                **marked(exchange.reply, span),
            }

    def _span(self, answer: Answer, exchange: Exchange) -> tuple[int, int] | None:
        view = self.benchmark.view
        if view.span is not None:
            return view.span(answer.trial, exchange, answer.rule)
        read = answer.reading.replies[-1:]
        if read and read[0].checksum == checksum_of(exchange.reply):
            return read[0].span
        return span_in(self.benchmark.read.grammar, exchange, answer.rule)


def _lines(question: Mapping[str, Any]) -> dict[str, None]:
    """Return the lines of a prompt, each once, in their order."""
    texts = (question["system"], *(part for part in question["parts"] if isinstance(part, str)))
    return dict.fromkeys(line for text in texts for line in text.split("\n") if line.strip())


def _common(lines: Iterable[str]) -> str:
    """Return the lines that all prompts have; empty if they are short."""
    text = "\n".join(lines)
    return text if len(text) >= _LEAST_COMMON else ""


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Return the place of each name among the different ones."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _label(exchange: Exchange, row: Mapping[str, Any]) -> str:
    """Return what is known of a request in rounds: its place, and what its reply was read as."""
    hidden = (None, "", False, exchange.reply)  # the reply stands below
    values = [plain(value) for value in exchange.log.values() if value not in hidden]
    short_texts = [text for text in values if len(text) < 200]
    return " · ".join([*short_texts, *filter(None, [plain(row.get("value"))])])


def _fields(asked: Answer) -> dict[str, str]:
    """Return the logged fields of a trial that the page does not show elsewhere."""
    hidden = {*_ELSEWHERE, *asked.reading.log}
    return {
        name: plain(value)
        for name, value in asked.trial.items()
        if name not in hidden and value not in (None, "", [], {})
        if not (isinstance(value, list) and isinstance(value[0], Mapping))  # rows
    }


def _first_picture(item: Mapping[str, Any]) -> int:
    """Return the number of the first picture of an item; -1 where it has none."""
    parts = (part for question in item["questions"] for part in question["parts"])
    return next((part["number"] for part in parts if not isinstance(part, str)), -1)


def _percent(answer: Answer | None) -> int:
    """Return the score in percent; -1 where there is none."""
    return -1 if answer is None or answer.score != answer.score else round(100 * answer.score)
