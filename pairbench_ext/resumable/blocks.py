"""Ask a base model block by block; a block's answers are recorded before the next block."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lmms_eval.api.instance import GenerationResult, TokenCounts, unwrap_generation_output
from loguru import logger

from pairbench_ext.core.contents import UnkeyableError
from pairbench_ext.core.texts import counted
from pairbench_ext.replies.failures import is_answer, ran_out, says_nothing, why_failed
from pairbench_ext.resumable.asks import Ask, Asks, looked_up
from pairbench_ext.resumable.journal_file import Answer, Entry
from pairbench_ext.resumable.logprobs import Listener
from pairbench_ext.resumable.requests import as_new, drawn_for, is_padding, takes_seed
from pairbench_ext.resumable.schedule import Ahead, largest_first
from pairbench_ext.resumable.streaming import Recorder, stream_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms

    from pairbench_ext.resumable.journal import Journal
    from pairbench_ext.resumable.schedule import BlockSize, Ranks

_Placed = tuple[int, Ask]


@dataclass
class Tally:
    """Counts of a run's requests: answered from the journal, asked of the model, failed.

    Attributes:
        reused: answered from the journal.
        asked: put to the base.
        failed: of those, without an answer, by cause: asked again by the next run.
        unkeyable: of those, with an answer that cannot be recorded.
        unrecorded: of those, with an answer that could not be recorded for another reason.
        silent: answers, reused ones too, that say nothing.
    """

    reused: int = 0
    asked: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    unkeyable: int = 0
    unrecorded: int = 0
    silent: int = 0


class Asker:
    """Ask the base model for answers to a run's requests, and record them in the journal.

    Args:
        base: the model.
        size: how many requests it is given at a time. A backend whose answers are known one by one
            (`streaming`) is given all that are known, or four times as many as are held.
        ranks: of this run.
        journal: of the answers; None to record none.
        model: digest of the model, see `keys.model_digest`.
        distributions: whether the log probabilities behind replies to our tasks are listened to.
    """

    def __init__(
        self,
        base: lmms,
        size: BlockSize,
        ranks: Ranks,
        journal: Journal | None,
        model: bytes,
        *,
        distributions: bool = False,
    ) -> None:
        self.base = base
        self.size = size
        self.ranks = ranks
        self.journal = journal
        self.asks = Asks(base, None if journal is None else model)
        self.stream = stream_of(base)
        self.tally = Tally()
        self._takes_seed = takes_seed(base)
        self._silent_said = 0
        self.listener = Listener(base, self._again) if distributions else None

    def forget(self) -> None:
        """Drop the counts and the requests of the last run, before the next run starts."""
        self.tally = Tally()
        self._silent_said = 0
        self.asks.forget()

    def plan(self, requests: Sequence[Instance]) -> list[Ask]:
        """Prepare a run's requests, and log how many of them the journal answers already."""
        asks = [self.asks.make(request) for request in requests]
        if self.journal is not None and len(asks) > 1:
            recorded = sum(self._may_be_recorded(ask) for ask in asks)
            logger.info(
                f"journal: {recorded} of {len(asks)} requests were answered in an earlier run"
            )
        return asks

    def ask(
        self, asks: Iterable[Ask], spare: Instance | None, *, in_step: bool = True
    ) -> list[Any]:
        """Return the answer to each request, from the journal if it is there, else from the model.

        Args:
            asks: taken one by one; no more than a block of them is held at a time.
            spare: a request to keep step with other ranks when this one has fewer; not recorded.
            in_step: whether ranks keep step at all, if they have to; see `generate_until`.
        """
        replies: list[Any] = []
        # Requests of later rounds are made one by one, and may hold pictures.
        prepared = list(self._placed(asks)) if isinstance(asks, Sequence) else None
        placed = enumerate(asks) if prepared is None else prepared
        with Ahead([ask for _, ask in prepared or ()], self.size.held) as ahead:
            blocks = self._blocks(placed, replies, ahead, is_known=prepared is not None)
            while True:
                block = next(blocks, [])
                size = self.ranks.most(len(block)) if in_step else len(block)
                if size == 0:
                    return replies
                begun = time.perf_counter()
                spares = [spare] * (size - len(block)) if spare else []
                self._answer(block, [as_new(request) for request in spares], replies, ahead)
                if in_step:  # so that all ranks learn the same
                    self.size.took(size, self.ranks.most(time.perf_counter() - begun))

    def _placed(self, asks: Sequence[Ask]) -> Iterable[_Placed]:
        """Requests that are all known, with their places, in the order in which they are asked."""
        if self.stream is not None or self.size.at_once == 1:  # nothing is filled up
            return enumerate(asks)
        return largest_first(asks)

    def may_move(self, ask: Ask) -> bool:
        """Return whether another rank (process) may ask this unanswered request."""
        drawn_alike = not ask.is_sampled or self._takes_seed
        return ask.drawn is not None and drawn_alike and not self._may_be_recorded(ask)

    def _may_be_recorded(self, ask: Ask) -> bool:
        """Return whether an answer is there to what differs from this only in what it shows."""
        return self.journal is not None and ask.drawn in self.journal.asked

    def _blocks(
        self, asks: Iterable[_Placed], replies: list[Any], ahead: Ahead, *, is_known: bool
    ) -> Iterator[list[_Placed]]:
        """Yield blocks of what has no answer yet, with places in `replies`, which is filled.

        Requests of one task at a time: backends take what they know of the task from the first.
        Answers that are drawn come in the same blocks whatever is recorded, so that they are drawn
        alike.
        """
        block: list[_Placed] = []
        task, first = "", 0
        for number, (place, ask) in enumerate(asks):
            if task != ask.parts.task:
                task, first = ask.parts.task, number
            if block and self._is_full(block, ask, number - first, is_known=is_known):
                yield block
                block = []
            reply = self._recorded(ask, ahead)
            if reply is None:
                block.append((place, ask))
            replies.extend([None] * (place + 1 - len(replies)))
            replies[place] = reply
        if block:
            yield block

    def _is_full(self, block: list[_Placed], ask: Ask, place: int, *, is_known: bool) -> bool:
        """Return whether a block is asked before this request, which is the task's next."""
        size = self.size
        if self.stream is not None:
            return not is_known and len(block) == 4 * size.held
        if block[-1][1].parts.task != ask.parts.task:
            return True
        if self.journal is None:  # nothing can be lost
            return len(block) == size.held
        if ask.is_sampled and not self._takes_seed:
            return place % size.drawn == 0
        return len(block) >= (size.now if is_known else min(size.now, size.held))

    def _recorded(self, ask: Ask, ahead: Ahead) -> str | GenerationResult | None:
        """Return the recorded answer; only what may have one is looked at."""
        if is_padding(ask.request):
            ask.is_shown = True
            return ""  # the harness throws it away; ranks that have to keep step do so by blocks
        if self.journal is None or not self._may_be_recorded(ask):
            return None
        with suppress(Exception):  # it is asked, and raised again where the base sees to it
            ahead.show(ask, ask.docs[int(ask.parts.doc)])
        answer = None if ask.key is None else self.journal.get(ask.key)
        ask.key = None
        if answer is None:
            return None
        self.tally.reused += 1
        self.tally.silent += says_nothing(answer.text)
        if answer.distribution is not None:
            ask.docs.note_distribution(int(ask.parts.doc), answer.distribution)
        if answer.tokens is None:
            return answer.text
        return GenerationResult(text=answer.text, token_counts=TokenCounts(**answer.tokens))

    def _answer(
        self, block: list[_Placed], spares: list[Instance], replies: list[Any], ahead: Ahead
    ) -> None:
        """Put the requests of a block, with spare ones after them, and record the answers."""
        listener = self.listener if block and self._listens(block[0][1]) else None
        if listener is not None and listener.client:
            block = self._ask_first(listener, block, replies, ahead)
            if not (block or spares):
                return
        outputs, left = self._outputs([ask for _, ask in block], spares, ahead, listener)
        for (place, ask), output in zip(block, outputs, strict=False):  # without spares
            counts = getattr(output, "token_counts", None)
            replies[place] = GenerationResult("", counts) if _ran_out(ask, output) else output
        self.tally.asked += len(block)
        for ask in left.values():
            if ask.key is None and ask.drawn is not None:  # shown in a way that was not seen
                self._look(ask)
        self._record([(ask, outputs[number]) for number, ask in left.items()])

    def _ask_first(
        self, listener: Listener, block: list[_Placed], replies: list[Any], ahead: Ahead
    ) -> list[_Placed]:
        """Ask a server one by one until it is known what it gives; return what is left to ask."""
        while block and not listener.begun:
            listener.begun = True
            self._answer(block[:1], [], replies, ahead)
            listener.look(block[0][1])
            listener.begun, block = listener.known, block[1:]
        return block

    def _outputs(
        self, asks: Sequence[Ask], spares: list[Instance], ahead: Ahead, listener: Listener | None
    ) -> tuple[list[Any], dict[int, Ask]]:
        """What the base returns, and by number the requests whose answers are not recorded yet.

        Raises:
            RuntimeError: if it returns too few.
        """
        ahead.expect(asks)
        show = partial(self._shown, ahead.show)
        requests = [*[ask.through(show, takes_seed=self._takes_seed) for ask in asks], *spares]
        drawn = [ask.drawn for ask in asks if ask.drawn is not None and ask.is_sampled]
        left = dict(enumerate(asks))

        def came(answers: Sequence[tuple[int, Any]]) -> None:
            new = [(n, output) for n, output in answers if n in left and left[n].key is not None]
            self._record([(left.pop(n), output) for n, output in new])

        heard = listener.listening() if listener else nullcontext()
        with drawn_for(drawn) if drawn else nullcontext(), looked_up(self.base), heard:
            if self.stream is None:
                outputs = self._generated(requests, asks, listener)
            else:
                with Recorder(came) as recorder:
                    outputs = self.stream(requests, recorder.put)
        if len(outputs) != len(requests):
            raise RuntimeError(
                f"{type(self.base).__name__} returned {len(outputs)} answers to {len(requests)} "
                "requests"
            )
        return outputs, left

    def _listens(self, ask: Ask) -> bool:
        return self.listener is not None and ask.round == 0 and hasattr(ask.docs, "distributions")

    def _shown(self, show: Callable[[Ask, Any], Any], ask: Ask, doc: Any) -> Any:
        if self.listener is not None:
            self.listener.shows(ask)
        return show(ask, doc)

    def _generated(
        self, requests: Sequence[Instance], asks: Sequence[Ask], listener: Listener | None
    ) -> list[Any]:
        """The base's answers; one by one, where the rows of its batches are not to be trusted."""
        if listener is not None and listener.alone:
            return [out for ask in requests for out in self.base.generate_until([as_new(ask)])]
        again = [as_new(request) for request in requests]
        outputs: list[Any] = self.base.generate_until(requests)
        if listener is not None and not listener.known and len(requests) > 1:
            listener.confirm(asks[: max(2, self.size.at_once)])
            return self._generated(again, asks, listener) if listener.alone else outputs
        return outputs

    def _again(self, ask: Ask, tokens: int) -> None:
        """Ask the base once more for the first tokens of a reply, while it is listened to."""
        assert self.listener is not None
        show = partial(self._shown, lambda shown, doc: shown.parts.show(doc))
        request = ask.through(show, takes_seed=False)
        request.args[1 if self.base.is_simple else 2].update(max_new_tokens=tokens)
        with looked_up(self.base), self.listener.listening():
            self.base.generate_until([request])

    def _look(self, ask: Ask) -> None:
        try:
            ask.take(ask.make()[1])
        except Exception as error:  # noqa: BLE001  (the base bore it, and other answers are there)
            ask.cannot_be_recorded(
                UnkeyableError(f"nothing, but raises {type(error).__name__} ({error})")
            )

    def _record(self, answers: Sequence[tuple[Ask, Any]]) -> None:
        """Record answers; if that fails, the run still has them and goes on."""
        entries: list[Entry] = []
        for ask, output in answers:
            with self._going_on():
                entries += self._entry(ask, output)
        if self.tally.silent and self.tally.silent >= 2 * self._silent_said:
            self._silent_said = self.tally.silent
            logger.warning(f"journal: {silent_remark(self.tally.silent)}")
        if self.journal is None or not entries:
            return
        try:
            self.journal.append(entries)
        except Exception:  # noqa: BLE001  (one of them must not take the others with it)
            for entry in entries:
                with self._going_on():
                    self.journal.append([entry])

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001  (whatever it is: the answer is there)
            self.tally.unrecorded += 1
            logger.warning(f"journal: an answer could not be recorded ({error!r})")

    def _entry(self, ask: Ask, output: Any) -> list[Entry]:
        """Return the entry of an answer; none if it is not to be recorded."""
        reply, tokens = _unwrapped(output)
        if _ran_out(ask, output):
            reply = ""
        elif not is_answer(reply, tokens):
            self.tally.failed[why_failed(reply)] += 1
            return []
        self.tally.silent += says_nothing(reply)
        distribution = None
        if self._listens(ask) and isinstance(reply, str):
            path = ask.path or "this backend's token probabilities cannot be captured"
            found = ask.docs.find_distribution(int(ask.parts.doc), reply, path)
            distribution, ask.path, ask.first = found.to_dict(), None, None
        if ask.key is None or ask.drawn is None:
            self.tally.unkeyable += self.journal is not None
            return []
        place = (int(ask.parts.doc), ask.draw, ask.round)
        return [
            Entry(
                ask.key,
                ask.parts.task,
                Answer(reply, tokens, distribution, ask.raw),
                *place,
                ask.drawn,
            )
        ]


def silent_remark(silent: int) -> str:
    """Return a remark: how many replies are empty, and how to avoid empty replies."""
    return (
        f"{counted(silent, 'reply', 'is')} empty (only white space, or no tokens were left after "
        "reasoning) and cannot be read. Allow more tokens: --gen_kwargs max_new_tokens=8192"
    )


def _unwrapped(output: Any) -> tuple[Any, dict[str, int] | None]:
    """What a backend returned for a request, and its token counts as far as they are numbers."""
    if output is None:
        return None, None
    reply, counts = unwrap_generation_output(output)
    if counts is None:
        return reply, None
    tokens: dict[str, int] = {}
    for name, number in vars(counts).items():
        with suppress(OverflowError, TypeError, ValueError):  # infinite, no number, NaN
            tokens[name] = int(number)
    return reply, tokens


def _ran_out(ask: Ask, output: Any) -> bool:
    return ran_out(*_unwrapped(output), ask.parts.settings.get("max_new_tokens"))
