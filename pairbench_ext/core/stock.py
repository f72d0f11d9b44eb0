"""Read logs of lmms-eval's own judge tasks as samples of our benchmarks.

A stock task logs what it was asked, the reply and its own score, but counts a reply that it cannot
read as an answer and prints no coverage. A benchmark that asks the same says how a trial of its own
follows from such a sample; all else is read, counted and shown as for its own tasks.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import counted, decimal


class StockLog(NamedTuple):
    """The rules to read samples that one of lmms-eval's own tasks logged.

    Attributes:
        task: its name, for messages.
        field: of a sample: what the task returned for it, a mapping; it tells the task.
        trial: the fields of our trial that follow from a sample and that mapping.
        score: a sample's points by the stock task, from that mapping.
        printed: the number that the stock task prints, from all samples' mappings.
        metric: the name of that number; the field's unless said.
        ours: the number of ours that stands beside it.
        note: what the log cannot tell, and which task of ours can.
        once: whether documents that share an item's name are one item, of which the first counts.
    """

    task: str
    field: str
    trial: Callable[[Record, Mapping[str, Any]], Mapping[str, Any]]
    score: Callable[[Mapping[str, Any]], float]
    printed: Callable[[Sequence[Mapping[str, Any]]], float]
    metric: str = ""
    ours: str = "vote_accuracy"
    note: str = ""
    once: bool = False

    def fits(self, fields: Mapping[str, Any]) -> bool:
        """Return whether a logged sample belongs to this task of lmms-eval."""
        return "trial" not in fields and isinstance(fields.get(self.field), dict)

    def known(self, record: Record) -> Mapping[str, Any]:
        """Return the result that lmms-eval's own task logged for a sample.

        Raises:
            RecordError: if it is missing.
        """
        return dict(record.get(self.field, dict))

    def samples(self, records: Sequence[Record], benchmark: str) -> list[Record]:
        """Return each sample with the fields of our trial (`trial`) that corresponds to it.

        Names of items that several documents share get the document's number, or the first counts.

        Raises:
            RecordError: naming the line and the field that is missing or wrong.
        """
        documents: dict[str, Any] = {}
        samples = []
        for record in records:
            try:
                trial = dict(self.trial(record, self.known(record)))
            except (KeyError, ValueError, TypeError) as error:
                if isinstance(error, RecordError):
                    raise
                raise RecordError(
                    f"{record.where}: this is no sample of {self.task} as lmms-eval logs it "
                    f"({error!r})"
                ) from error
            document = record.fields.get("doc_id")
            if documents.setdefault(trial["item"], document) != document:
                if self.once:
                    continue
                trial["item"] = f"{trial['item']} ({document})"
            trial = {"benchmark": benchmark, **trial}
            samples.append(Record(record.where, {**record.fields, "trial": trial}))
        return samples

    def describe(self, scored: Sequence[Mapping[str, Any]], unread: Sequence[bool]) -> list[str]:
        """Return remarks on lmms-eval's own score, and on its points from unreadable replies.

        Args:
            scored: what the task returned for each sample.
            unread: whether our reading finds the sample's reply unreadable.
        """
        points = sum(map(self.score, scored))
        guessed = [self.score(sample) for sample, bad in zip(scored, unread, strict=True) if bad]
        line = (
            f"lmms-eval's {self.task} prints {decimal(self.printed(scored), 3)} "
            f"({self.metric or self.field}); pairbench-ext computes {self.ours}"
        )
        if guessed:
            line += (
                f". {counted(len(guessed), 'reply', 'is')} unreadable. The task of lmms-eval "
                f"counts such replies as answers: {sum(guessed):g} of its {points:g} points come "
                "from them"
            )
        return [line, self.note] if self.note else [line]
