"""What a journal holds: answers, and what each run expected to ask."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pairbench_ext.resumable.journal import facts as known
from pairbench_ext.resumable.journal.frames import Frame, encode, unpack

# Names of frames; every other name is the key of an answer. (They are no hexadecimal numbers.)
RUN = "run"
EXPECT = "expect"
_KEY = re.compile(r"[0-9a-f]+")


class Answer(NamedTuple):
    """What the base model returned for one request.

    Attributes:
        text: as it came, lone surrogates included.
        tokens: token counts by name, in types that JSON has; None if the base reports none.
    """

    text: str
    tokens: dict[str, Any] | None = None


class Entry(NamedTuple):
    """An answer and what it answers. All but the key and the answer is for people.

    Attributes:
        key: digest of everything that determines the answer, in lower-case hexadecimal.
        task: name of the task that asked.
        answer: what came back.
        doc: the task's document, as the harness numbers it.
        repeat: which of several answers to the same request.
        round: of a task that asks in rounds.
        when: Unix time, filled in by the journal.
    """

    key: str
    task: str
    answer: Answer
    doc: int | str | None = None
    repeat: int = 0
    round: int = 0
    when: float = 0.0


class Expectation(NamedTuple):
    """The requests of a task that one rank of a run expects to have answered.

    Attributes:
        task: its name.
        run: when the run began, which is its name here; Unix time.
        when: it was announced; Unix time.
        digest: of the set of keys.
        keys: that set; None where an earlier record of the same task and digest has it.
        requests: how many requests it is about to need answers to, where that was said: their keys
            are known, and are recorded, when what they show is shown. None in a record of keys that
            were counted before, and of a version that announced keys alone.
        found: how many of these were answered by then; `keys` lacks them.
        facts: by key, what it was made of; of all of them or none.
        described: the models and settings of these, in words, by digest.
    """

    task: str
    run: float
    when: float
    digest: str
    keys: frozenset[str] | None
    facts: Mapping[str, known.Facts] = {}
    described: Mapping[str, Any] = {}
    requests: int | None = None
    found: int = 0


def encode_entry(entry: Entry) -> bytes:
    """The frame of an answer.

    Raises:
        ValueError: if the key is not hexadecimal, or a token count is NaN or infinite.
        TypeError: for token counts of types that JSON does not have.
    """
    _check_keys([entry.key])
    text, tokens = entry.answer
    body = {
        "task": entry.task,
        "doc": entry.doc,
        "repeat": entry.repeat,
        "round": entry.round,
        "when": entry.when,
        "text": text,
        "tokens": tokens,
    }
    return encode(entry.key, body)


def decode_entry(frame: Frame) -> Entry:
    """The answer of an undamaged frame."""
    body = unpack(frame.body)
    answer = Answer(body.pop("text"), body.pop("tokens"))
    return Entry(key=frame.name, answer=answer, **body)


def key_set_digest(keys: Iterable[str]) -> str:
    """Digest of a set of keys, in whatever order they come.

    >>> key_set_digest(["0b", "0a", "0b"]) == key_set_digest(["0a", "0b"])
    True
    """
    text = "\n".join(sorted(set(keys)))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def encode_expectation(expectation: Expectation) -> bytes:
    """The frame of an expectation; a key takes two thirds of its hexadecimal digits.

    Raises:
        ValueError: if the keys are not hexadecimal, or not equally long.
    """
    task, run, when, digest, keys, facts, described, requests, found = expectation
    body: dict[str, Any] = {"task": task, "run": run, "when": when, "digest": digest}
    if keys:
        _check_keys(keys)
        widths = {len(key) for key in keys}
        width = min(widths)
        if len(widths) > 1 or width % 2:
            raise ValueError(
                f"keys of task {task!r} have {sorted(widths)} digits; "
                "all need the same even number of them"
            )
        packed = b64encode(bytes.fromhex("".join(sorted(keys)))).decode()
        body |= {"width": width, "keys": packed}
    if keys and facts:
        body |= {"facts": known.pack([facts[key] for key in sorted(keys)]), "described": described}
    if requests is not None:
        body |= {"requests": requests, "found": found}
    return encode(EXPECT, body)


def decode_expectation(frame: Frame) -> Expectation:
    """The expectation of an undamaged frame."""
    body = unpack(frame.body)
    keys: frozenset[str] | None = None
    facts: dict[str, known.Facts] = {}
    if "keys" in body:
        digits, width = b64decode(body["keys"]).hex(), body["width"]
        ordered = [digits[i : i + width] for i in range(0, len(digits), width)]
        keys = frozenset(ordered)
        if "facts" in body:
            facts = dict(zip(ordered, known.unpack(body["facts"], len(ordered)), strict=True))
    place = (body["task"], body["run"], body["when"], body["digest"])
    counted = (body.get("requests"), body.get("found", 0))
    return Expectation(*place, keys, facts, body.get("described", {}), *counted)


def _check_keys(keys: Iterable[str]) -> None:
    for key in keys:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a key is a digest in lower-case hexadecimal, not {key!r}")
