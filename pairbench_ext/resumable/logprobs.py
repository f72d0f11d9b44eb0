"""Capture the log probabilities of the tokens in a model's replies (`distributions=true`).

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
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from loguru import logger

from pairbench_ext.core.probabilities import Likely, Path, of_server
from pairbench_ext.resumable.streaming import asked, replaced

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

    from pairbench_ext.resumable.asks import Ask

TOKENS = (20, 5)  # alternatives at a place: as many as servers allow, then as some do
_LOGGED = 50  # alternatives of what generates here
_NEAR = {"torch.float32": 1e-4}  # log probabilities of a row alone and in its batch; else one step
_ONE_STEP = 0.03  # of bfloat16, and a little more
_COMPARED = 5  # tokens
_FIRST = 10  # requests that are put one by one to a server that answers none

First = tuple[float, Mapping[int, float]]  # how near the log probabilities of a first token are


class Listener:
    """Capture the tokens of the reply to each request, with their log probabilities.

    Args:
        base: the model.
        again: asks one request again by itself, for so many tokens.
    """

    def __init__(self, base: lmms, again: Callable[[Ask, int], None]) -> None:
        self._base, self._again = base, again
        self.client = getattr(getattr(base, "client", None), "chat", None)
        self.alone = False  # whether the base is asked one by one
        self.begun = False  # whether a server is asked, or has shown what it gives
        self.known = False  # whether the base's rows, or a server's first reply, were looked at
        self._answered = False
        self._looked = 0
        self._on = False
        self._generating = False
        self._shown: list[Ask] = []
        self._forced: list[int] = []
        self._tokens: int | None = TOKENS[0]
        self._refused = ""

    def shows(self, ask: Ask) -> None:
        """Note that a request was shown to the base model, to match the next tokens with it."""
        self._shown.append(ask)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Capture the tokens of replies while the block, in which the base model answers, runs."""
        if self._on:
            yield
            return
        from transformers import GenerationMixin

        owner: Any = GenerationMixin if self.client is None else self.client.completions
        name = "generate" if self.client is None else "create"
        changed = (self._generate if self.client is None else self._create)(getattr(owner, name))
        self._shown.clear()
        self._on = True
        try:
            with replaced(owner, name, changed):
                yield
        finally:
            self._on = False

    # --- Servers

    def _create(self, create: Callable[..., Any]) -> Callable[..., Any]:
        """Return the client's method, which also asks for log probabilities."""
        from openai import AsyncOpenAI

        async def created(**payload: Any) -> Any:
            refused: list[str] = []
            while True:
                with self._settings(refused) as settings:
                    return self._took(await create(**payload, **settings), refused)

        def created_at_once(**payload: Any) -> Any:
            refused: list[str] = []
            while True:
                with self._settings(refused) as settings:
                    return self._took(create(**payload, **settings), refused)

        return created if isinstance(self._base.client, AsyncOpenAI) else created_at_once

    @contextmanager
    def _settings(self, refused: list[str]) -> Iterator[dict[str, Any]]:
        """What asks for log probabilities: for fewer, or for none, once the request is refused.

        Of the first request this is found out for all. A later one that is refused, as one of
        several servers behind an address may do, is asked again without them by itself.

        Raises:
            APIStatusError: if it says something else.
        """
        from openai import APIStatusError

        settings: dict[str, Any] = {}
        if self._tokens and not refused:
            settings = {"logprobs": True, "top_logprobs": self._tokens}
        try:
            yield settings
        except APIStatusError as error:
            if not settings and not self.known:  # it was not for them
                self._tokens, self._refused = TOKENS[0], ""
            if error.status_code not in (400, 403, 422) or not settings:
                raise
            if self.known:
                refused.append(f"refused log probabilities ({str(error)[:120]})")
                return
            self._tokens = dict(pairwise((*TOKENS, None))).get(self._tokens)
            self._refused = f"the server refuses log probabilities ({str(error)[:120]})"

    def _took(self, response: Any, refused: Sequence[str]) -> Any:
        ask, self._answered = asked.get(), True
        if ask is not None:
            body = response.model_dump(warnings=False)
            source = f"{self._tokens} top_logprobs of {body.get('model') or 'the server'}"
            [choice, *_] = body.get("choices") or [{}]
            of_reply = of_server(choice.get("logprobs"), source)
            why = self._refused if self._tokens is None else "".join(refused)
            ask.path = why or of_reply
        return response

    def look(self, ask: Ask) -> None:
        """Log once, after the first reply, whether probabilities of possible answers are known."""
        self._looked += 1
        self.known = self._answered or self._looked == _FIRST
        if not self.known:  # it may have failed by itself
            return
        found = ask.docs.distributions.get(int(ask.parts.doc))
        if found is None or found.none:
            why = found.none if found else "no answer came"
            logger.warning(
                f"answer probabilities: there are none for the first reply ({why}). Answers are "
                "still read from the texts of replies. Each sample says why it has none"
            )
            return
        mass = sum(found.answers.values())
        reach = "" if mass > 0.5 else ": the server lists too few tokens to include every answer"
        logger.log(
            "WARNING" if reach else "INFO",
            f"answer probabilities: {found.source}; in the first reply, the {len(found.answers)} "
            f"possible answers together have a probability of {mass:.1%}{reach}",
        )

    # --- What generates in this process

    def _generate(self, generate: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method of `transformers`, which also tells the tokens of its rows."""

        def generated(model: Any, *arguments: Any, **named: Any) -> Any:
            if self._generating:  # a model that generates by another one
                return generate(model, *arguments, **named)
            steps: list[Any] = []
            others = named.get("logits_processor") or ()
            named["logits_processor"] = [*others, _taking(steps, self._forced)]
            self._generating = True
            try:
                output = generate(model, *arguments, **named)
            finally:
                self._generating = False
            self._rows(getattr(output, "sequences", output), steps, str(model.dtype))
            return output

        return generated

    def _rows(self, sequences: Any, steps: Sequence[Any], dtype: str) -> None:
        """Give the documents shown since the last call their rows."""
        shown = list(dict.fromkeys(self._shown))
        self._shown.clear()
        if not steps or not len(sequences) == len(shown) == len(steps[0][0]):
            for ask in shown:
                ask.path = f"the model returned {len(sequences)} replies to {len(shown)} requests"
            return
        import torch

        logs, tokens = (torch.stack(part, dim=1).tolist() for part in zip(*steps, strict=True))
        for row, ask in enumerate(shown):
            beside = list(map(dict, map(zip, tokens[row], logs[row])))
            ask.first = _NEAR.get(dtype, _ONE_STEP), beside[0]
            ask.path = self._path(ask, sequences[row, -len(steps) :].tolist(), beside)

    def _path(self, ask: Ask, ids: list[int], beside: Sequence[Mapping[int, float]]) -> Path:
        """The path of the tokens that were generated in a row, up to the one that ends it."""
        tokenizer = _tokenizer(self._base)
        ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
        n = next((n for n, token in enumerate(ids) if token in ends), len(ids) - 1) + 1

        def text(token: int) -> str:
            piece = tokenizer.convert_ids_to_tokens(token) or ""
            word = str(tokenizer.decode([token]))
            return f" {word.lstrip()}" if piece.startswith("\u2581") else word

        def likely(place: int) -> Likely:
            return [(text(token), log) for token, log in beside[place].items()]

        def after(place: int, other: str) -> Likely:
            """Return the tokens that the base model writes after this forced token."""
            token = next(token for token in beside[place] if text(token) == other)
            self._forced[:] = [*ids[:place], token]
            try:
                path, _ = self._heard_again(ask, place + 2)
            finally:
                self._forced.clear()
            heard = path is not ask.path and isinstance(path, Path)
            return path.likely(place + 1) if heard else ()

        return Path([text(token) for token in ids[:n]], likely, "logits of the model", after)

    def _heard_again(self, ask: Ask, tokens: int) -> tuple[Any, First | None]:
        """The path and the first tokens of another reply; those of the request stay as they are."""
        kept = ask.path, ask.first
        try:
            self._again(ask, tokens)
            return ask.path, ask.first
        finally:
            ask.path, ask.first = kept

    def confirm(self, asks: Sequence[Ask]) -> None:
        """Ask the first batch again, one request at a time; if tokens differ, stop batching."""
        self.known = True
        name = type(self._base).__name__
        if all(ask.path is None for ask in asks):
            logger.warning(
                f"answer probabilities: the tokens of {name} cannot be captured, so its "
                "answers are read from the texts of replies only"
            )
            return
        for ask in asks:
            self.alone |= not _alike(ask.first, self._heard_again(ask, 1)[1])
        if self.alone:
            logger.warning(
                f"answer probabilities: {name} gives other answers in a batch than to single "
                "requests, or mixes up the rows of a batch. Its requests are asked one by one"
            )


def _alike(first: First | None, other: First | None) -> bool:
    """Return whether the first tokens were as likely, as far as the model's precision goes."""
    if first is None or other is None:
        return False
    near, logs = first
    compared = list(logs.items())[:_COMPARED]
    return all(abs(other[1].get(token, -99.0) - log) <= near for token, log in compared)


def _taking(steps: list[Any], forced: Sequence[int]) -> Callable[[Any, Any], Any]:
    """A logits processor that takes down the likeliest tokens of each step, and may force some."""
    import torch

    def take(_: Any, scores: Any) -> Any:
        logs = torch.log_softmax(scores.float(), dim=-1).topk(min(_LOGGED, scores.shape[-1]))
        steps.append([part.cpu() for part in logs])
        if len(steps) > len(forced):
            return scores
        only = torch.full_like(scores, -torch.inf)
        only[:, forced[len(steps) - 1]] = 0
        return only

    return take


def _tokenizer(base: Any) -> Any:
    for owner in (base, getattr(base, "processor", None), getattr(base, "_processor", None)):
        for name in ("tokenizer", "_tokenizer"):
            if getattr(owner, name, None) is not None:
                return getattr(owner, name)
    return getattr(base, "_image_processor", None)
