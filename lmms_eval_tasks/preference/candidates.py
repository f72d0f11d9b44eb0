"""Questions with several candidate answers each: from a file of them, or from logged samples.

    {"id": "q1", "query": "What is on the desk?", "image": "q1.png", "candidates": ["...", "..."]}

`id` is a text or a number and occurs once; the question is `query` or `question`; `candidates` are
texts. Whatever else a line has is for those who know it.

Of samples that the harness logged (`--log_samples`), the candidates are the replies to one question
in all files: of several models, or of one model asked several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.trials import own_names
from pairbench_ext.core.records import Record, RecordError, read_jsonl
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.runs.files import task_name


class Candidates(NamedTuple):
    """One question and its candidate answers.

    Attributes:
        id: the question's name.
        query: the question.
        texts: the candidate answers.
        record: the line that they are from, or what the logged samples say in its place.
    """

    id: str
    query: str
    texts: tuple[str, ...]
    record: Record


class Origin(NamedTuple):
    """Which reply of which logged sample a candidate is.

    Attributes:
        record: the sample.
        query: the prompt.
        text: the reply.
        number: of the reply, from 0.
        of: how many replies the sample has.
        file: that the sample is from.
    """

    record: Record
    query: str
    text: str
    number: int
    of: int
    file: Path


class Logged(NamedTuple):
    """The candidate answers of logged samples.

    Attributes:
        questions: the questions, in the order in which they first occur. Their records have the
            harness's `target` as `ground_truth`, and `files`: the file of each candidate.
        origins: of each question's candidates.
        failed: requests that failed; they are no candidates.
        reworded: questions that were put in several ways; the first one is kept.
    """

    questions: list[Candidates]
    origins: list[list[Origin]]
    failed: int
    reworded: int


def read_candidates(file: Path) -> list[Candidates]:
    """The questions of a file, in its order.

    Raises:
        RecordError: naming file, line and field of what is missing or not as described.
    """
    questions: dict[str, Candidates] = {}
    for record in read_jsonl(file):
        add_candidates(record, questions)
    return list(questions.values())


def add_candidates(record: Record, questions: dict[str, Candidates]) -> Candidates:
    """The question of a record, added to those read so far, by id.

    Raises:
        RecordError: naming file, line and field of what is missing or not as described, or the
            earlier record with the same id.
    """
    name = str(record.get("id", str, int))
    if name in questions:
        raise RecordError(
            f"{record.where}: field 'id' is {name!r} again, as in "
            f"{questions[name].record.where}; every question needs an id of its own"
        )
    query = record.get(query_field(record), str)
    questions[name] = Candidates(name, query, _texts(record), record)
    return questions[name]


def are_logged(file: Path) -> bool:
    """Whether a file holds samples that the harness logged.

    Raises:
        RecordError: if the file cannot be read.
    """
    first = next(read_jsonl(file), None)
    return first is not None and "filtered_resps" in first.fields


def read_logged(files: Sequence[Path]) -> Logged:
    """The questions of logged samples of one task, and what was replied to each.

    A question is a document of the task. Where a trial names its `item`, it is the item's prompt:
    a preference task puts an item in two ways, one for each order.

    Raises:
        RecordError: naming file, line and field of what is missing or not as described, a file that
            is given twice, or two files that are of different tasks, by their names or targets.
    """
    twice = next((file for n, file in enumerate(files) if file in files[:n]), None)
    if twice is not None:
        raise RecordError(f"{twice} is given twice; its replies count once")
    tasks = {task_name(file): file for file in files if "samples_" in file.stem}
    if len(tasks) > 1:
        raise RecordError(f"{', '.join(map(str, tasks.values()))} are of different tasks")
    replies: dict[tuple[int | str, str], list[Origin]] = {}
    for file in files:
        for (name, query), reply in _replies(file):
            first = replies.setdefault((name, query), [reply])[0]
            targets = [one.record.fields.get("target") for one in (first, reply)]
            if targets[0] != targets[1]:
                raise RecordError(
                    f"{reply.record.where}: the target of question {name!r} is {targets[1]!r:.60}, "
                    f"but {targets[0]!r:.60} in {first.record.where}; give logs of one task over "
                    "the same data"
                )
            if reply is not first:
                replies[name, query].append(reply)
    names = own_names([str(question) for question, _ in replies])
    origins = [
        [reply for reply in given if not request_failed(reply.text)] for given in replies.values()
    ]
    return Logged(
        questions=[
            _question(name, given[0], candidates)
            for name, given, candidates in zip(names, replies.values(), origins, strict=True)
        ],
        origins=origins,
        failed=sum(map(len, replies.values())) - sum(map(len, origins)),
        reworded=sum(len({reply.query for reply in given}) > 1 for given in replies.values()),
    )


def query_field(record: Record) -> str:
    """The field that holds a line's question: `query`, or else `question`.

    Raises:
        RecordError: if there is neither.
    """
    for field in ("query", "question"):
        if field in record.fields:
            return field
    raise RecordError(
        f"{record.where}: no field 'query' or 'question', only {sorted(record.fields)}"
    )


def _texts(record: Record) -> tuple[str, ...]:
    texts: list[Any] = record.get("candidates", list)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise RecordError(
                f"{record.where}: field 'candidates' must be texts, but number {number} (from 0) "
                f"is {text!r:.60}"
            )
    return tuple(texts)


def _replies(file: Path) -> Iterator[tuple[tuple[int | str, str], Origin]]:
    """The questions and replies of a file; a sample that several ranks logged counts once."""
    seen = set()
    for record in read_jsonl(file):
        doc, query = record.get("doc_id", int, str), _query(record)
        names = ("filtered_resps", "resps")
        filtered, every = (list(_flat(record.fields.get(name))) for name in names)
        # With `repeats`, most tasks filter all replies but the first away.
        texts = max(filtered, every, key=len)
        if not texts:
            raise RecordError(
                f"{record.where}: field 'filtered_resps' must be a text or texts; only generated "
                "answers can be paired"
            )
        if (doc, *texts) in seen:
            continue
        seen.add((doc, *texts))
        item = (record.fields.get("trial") or {}).get("item")
        question = (doc, "") if item is None else (item, query)
        for number, text in enumerate(texts):
            yield question, Origin(record, query, text, number, len(texts), file)


def _query(record: Record) -> str:
    """The prompt; where the harness logged none, the question of the document, if it is there."""
    doc = record.fields.get("doc")
    if not isinstance(record.fields.get("input"), str) and isinstance(doc, dict):
        question = Record(f"{record.where}, doc", doc)
        return str(question.get(query_field(question), str))
    return str(record.get("input", str))


def _flat(replies: Any) -> Iterator[str]:
    """The texts in `filtered_resps`: one, or lists of them where there were several requests."""
    if isinstance(replies, str):
        yield replies
    elif isinstance(replies, list):
        for reply in replies:
            yield from _flat(reply)


def _question(name: str, first: Origin, origins: Sequence[Origin]) -> Candidates:
    texts = tuple(origin.text for origin in origins)
    fields = {
        "id": name,
        "query": first.query,
        "ground_truth": first.record.fields.get("target"),
        "candidates": list(texts),
        "files": [str(origin.file) for origin in origins],
    }
    return Candidates(name, first.query, texts, Record(first.record.where, fields))
