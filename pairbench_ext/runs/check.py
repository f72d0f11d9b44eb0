"""Show how a run's replies were parsed, and draw some at random for a person to check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pairbench_ext.core.findings import Finding, FindingTable, Measure, plain_table
from pairbench_ext.core.readers import ReadReply
from pairbench_ext.core.records import read_up_to_cut
from pairbench_ext.replies.proposed import proposed
from pairbench_ext.runs.groups import labels
from pairbench_ext.runs.how_read import HowRead, confirmations
from pairbench_ext.runs.samples import exchanges_of, read_record, trial_of
from pairbench_ext.runs.score_finding import cautions, sources_of
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.seeds import stable_hash

EXAMPLES, REASONS = 3, 8
_WIDTH = 100  # characters of a reply that are shown: its end, where answers mostly stand
_REPLY = Measure("reply", "Reply", "The end of the judge's reply.", "text")


class Checked(NamedTuple):
    """A judge's reply and the value that was parsed from it.

    Attributes:
        place: among the replies of the file.
        prompt: that was recorded; empty without one.
        item: that it is about.
        text: the reply.
        read: how it was read.
        why: it is unreadable.
        recorded: the value that the record has; None without one.
        differs: whether that is another one.
        declared: whether the trial says what was asked for.
    """

    place: int
    prompt: str
    item: str
    text: str
    read: ReadReply
    why: str = ""
    recorded: Any = None
    differs: bool = False
    declared: bool = False


def checked_of(run: Run) -> Iterator[Checked]:
    """Yield the replies of a run and the value parsed from each, in the order of the file."""
    records, _ = read_up_to_cut(run.file)
    place = 0
    for record in run.benchmark.samples(records):
        trial = trial_of(record)
        if trial.fields.get("asked") is False:
            continue
        reading = read_record(run.benchmark, record, run.rule)
        texts = [exchange.reply for exchange in exchanges_of(record, trial) if not exchange.failed]
        outcome = reading.outcomes[0] if reading.outcomes else None
        measured = outcome.measured if outcome else {}
        whys = iter(reading.unusable)
        for text, read in zip(texts, reading.replies, strict=False):
            why = next(whys, "") if read.step == "unreadable" else ""
            recorded = trial.fields.get("recorded")
            item = str(outcome.item) if outcome else ""
            prompt = str(trial.fields.get("prompt") or "")
            differs, declared = bool(measured.get("other")), bool(trial.fields.get("answer"))
            yield Checked(place, prompt, item, text, read, why, recorded, differs, declared)
            place += 1


def drawn(run: Run, most: int) -> list[Checked]:
    """Draw at random readable replies whose parsed value no person has checked yet."""
    confirmed = confirmations(run.file)
    left = [
        reply
        for reply in checked_of(run)
        if reply.read.step != "unreadable" and reply.place not in confirmed
    ]
    return sorted(left, key=lambda reply: stable_hash(0, reply.place, reply.read.checksum))[:most]


def check_finding(runs: Sequence[Run]) -> Finding:
    """Return a finding that shows how each run's replies were parsed, and which are unreadable."""
    named = dict(zip(labels(runs), runs, strict=True))
    says = [*cautions(named.items())]
    says += [
        f"{label}: {line}." for label, run in named.items() for line in run.how_read.describe()
    ]
    tables = [table for label, run in named.items() for table in _tables(label, run)]
    shares = {label: _document(run.how_read) for label, run in named.items()}
    notes = tuple(note for label, run in named.items() for note in _proposed(label, run))
    fields = {"read": shares}
    return Finding("check", tuple(says), tuple(tables), sources_of(runs), notes, fields=fields)


def _proposed(label: str, run: Run) -> Iterator[str]:
    """Yield what prompts or replies say of the answer that was asked for, if nobody declared it."""
    if run.benchmark.read.asks is not None:
        return
    checked = list(checked_of(run))
    if any(reply.declared for reply in checked):
        return
    found = proposed([reply.prompt for reply in checked], [reply.text for reply in checked])
    if found:
        form = str(found.asks)
        how = f"; declare it with --columns 'answer={form}'" if form else ""
        guess = f"It is probably {found.asks.kind!r}, because {found.because}{how}"
        yield f"{label}: the format of the answer is not declared. {guess}"


def _document(how: HowRead) -> dict[str, Any]:
    counts = ("asked", "prose", "unreadable", "compared", "otherwise", "checked", "wrong")
    return {name: getattr(how, name) for name in counts} | {"most_wrong": how.most_wrong}


def _tables(label: str, run: Run) -> Iterator[FindingTable]:
    """Yield the commonest reasons with examples, and readings that the record contradicts."""
    by_reason: dict[str, list[Checked]] = defaultdict(list)
    differing = []
    for reply in sorted(checked_of(run), key=lambda reply: (reply.item, reply.text)):
        if reply.read.step == "unreadable":
            by_reason[reply.why].append(reply)
        elif reply.differs:
            differing.append(reply)
    frequent = sorted(by_reason, key=lambda why: (-len(by_reason[why]), why))[:REASONS]
    counted = Measure("replies", "Replies", "Replies that cannot be read for this reason.", "count")
    rows = [
        (why, reply.item, len(by_reason[why]), _end(reply.text))
        for why in frequent
        for reply in by_reason[why][:EXAMPLES]
    ]
    if rows:
        title = f"Unreadable replies of {label}, most frequent reasons"
        yield plain_table("unreadable", title, ("Reason", "Item"), (counted, _REPLY), rows)
    if differing:
        read, recorded = (Measure(name, name.title(), "", "text") for name in ("read", "recorded"))
        otherwise = (
            (reply.item, str(reply.read.value), str(reply.recorded), _end(reply.text))
            for reply in differing[:EXAMPLES]
        )
        title = f"Replies of {label} read as another value than recorded: {len(differing):,}"
        columns = (read, recorded, _REPLY)
        yield plain_table("otherwise", title, ("Item",), columns, otherwise)


def _end(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"... {line[-_WIDTH:]}"
