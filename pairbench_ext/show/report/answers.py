"""Collect a judge's answers, with the texts and pictures that the judge was shown."""

import math
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from PIL.Image import Image

from pairbench_ext.core.benchmark import (
    Benchmark,
    Exchange,
    Reading,
    Request,
    Task,
    TaskTrials,
    is_wrong,
)
from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.records import Record
from pairbench_ext.core.sources import why
from pairbench_ext.runs.samples import exchanges_of, trial_of
from pairbench_ext.runs.scoring import Run

_NO_VERDICT = ("unusable", "kind", "rationale")  # of what a reading logs


class Answer(NamedTuple):
    """A logged sample, with the judge's answer in it.

    Attributes:
        item: what it is about.
        group: the kind of the item.
        condition: under which it was asked; empty where there is one.
        order: in which it was shown; empty where there is one.
        repeat: the number of the answer, where a question is asked several times.
        said: the answer, the same whatever the order; None where it could not be used.
        score: the headline's value; NaN where it has none.
        wrong: whether it is wrong; None where that is unknown.
        verdict: the answer as a text.
        why: why it could not be used; empty where it could.
        name: of the item.
        unread: of several replies, how many could not be read; 0 where there is one.
        replies: how many there are.
        record: the sample as it is logged.
        trial: what was asked.
        exchanges: the requests and replies.
        reading: what the replies say.
        rule: how they were read.
    """

    item: Hashable
    group: str
    condition: str
    order: str
    repeat: int
    said: Hashable | None
    score: float
    wrong: bool | None
    verdict: str
    why: str
    name: str
    unread: int
    replies: int
    record: Mapping[str, Any]
    trial: Mapping[str, Any]
    exchanges: tuple[Exchange, ...]
    reading: Reading
    rule: str

    @property
    def partly_read(self) -> bool:
        """Return whether some of the sample's replies could be read, and others could not."""
        return 0 < self.unread < self.replies

    @property
    def prompt(self) -> str | None:
        """Return the logged text of the prompt; None if no text was logged."""
        text = self.record.get("input")
        return text if isinstance(text, str) else None


def answers_of(run: Run) -> Iterator[Answer]:
    """Yield the answer in each sample of a run, except samples without an outcome.

    Args:
        run: the run; its file is read again.

    Raises:
        RecordError: naming file, line and field of what is unusable.
    """
    once: dict[Any, Record] = {}  # a harness on several ranks logs some documents twice
    for number, record in enumerate(run.benchmark.samples(run.records)):
        once.setdefault(record.fields.get("doc_id", f"row {number}"), record)
    records = list(once.values())
    if run.places is not None:
        records = [records[place] for place in run.places]
    for record, reading in zip(records, run.readings, strict=True):
        if reading.outcomes:
            yield _answer(run.benchmark, record, reading, run.rule)


def _answer(benchmark: Benchmark, record: Record, reading: Reading, rule: str | None) -> Answer:
    view, outcome, trial = benchmark.view, reading.outcomes[0], trial_of(record)
    score = _score(benchmark, reading)
    why = reading.unusable[0] if reading.unusable else ""
    if view.answer is not None:
        answer = view.answer(outcome)
    elif benchmark.answers.why_not or outcome.kind == "text":
        answer = None if why or math.isnan(score) else round(score, 6)
    elif outcome.kind == "chosen":
        answer = benchmark.answers.named(outcome, outcome.option)
    else:
        answer = outcome.said
    return Answer(
        item=outcome.item,
        group=view.group(trial.fields),
        condition=view.condition(trial.fields),
        order=str(trial.fields.get("order") or ""),
        repeat=outcome.repeat,
        said=answer,
        score=score,
        wrong=view.wrong(outcome) if view.wrong else is_wrong(score),
        verdict=meaning(benchmark, outcome, outcome.option) or _verdict(reading),
        why=why,
        name=view.name(outcome) if view.name else _item_name(outcome.item),
        unread=len(reading.unusable) if len(reading.rows) > 1 else 0,
        replies=max(1, len(reading.rows)),
        record=record.fields,
        trial=trial.fields,
        exchanges=tuple(exchanges_of(record, trial)),
        reading=reading,
        rule=benchmark.read.rule_name(rule or trial.fields.get("rule")),
    )


