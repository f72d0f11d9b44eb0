"""Ask tasks with several rounds in batches: each round of all documents is one batch.

The harness's protocol is kept. A task's `doc_to_text` (for simple backends) or `doc_to_messages`
(for chat backends) is given the document, the answers so far, the number of the round and what it
returned as information in the round before; it says what to ask next, or that the conversation is
over. Nothing but that is shown to the model: what it should remember, the task repeats.

Documents stay in the harness's order in every round, so requests with a common beginning, such as
repeats of a document or questions about one picture, are neighbours, and a server can reuse it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lmms_eval.api.instance import GenerationResult, Instance, TokenCounts, unwrap_generation_output
from loguru import logger

from pairbench_ext.core.requests import MOST_TOKENS
from pairbench_ext.resumable.asks import Ask
from pairbench_ext.resumable.blocks import Asker
from pairbench_ext.resumable.requests import is_padding

# A task that returns only a text for each round would never end.
MOST_ROUNDS = 1000


def hold_conversations(asker: Asker, requests: Sequence[Instance]) -> list[GenerationResult]:
    """Return the answers to `generate_until_multi_round`: a list of texts per request.

    The texts are those of the rounds, or what a task of a simple backend returned for them. Token
    counts are sums over the rounds, where the base reports any.
    """
    kind = _SimpleConversation if asker.base.is_simple else _ChatConversation
    conversations: list[_Conversation] = [kind(request) for request in requests]
    spare = conversations[0].opening() if conversations else None
    active = [talk for talk in conversations if not is_padding(talk.request)]
    for number in range(MOST_ROUNDS):
        if not asker.ranks.most(len(active)):
            break
        active = _hold_round(asker, active, number, spare)
    else:
        tasks = ", ".join(sorted({str(talk.request.args[-2]) for talk in active}))
        logger.warning(
            f"{tasks}: {len(active)} conversations were stopped unfinished after {MOST_ROUNDS} "
            "rounds of requests"
        )
    return [talk.result() for talk in conversations]


def _hold_round(
    asker: Asker, active: list[_Conversation], number: int, spare: Instance | None
) -> list[_Conversation]:
    """Ask the next question of each conversation; gives those that were not over."""
    if number == 0:
        asked = active
        outputs = asker.ask(asker.plan(_openings(active)), spare)
    else:
        asked = []
        outputs = asker.ask(_follow_ups(asker, active, number, asked), spare)
    for talk, output in zip(asked, outputs, strict=True):
        talk.hear(output)
    return asked


def _openings(conversations: Sequence[_Conversation]) -> list[Instance]:
    """Return first requests; where the harness repeats a request, so is the object."""
    requests: dict[int, Instance] = {}
    return [requests.setdefault(id(talk.request), talk.opening()) for talk in conversations]


def _follow_ups(
    asker: Asker, active: Sequence[_Conversation], number: int, asked: list[_Conversation]
) -> Iterator[Ask]:
    """Yield further questions, made one by one because they may hold pictures; fills `asked`."""
    for talk in active:
        request = talk.follow_up(asker.base.task_dict, number)
        if request is not None:
            asked.append(talk)
            yield asker.asks.make(request, number)


def _showing(shown: Any) -> Callable[[Any], Any]:
    """Return a function of a task that shows this, whatever the document."""
    return lambda _: _own_containers(shown)


def _own_containers(value: Any) -> Any:
    """Return a copy that a model may change; pictures are the same."""
    if isinstance(value, list):
        return [_own_containers(item) for item in value]
    if type(value) is dict:
        return {name: _own_containers(item) for name, item in value.items()}
    return value


class Said(list[Any]):
    """The replies of one conversation. The harness's response cache stores them as one text."""

    def strip(self) -> str:
        """Return the replies joined into one text, without white space around it."""
        return "\n".join(text for text in self if isinstance(text, str)).strip()


class _Conversation:
    """One document and what was said about it."""

    def __init__(self, request: Instance) -> None:
        self.request = request
        self.said: list[Any] = []
        self._information: Any = None
        self._counts: list[TokenCounts] = []

    def opening(self) -> Instance:
        """Return the request of the first round."""
        raise NotImplementedError

    def follow_up(self, tasks: Mapping[str, Any], number: int) -> Instance | None:
        """Return the request of round `number`, from 1; None if the conversation is over."""
        raise NotImplementedError

    def hear(self, output: Any) -> None:
        """Store the answer of a round."""
        text, counts = unwrap_generation_output(output)
        self.said.append(text)
        if counts is not None:
            self._counts.append(counts)

    def result(self) -> GenerationResult:
        """Return the result of the document for the harness."""
        total: dict[str, int] = {}
        for counts in self._counts:
            for name, count in counts.to_dict().items():
                total[name] = total.get(name, 0) + count
        counted = TokenCounts(**total) if self._counts else None
        # Wrapped, because the harness would write a bare list with None in it as one text.
        return GenerationResult(text=Said(self.said), token_counts=counted)

    def _settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The task's settings for this round, with a shorter reply where the task says so."""
        told = self._information
        most = told.get(MOST_TOKENS) if isinstance(told, Mapping) else None
        if most is None:
            return _without_stops(settings)
        longest = min(most, settings.get("max_new_tokens", most))
        return {**_without_stops(settings), "max_new_tokens": longest}

    def _instance(self, *arguments: Any) -> Instance:
        return Instance(
            request_type="generate_until",
            arguments=arguments,
            idx=self.request.idx,
            metadata=self.request.metadata,
        )


class _SimpleConversation(_Conversation):
    def opening(self) -> Instance:
        text, settings, doc_to_visual, _, *place = self.request.args
        return self._instance(text, _without_stops(settings), doc_to_visual, *place)

    def follow_up(self, tasks: Mapping[str, Any], number: int) -> Instance | None:
        _, settings, _, doc_to_text, doc_id, task, split = self.request.args
        visuals, text, is_over, replies, self._information = doc_to_text(
            tasks[task][split][doc_id],
            previous_output=list(self.said),
            round_idx=number,
            previous_round_info=self._information,
        )
        if replies is not None:
            self.said = list(replies)
        if is_over:
            return None
        show = _showing(list(visuals or []))
        return self._instance(text, self._settings(settings), show, doc_id, task, split)


class _ChatConversation(_Conversation):
    def opening(self) -> Instance:
        text, doc_to_messages, settings, *place = self.request.args
        return self._instance(text, doc_to_messages, _without_stops(settings), *place)

    def follow_up(self, tasks: Mapping[str, Any], number: int) -> Instance | None:
        text, doc_to_messages, settings, doc_id, task, split = self.request.args
        payload = doc_to_messages(
            tasks[task][split][doc_id],
            round_idx=number,
            previous_output=list(self.said),
            previous_round_info=self._information,
        )
        if not (isinstance(payload, tuple) and len(payload) == 4):
            return None  # as the harness's own backend takes it: one round only
        messages, is_over, _, self._information = payload
        if is_over:
            return None
        show = _showing(messages)
        return self._instance(text, show, self._settings(settings), doc_id, task, split)


def _without_stops(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings for a round: the backends that know rounds themselves take stop sequences out."""
    return {**settings, "until": []}
