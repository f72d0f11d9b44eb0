"""Replies that come with their tokens, from which the distribution over the answers follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairbench_ext.replies.probabilities import Path, of_server


class TokenReply(str):
    """A reply, as a text, with the tokens that the model might have written in their place.

    Attributes:
        path: of the tokens; or why there are none.
    """

    path: Path | str


def token_reply(response: Any) -> TokenReply:
    """The reply in a response of OpenAI's chat completions, asked with `logprobs`.

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
    made = TokenReply(choice["message"].get("content") or "")
    made.path = of_server(choice.get("logprobs"), f"logprobs of {body.get('model') or 'a server'}")
    return made
