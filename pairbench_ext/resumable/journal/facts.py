"""What the keys that a run expects were made of, so that it can be told why an answer does not fit.

Of each key the document, the round and short digests of what was compared; of models and settings,
which many keys share, also what they are, in words for people.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.core.contents import content, digest
from pairbench_ext.resumable.journal.keys import ModelFacts, Origin, RequestFacts

_SHORT = 4  # bytes of a digest
_LONGEST = 80  # characters of a value
_MOST_FILES = 100
_SECRET = re.compile(
    r"(?:^|_)(?:key|token|secret|password|passwd|auth|authorization|credentials?|headers?)$",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?<=//)[^/@\s]*(?=@)")  # of a URL
_HEAD = struct.Struct(">qii")
_NO_WORDS = b"".join(content([]))
UNKNOWN = b""  # a part that is not known before all that is shown was looked at


class Facts(NamedTuple):
    """Of one key, where it is from and digests of what was compared.

    Attributes:
        doc: number of the document.
        part: which of the document's requests.
        round: of a task that asks in rounds.
        model: what answers.
        prompt: all that is said, in messages too.
        shown: pictures and files, in their order.
        settings: of the generation.
        hints: what else backends look at.
        draw: where answers are drawn, task, split and the run's seed; the same everywhere else.
    """

    doc: int
    part: int
    round: int
    model: bytes
    prompt: bytes
    shown: bytes
    settings: bytes
    hints: bytes
    draw: bytes

    def before_shown(self, is_simple: bool) -> Facts:
        """What of them is known before all that is shown was looked at: messages have words."""
        return self._replace(shown=UNKNOWN, prompt=self.prompt if is_simple else UNKNOWN)


#: Where a key is from, and what may differ between two of one place.
PLACE = 3  # doc, part, round
PARTS = Facts._fields[PLACE:]


def short(parts: Iterable[bytes]) -> bytes:
    """A digest of a few bytes, for telling apart what belongs to one document."""
    return digest(parts)[:_SHORT]


def facts_before_shown(
    model: bytes, request: RequestFacts, origin: Origin, in_round: int, *, is_simple: bool
) -> Facts:
    """The facts of a request, as far as they are known before all that it shows was looked at.

    Args:
        model: digest of the model.
        request: all that is compared but what is shown.
        origin: whose request it is.
        in_round: number of the round.
        is_simple: whether the model takes media; another one takes messages, which have words.
    """
    return Facts(
        origin.doc,
        origin.part,
        in_round,
        model[:_SHORT],
        short([request.text, _NO_WORDS]) if is_simple else UNKNOWN,
        UNKNOWN,
        short([request.settings]),
        short([request.hints]),
        short([request.place]),
    )


def words_of(shown: Any) -> list[str]:
    """The texts of messages, in their order."""
    if isinstance(shown, Mapping):
        if shown.get("type") == "text":
            return [str(shown.get("text", ""))]
        inner = shown.get("content", ())
        return [inner] if isinstance(inner, str) else words_of(inner)
    if isinstance(shown, (list, tuple)):
        return [word for one in shown if not isinstance(one, str) for word in words_of(one)]
    return []


def without_words(shown: Any) -> Any:
    """What is shown, without the texts of messages."""
    if isinstance(shown, Mapping):
        if shown.get("type") == "text":
            return None
        spoken = isinstance(shown.get("content"), str)
        return {
            name: without_words(one)
            for name, one in shown.items()
            if not (spoken and name == "content")
        }
    if isinstance(shown, (list, tuple)):
        return [without_words(one) for one in shown]
    return shown


def in_words(value: Any) -> Any:
    """A model or settings as they are written down: what may be a secret is left out."""
    if isinstance(value, ModelFacts):
        files = {
            name: {file: state[:8] for file, state in sorted(one.items())[:_MOST_FILES]}
            for name, one in value.files.items()
        }
        return {
            "model": value.name,
            "version": value.version,
            "argument": in_words(value.arguments),
            "file": files,
        }
    return {
        str(name): f"(hidden) {short(content(str(one))).hex()}"
        if _SECRET.search(str(name))
        else _LOGIN.sub("...", repr(one))[:_LONGEST]
        for name, one in value.items()
    }


def pack(facts: Sequence[Facts]) -> str:
    """Facts as text, in their order."""
    columns = [b"".join(_HEAD.pack(one.doc, one.part, one.round) for one in facts)]
    columns += [b"".join(getattr(one, part) for one in facts) for part in PARTS]
    return base64.b64encode(zlib.compress(b"".join(columns))).decode()


def unpack(text: str, number: int) -> list[Facts]:
    """What was given to `pack`, with how many there were."""
    data = zlib.decompress(base64.b64decode(text))
    heads = list(_HEAD.iter_unpack(data[: number * _HEAD.size]))
    start, columns = number * _HEAD.size, []
    for _ in PARTS:
        columns.append([data[start + k * _SHORT :][:_SHORT] for k in range(number)])
        start += number * _SHORT
    return [Facts(*head, *parts) for head, *parts in zip(heads, *columns, strict=True)]
