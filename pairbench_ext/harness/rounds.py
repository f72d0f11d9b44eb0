"""Ask a trial in one or more rounds, in the form that simple or chat backends need.

`generate_until_multi_round` keeps a conversation's replies; `generate_until_agentic` keeps the last
reply alone, so the last one has to hold all of them: `pack`. The command line takes thoughts out of
what is handed over, but not out of the replies in between, and not out of packed ones. So a task in
rounds says `reasoning_tags: none`, and they are taken out here.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from PIL.Image import Image

from pairbench_ext.core.benchmark import Request, Rounds
from pairbench_ext.core.requests import MOST_TOKENS, changed
from pairbench_ext.core.texts import encodable

BLANK = "blank_image"  # in the logged trial
_REPLIES = "replies_of_all_rounds"
_THOUGHTS = [["<think>", "</think>"], ["<analysis>", "</analysis>"]]  # the command line's default

_LITERAL = r"""(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|None)"""
_ITEM = re.compile(_LITERAL)
_TUPLE = re.compile(rf"\({_LITERAL}(?:,|(?:, {_LITERAL})+)\)")  # of texts: its `repr`

Messages: TypeAlias = "list[dict[str, Any]]"
Told: TypeAlias = "dict[str, int] | None"
# Images, text, whether it is over, the replies so far, and anything that the next round is told.
Step: TypeAlias = "tuple[list[Image] | None, str | None, bool, list[str], Told]"
ChatStep: TypeAlias = "tuple[Messages | None, bool, list[str], Told]"


def with_blank_images(
    asked: Request | Rounds, needed: Callable[[], bool], blank: Callable[[], Image]
) -> Request | Rounds:
    """Return a request, with a blank image added if it has no image and the backend needs one.

    The log of such a request says `"blank_image": true`.

    Args:
        asked: one request, or a generator of them.
        needed: whether the model cannot be asked without an image; called for such requests only.
        blank: makes the image.
    """

    def adapted(request: Request) -> Request:
        if request.shows_images or not needed():
            return request
        shown = (lambda: [blank()], *request.content)
        return replace(request, content=shown, log={**request.log, BLANK: True})

    return changed(asked, adapted)


def one_text(request: Request) -> str:
    """Return the system prompt and texts of a request as one text, for simple backends."""
    text = f"{request.system}\n\n{request.text}" if request.system else request.text
    return str(encodable(text))


def messages(
    request: Request,
    shown: Callable[[Image], dict[str, Any]] = lambda image: {"type": "image", "url": image},
) -> Messages:
    """Return a request for chat backends: system prompt, then texts and images in order."""
    content: Messages = []
    for part in request.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": encodable(part)})
        else:
            content += map(shown, part())
    turns: Messages = [{"role": "user", "content": content}]
    if request.system:
        system = {"type": "text", "text": encodable(request.system)}
        turns.insert(0, {"role": "system", "content": [system]})
    return turns


def step(following: Request | None, replies: Sequence[str]) -> Step:
    """Return what `doc_to_text` must return: the next request, or the trial's end."""
    if following is None:
        return None, None, True, list(replies), None
    return following.images(), one_text(following), False, list(replies), _limit(following)


def chat_step(following: Request | None, replies: Sequence[str]) -> ChatStep:
    """Return what `doc_to_messages` must return: the next request, or the trial's end."""
    if following is None:
        return None, True, list(replies), None
    return messages(following), False, list(replies), _limit(following)


def _limit(request: Request) -> Told:
    return None if request.tokens is None else {MOST_TOKENS: request.tokens}


def pack(replies: Sequence[str | None]) -> str:
    """Return the replies of several rounds packed into one text (JSON), which `unpack` reads."""
    return json.dumps({_REPLIES: list(replies)})


def unpack(result: Any) -> list[str]:
    """Return the replies in a result of lmms-eval, one per round, without the model's reasoning.

    `resumable` and multi-round chat backends give a list; of the tuple that the simple ones give,
    the harness makes the tuple's `repr`; `pack` is ours. Anything else is one reply, None is none.
    """
    return [without_thoughts(reply) for reply in _unpacked(result)]


def without_thoughts(reply: str | None) -> str:
    """Return a reply without the text that a reasoning model writes before its answer.

    What the harness's `strip_reasoning_tags` leaves, also where there is no harness; but a reply
    without thoughts stays as it is, with the white space around it, which a rule may read.
    """
    text = reply or ""
    if not any(tag in text for tag in chain.from_iterable(_THOUGHTS)):
        return text
    for start, end in _THOUGHTS:
        text = re.sub(f"{re.escape(start)}.*?{re.escape(end)}", "", text, flags=re.DOTALL)
        if start not in text:  # the prompt's template may have begun the thoughts
            text = text.rpartition(end)[2]
    return text.strip()


def _unpacked(result: Any) -> list[str]:
    if isinstance(result, (list, tuple)):
        return [reply if isinstance(reply, str) else "" for reply in result]
    if not isinstance(result, str):
        return []
    packed = _object(result).get(_REPLIES)
    return _unpacked(packed) if isinstance(packed, list) else texts_of_tuple(result) or [result]


def texts_of_tuple(written: str) -> list[str]:
    """Return the texts of a tuple, given its `repr`; no texts if it is not a tuple's `repr`."""
    if not _TUPLE.fullmatch(written):
        return []
    return [_spelled_out(literal) for literal in _ITEM.findall(written)]


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one if it is none."""
    try:
        value = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _spelled_out(literal: str) -> str:
    """Return the text of a string's `repr`; None's is empty.

    Not `ast.literal_eval`: the harness calls us in threads, where Python 3.11's parser may fail
    (SystemError: AST constructor recursion depth mismatch).
    """
    if literal == "None":
        return ""
    return literal[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