def meaning(benchmark: Benchmark, outcome: Outcome, option: Any) -> str:
    """Return what an option stands for, such as a system or a label; empty if it has no name."""
    if outcome.kind != "chosen" or option is None:
        return ""
    labels = outcome.facets.get("labels") or ()
    if labels and option != TIE:
        return str(labels[option])
    words = any(len(str(label)) > 1 for label in benchmark.answers.labels)
    return str(benchmark.answers.named(outcome, option)) if outcome.systems or words else ""


def _item_name(key: Hashable) -> str:
    """Return the name of an item whose benchmark has no other: its key."""
    return " · ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _verdict(reading: Reading) -> str:
    """Return the first value that was read, as a text; empty where nothing was."""
    named = (value for key, value in reading.log.items() if key not in _NO_VERDICT)
    return plain(next((value for value in named if value is not None), ""))


def plain(value: Any) -> str:
    """Return a logged value as text for a reader.

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
    """Return the mean of the headline's value over the outcomes that have one; NaN if none has."""
    if benchmark.headline is None:
        return math.nan
    mean = benchmark.number(benchmark.headline).mean
    assert mean is not None  # a benchmark makes sure of that
    values = [x for outcome in reading.outcomes if (x := mean.per_trial(outcome)) is not None]
    return sum(values) / len(values) if values else math.nan


class Shown(NamedTuple):
    """The texts and pictures that a sample showed to the judge.

    Attributes:
        parts: texts and pictures of its first request, in their order.
        system: the system prompt; empty without one.
        following: the texts of the requests that followed.
        target: the right answer; empty where there is none.
        problem: why it is not all there; empty if it is.
    """

    parts: tuple[str | Image, ...]
    system: str = ""
    following: tuple[str, ...] = ()
    target: str = ""
    problem: str = ""

    @property
    def images(self) -> list[Image]:
        """Return the pictures that a sample showed, without the texts."""
        return [part for part in self.parts if not isinstance(part, str)]


def trials_of(benchmark: Benchmark, task: str) -> TaskTrials[Any] | str:
    """Return the trials (questions) of a task, or the reason why they cannot be loaded."""
    if not benchmark.tasks:  # of recorded judgments, which show what is recorded
        return benchmark.trials({})
    tasks = (declared for declared in benchmark.tasks if isinstance(declared, Task))
    entry = next((declared.entry for declared in tasks if declared.name == task), None)
    if entry is None:
        return "not a declared task"
    trials = benchmark.trials(entry)
    try:
        len(trials.requests)
    except Exception as error:  # noqa: BLE001  (data may be gone or wrong in any way)
        return why(error)
    return trials


def shown(trials: TaskTrials[Any] | str, sample: Answer, *, pictures: bool) -> Shown:
    """Return what a sample showed to the judge, or the logged text if the data cannot be loaded."""
    target, text = str(sample.record.get("target") or ""), sample.record.get("input")
    logged = Shown((text,) if isinstance(text, str) else (), target=target)
    if isinstance(trials, str):
        return logged._replace(problem=_problem(trials))
    try:
        first, *others = _requests(trials, sample)
        parts = tuple(
            shown
            for part in first.parts
            for shown in ([part] if isinstance(part, str) else part() if pictures else [])
        )
        target = trials.target(sample.trial) or target
        return Shown(parts, first.system, tuple(request.text for request in others), target)
    except Exception as error:  # noqa: BLE001  (data may be gone or wrong in any way)
        return logged._replace(problem=_problem(why(error)))


def _problem(why_not: str) -> str:
    return f"{why_not.rstrip('.')}; showing the logged text, without its images"


def _requests(trials: TaskTrials[Any], sample: Answer) -> list[Request]:
    asked = trials.ask({"prompt": sample.record.get("input"), **sample.trial})
    if isinstance(asked, Request):
        return [asked]
    requests = [next(asked)]
    with suppress(StopIteration):
        for exchange in sample.exchanges:
            requests.append(asked.send(exchange.reply))  # noqa: PERF401  (it ends when it has no more)
    asked.close()
    return requests
