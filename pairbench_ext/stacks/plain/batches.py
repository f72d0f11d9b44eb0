"""Write tasks as files for OpenAI's batch API or `vllm run-batch`, and read result files.

A batch answers one request of each trial. Trials in rounds ask on with the results of the batches
before: what is asked next follows from the replies alone.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Decoding, Request
from pairbench_ext.core.contents import content, digest
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.records import Record, RecordError, read_jsonl
from pairbench_ext.stacks.plain import tasks
from pairbench_ext.stacks.plain.messages import openai_messages, token_reply
from pairbench_ext.statistics.seeds import stable_hash

URL = "/v1/chat/completions"
MOST_REQUESTS = 50_000  # in a file, by OpenAI's limits; so is the next one
MOST_BYTES = 200_000_000

#: The `custom_id` of a request.
CUSTOM_ID = re.compile(
    r"(?P<task>.+):(?P<number>[0-9]{1,18}):(?P<round>[0-9]{1,18}):(?P<digest>[0-9a-f]{8})"
)


@dataclass
class Answers:
    """The answers in a batch's result files, keyed by task, trial and round.

    Attributes:
        replies: task -> number of the trial -> round -> (digest, reply); None where a request
            failed.
        failures: why requests failed: reason -> count.
        cut: how many replies ended at their limit of tokens.
        foreign: how many lines have an id that is not ours.
    """

    replies: dict[str, dict[int, dict[int, tuple[str, str | None]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    failures: Counter[str] = field(default_factory=Counter)
    cut: int = 0
    foreign: int = 0


def requests(
    task: tasks.PlainTask,
    model: str,
    *,
    limit: int | None = None,
    body: Mapping[str, Any] | None = None,
    after: Answers | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a batch file: one request for each trial that lacks replies.

    Every request has a seed of its own, of the reply that is drawn at random.

    Args:
        task: what to ask.
        model: as the server calls it.
        limit: ask about the first trials only.
        body: further fields of each request; a null removes one.
        after: what earlier batches answered; requests without an answer are asked again.
    """
    for trial in islice(task, limit):
        replies, _ = _replies(trial, after)
        request = trial.request(replies)
        if request is None:
            continue
        place = (task.name, trial.number, len(replies))
        body_fields = {"model": model, "messages": openai_messages(request)}
        body_fields |= _settings(task.decoding, request, stable_hash(0, *place)) | dict(body or {})
        kept = {name: value for name, value in body_fields.items() if value is not None}
        name = ":".join(map(str, (*place, _digest(trial, request))))
        yield {"custom_id": name, "method": "POST", "url": URL, "body": kept}


def write_batches(folder: Path, lines: Iterable[Mapping[str, Any]]) -> list[Path]:
    """Write requests to batch files within `MOST_REQUESTS` and `MOST_BYTES`; return the files.

    Raises:
        ValueError: if a request is longer than a file may be.
    """
    written: list[Path] = []
    for number, part in enumerate(_parts(lines)):
        written.append(folder / f"batch_{number:03}.jsonl")
        write_atomically(written[-1], part)
    return written


def _parts(lines: Iterable[Mapping[str, Any]]) -> Iterator[list[bytes]]:
    part, size = list[bytes](), 0
    for line in lines:
        encoded = tasks.as_line(dict(line))
        if len(encoded) > MOST_BYTES:
            raise ValueError(
                f"{line['custom_id']}: the request has {len(encoded):,} bytes, more than a batch "
                "file may have"
            )
        if part and (size + len(encoded) > MOST_BYTES or len(part) == MOST_REQUESTS):
            yield part
            part, size = [], 0
        part.append(encoded)
        size += len(encoded)
    if part:
        yield part


def read_answers(files: Iterable[Path]) -> Answers:
    """Read the result files of batches, including the files that list failed requests.

    Of several results of one request the last one with an answer counts.

    Raises:
        RecordError: naming file and line of what is not a batch's result.
    """
    answers = Answers()
    for record in (record for path in files for record in read_jsonl(path)):
        named = CUSTOM_ID.fullmatch(str(record.get("custom_id", str)))
        if named is None:
            answers.foreign += 1
            continue
        reply, problem, cut = _result(record)
        rounds = answers.replies[named["task"]][int(named["number"])]
        number = int(named["round"])
        if problem:
            answers.failures[problem] += 1
            rounds.setdefault(number, (named["digest"], None))
        else:
            answers.cut += cut
            rounds[number] = (named["digest"], reply)
    return answers


