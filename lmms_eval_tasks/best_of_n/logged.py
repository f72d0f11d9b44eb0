"""Read candidate answers from the samples that lmms-eval logged.

The candidates are the replies to one question in all files: of several models, or of one model
asked several times.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError, read_jsonl
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.runs.files import task_name


class Candidate(NamedTuple):
    """One model reply in a logged sample; it becomes a candidate answer.

    Attributes:
        sample: that it is from.
        text: the reply.
        number: of the reply, from 0.
        of: how many replies the sample has.
        file: that the sample is from.
    """

    sample: Record
    text: str
    number: int
    of: int
    file: Path


class Logged(NamedTuple):
    """A question of a task, with the logged replies to it."""

    id: str
    query: str
    target: Any
    candidates: list[Candidate]
    failed: int


def read_logged(files: Sequence[Path]) -> list[Logged]:
    """Return the questions in logged samples of one task, each with its replies.

    A question is a document of the task.

    Raises:
        RecordError: naming file, line and field of what is missing or not as described, or files
            that are of different tasks, by their names or targets.
    """
    if len(set(files)) < len(files):
        twice = max(files, key=files.count)
        raise RecordError(f"{twice}: the file is given twice; give each file only once")
    tasks = {task_name(file): file for file in files if "samples_" in file.stem}
    if len(tasks) > 1:
        raise RecordError(
            f"{', '.join(map(str, tasks.values()))} belong to different tasks; give samples of "
            "one task (for folders: --task)"
        )
    replies: dict[int | str, list[Candidate]] = defaultdict(list)
    for file in files:
        for doc, reply in _replies(file):
            replies[doc].append(reply)
    if not replies:
        raise RecordError(f"{', '.join(map(str, files))}: the files hold no questions")
    return [_logged(doc, given) for doc, given in replies.items()]


def _logged(doc: int | str, replies: Sequence[Candidate]) -> Logged:
    first = replies[0].sample
    target = first.fields.get("target")
    for reply in replies:
        other = reply.sample.fields.get("target")
        if other != target:
            raise RecordError(
                f"{reply.sample.where}: the right answer to question {doc!r} is {other!r:.60}, "
                f"but {target!r:.60} in {first.where}; give logs of one task on the same data"
            )
    usable = [reply for reply in replies if not request_failed(reply.text)]
    return Logged(str(doc), first.get("input", str), target, usable, len(replies) - len(usable))


def _replies(file: Path) -> Iterator[tuple[int | str, Candidate]]:
    """Yield a file's documents and replies; a sample that several processes logged counts once."""
    seen = set()
    for sample in read_jsonl(file):
        doc = sample.get("doc_id", int, str)
        names = ("filtered_resps", "resps")
        filtered, unfiltered = (list(_flat(sample.fields.get(name))) for name in names)
        # With `repeats`, most tasks filter all replies but the first away.
        texts = max(filtered, unfiltered, key=len)
        if not texts:
            raise RecordError(
                f"{sample.where}: field 'filtered_resps' must be a text or a list of texts; "
                "only generated answers can be candidates"
            )
        if (doc, *texts) in seen:
            continue
        seen.add((doc, *texts))
        for number, text in enumerate(texts):
            yield doc, Candidate(sample, text, number, len(texts), file)


def _flat(replies: Any) -> Iterator[str]:
    """Yield the texts in `filtered_resps`, which holds a text or nested lists of texts."""
    if isinstance(replies, str):
        yield replies
    elif isinstance(replies, list):
        for reply in replies:
            yield from _flat(reply)
