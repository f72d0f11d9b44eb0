"""Remove a model's reasoning, such as the text in `<think>` tags, from its reply."""

import functools

from pairbench_ext.replies import phrases

_PHRASES = phrases.of("thoughts")

TAIL = 2_000  # characters of a reply that is all thought in which its answer is looked for


def strip_thinking(reply: str) -> str:
    """Return the reply without the text between `<think>` and `</think>`, or similar tags.

    Text before a `</think>` that nothing opened is thought too (chat templates open the block in
    the prompt), and so is text after a `<think>` that nothing closes (the reply was cut). Where
    that leaves nothing, an answer in its own tag is said all the same. The reply ends where a model
    that does not stop goes on with a user's turn; one that it begins with is a prompt, repeated.

    >>> strip_thinking("<think>2 or 3?</think>Score: 8")
    'Score: 8'
    """
    return "".join(reply[start:end] for start, end in spoken(reply))


@functools.lru_cache(maxsize=16)
def spoken(reply: str) -> list[tuple[int, int]]:
    """Return the start and end of each passage of a reply that is not reasoning."""
    begin, end = _turn(reply)
    return [(begin + first, begin + last) for first, last in _spoken(reply[begin:end])]


def _turn(reply: str) -> tuple[int, int]:
    """Return where the model's own turn begins and ends."""
    begin = 0
    for user in _PHRASES["user"].finditer(reply):
        if user.start() < begin:
            continue
        if reply[begin : user.start()].strip():
            return begin, user.start()
        assistant = _PHRASES["assistant"].search(reply, user.end())
        if not assistant:
            return user.end(), len(reply)
        begin = assistant.end()
    return begin, len(reply)


def _spoken(reply: str) -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    start, opened, ended = 0, False, False
    for tag in _PHRASES["tag"].finditer(reply):
        if any(tag.groups()):
            if ended and not opened and "<answer>" in reply[start : tag.start()]:
                parts.append((start, tag.start()))  # one end too many
            start, opened, ended = tag.end(), False, True
        elif not opened:
            parts.append((start, tag.start()))
            opened = True
    parts.append((len(reply), len(reply)) if opened else (start, len(reply)))
    if any(reply[first:last].strip() for first, last in parts):
        return parts
    return _answer_of_thoughts(reply) or parts


def _answer_of_thoughts(reply: str) -> list[tuple[int, int]]:
    """Return where a reply that is all thought has its answer."""
    tail = max(0, len(reply) - TAIL)
    for pattern in _PHRASES.each("answers"):
        spans = [match.span("said") for match in pattern.finditer(reply, tail)]
        if spans:
            return spans[-1:]
    return []
