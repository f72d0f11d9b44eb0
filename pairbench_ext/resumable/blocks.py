"""Requests put to a base model in blocks; answers are recorded before more is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from lmms_eval.api.instance import GenerationResult, TokenCounts
from loguru import logger

from pairbench_ext.resumable.ahead import Ahead
from pairbench_ext.resumable.asks import Ask, Keys
from pairbench_ext.resumable.journal.keys import is_greedy
from pairbench_ext.resumable.order import InOrder, Sizes, largest_first
from pairbench_ext.resumable.recording import Recording, Tally
from pairbench_ext.resumable.requests import as_new, is_padding, parts_of
from pairbench_ext.resumable.sampling import drawn_for, takes_seed, with_seed
from pairbench_ext.resumable.shown import look
from pairbench_ext.resumable.streaming import Recorder, stream_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms

    from pairbench_ext.resumable.block_size import BlockSize
    from pairbench_ext.resumable.journal.keys import ModelFacts
    from pairbench_ext.resumable.journal.store import Journal
    from pairbench_ext.resumable.ranks import Ranks


class Asker:
    """Puts requests to a base model and records the answers.

    Args:
        base: the model.
        size: how many requests it is given at a time. A backend whose answers are known one by one
            (`streaming`) is given all that are known, or four times as many as are held.
        ranks: of this run.
        journal: of the answers; None to record none.
        model: what is compared of the model.

    Raises:
        UnkeyableError: for an argument of the model that cannot be compared.
    """

    def __init__(
        self, base: lmms, size: BlockSize, ranks: Ranks, journal: Journal | None, model: ModelFacts
    ) -> None:
        self.base = base
        self.size = size
        self.ranks = ranks
        self.journal = journal
        self.keys = Keys(base, model)
        self.stream = stream_of(base)
        self.tally = Tally()

    def forget(self) -> None:
        """Begin another run: what was asked before does not count as a repeat any more."""
        self.tally = Tally()
        self.keys.forget()

    def bare(self, requests: Sequence[Instance]) -> list[Any]:
        """What the base returns, with nothing recorded; its connections are kept for the next."""
        if self.stream is not None:
            return self.stream.generate(requests, lambda _, __: None)
        outputs: list[Any] = self.base.generate_until(requests)
        return outputs

    def plan(self, requests: Sequence[Instance]) -> list[Ask]:
        """Find the answers that the journal has, explain what does not fit, and announce the rest.

        Only requests that it may have an answer to are looked at. The keys of the others are found
        when they are shown to the base.
        """
        if self.journal is None:
            return [Ask(request) for request in requests]
        asks = self.keys.asks(requests)
        self._look_up(self.journal, asks)
        if len(asks) > 1:
            found = sum(ask.key in self.journal for ask in asks if ask.key is not None)
            logger.info(f"journal: {found} of {len(asks)} answers are already there")
            self._explain(self.journal, asks)
        self._announce(asks)
        return asks

    def prepare(self, request: Instance, number: int) -> Ask:
        """One request of round `number` with its key."""
        if self.journal is None:
            return Ask(request)
        [ask] = self.keys.asks([request], number)
        if ask.question is not None:
            self.keys.saw(ask.question, look(self.base, request))
        return ask

    def _look_up(self, journal: Journal, asks: Sequence[Ask]) -> None:
        """Look at what the journal may have an answer to."""
        from tqdm import tqdm

        questions = dict.fromkeys(ask.question for ask in asks if ask.question is not None)
        maybe = [one for one in questions if self.keys.may_be_answered(journal, one)]
        hidden = len(asks) < 2 or self.base.rank != 0
        with self._ahead() as ahead:
            ahead.expect([question.request for question in maybe])
            for question in tqdm(maybe, "Looking up answers", delay=2, disable=hidden):
                with suppress(Exception):  # it is asked, and raised again where the base sees to it
                    self.keys.saw(question, ahead.look(question.request))

    def _explain(self, journal: Journal, asks: Sequence[Ask]) -> None:
        """Say before the first request why answers that are there are not those to these."""
        if self.base.rank != 0:
            return
        for reason in self.keys.explain(journal, asks):
            logger.warning(
                "journal: it has answers to the same documents that do not fit, so they are asked "
                f"again. {reason}"
            )

    def ask(
        self, asks: Iterable[Ask], spare: Instance | None, *, in_step: bool = True
    ) -> list[Any]:
        """What the base returns for each request, or returned for it in an earlier run.

        Args:
            asks: taken one by one; no more than a block of them is held at a time.
            spare: a request to keep step with other ranks when this one has fewer; not recorded.
            in_step: whether ranks keep step at all, if they have to; see `generate_until`.
        """
        replies: list[Any] = []
        later: list[Ask] = []  # of later rounds: known only now
        # Requests of later rounds are made one by one, and may hold pictures.
        is_known = isinstance(asks, Sequence)
        known = InOrder(self._placed(asks) if isinstance(asks, Sequence) else ())
        placed = known if is_known else enumerate(asks)
        blocks = self._blocks(_collecting(placed, later), replies, is_known=is_known)
        with self._ahead() as ahead:
            while True:
                block = next(blocks, [])
                self._announce(later)
                later.clear()
                size = self.ranks.most(len(block)) if in_step else len(block)
                if size == 0:
                    return replies
                begun = time.perf_counter()
                spares = [spare] * (size - len(block)) if spare else []
                requests = [self._as_asked(ask) for _, ask in block]
                if is_known:
                    ahead.expect(requests, self._next(known))
                    requests = [ahead.through(request) for request in requests]
                self._answer(block, [*requests, *map(as_new, spares)], replies, ahead)
                if in_step:  # so that all ranks learn the same
                    self.size.took(size, self.ranks.most(time.perf_counter() - begun))

    def _ahead(self) -> Ahead:
        return Ahead(self.base, self.size.held, compares=self.journal is not None)

    def _next(self, known: InOrder) -> list[Instance]:
        """Requests of the blocks after the one that is asked now."""
        missing = (
            ask.request
            for _, ask in known.following()
            if self.journal is None or ask.key is None or ask.key not in self.journal
        )
        return list(islice(missing, self.size.held))

    def _placed(self, asks: Sequence[Ask]) -> Iterable[tuple[int, Ask]]:
        """Requests that are all known, with their places, in the order in which they are asked."""
        if self.stream is not None or self.size.at_once == 1:  # nothing is filled up
            return enumerate(asks)
        return largest_first(asks, self._is_drawn, self._pixels())

    def _pixels(self) -> Callable[[Ask], int]:
        """How many pixels a request shows, as far as that is known before."""
        sizes = Sizes()

        def pixels(ask: Ask) -> int:
            if self.journal is not None and ask.key is not None and ask.key in self.journal:
                return 0  # it is not asked
            parts = parts_of(ask.request, self.base.is_simple)
            return sizes.of(self.base.task_dict[parts.task][parts.split], int(parts.doc))

        return pixels

    def _announce(self, asks: Iterable[Ask]) -> None:
        if self.journal is not None:
            self.keys.announce(self.journal, asks)

    def _blocks(
        self, asks: Iterable[tuple[int, Ask]], replies: list[Any], *, is_known: bool
    ) -> Iterator[list[tuple[int, Ask]]]:
        """What the journal has no answer to, with its place in `replies`, which is filled.

        Requests of one task at a time: backends take what they know of the task from the first.
        Answers that are drawn come in the same blocks whatever is recorded, so that they are drawn
        alike.
        """
        block: list[tuple[int, Ask]] = []
        task, first = "", 0
        for number, (place, ask) in enumerate(asks):
            if task != ask.task:
                task, first = ask.task, number
            if block and self._is_full(block, ask, number - first, is_known=is_known):
                yield block
                block = []
            reply = self._recorded(ask)
            if reply is None:
                block.append((place, ask))
            replies.extend([None] * (place + 1 - len(replies)))
            replies[place] = reply
        if block:
            yield block

    def _is_full(
        self, block: list[tuple[int, Ask]], ask: Ask, place: int, *, is_known: bool
    ) -> bool:
        """Whether a block is asked before this request, which is the task's next."""
        size = self.size
        if self.stream is not None:
            return not is_known and len(block) == 4 * size.held
        if block[-1][1].task != ask.task:
            return True
        if self.journal is None:  # nothing can be lost
            return len(block) == size.held
        if self._is_drawn(ask) and not takes_seed(self.base):
            return place % size.drawn == 0
        return len(block) >= (size.now if is_known else min(size.now, size.held))

    def _recorded(self, ask: Ask) -> str | GenerationResult | None:
        if is_padding(ask.request):
            return ""  # the harness throws it away; ranks that have to keep step do so by blocks
        answer = None
        if self.journal is not None and ask.key is not None:
            answer = self.journal.get(ask.key)
        if answer is None:
            return None
        self.tally.reused += 1
        if answer.tokens is None:
            return answer.text
        return GenerationResult(text=answer.text, token_counts=TokenCounts(**answer.tokens))

    def _answer(
        self,
        block: list[tuple[int, Ask]],
        requests: list[Instance],
        replies: list[Any],
        ahead: Ahead,
    ) -> None:
        """Put the requests of a block, with spare ones after them, and record the answers."""
        if not requests:
            return
        asks = [ask for _, ask in block]
        seeds = [ask.seed for ask in asks if ask.seed is not None and self._is_drawn(ask)]
        recording = Recording(asks, self.keys, self.journal, ahead, self.tally)
        with drawn_for(seeds) if seeds else nullcontext(), ahead.documents():
            if self.stream is None:
                outputs = self.base.generate_until(requests)
            else:
                with Recorder(recording.came) as recorder:
                    outputs = self.stream.generate(requests, recorder.put)
        if len(outputs) != len(requests):
            raise RuntimeError(
                f"{type(self.base).__name__} returned {len(outputs)} answers to {len(requests)} "
                "requests"
            )
        for (place, _), output in zip(block, outputs, strict=False):  # without spares
            replies[place] = output
        self.tally.asked += len(block)
        recording.over(outputs)

    def _is_drawn(self, ask: Ask) -> bool:
        settings = parts_of(ask.request, self.base.is_simple).settings
        return not is_greedy(settings or {})

    def _as_asked(self, ask: Ask) -> Instance:
        if ask.seed is not None and self._is_drawn(ask) and takes_seed(self.base):
            return with_seed(as_new(ask.request), ask.seed)
        return as_new(ask.request)


def _collecting(asks: Iterable[tuple[int, Ask]], later: list[Ask]) -> Iterator[tuple[int, Ask]]:
    for place, ask in asks:
        if ask.round:
            later.append(ask)
        yield place, ask
