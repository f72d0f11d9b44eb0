"""The answers to a block of requests, brought to the journal as they come."""

from __future__ import annotations

import numbers
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lmms_eval.api.instance import TokenCounts, unwrap_generation_output

from pairbench_ext.core.contents import UnkeyableError
from pairbench_ext.replies.failures import is_answer
from pairbench_ext.resumable.journal.store import Answer, Entry
from pairbench_ext.resumable.requests import parts_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance

    from pairbench_ext.resumable.ahead import Ahead, DocKey
    from pairbench_ext.resumable.asks import Ask, Keys
    from pairbench_ext.resumable.journal.store import Journal
    from pairbench_ext.resumable.shown import Shown


@dataclass
class Tally:
    """What became of a run's requests.

    Attributes:
        reused: answered from the journal.
        asked: put to the base.
        failed: of those, without an answer: asked again by the next run.
    """

    reused: int = 0
    asked: int = 0
    failed: int = 0


class Recording:
    """Records the answers to a block.

    Args:
        asks: the block.
        keys: of the run.
        journal: of the answers; None to record none.
        ahead: through which the block's requests show what they show.
        tally: of the run; failures are counted.
    """

    def __init__(
        self, asks: Sequence[Ask], keys: Keys, journal: Journal | None, ahead: Ahead, tally: Tally
    ) -> None:
        self._asks = asks
        self._keys = keys
        self._journal = journal
        self._ahead = ahead
        self._tally = tally
        self._left = set(range(len(asks)))
        self._untold = {
            index
            for index, ask in enumerate(asks)
            if ask.question is not None and not ask.question.is_told
        }
        self._to_tell = [index for index in sorted(self._untold) if self._is_known(index)]
        self._places = self._by_document()

    def came(self, answers: Sequence[tuple[int, Any]]) -> None:
        """Record answers that came, if it is known by now what they are to.

        Args:
            answers: with the numbers of their requests in the block, and of any after it.
        """
        self._see()
        self._record([one for one in answers if one[0] in self._left and self._is_known(one[0])])

    def over(self, outputs: Sequence[Any]) -> None:
        """Record what is left when all answers are there; for the thread that asks."""
        self._see()
        for index in sorted(self._left):
            question = self._asks[index].question
            if question is not None and question.is_open:  # the base had it shown in its own way
                self._keys.saw(question, self._look(question.request))
                self._to_tell.append(index)
        self._record([(index, outputs[index]) for index in sorted(self._left)])

    def _look(self, request: Instance) -> Shown | UnkeyableError:
        try:
            return self._ahead.look(request)
        except Exception as error:  # noqa: BLE001  (the base bore it, and other answers are there)
            return UnkeyableError(f"nothing, but raises {type(error).__name__} ({error})")

    def _by_document(self) -> dict[DocKey, list[int]]:
        """Requests by what they show, where a document shows the same to all of its own."""
        if self._journal is None:
            return {}
        places: dict[DocKey, list[int]] = defaultdict(list)
        shows: dict[DocKey, set[Any]] = defaultdict(set)
        for index, ask in enumerate(self._asks):
            key = self._ahead.key_of(ask.request)
            shows[key].add(parts_of(ask.request, self._ahead.is_simple).show)
            if ask.question is not None:
                places[key].append(index)
        return {key: found for key, found in places.items() if len(shows[key]) == 1}

    def _see(self) -> None:
        """Take what was shown since the last time."""
        for key, shown in self._ahead.seen().items():
            for index in self._places.get(key, ()):
                question = self._asks[index].question
                if question is not None and (question.is_open or not question.showed(shown)):
                    self._keys.saw(question, shown)
                if index in self._untold:
                    self._to_tell.append(index)

    def _is_known(self, index: int) -> bool:
        question = self._asks[index].question
        return question is None or not question.is_open

    def _record(self, answers: Sequence[tuple[int, Any]]) -> None:
        self._left.difference_update(index for index, _ in answers)
        entries = [
            entry
            for index, output in answers
            if (entry := self._entry(self._asks[index], output)) is not None
        ]
        if self._journal is None:
            return
        if any(index in self._untold for index, _ in answers):
            self._untold.difference_update(self._to_tell)
            self._keys.tell(self._journal, [self._asks[index] for index in self._to_tell])
            self._to_tell.clear()
        self._journal.append(entries)

    def _entry(self, ask: Ask, output: Any) -> Entry | None:
        text, counts = unwrap_generation_output(output)
        tokens = None if counts is None else _plain(counts)
        if not isinstance(text, str) or not is_answer(text, tokens):
            self._tally.failed += 1
            return None
        if ask.question is None or ask.key is None:
            return None
        doc, repeat = int(ask.request.args[-3]), ask.question.first + ask.repeat
        return Entry(ask.key, ask.task, Answer(text, tokens), doc, repeat, ask.round)


def _plain(counts: TokenCounts) -> dict[str, int]:
    """Token counts as numbers that JSON has."""
    return {
        name: int(count)
        for name, count in counts.to_dict().items()
        if isinstance(count, numbers.Integral)
    }
