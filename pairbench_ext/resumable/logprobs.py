"""The log probabilities behind a base's replies, for our own tasks alone (`distributions=true`).

Two kinds of bases show them:

- What generates in this process with `transformers`: `GenerationMixin.generate` is wrapped, so that
  templates and pixels stay the backend's. The rows of a batch are those of the documents that were
  shown since the last call. Some backends pad batches wrongly, and their rows are as many all the
  same: so the rows of the first batch are asked again one by one, and where these differ, the base
  is asked one by one from then on.
- Servers of OpenAI's protocol, asked by `async_openai` or the chat `openai`: `logprobs` is added to
  what the client's `chat.completions.create` is given. Whether the server gives any is known after
  the first request, which is asked alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from loguru import logger

from pairbench_ext.replies.probabilities import Likely, Path, of_server

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms
    from openai import APIStatusError

    from pairbench_ext.resumable.asks import Ask

#: The request that a server is asked, for whoever listens to the client.
asked: ContextVar[Any] = ContextVar("asked", default=None)

TOKENS = (20, 5)  # alternatives at a place: as many as servers allow, then as some do
_NEAR = {"float32": 1e-4}  # log probabilities of a row alone and in its batch; else one step
_ONE_STEP = 0.03  # of bfloat16, and a little more
_SHOWN = 5  # tokens that are compared

Again = Callable[["Ask", int], None]  # asks once more, alone, for so many tokens


class Listener:
    """Takes the tokens of replies, for each request: `Ask.path`.

    Args:
        base: the model.
        again: asks one request again by itself, for so many tokens.
    """

    def __init__(self, base: lmms, again: Again) -> None:
        self._base, self._again = base, again
        self.client = getattr(getattr(base, "client", None), "chat", None)
        self.alone = False  # whether the base is asked one by one
        self.begun = False  # whether a server was asked
        self.known = False  # whether the base's rows, or a server's first reply, were looked at
        self._on = False
        self._shown: list[Ask] = []
        self._forced: list[int] = []
        self._tokens: int | None = TOKENS[0]
        self._refused = ""

    def shows(self, ask: Ask) -> None:
        """A request was shown to the base."""
        self._shown.append(ask)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to the base, while it answers."""
        if self._on:
            yield
            return
        from transformers import GenerationMixin

        owner: Any = GenerationMixin
        name = "generate"
        if self.client is not None:
            owner, name = self.client.completions, "create"
        original = getattr(owner, name)
        own = name in vars(owner)
        self._shown.clear()
        self._on = True
        changed = self._generate if self.client is None else self._create
        setattr(owner, name, changed(original))
        try:
            yield
        finally:
            self._on = False
            setattr(owner, name, original) if own else delattr(owner, name)

    # --- Servers

    def _create(self, create: Callable[..., Any]) -> Callable[..., Any]:
        """The client's method, which also asks for log probabilities."""
        from openai import APIStatusError, AsyncOpenAI

        if isinstance(self._base.client, AsyncOpenAI):

            async def created(**payload: Any) -> Any:
                while True:
                    settings = self._settings()
                    try:
                        return self._took(await create(**payload, **settings))
                    except APIStatusError as error:
                        self._refuses(error, settings)

            return created

        def created_at_once(**payload: Any) -> Any:
            while True:
                settings = self._settings()
                try:
                    return self._took(create(**payload, **settings))
                except APIStatusError as error:
                    self._refuses(error, settings)

        return created_at_once

    def _settings(self) -> dict[str, Any]:
        return {"logprobs": True, "top_logprobs": self._tokens} if self._tokens else {}

    def _refuses(self, error: APIStatusError, settings: Mapping[str, Any]) -> None:
        """Ask for fewer from now on, or for none, if the request itself is refused.

        Raises:
            APIStatusError: the error, if it says something else, or is not of the first request.
        """
        if not settings and not self.known:  # it was not for them
            self._tokens, self._refused = TOKENS[0], ""
        if error.status_code not in (400, 403, 422) or self.known or not settings:
            raise error
        self._tokens = dict(pairwise((*TOKENS, None))).get(settings["top_logprobs"])
        self._refused = f"the server refuses log probabilities ({str(error)[:120]})"

    def _took(self, response: Any) -> Any:
        ask = asked.get()
        if ask is not None:
            body = response.model_dump(mode="json")
            source = f"{self._tokens} top_logprobs of {body.get('model') or 'the server'}"
            of_reply = of_server(body["choices"][0].get("logprobs"), source)
            ask.path = self._refused if self._tokens is None else of_reply
        return response

    def look(self, ask: Ask) -> None:
        """Say what the first request has shown of a server."""
        self.known = True
        found = ask.docs.distributions.get(int(ask.parts.doc))
        if found is None or found.none:
            why = "no answer came" if found is None else found.none
            logger.warning(
                f"distributions: the first reply has none ({why}); words are counted all the same, "
                "and each sample says why it has no distribution"
            )
            return
        mass = sum(found.answers.values())
        logger.info(
            f"distributions: {found.source}; the first reply has {len(found.answers)} answers with "
            f"{mass:.1%} of the probability"
        )
        if mass <= 0.5:
            logger.warning("distributions: the tokens that are given do not reach the answers")

    # --- What generates in this process

    def _generate(self, generate: Callable[..., Any]) -> Callable[..., Any]:
        """The method of `transformers`, which also tells the tokens of its rows."""
        listener, inside = self, False

        def generated(model: Any, *arguments: Any, **named: Any) -> Any:
            nonlocal inside
            if inside:  # a model that generates by another one
                return generate(model, *arguments, **named)
            from transformers import LogitsProcessorList

            steps = _steps(listener._forced)
            named["logits_processor"] = LogitsProcessorList(
                [*(named.get("logits_processor") or ()), steps]
            )
            inside = True
            try:
                output = generate(model, *arguments, **named)
            finally:
                inside = False
            listener._rows(getattr(output, "sequences", output), steps.steps, model)
            return output

        return generated

    def _rows(self, sequences: Any, steps: Sequence[Any], model: Any) -> None:
        """Give the documents shown since the last call their rows."""
        shown = list(dict.fromkeys(self._shown))
        self._shown.clear()
        if not steps or len(sequences) != len(shown) or len(steps[0][0]) != len(shown):
            for ask in shown:
                ask.path = f"{len(sequences)} rows of tokens for {len(shown)} documents"
            return
        for row, ask in enumerate(shown):
            tokens = Tokens(
                _tokenizer(self._base),
                sequences[row, -len(steps) :].tolist(),
                [[part[row].tolist() for part in step] for step in steps],
                str(model.dtype).removeprefix("torch."),
            )
            ask.tokens = tokens
            ask.path = Path(
                tokens.texts,
                tokens.likely,
                "logits of the model",
                partial(self._after, ask, tokens),
            )

    def _after(self, ask: Ask, tokens: Tokens, place: int, text: str) -> Likely:
        """What would follow another token at a place, asked of the base by forcing the tokens."""
        kept = ask.path, ask.tokens
        self._forced[:] = [*tokens.ids[:place], tokens.id_of(place, text)]
        try:
            self._again(ask, len(self._forced) + 1)
            made = ask.tokens
            return made.likely(len(self._forced)) if made is not tokens else ()
        finally:
            self._forced.clear()
            ask.path, ask.tokens = kept

    def confirm(self, asks: Sequence[Ask]) -> None:
        """Ask the rows of the first batch again one by one; from then on all, if they differ."""
        self.known = True
        if all(ask.path is None for ask in asks):
            name = type(self._base).__name__
            logger.warning(f"distributions: nobody can listen to {name}: words are counted alone")
            return
        for ask in asks:
            before = ask.path, ask.tokens
            self._again(ask, 1)
            if before[1] is None or ask.tokens is None or not before[1].begins_like(ask.tokens):
                self.alone = True
            ask.path, ask.tokens = before
        if self.alone:
            logger.warning(
                f"distributions: {type(self._base).__name__} answers differently in batches, or "
                "its rows are not those of the documents: it is asked one by one"
            )


