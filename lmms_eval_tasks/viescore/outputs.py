"""A museum of a user's own images: files matched to prompts, nothing guessed.

A file belongs to a prompt if its name without suffix is the prompt's uid; else if both end in the
same number (`0007.png` and `sample_7`) and no other file or prompt has that number; else if it is
the prompt itself, words joined by underscores or hyphens. One way is used for a whole folder: the
one by which most files match, of equals the first.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmms_eval_tasks.viescore.museum_files import SUFFIXES, listing, stem
from lmms_eval_tasks.viescore.tasks import Task
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.core.sources import SourceError

UID_FIELDS = ("uid", "id", "name", "file", "filename", "image")
_NUMBER = re.compile(r"(\d+)\D*$")


@dataclass(frozen=True)
class Matched:
    """The files of a folder that belong to prompts.

    Attributes:
        how: by what they were matched: `"name"`, `"number"` or `"prompt"`; empty if none was.
        files: by uid.
        without_file: uids without a file.
        without_prompt: files without a prompt.
    """

    how: str
    files: Mapping[str, Path]
    without_file: tuple[str, ...]
    without_prompt: tuple[Path, ...]


def read_prompt_table(file: Path, task: Task) -> dict[str, str]:
    """Prompts by uid from a table: CSV, TSV, JSON lines, or a museum's JSON.

    A column of text is needed (`prompt`, or what the task calls it); a column of uids (`uid`, `id`,
    `name`, `file`, ...) if files are called otherwise than by the number of their row, from 0.

    Raises:
        RecordError: naming file and row of what is missing or twice there.
    """
    rows = _rows(file)
    prompts: dict[str, str] = {}
    stems: set[str] = set()
    for number, (where, row) in enumerate(rows):
        fields = {str(key).strip().lower(): value for key, value in row.items() if key is not None}
        text = next((fields[name] for name in (*task.fields, "text") if fields.get(name)), None)
        if not isinstance(text, str) or not text.strip():
            raise RecordError(
                f"{where}: no text in column {task.fields[0]!r}, only in {sorted(fields)}"
            )
        uid = next((fields[name] for name in UID_FIELDS if name in fields), number)
        name = "" if uid is None else Path(str(uid).strip()).name
        if not name or stem(name) in stems:
            raise RecordError(f"{where}: the uid {name!r} is empty or of an earlier row")
        stems.add(stem(name))
        prompts[name] = text.strip()
    if not prompts:
        raise RecordError(f"{file}: no prompts in it")
    return prompts


def _rows(file: Path) -> list[tuple[str, Mapping[str, Any]]]:
    if file.suffix == ".jsonl":
        return [(record.where, record.fields) for record in read_jsonl(file)]
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix == ".json":
            entries = json.loads(text)
            if not isinstance(entries, dict) or not all(
                isinstance(entry, dict) for entry in entries.values()
            ):
                raise RecordError(f"{file}: one JSON object, uid -> {{prompt}}, is expected")
            return [(f"{file}, {uid!r}", {"uid": uid, **e}) for uid, e in entries.items()]
        lines = io.StringIO(text, newline="")  # a prompt in quotes may have line breaks
        reader = csv.DictReader(
            lines, delimiter="\t" if file.suffix == ".tsv" else ",", strict=True
        )
        return [(f"{file}, row {reader.line_num}", row) for row in reader]
    except OSError as error:
        raise RecordError(f"{file}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError, csv.Error) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"{file}: cannot be read as {file.suffix or 'CSV'} ({error})") from error


def match(folder: Path, prompts: Mapping[str, str]) -> Matched:
    """Which files of a folder belong to which prompts.

    Raises:
        SourceError: if the folder does not exist or holds no image.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder}: no such folder of images")
    files = list(listing(folder).values())
    if not files:
        raise SourceError(f"{folder}: no image in it; {', '.join(SUFFIXES)} are read")
    best: tuple[str, dict[str, Path]] = ("", {})
    for how, file_key, prompt_key in _WAYS:
        by_key = _unique({file: file_key(stem(file.name)) for file in files})
        uids = _unique({uid: prompt_key(stem(uid), text) for uid, text in prompts.items()})
        found = {uid: by_key[key] for key, uid in uids.items() if key in by_key}
        if len(found) > len(best[1]):
            best = (how, found)
    used = set(best[1].values())
    return Matched(
        *best,
        tuple(uid for uid in prompts if uid not in best[1]),
        tuple(file for file in files if file not in used),
    )


def _unique(keys: Mapping[Any, str | None]) -> dict[str, Any]:
    """What each key is of, without keys of several."""
    counts = Counter(keys.values())
    return {key: owner for owner, key in keys.items() if key and counts[key] == 1}


def _number(name: str) -> str | None:
    found = _NUMBER.search(name)
    return str(int(found[1])) if found else None


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


_WAYS: Sequence[tuple[str, Callable[[str], str | None], Callable[[str, str], str | None]]] = (
    ("name", lambda name: name, lambda uid, _: uid),
    ("number", _number, lambda uid, _: _number(uid)),
    ("prompt", _slug, lambda _, text: _slug(text)),
)
