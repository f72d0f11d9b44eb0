"""Turn a request into chat messages and picture files, and read replies with logprobs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from PIL.Image import Image

from pairbench_ext.core import probabilities
from pairbench_ext.core.contents import image_digest
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.requests import Request
from pairbench_ext.core.visual import encoded, png_url
from pairbench_ext.harness.rounds import Messages, messages


def openai_messages(request: Request) -> Messages:
    """Return a request as messages for OpenAI's API, with pictures as data URLs.

    Pictures are sent as PNG, so that no pixel differs from what other backends are shown.
    """
    return messages(
        request, lambda image: {"type": "image_url", "image_url": {"url": png_url(image)}}
    )


def pil_messages(request: Request) -> Messages:
    """Return a request as messages for `transformers` chat templates, with PIL pictures."""
    return messages(request, lambda image: {"type": "image", "image": image})


def shown_parts(request: Request) -> Iterator[str | Image]:
    """Yield a request's texts and pictures in the order shown, with adjacent texts joined."""
    pending = ""
    for part in request.parts:
        if isinstance(part, str):
            pending += part
            continue
        if pending:
            yield pending
            pending = ""
        yield from part()
    if pending:
        yield pending


def picture_file(image: Image, folder: Path) -> Path:
    """Return the path of a picture's PNG file, which is written if it is missing."""
    path = folder / f"{image_digest(image).hex()}.png"
    if not path.exists():
        write_atomically(path, encoded(image))
    return path


class TokenReply(str):
    """A reply with its tokens, and each token's most probable alternatives.

    Attributes:
        path: of the tokens; or why there are none.
    """

    path: probabilities.Path | str


def token_reply(response: Any) -> TokenReply:
    """Return the reply, with its tokens, in a chat-completions response with `logprobs`.

        ask = partial(client.chat.completions.create, model=..., logprobs=True, top_logprobs=20)
        task.write("out", [token_reply(ask(messages=trial.messages)) for trial in task])

    Args:
        response: an object of OpenAI's client, or its JSON.

    Raises:
        KeyError, IndexError: if it has no choice with a message.
    """
    body: Mapping[str, Any] = (
        response if isinstance(response, Mapping) else response.model_dump(warnings=False)
    )
    choice = body["choices"][0]
    reply = TokenReply(choice["message"].get("content") or "")
    source = f"logprobs of {body.get('model') or 'a server'}"
    reply.path = probabilities.of_server(choice.get("logprobs"), source)
    return reply
