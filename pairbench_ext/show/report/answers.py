"""The samples of a file, read one by one: first what each says, later all that stands in it.

Texts stay in the file: a first reading keeps of each sample where it is and what it says, so a page
of many samples costs little memory. Whatever is shown is read again.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Exchange, Reading
from pairbench_ext.core.records import Line, Record, RecordError
from pairbench_ext.core.sample_view import is_wrong
from pairbench_ext.runs.samples import exchanges_of, trial_of

_NO_VERDICT = ("unusable", "kind", "rationale")  # of what a reading logs


class Place(NamedTuple):
    """Where a sample is: from which byte of the file, which of the rows there, which of all."""

    offset: int
    part: int
    number: int


class Answer(NamedTuple):
    """What one sample says.

    Attributes:
        place: where it is.
        item: what it is about.
        group: the kind of that.
        condition: under which it was asked; empty where there is one.
        order: in which it was shown; empty where there is one.
        said: the answer, the same whatever the order; None where it could not be used.
        score: the headline's value; NaN where it has none.
        wrong: whether it is wrong; None where that is unknown.
        verdict: as it was read.
        why: why it could not be used; empty where it could.
        name: of the item.
        unread: of several replies, how many could not be read; 0 where there is one.
        replies: how many there are.
        text: of the prompt, by any number; None where the log has none.
    """

    place: Place
    item: Hashable
    group: str
    condition: str
    order: str
    said: Hashable | None
    score: float
    wrong: bool | None
    verdict: str
    why: str
    name: str = ""
    unread: int = 0
    replies: int = 1
    text: int | None = None

    @property
    def partly_read(self) -> bool:
        """Whether it says something although some of its replies could not be read."""
        return 0 < self.unread < self.replies


class Sample(NamedTuple):
    """All of a sample.

    Attributes:
        record: as it is logged.
        trial: what was asked.
        exchanges: what was replied.
        reading: what that says.
        rule: how it was read.
    """

    record: Mapping[str, Any]
    trial: Mapping[str, Any]
    exchanges: tuple[Exchange, ...]
    reading: Reading
    rule: str


class SampleFile:
    """The samples of one file.

    Args:
        benchmark: whose samples they are.
        path: the file.
        readings: what each sample says, in the order of the file.
        rule: by which that was read; None for the rule of the run, or else the default.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        path: Path,
        readings: Sequence[Reading],
        rule: str | None = None,
    ) -> None:
        self.benchmark = benchmark
        self.path = path
        self.readings = readings
        self.rule = rule

    def answers(self) -> Iterator[Answer]:
        """What each sample says; those that were not asked, or have no outcome, are left out.

        Raises:
            RecordError: naming file, line and field of what is unusable.
        """
        place = 0
        with _opened(self.path) as file:
            for number, (offset, line) in enumerate(_lines(file), start=1):
                if place == len(self.readings):  # a last line that is cut off has no reading
                    return
                for part, record in enumerate(self._records(number, line)):
                    reading = self.readings[place]
                    answer = self._answer(Place(offset, part, place), record, reading)
                    place += 1
                    if answer is not None:
                        yield answer

    def sample(self, file: BinaryIO, place: Place) -> Sample:
        """All of a sample.

        Args:
            file: opened for reading bytes.
            place: where it is.
        """
        file.seek(place.offset)
        record = self._records(0, file.readline())[place.part]
        trial = trial_of(record)
        reading = self.readings[place.number]
        said = self.rule or trial.fields.get("rule")
        try:
            rule = self.benchmark.rule_name(said)
        except ValueError:  # of version 0.1, whose names reading knows
            rule = self.benchmark.rule_name()
        exchanges = tuple(exchanges_of(record, trial))
        return Sample(record.fields, trial.fields, exchanges, reading, rule)

    def _records(self, number: int, line: bytes) -> list[Record]:
        where = f"{self.path}, line {number}"
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise RecordError(f"{where}: not a text in UTF-8 ({error.reason})") from error
        return list(self.benchmark.convert([Line(where, text).record()]))

    def _answer(self, place: Place, record: Record, reading: Reading) -> Answer | None:
        benchmark, view = self.benchmark, self.benchmark.view
        if not reading.outcomes:
            return None
        outcome, trial = reading.outcomes[0], trial_of(record).fields
        score = _score(benchmark, reading)
        why = reading.unusable[0] if reading.unusable else ""
        answers = benchmark.answers
        if view.answer is not None:
            said = view.answer(outcome)
        elif not answers.why_not and outcome.kind != "text":
            said = answers.label(outcome.option) if outcome.kind == "chosen" else outcome.said
        else:
            said = None if why or math.isnan(score) else round(score, 6)
        return Answer(
            place=place,
            item=outcome.item,
            group=view.group(trial),
            condition=view.condition(trial),
            order=str(trial.get("order") or ""),
            said=said,
            score=score,
            wrong=view.wrong(outcome) if view.wrong else is_wrong(score),
            verdict=verdict_text(reading),
            why=why,
            name=view.name(outcome) if view.name else item_name(outcome.item),
            unread=len(reading.unusable) if len(reading.rows) > 1 else 0,
            replies=max(1, len(reading.rows)),
            text=hash(text) if isinstance(text := record.fields.get("input"), str) else None,
        )


def item_name(key: Hashable) -> str:
    """The name of an item whose benchmark has no other: its key.

    >>> item_name(("scene", 3)), item_name("a")
    ('scene · 3', 'a')
    """
    return " · ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def verdict_text(reading: Reading) -> str:
    """What was read, as a text; empty where nothing was."""
    named = (value for key, value in reading.log.items() if key not in _NO_VERDICT)
    return plain(next((value for value in named if value is not None), ""))


def plain(value: Any) -> str:
    """A logged value as a text.

    >>> plain([10, 2.50]), plain(True), plain(None), plain({"size": 3})
    ('10, 2.5', 'yes', '', 'size 3')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(plain, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {plain(part)}" for key, part in value.items())
    return str(value)


def _score(benchmark: Benchmark, reading: Reading) -> float:
    """The mean of the headline's value over the outcomes that have one; NaN if none has."""
    if benchmark.headline is None:
        return math.nan
    value = benchmark.number(benchmark.headline).per_trial
    assert value is not None  # a benchmark makes sure of that
    values = [
        x for outcome in reading.outcomes if (x := value(outcome)) is not None and not math.isnan(x)
    ]
    return sum(values) / len(values) if values else math.nan


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror})") from error


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, each with where it begins."""
    offset = 0
    for line in file:
        if line.strip():
            yield offset, line
        offset += len(line)
