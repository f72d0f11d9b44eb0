"""Candidate answers to one question, from samples that the harness logged, and pairs of them.

The candidates are the replies to one question in all files: of several models, or of one model
asked several times.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lmms_eval_tasks.preference.trials import own_names
from lmms_eval_tasks.preference.votes import pair_name, word_count
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import Record, RecordError, read_jsonl
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.runs.files import task_name
from pairbench_ext.show.cli.console import errors, fail_on
from pairbench_ext.show.cli.options import Overwrite


class Candidate(NamedTuple):
    """One reply of one logged sample.

    Attributes:
        sample: that it is from.
        query: the prompt.
        text: the reply.
        number: of the reply, from 0.
        of: how many replies the sample has.
        file: that the sample is from.
    """

    sample: Record
    query: str
    text: str
    number: int
    of: int
    file: Path


class Logged(NamedTuple):
    """A question and what was replied to it.

    Attributes:
        id: the question's name.
        query: the prompt, in the words in which it first occurs.
        ground_truth: the harness's `target`.
        candidates: the replies; failed requests are none.
        failed: how many requests failed.
    """

    id: str
    query: str
    ground_truth: Any
    candidates: list[Candidate]
    failed: int


def read_logged(files: Sequence[Path]) -> list[Logged]:
    """The questions of logged samples of one task, in the order in which they first occur.

    A question is a document of the task. Where a trial names its `item`, it is the item's prompt:
    a preference task puts an item in two ways, one for each order.

    Raises:
        RecordError: naming file, line and field of what is missing or not as described, or files
            that are of different tasks, by their names or targets.
    """
    if len(set(files)) < len(files):
        raise RecordError("a file is given twice; its replies count once")
    tasks = {task_name(file): file for file in files if "samples_" in file.stem}
    if len(tasks) > 1:
        raise RecordError(f"{', '.join(map(str, tasks.values()))} are of different tasks")
    replies: dict[tuple[int | str, str], list[Candidate]] = {}
    for file in files:
        for question, reply in _replies(file):
            given = replies.setdefault(question, [])
            given.append(reply)
            targets = [each.sample.fields.get("target") for each in (given[0], reply)]
            if targets[0] != targets[1]:
                raise RecordError(
                    f"{reply.sample.where}: the target of question {question[0]!r} is "
                    f"{targets[1]!r:.60}, but {targets[0]!r:.60} in {given[0].sample.where}; give "
                    "logs of one task over the same data"
                )
    if not replies:
        raise RecordError(f"{', '.join(map(str, files))}: no questions in it")
    names = own_names([str(question) for question, _ in replies])
    return [_logged(name, given) for name, given in zip(names, replies.values(), strict=True)]


def _logged(name: str, replies: Sequence[Candidate]) -> Logged:
    usable = [reply for reply in replies if not request_failed(reply.text)]
    first = replies[0]
    target = first.sample.fields.get("target")
    return Logged(name, first.query, target, usable, len(replies) - len(usable))


def _replies(file: Path) -> Iterator[tuple[tuple[int | str, str], Candidate]]:
    """The questions and replies of a file; a sample that several ranks logged counts once."""
    seen = set()
    for sample in read_jsonl(file):
        doc, query = sample.get("doc_id", int, str), sample.get("input", str)
        names = ("filtered_resps", "resps")
        filtered, every = (list(_flat(sample.fields.get(name))) for name in names)
        # With `repeats`, most tasks filter all replies but the first away.
        texts = max(filtered, every, key=len)
        if not texts:
            raise RecordError(
                f"{sample.where}: field 'filtered_resps' must be a text or texts; only generated "
                "answers can be paired"
            )
        if (doc, *texts) in seen:
            continue
        seen.add((doc, *texts))
        item = (sample.fields.get("trial") or {}).get("item")
        question = (doc, "") if item is None else (item, query)
        for number, text in enumerate(texts):
            yield question, Candidate(sample, query, text, number, len(texts), file)


def _flat(replies: Any) -> Iterator[str]:
    """The texts in `filtered_resps`: one, or lists of them where there were several requests."""
    if isinstance(replies, str):
        yield replies
    elif isinstance(replies, list):
        for reply in replies:
            yield from _flat(reply)


def pair_by_length(candidates: Sequence[str], tau: float = 0.1) -> list[tuple[int, int]]:
    """The pairs of candidate answers of similar length: |l1 - l2| / min(l1, l2) < tau.

    Paper: VL-RewardBench, Section 2.2.2, with l the number of words. An answer without words is in
    no pair.

    Returns:
        Pairs (i, j) of positions, i < j, in lexicographic order.

    >>> pair_by_length(["one two three", "four five six", "seven"])
    [(0, 1)]
    """
    lengths = [word_count(candidate) for candidate in candidates]
    return [
        (i, j)
        for i, j in combinations(range(len(lengths)), 2)
        if min(lengths[i], lengths[j]) > 0
        and abs(lengths[i] - lengths[j]) / min(lengths[i], lengths[j]) < tau
    ]


def pair_responses(
    files: Annotated[
        list[Path],
        typer.Argument(help="Samples logged by the harness, one or more files of one task."),
    ],
    tau: Annotated[float, typer.Option(help="Largest relative difference in word counts.")] = 0.1,
    out: Annotated[Path | None, typer.Option(help="Write JSON lines to this file.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Pair candidate answers of similar length (VL-RewardBench, Section 2.2.2).

    Reads samples of any one task, logged with --log_samples by several models, or by one that was
    asked several times: the candidates are the replies to one document. Images are not logged.

    For each pair with |words1 - words2| / min(words1, words2) < tau it writes a line {id, query,
    response, candidate_indices, ground_truth, files}; which response is better is left to be said.
    Counts go to standard error.
    """
    with fail_on(ValueError):
        if out is not None:
            check_file(out, files, overwrite=overwrite)
        questions = read_logged(files)
        rows = [row for question in questions for row in _pairs(question, tau)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        if out is None:
            sys.stdout.write(lines)
        else:
            write_atomically(out, lines)
    candidates = sum(len(question.candidates) for question in questions)
    identical = sum(row["response"][0] == row["response"][1] for row in rows)
    errors.print(
        f"{counted(len(questions), 'question')} with {counted(candidates, 'candidate')}: "
        f"{counted(len(rows), 'pair')}, {identical} of them of identical texts; "
        f"{counted(sum(question.failed for question in questions), 'request')} failed"
    )


def _pairs(question: Logged, tau: float) -> Iterator[dict[str, Any]]:
    texts = [candidate.text for candidate in question.candidates]
    for i, j in pair_by_length(texts, tau):
        yield {
            "id": pair_name(question.id, i, j),
            "query": question.query,
            "response": [texts[i], texts[j]],
            "candidate_indices": [i, j],
            "ground_truth": question.ground_truth,
            "files": [str(candidate.file) for candidate in question.candidates],
        }
