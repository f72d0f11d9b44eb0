"""The requests that a trial makes to the model, and the replies to them."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from PIL.Image import Image

from pairbench_ext.replies.failures import request_failed

#: What a task in rounds tells `resumable` about a request: its longest reply.
MOST_TOKENS = "most_new_tokens"

Trial: TypeAlias = Mapping[str, Any]
Pictures: TypeAlias = Callable[[], Sequence[Image]]  # called when they are shown, not before

#: Placeholders that backends replace with an image, each with the models that do so.
#:
#: Queries and answers of data sets hold them (`<image>` in VL-RewardBench's), and so may what a
#: model said a moment ago. A backend that finds one in a prompt puts an image there, or one image
#: too few behind it, or raises: the whole run is lost then. Our images stand where a request has
#: them, so its texts need none. What only looks like one stays: `<image 1>`, an HTML tag.
SLOTS = (
    "<image>",  # LLaVA, InternVL, Idefics, Aria, Mantis, Phi-3; of lmms-eval Claude and GPT-4V
    "<img>",  # Qwen-VL, which opens the file that is named up to ...
    "</img>",
    "<IMG_CONTEXT>",  # InternVL
    "<ImageHere>",  # XComposer
    "<|image|>",  # Llama, GLM
    "<|image_pad|>",  # Qwen2-VL and later
    "<|vision_start|>",
    "<|vision_end|>",
    "<start_of_image>",  # Gemma 3
    "<image_soft_token>",
    "<image_placeholder>",  # Janus
    "<fake_token_around_image>",  # Idefics
    "[IMG]",  # Pixtral, Mistral
)
_NUMBERED = r"<\|image_\d+\|>"  # Phi-3, Phi-4
_SLOT = re.compile(rf"(?:{'|'.join(map(re.escape, SLOTS))}|{_NUMBERED})\n?")


def without_image_slots(text: str) -> str:
    r"""Return a text without image placeholders and the line breaks next to them.

    >>> without_image_slots("<image>\nIs <image 1> a cat? <image>")
    'Is <image 1> a cat? '
    """
    replaced = 1
    while replaced:  # what is left may close up to a mark
        text, replaced = _SLOT.subn("", text)
    return text


@dataclass(frozen=True)
class Request:
    """A request to the model: the texts and images of its prompt, in the order shown.

    Attributes:
        content: texts, and functions that give images, at least one each. Chat backends are shown
            it in this order; simple ones get the images and `text`, and place them as they do.
            Marks in texts that backends would take for images are taken out (`SLOTS`).
        system: the system prompt, if there is one.
        log: what the log says of the request, in tasks that ask in rounds.
        tokens: the longest reply, if shorter than the task's. Only `resumable` can keep it, and
            not for a trial's first request: the harness has one setting per task.
        for_simple: what simple backends are told in place of the texts, where these say what comes
            first and what follows.
        as_is: whether chat backends are shown the texts as they are, with such marks and without
            blank lines between them, as authors' scripts send them.
    """

    content: tuple[str | Pictures, ...]
    system: str = ""
    log: Mapping[str, Any] = field(default_factory=dict)
    tokens: int | None = None
    for_simple: str = ""
    as_is: bool = False

    def __post_init__(self) -> None:
        if not self.as_is:
            shown = (without_image_slots(p) if isinstance(p, str) else p for p in self.content)
            object.__setattr__(self, "content", tuple(shown))
        object.__setattr__(self, "for_simple", without_image_slots(self.for_simple))

    @property
    def parts(self) -> list[str | Pictures]:
        """Return texts and images for chat backends, usually with blank lines between texts."""
        return [part for part in self.content if part != ""] if self.as_is else spaced(self.content)

    @property
    def texts(self) -> list[str]:
        """Return the nonempty texts, in their order."""
        return [part for part in self.parts if isinstance(part, str)]

    @property
    def text(self) -> str:
        """Return all texts joined into one, for backends that take one text per request."""
        texts = (part for part in spaced(self.content) if isinstance(part, str))
        return self.for_simple or without_image_slots("".join(texts))

    @property
    def shows_images(self) -> bool:
        """Return whether the request shows images, without loading any."""
        return any(not isinstance(part, str) for part in self.content)

    def images(self) -> list[Image]:
        """Return the images, loaded now, in their order."""
        parts = (part for part in self.content if not isinstance(part, str))
        return [image for part in parts for image in part()]


def shown(*pictures: Pictures) -> Pictures:
    """Return a function that loads several lists of pictures as one list."""
    return lambda: [image for load in pictures for image in load()]


def spaced(content: Sequence[Any]) -> list[Any]:
    """Drop empty texts from a prompt, and put a blank line between each text and the next.

    Chat templates put nothing between texts. The blank line is there with an image between them as
    well: the same parts in another order differ by their order alone.
    """
    parts = [part for part in content if part != ""]
    places = [place for place, part in enumerate(parts) if isinstance(part, str)]
    for place, following in pairwise(places):
        before, after = parts[place], parts[following]
        if not (before[-1].isspace() or after[0].isspace()):
            parts[place] = f"{before}\n\n"
    return parts


Rounds: TypeAlias = Generator[Request, str, None]  # reply = yield request


def changed(asked: Request | Rounds, change: Callable[[Request], Request]) -> Request | Rounds:
    """Change a request, or each request of a trial with several rounds, by a function.

    Args:
        asked: one request, or a generator of them that is sent each reply.
        change: gives what is asked in place of a request.
    """
    return change(asked) if isinstance(asked, Request) else changed_rounds(asked, change)


def changed_rounds(rounds: Rounds, change: Callable[[Request], Request]) -> Rounds:
    """Yield the requests of a trial with several rounds, each changed by a function."""
    try:
        request = next(rounds)
        while True:
            request = rounds.send((yield change(request)))
    except StopIteration:
        return


class Exchange(NamedTuple):
    """A request to the model, as the log describes it, and the reply to it.

    Attributes:
        log: what the log says of the request.
        reply: the reply, without a reasoning model's thoughts.
    """

    log: Mapping[str, Any]
    reply: str

    @property
    def failed(self) -> bool:
        """Return whether the request failed and has no reply."""
        return request_failed(self.reply)


class Dialogue(NamedTuple):
    """The state of a trial: the answered requests, and the request to ask next.

    Attributes:
        exchanges: the requests that were answered.
        following: the request to be answered next; None if it is over.
        unread: how many replies were left when it was over.
    """

    exchanges: list[Exchange]
    following: Request | None
    unread: int

    @property
    def complete(self) -> bool:
        """Return whether each request of the trial has a reply, and each reply has a request."""
        return self.following is None and not self.unread


def dialogue(asked: Request | Rounds, replies: Sequence[str]) -> Dialogue:
    """Return the state of a trial after these replies: answered requests, and the next request.

    Args:
        asked: one request, or a generator of them that is sent each reply.
        replies: in their order.
    """
    if isinstance(asked, Request):
        exchanges = [Exchange(asked.log, reply) for reply in replies[:1]]
        return Dialogue(exchanges, None if replies else asked, max(0, len(replies) - 1))
    exchanges = []
    following = next(asked, None)
    for reply in replies:
        if following is None:
            break
        exchanges.append(Exchange(following.log, reply))
        try:
            following = asked.send(reply)
        except StopIteration:
            following = None
    asked.close()
    return Dialogue(exchanges, following, len(replies) - len(exchanges))
