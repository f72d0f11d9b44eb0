"""Count how replies were parsed, and how many values differ from the log or a person's check.

What people confirmed is kept beside the run, in `CHECKS`. It counts for a reading as long as reply
and value are those that a person saw.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import scipy

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.readers import Reading, ReadReply
from pairbench_ext.core.records import read_jsonl
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.replies.asked import NOT_DECLARED
from pairbench_ext.runs.files import typed_for

CHECKS = "reading_checks.jsonl"
_TIE = "a tie"  # the reason why a reply holds no verdict
ENOUGH, MOST_OTHERWISE, HALF = 0.9, 0.03, 0.5
_FREQUENT = 0.05  # of all replies have a mark that nobody declared


@dataclass(frozen=True)
class HowRead:
    """Counts of replies that had the requested format, were parsed from prose, or are unreadable.

    Attributes:
        asked: read where the declared answer stood as asked.
        prose: read in prose.
        unreadable: not read.
        compared: readings beside a recorded value.
        otherwise: of these, those that differ from it.
        checked: readings that a person looked at.
        wrong: of these, those that the person found wrong.
        reasons: why replies cannot be read.
        declared: whether the rows say what was asked for.
    """

    asked: int
    prose: int
    unreadable: int
    compared: int = 0
    otherwise: int = 0
    checked: int = 0
    wrong: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    declared: bool = False

    @property
    def replies(self) -> int:
        """Return the number of replies, readable or not."""
        return self.asked + self.prose + self.unreadable

    @property
    def most_wrong(self) -> float:
        """Return the 95% upper bound of the share of misread replies (Clopper-Pearson)."""
        if self.wrong >= self.checked:
            return 1.0
        return float(scipy.stats.beta.ppf(0.95, self.wrong + 1, self.checked - self.wrong))

    @property
    def read(self) -> int:
        """Return the number of readable replies."""
        return self.asked + self.prose

    def describe(self) -> list[str]:
        """Return the counts in words, including how many parsed values people found wrong."""
        if not self.replies:
            return []
        shares = zip(
            (self.asked, self.prose, self.unreadable),
            ("as asked", "in prose", "unreadable"),
            strict=True,
        )
        parts = [f"{_percent(part, self.replies)} {name}" for part, name in shares]
        counts = f"{counted(self.replies, 'reply')}: {', '.join(parts)}"
        return ["; ".join(filter(None, (counts, self.confirmed)))]

    @property
    def confirmed(self) -> str:
        """Return, as text, how many replies people found misread; empty if nobody checked any."""
        if not self.checked:
            return ""
        return (
            f"a person found that {self.wrong} of {counted(self.checked, 'reply')} were misread: "
            f"at most {decimal(100 * self.most_wrong, 1)}% of all are (95% confidence)"
        )

    def _doubts(self) -> Iterator[str]:
        """Yield what speaks against the declaration of the answer."""
        if self.asked < HALF * self.read and (self.asked or self.declared):
            share = _percent(self.asked, self.read)
            yield f"only {share} of the answers have the declared format; check the declaration"
        undeclared = self.reasons.get(NOT_DECLARED, 0)
        if undeclared > _FREQUENT * self.replies:
            share = _percent(undeclared, self.replies)
            yield f"in {share} of the replies, the explicit answer is none of the allowed answers"

    def cautions(self) -> list[str]:
        """Return warnings to print before any metric, such as that too few replies are readable."""
        warnings = []
        # A tie is understood, though it is no verdict where the benchmark knows none.
        if self.replies and self.read + self.reasons.get(_TIE, 0) < ENOUGH * self.replies:
            often = max(self.reasons, key=self.reasons.__getitem__, default="")
            why = f" (most often: {often})" if often else ""
            share = _percent(self.read, self.replies)
            warnings.append(f"only {share} of {counted(self.replies, 'reply')} can be read{why}")
        if self.compared and self.otherwise > MOST_OTHERWISE * self.compared:
            share = _percent(self.otherwise, self.compared)
            warnings.append(
                f"{share} of {counted(self.compared, 'value')} read from replies differ from the "
                "recorded value"
            )
        return [*warnings, *self._doubts()]


def how_read(readings: Sequence[Reading], outcomes: Iterable[Outcome], file: Path) -> HowRead:
    """Count the replies of one file by how they were parsed."""
    replies = [reply for reading in readings for reply in reading.replies]
    steps = Counter(reply.step for reply in replies)
    recorded = Counter(
        bool(outcome.measured["other"])
        for outcome in outcomes
        if "other" in outcome.measured and outcome.usable
    )
    held = [check.right for check in confirmations(file).values() if check.holds_of(replies)]
    return HowRead(
        asked=steps["asked"],
        prose=steps["prose"],
        unreadable=steps["unreadable"],
        compared=recorded.total(),
        otherwise=recorded[True],
        checked=len(held),
        wrong=held.count(False),
        reasons=Counter(why for reading in readings for why in reading.unusable),
        declared=any(reading.declared for reading in readings),
    )


def pooled(parts: Sequence[HowRead]) -> HowRead:
    """Add up the counts of how replies were parsed over several files."""
    reasons: Counter[str] = Counter()
    for part in parts:
        reasons.update(part.reasons)
    names = ("asked", "prose", "unreadable", "compared", "otherwise", "checked", "wrong")
    sums = {name: sum(getattr(part, name) for part in parts) for name in names}
    return HowRead(**sums, reasons=reasons, declared=any(part.declared for part in parts))


class Confirmation(NamedTuple):
    """A person's check of one parsed reply: whether the reply really says the parsed value."""

    place: int
    checksum: int
    value: str
    right: bool

    def holds_of(self, replies: Sequence[ReadReply]) -> bool:
        """Return whether reply and parsed value are the same as when the person checked them."""
        now = replies[self.place] if self.place < len(replies) else None
        return now is not None and (now.checksum, repr(now.value)) == (self.checksum, self.value)


def confirmations(file: Path) -> dict[int, Confirmation]:
    """Return people's latest check of each parsed reply, from a file beside the run's file."""
    kept, name = checks_of(file)
    if not kept.is_file():
        return {}
    return {
        int(row["place"]): Confirmation(*(row[name] for name in Confirmation._fields))
        for row in [row.fields for row in read_jsonl(kept) if row.fields.get("file") == name]
        if {*Confirmation._fields} <= row.keys()
    }


def confirm(file: Path, place: int, reply: ReadReply, *, right: bool) -> None:
    """Store a person's check of one parsed reply, in a file beside the run's file."""
    check = Confirmation(place, reply.checksum, repr(reply.value), right)
    path, name = checks_of(file)
    with path.open("a", encoding="utf-8") as kept:
        kept.write(json.dumps({"file": name, **check._asdict()}) + "\n")


def checks_of(file: Path) -> tuple[Path, str]:
    """Return the file with people's checks of a run, and the run's name in that file.

    Of samples that were made for a file of records, they are beside that file.
    """
    typed, *_ = typed_for(file)
    if typed == file:
        return file.parent / CHECKS, file.name
    return typed.with_name(f"{typed.name}.{Path(CHECKS).stem}"), "/".join(file.parts[-2:])


def _percent(part: int, whole: int) -> str:
    return f"{decimal(100 * part / whole, 0 if part in (0, whole) else 1)}%"
