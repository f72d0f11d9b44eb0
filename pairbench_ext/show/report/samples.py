"""The samples of a task as the page has them: an index to filter by, and details in pieces.

The script `page.js` reads the same names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

from PIL.Image import Image

from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.left_out import why
from pairbench_ext.core.sample_view import span_in
from pairbench_ext.show.report.answers import Answer, Sample, SampleFile, plain
from pairbench_ext.show.report.items import Item, Question, chosen, items_of
from pairbench_ext.show.report.pictures import PictureStore
from pairbench_ext.show.report.pieces import block, cut, marked, packed
from pairbench_ext.show.report.shown import Shown, TrialSource

PER_PIECE = 20  # items
_SHOWN_ELSEWHERE = ("benchmark", "left_out", "response", "images", "statement")


class TaskSamples(NamedTuple):
    """A task of one or several judges.

    Attributes:
        number: of the task in the page.
        task: its name.
        files: one per judge; None where a judge has no samples of it.
        source: of its trials.
    """

    number: int
    task: str
    files: tuple[SampleFile | None, ...]
    source: TrialSource


class Counts(NamedTuple):
    """How much of a task the page has.

    Attributes:
        items, shown: how many items there are, and how many are in the page.
        replies: of all judges, to the shown items.
        problems: why trials could not be shown as they were: reason -> count.
        changed: trials whose images are not those that were logged.
    """

    items: int
    shown: int
    replies: int
    problems: Counter[str]
    changed: int


class SamplePages:
    """Writes the samples of a task, piece by piece.

    Args:
        samples: the task.
        pictures: where pictures go.
        most: how many items; None for all.
    """

    def __init__(self, samples: TaskSamples, pictures: PictureStore, most: int | None) -> None:
        self.samples = samples
        self.pictures = pictures
        self._problems: Counter[str] = Counter()
        self._changed = 0
        judges = [list(file.answers()) if file else [] for file in samples.files]
        self._every = items_of(judges)
        self.items = chosen(self._every, most)

    def blocks(self) -> Iterator[str]:
        """The blocks of the page; the index comes last, and `counts` holds after it."""
        first: list[int] = []
        with ExitStack() as stack:
            opened = [
                None if file is None else stack.enter_context(file.path.open("rb"))
                for file in self.samples.files
            ]
            for start in range(0, len(self.items), PER_PIECE):
                details = [
                    self._item(item, opened) for item in self.items[start : start + PER_PIECE]
                ]
                first += [_first_picture(item) for item in details]
                yield block(f"detail-{self.samples.number}-{start // PER_PIECE}", packed(details))
        yield block(f"index-{self.samples.number}", packed(self._index(first)))

    @property
    def counts(self) -> Counts:
        """How much of the task there is."""
        replies = sum(
            answer is not None
            for item in self.items
            for q in item.questions
            for answer in q.answers
        )
        return Counts(len(self._every), len(self.items), replies, self._problems, self._changed)

    def _index(self, first: Sequence[int]) -> dict[str, Any]:
        questions = [question for item in self.items for question in item.questions]
        judges = range(len(self.samples.files))
        answers = [[question.answers[judge] for question in questions] for judge in judges]
        whys = [
            ["" if answer is None else answer.why for answer in of_judge] for of_judge in answers
        ]
        groups = _numbered(item.group for item in self.items)
        conditions = _numbered(question.condition for question in questions)
        reasons = _numbered(why for of_judge in whys for why in of_judge)
        return {
            "names": [item.name for item in self.items],
            "group": [groups[item.group] for item in self.items],
            "first": list(first),
            "questions": [len(item.questions) for item in self.items],
            "condition": [conditions[question.condition] for question in questions],
            "marks": [[int(question.marks[judge]) for question in questions] for judge in judges],
            "why": [[reasons[why] for why in of_judge] for of_judge in whys],
            "score": [[_score(answer) for answer in of_judge] for of_judge in answers],
            "groups": list(groups),
            "conditions": list(conditions),
            "reasons": list(reasons),
        }

    def _item(self, item: Item, files: Sequence[BinaryIO | None]) -> dict[str, Any]:
        made = [self._question(question, files) for question in item.questions]
        return {"name": item.name, "group": item.group, "questions": made}

    def _question(self, question: Question, files: Sequence[BinaryIO | None]) -> dict[str, Any]:
        read = [
            None if answer is None or file is None or opened is None
            else file.sample(opened, answer.place)
            for answer, file, opened in zip(
                question.answers, self.samples.files, files, strict=True
            )
        ]  # fmt: skip
        asked = next(sample for sample in read if sample is not None)
        shown = self._shown(asked)
        images = [part for part in shown.parts if not isinstance(part, str)]
        return {
            "condition": question.condition,
            "order": question.order,
            "system": cut(shown.system),
            "parts": [self._part(part) for part in shown.parts],
            "more": self._further(asked, images),
            "target": shown.target,
            "problem": shown.problem,
            "fields": _fields(asked),
            "replies": [
                None if sample is None or answer is None else self._reply(sample, answer, shown)
                for sample, answer in zip(read, question.answers, strict=True)
            ],
        }

    def _shown(self, sample: Sample) -> Shown:
        wanted = self.pictures.size != "none"
        shown = self.samples.source.shown(
            sample.trial, sample.exchanges, sample.record, pictures=wanted
        )
        if shown.problem:
            self._problems[shown.problem] += 1
        return shown

    def _part(self, part: str | Image) -> Any:
        return cut(part) if isinstance(part, str) else self.pictures.add(part)._asdict()

    def _further(self, sample: Sample, images: Sequence[Image]) -> list[dict[str, Any]]:
        view = self.samples.source.benchmark.view
        if not images:
            return []
        try:
            made = view.pictures(sample.trial, images)
        except Exception as error:  # noqa: BLE001  (images may be of any kind; the page goes on)
            self._problems[why(error, "further pictures")] += 1
            return []
        return [
            {"title": title, "pictures": [self._part(picture) for picture in pictures]}
            for title, pictures in made.items()
        ]

    def _reply(self, sample: Sample, answer: Answer, shown: Shown) -> dict[str, Any]:
        benchmark = self.samples.source.benchmark
        return {
            "verdict": answer.verdict,
            "why": answer.why,
            "unread": answer.unread,
            "replies": answer.replies,
            "score": _score(answer),
            "changed": self._is_changed(sample, shown),
            "exchanges": list(self._exchanges(sample, answer, shown)),
            "log": {
                name: cut(plain(value))
                for name, value in sample.reading.log.items()
                if name not in ("unusable", "kind") and value is not None
            },
            "tables": [
                table._asdict() for table in benchmark.view.tables(sample.trial, sample.exchanges)
            ],
        }

    def _exchanges(self, sample: Sample, answer: Answer, shown: Shown) -> Iterator[dict[str, Any]]:
        """The requests of a trial and their replies; the verdict is marked in the last one."""
        rows = sample.reading.rows or ({},) * len(sample.exchanges)
        texts = dict(enumerate(("", *shown.following)))
        is_read = not answer.why or answer.partly_read
        for number, (exchange, row) in enumerate(zip(sample.exchanges, rows, strict=False)):
            last = number == len(sample.exchanges) - 1
            span = self._span(sample, exchange) if last and is_read else None
            yield {
                "label": _label(exchange, row) if len(sample.exchanges) > 1 else "",
                "asked": cut(texts.get(number, "")),
                **marked(exchange.reply, span),
            }

    def _span(self, sample: Sample, exchange: Exchange) -> tuple[int, int] | None:
        benchmark = self.samples.source.benchmark
        if benchmark.view.span is not None:
            return benchmark.view.span(sample.trial, exchange, sample.rule)
        return span_in(benchmark.grammar, exchange, sample.rule)

    def _is_changed(self, sample: Sample, shown: Shown) -> bool:
        """Whether the images are others than those that were logged; False where none were."""
        logged = sample.trial.get("images")
        if not isinstance(logged, list):
            return False
        now = {self.pictures.digest(part) for part in shown.parts if not isinstance(part, str)}
        changed = not now <= set(logged)
        self._changed += changed
        return changed


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Return the place of each name among the different ones."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _label(exchange: Exchange, row: Mapping[str, Any]) -> str:
    """What is known of a request in rounds: its place, and what was read from its reply."""
    hidden = (None, "", False, exchange.reply)  # the reply stands below
    known = [plain(value) for value in exchange.log.values() if value not in hidden]
    read = plain(row.get("value")) if row.get("value") is not None else ""
    return " · ".join([*(text for text in known if len(text) < 200), *([read] if read else [])])


def _fields(sample: Sample) -> dict[str, str]:
    """What the log says of a trial, but for what is shown elsewhere."""
    rounds = {key for key, value in sample.trial.items() if _is_rows(value)}
    hidden = {*_SHOWN_ELSEWHERE, *sample.reading.log, *rounds}
    return {
        name: cut(plain(value))
        for name, value in sample.trial.items()
        if name not in hidden and value not in (None, "", [], {})
    }


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _first_picture(item: Mapping[str, Any]) -> int:
    """The number of the first picture of an item; -1 where it has none."""
    parts = (part for question in item["questions"] for part in question["parts"])
    return next((part["number"] for part in parts if not isinstance(part, str)), -1)


def _score(answer: Answer | None) -> int:
    """In percent; -1 where there is none."""
    if answer is None or answer.score != answer.score:
        return -1
    return round(100 * answer.score)