class Tokens:
    """The tokens that were generated in a row.

    Args:
        tokenizer: of the model.
        ids: of the tokens.
        steps: for each, the log probabilities and the ids of the likeliest ones.
        dtype: of the model.
    """

    def __init__(
        self, tokenizer: Any, ids: Sequence[int], steps: Sequence[Any], dtype: str
    ) -> None:
        ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
        n = next((n for n, token in enumerate(ids) if token in ends), len(ids) - 1) + 1
        self.ids, self.steps, self.dtype = list(ids[:n]), steps[:n], dtype
        self._tokenizer = tokenizer
        self.texts = [self._text(token) for token in self.ids]

    def _text(self, token: int) -> str:
        piece = self._tokenizer.convert_ids_to_tokens(token) or ""
        own = str(self._tokenizer.decode([token]))
        return f" {own.lstrip()}" if piece.startswith("\u2581") else own

    def likely(self, place: int) -> Likely:
        """The likeliest tokens at a place, with their log probabilities."""
        logs, ids = self.steps[place]
        return [(self._text(token), log) for log, token in zip(logs, ids, strict=True)]

    def id_of(self, place: int, text: str) -> int:
        """The likeliest token of a text."""
        return next(int(token) for token in self.steps[place][1] if self._text(token) == text)

    def begins_like(self, other: Tokens) -> bool:
        """Whether the first tokens were as likely, as far as the model's precision goes."""
        near = _NEAR.get(self.dtype, _ONE_STEP)
        known = dict(zip(*reversed(other.steps[0]), strict=True))
        first = list(zip(*self.steps[0], strict=True))[:_SHOWN]
        return all(abs(known.get(token, -99.0) - log) <= near for log, token in first)


def _steps(forced: Sequence[int]) -> Any:
    """A logits processor that takes down the likeliest tokens of each step, and may force some."""
    import torch
    from transformers import LogitsProcessor

    class Steps(LogitsProcessor):
        def __init__(self) -> None:
            self.steps: list[tuple[Any, Any]] = []

        def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ARG002
            logs = torch.log_softmax(scores.float(), dim=-1).topk(min(50, scores.shape[-1]))
            self.steps.append((logs.values.cpu(), logs.indices.cpu()))
            if len(self.steps) <= len(forced):
                only = torch.full_like(scores, -torch.inf)
                only[:, forced[len(self.steps) - 1]] = 0
                return only
            return scores

    return Steps()


def _tokenizer(base: Any) -> Any:
    for owner in (base, getattr(base, "processor", None), getattr(base, "_processor", None)):
        for name in ("tokenizer", "_tokenizer"):
            if getattr(owner, name, None) is not None:
                return getattr(owner, name)
    return getattr(base, "_image_processor", None)
