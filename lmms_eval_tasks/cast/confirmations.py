"""Turn a model's statements, and its verdicts on whether they are true, into arrays.

A row is one request and its reply:

    step       "generate" or "evaluate"
    pair       name or number of the pair of scenes that is shown
    generated  modality that the statements are generated from: "text", "image" or "both"
    swapped    whether the statement is from another pair than the one it is evaluated for
               (optional, default false); a list that is asked for once more to that end counts
               only if the request fails
    response   the reply

and for an evaluation also

    position   place of the statement in its list, from 1
    evaluated  modality that the scenes are shown in
    prompt     the answers that are asked for: "yes/no", "both/one" or "true/false"

A file of plain rows has one a line. A sample of the harness has under `trial` a list `exchanges`,
or one row whose reply is the sample's; there `prompts` says by whose prompts lists were asked for,
which tells how they are read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from lmms_eval_tasks.cast.lists import reader
from lmms_eval_tasks.cast.prompts import Prompts, asks
from pairbench_ext.core.benchmark import (
    Exchange,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    Reading,
    Trial,
)
from pairbench_ext.core.readers import parse
from pairbench_ext.core.records import Record, as_mapping, from_record
from pairbench_ext.core.table import once_per_table
from pairbench_ext.runs.samples import EXCHANGES

IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Modality: TypeAlias = Literal["text", "image", "both"]
Wording: TypeAlias = Literal["yes/no", "both/one", "true/false"]
MODALITIES: tuple[str, ...] = get_args(Modality)
PROMPTS: tuple[str, ...] = get_args(Wording)

AUTHORS = "authors"
GRAMMAR = "yesno"


@dataclass(frozen=True)
class Document:
    """The logged fields that name the prompts with which a list of statements was requested."""

    prompts: Prompts | None = None
    examples: Literal[0, 1] = 0


@dataclass(frozen=True)
class ListRow:
    """The logged fields of a request for a list of statements."""

    step: Literal["generate"]
    pair: int | str
    generated: Modality
    swapped: bool = False


@dataclass(frozen=True)
class StatementRow:
    """The logged fields of a request to confirm one statement."""

    step: Literal["evaluate"]
    pair: int | str
    generated: Modality
    position: Annotated[int, Ge(1)]
    evaluated: Modality
    prompt: Wording
    swapped: bool = False


LIST = OutcomeFields("text", ListRow, item=("pair",), variant=("swapped", "generated"))


class _Fields(OutcomeFields):
    """The fields of a confirmation; a document also has lists, and the rounds of a log."""

    def read(self, record: Record) -> Mapping[str, Any]:
        """Check a logged trial or a plain row, and return it without its replies.

        Raises:
            RecordError: naming the row and the field that is missing or wrong.
        """
        from_record(Document, record)
        if EXCHANGES not in record.fields:
            _read_row(record)
        for number, row in enumerate(record.fields.get(EXCHANGES) or ()):
            _read_row(Record(f"{record.where}, {EXCHANGES} {number}", row))
        return record.fields

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row has the fields of a confirmation, or of a list of statements."""
        return super().fits(row) or LIST.fits(row)


#: `said` is 1 where the model confirms the statement, 0 where it does not.
CONFIRMATION = _Fields(
    "rated",
    StatementRow,
    item=("pair",),
    variant=("swapped", "generated", "evaluated", "position", "prompt"),
    scale=(0, 1),
)


def _read_row(row: Record) -> Mapping[str, Any]:
    """Return the fields of one request, for a list or for a confirmation."""
    listed = isinstance(row.fields, Mapping) and row.fields.get("step") == "generate"
    return as_mapping(from_record(ListRow if listed else StatementRow, row))


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """Return what a trial's replies hold: the list of statements and the verdicts on each."""
    listed = reader(trial.get("prompts") or "paper", trial.get("examples") or 0)
    outcomes, rows = [], []
    for exchange in exchanges:
        asked = _read_row(Record("a request", exchange.log))
        outcome, log = _list(asked, exchange, listed)
        if asked["step"] == "evaluate":
            outcome, log = _confirmation(asked, exchange, rule)
        outcomes.append(outcome)
        rows.append(log)
    if trial.get("complete") is False:
        part = {name: trial.get(name) for name in ("generated", "swapped")}
        outcomes.append(
            Outcome("text", trial.get("pair"), INCOMPLETE, variant={**part, "cut": True})
        )
    return Reading(
        # Confirmations first: their pair is the document's.
        outcomes=tuple(sorted(outcomes, key=lambda outcome: outcome.kind)),
        rows=tuple(rows),
        unusable=tuple(row["unusable"] for row in rows if row.get("unusable")),
        failed=sum(exchange.failed for exchange in exchanges),
    )