class Imported(NamedTuple):
    """The file with a task's imported answers, and how many trials and answers there are.

    Attributes:
        file: the logged samples.
        trials: how many the task has.
        answered: how many of them have all replies.
        failed: how many have a request that failed.
        unfinished: how many would ask on: they are not in the file.
        stale: how many answers are to something that the task does not ask; they are not used.
    """

    file: Path
    trials: int
    answered: int = 0
    failed: int = 0
    unfinished: int = 0
    stale: int = 0


def samples_file(name: str) -> str:
    """Return the name of the file into which a task's answers are imported."""
    return f"samples_{name}.jsonl"


def import_task(name: str, answers: Answers, folder: Path) -> Imported:
    """Write the answers to a task as logged samples, in `samples_<task>.jsonl`.

    Raises:
        SourceError: if there is no such task, or its data are not there.
    """
    task = tasks.open_task(name)
    counts: Counter[str] = Counter()
    path = folder / samples_file(name)
    write_atomically(path, map(tasks.as_line, _rows(task, answers, counts)))
    counts["stale"] += len([number for number in answers.replies[name] if number >= len(task)])
    return Imported(path, len(task), **counts)


def _rows(
    task: tasks.PlainTask, answers: Answers, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    for number in sorted(answers.replies[task.name]):
        if number >= len(task):
            continue
        trial = task[number]
        replies, stale = _replies(trial, answers)
        counts["stale"] += stale
        failed = any(reply is None for _, reply in answers.replies[task.name][number].values())
        if trial.request(replies) is None:
            counts["answered"] += 1
            yield trial.row(replies)
        elif failed and not stale:
            counts["failed"] += 1
            yield trial.row([*replies, tasks.FAILED])
        elif not stale or replies:
            counts["unfinished"] += 1


def _replies(trial: tasks.PlainTrial, answers: Answers | None) -> tuple[list[str], int]:
    """Return the replies to a trial as far as they go, and how many are to something else."""
    rounds = {} if answers is None else answers.replies[trial.task].get(trial.number, {})
    replies: list[str] = []
    while (answer := rounds.get(len(replies))) is not None and answer[1] is not None:
        request = trial.request(replies)
        if request is None or _digest(trial, request) != answer[0]:
            return replies, len(rounds) - len(replies)
        replies.append(answer[1])
    return replies, 0


def _digest(trial: tasks.PlainTrial, request: Request) -> str:
    """Return eight digits of a trial and its texts: another one's answer is to something else.

    No picture is decoded for it.
    """
    return digest(content([trial.scalars, request.system, request.texts])).hex()[:8]


def _settings(decoding: Decoding, request: Request, seed: int) -> dict[str, Any]:
    """Return the settings of a request; those that are None are left out."""
    return {
        "max_completion_tokens": request.tokens or decoding.tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": seed >> 33 if decoding.temperature > 0 else None,
    }


def _result(record: Record) -> tuple[str, str, bool]:
    """Return a result's reply, why there is none, and whether the reply was cut."""
    if "response" not in record.fields and "error" not in record.fields:
        raise RecordError(
            f"{record.where}: the fields are {sorted(record.fields)}, but a result has "
            "'response' or 'error'. Give the files that the batch API wrote, not the requests"
        )
    response = record.fields.get("response") or {}
    error = record.fields.get("error") or {}
    if not isinstance(response, dict):
        raise RecordError(
            f"{record.where}: field 'response' must be an object, "
            "as in the result files of a batch API"
        )
    body = response.get("body") or {}
    choices = body.get("choices") if isinstance(body, dict) else None
    if not choices:
        return "", _reason(error or body or response), False
    message, reply, ended = _message(record, choices)
    if not reply.strip():
        refusal = message.get("refusal")
        return (str(refusal), "", False) if refusal else ("", f"no content ({ended})", False)
    if choices[0].get("logprobs"):
        reply = token_reply(body)
    return reply, "", ended == "length"


def _message(record: Record, choices: Any) -> tuple[Mapping[str, Any], str, Any]:
    """Return the message of the first choice, its text, and why it ended."""
    try:
        message, ended = choices[0]["message"], choices[0].get("finish_reason")
        reply = message.get("content") or ""
    except (KeyError, TypeError, AttributeError, IndexError) as wrong:
        raise RecordError(
            f"{record.where}: field 'body' has no message in its first choice"
        ) from wrong
    if not isinstance(reply, str):
        raise RecordError(f"{record.where}: field 'content' must be a text, not {reply!r:.60}")
    return message, reply, ended


def _reason(error: Any) -> str:
    while isinstance(error, Mapping) and "error" in error:
        error = error["error"]
    if isinstance(error, Mapping):
        code = error.get("code") or error.get("type") or error.get("status_code") or "failed"
        message = str(error.get("message") or "")
        return f"{code}: {message}"[:120].rstrip(": ")
    return str(error)[:120] or "no answer"
