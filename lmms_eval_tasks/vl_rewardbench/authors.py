"""Read judges' logs in the format that the code of VL-RewardBench's authors writes.

The authors' code writes people's ranking as `ranking`; the data set has it as `human_ranking`. A
log may have either.

Items are told apart by id, query and the two responses in any order. They are called by their id;
where one id stands for several items, the second and later ones get a suffix (`own_names`).

`preference.accuracy` and `preference.votes` count as the authors' `cal.py` does, with two
differences. `cal.py` shuffles the log before it takes the first K judgments of an item; here they
are taken in the log's order. A source without a decided item makes `cal.py` divide by zero and
stop; here its accuracy is NaN.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lmms_eval_tasks.preference.trials import Name, Two, own_names
from lmms_eval_tasks.preference.votes import ORDERS, longer_of
from lmms_eval_tasks.vl_rewardbench.groups import source_of
from lmms_eval_tasks.vl_rewardbench.rows import Ranking, better_of
from pairbench_ext.core.records import Record, from_record


@dataclass(frozen=True)
class Judgment:
    """The judge's answer about a pair, and whether the second response was shown first."""

    filter_choice: str
    random_number: Literal[0, 1]


@dataclass(frozen=True)
class LogRow:
    """The fields of a row in a log that the authors' code wrote."""

    id: Name
    query: str
    response: Two
    human_ranking: Ranking
    meta: Judgment


_RANKING = "human_ranking"


def _named(record: Record) -> Record:
    """Return a row that holds the ranking under the data set's name for it."""
    if _RANKING in record.fields or "ranking" not in record.fields:
        return record
    return Record(record.where, {**record.fields, _RANKING: record.fields["ranking"]})


def plain_rows(records: Sequence[Record]) -> Sequence[Record]:
    """Convert rows of the authors' logs to our JSONL format; leave other records unchanged.

    An item's repeats are numbered in the order of the rows, and its responses as in its first row.

    Raises:
        RecordError: naming the row, if a field is missing or not as described.
    """
    columns = {*records[0].fields} if records else set[str]()
    if "meta" not in columns or not columns & {_RANKING, "ranking"}:
        return records
    records = [_named(record) for record in records]
    rows: list[LogRow] = [from_record(LogRow, record) for record in records]
    keys = [(row.id, row.query, *sorted(row.response)) for row in rows]
    items = list(dict.fromkeys(keys))
    names = dict(zip(items, own_names([item[0] for item in items]), strict=True))
    first_responses: dict[tuple[str, ...], Two] = {}
    repeats: Counter[tuple[str, ...]] = Counter()
    plain = []
    for record, row, key in zip(records, rows, keys, strict=True):
        swapped = first_responses.setdefault(key, row.response) != row.response
        longer = longer_of(*row.response)
        fields = {
            "item": names[key],
            "source": source_of(row.id),
            "repeat": repeats[key],
            "order": ORDERS[row.meta.random_number ^ swapped],
            "truth": better_of(row.human_ranking, record.where) ^ swapped,
            "longer": None if longer is None else longer ^ swapped,
            "response": row.meta.filter_choice,
        }
        plain.append(Record(record.where, fields))
        repeats[key] += 1
    return plain