_NO_LIST = "the list has no statement"
#: Said of a document with replies to some of its requests only, or to more than there are.
INCOMPLETE = "incomplete"


def _list(
    asked: Trial, exchange: Exchange, listed: Callable[[str], list[str]]
) -> tuple[Outcome, dict[str, Any]]:
    """Return the number of statements in a list; None if the request failed."""
    length = None if exchange.failed else len(listed(exchange.reply))
    log = {"statements": length}
    return LIST.outcome(asked, length), log if length else {**log, "unusable": _NO_LIST}


def _confirmation(asked: Trial, exchange: Exchange, rule: str) -> tuple[Outcome, dict[str, Any]]:
    value: Any
    value, why = parse(GRAMMAR, exchange, rule, asks(asked["prompt"]))
    log = {"said": value, "unusable": why if value is None else None}
    return CONFIRMATION.outcome(asked, value, measured={"rule": rule}), log


@dataclass(frozen=True, eq=False)
class Confirmations:
    """The verdicts of one run on its statements, as arrays, and the lengths of the statement lists.

    Attributes:
        by_authors: whether to count as the authors' code does (see `consistency`).
        pairs: the m pairs that were asked about, or that a list was generated from, sorted.
        positions: the positions that occur, sorted.
        places: each of shape (n,): the cell of each confirmation in an array of `shape`.
        position: shape (n,): the place of the statement in its list, from 1.
        swapped: shape (n,): whether the statement is of another pair.
        confirmed: shape (n,): whether the reply confirms the statement.
        usable: shape (n,): whether the reply confirms or denies the statement.
        statements: shape (k,): the length of each list that was not asked for once more.
        generated: shape (k,): the modality that each of them was generated from.
        incomplete: how many documents lack replies.
    """

    by_authors: bool
    pairs: tuple[int | str, ...]
    positions: tuple[int, ...]
    places: tuple[IntArray, ...]
    position: IntArray
    swapped: BoolArray
    confirmed: BoolArray
    usable: BoolArray
    statements: IntArray
    generated: npt.NDArray[np.object_]
    incomplete: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Return an array's shape: pairs, modality (generating, evaluating), position, prompt."""
        return len(self.pairs), len(MODALITIES), len(MODALITIES), len(self.positions), len(PROMPTS)


def _places(rows: OutcomeTable, field: str, levels: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Return the place of each row's value among the levels of a field."""
    place = {level: n for n, level in enumerate(levels)}
    return np.array([place[row[field]] for row in rows], dtype=np.int64)


@once_per_table
def confirmations(table: OutcomeTable) -> Confirmations:
    """Return a run's verdicts as arrays; option `pool` says how unreadable replies count."""
    rows = table.of_kind("rated")
    texts = table.of_kind("text")
    lists = [row for row in texts if isinstance(row.said, int) and not row["swapped"]]
    pool = table.options.get("pool")
    counted = OutcomeTable([*rows, *lists])
    pairs, positions = tuple(counted.labels("item")), tuple(rows.labels("position"))
    levels: dict[str, Sequence[Any]] = {
        "item": pairs,
        "generated": MODALITIES,
        "evaluated": MODALITIES,
        "position": positions,
        "prompt": PROMPTS,
    }

    def column(name: str, kind: Any) -> npt.NDArray[Any]:
        return np.array([row[name] for row in rows], dtype=kind)

    return Confirmations(
        by_authors=pool == AUTHORS or (pool is None and {row["rule"] for row in rows} == {AUTHORS}),
        pairs=pairs,
        positions=positions,
        places=tuple(_places(rows, field, of_field) for field, of_field in levels.items()),
        position=column("position", np.int64),
        swapped=column("swapped", np.bool_),
        confirmed=np.array([row.said == 1 for row in rows], dtype=np.bool_),
        usable=np.array([row.usable for row in rows], dtype=np.bool_),
        statements=np.array([row.said for row in lists], dtype=np.int64),
        generated=np.array([row["generated"] for row in lists], dtype=object),
        incomplete=sum(row.said == INCOMPLETE for row in texts),
    )
