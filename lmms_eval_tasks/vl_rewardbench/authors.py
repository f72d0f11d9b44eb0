"""Logs in the format of VL-RewardBench's authors, as plain rows.

Items are told apart by id, query and the two responses in any order. They are called by their id;
where one id stands for several items, the second and later ones get a suffix (`own_names`).

How the authors' `cal.py` counts: `preference.accuracy`, whose accuracies are theirs, and
`preference.reading`. They shuffle the log before they take the first K judgments of an item; here
these are taken in the log's order. The accuracy of a source without a decided item divides by zero
and ends their program; here it is NaN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.trials import own_names
from lmms_eval_tasks.preference.votes import ORDERS, longer_of
from lmms_eval_tasks.vl_rewardbench.groups import source_of
from pairbench_ext.core.records import Record, RecordError


class LogItem(NamedTuple):
    """What tells the authors' items apart.

    Attributes:
        id, query: as in the log.
        responses: both, sorted, with a tab between them.
    """

    id: str
    query: str
    responses: str


def plain_rows(records: Sequence[Record]) -> Sequence[Record]:
    """The rows of a log in the authors' format as plain rows; other records as they are.

    A row has `id`, `query`, `response` (two), `human_ranking` (rank 0 is the better response) and
    `meta` with `filter_choice` (the judge's answer) and `random_number` (1 if the second response
    was shown first). An item's repeats are numbered in the order of the rows, and its responses as
    in its first row. What the items are called: `log_items`.

    Raises:
        RecordError: naming the row, if a field is missing or not as described.
    """
    if not records or not is_log(records[0].fields):
        return records
    names = {key: name for name, key in log_items(records).items()}
    first_responses: dict[LogItem, list[str]] = {}
    repeats: Counter[LogItem] = Counter()
    plain = []
    for row in records:
        item, responses = _log_item(row), _pair(row, "response", str)
        swapped = first_responses.setdefault(item, responses) != responses
        plain.append(_plain(row, names[item], repeats[item], swapped))
        repeats[item] += 1
    return plain


def is_log(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of a log in the authors' format."""
    return isinstance(row.get("meta"), dict) and "human_ranking" in row


def log_items(rows: Iterable[Record]) -> dict[str, LogItem]:
    """The items of a log in the authors' format by name, in the order of their first rows.

    Raises:
        RecordError: naming the row, if a field is missing or not as described.
    """
    items = list(dict.fromkeys(map(_log_item, rows)))
    return dict(zip(own_names([item.id for item in items]), items, strict=True))


def _log_item(row: Record) -> LogItem:
    responses = _pair(row, "response", str)
    return LogItem(row.get("id", str), row.get("query", str), "\t".join(sorted(responses)))


def _plain(row: Record, item: str, repeat: int, swapped: bool) -> Record:
    responses, ranking = _pair(row, "response", str), _pair(row, "human_ranking", int)
    if sorted(ranking) != [0, 1]:
        raise RecordError(f"{row.where}: human_ranking must be [0, 1] or [1, 0], not {ranking}")
    meta = Record(f"{row.where}, meta", row.get("meta", dict))
    second_first = meta.get("random_number", int)
    if second_first not in (0, 1):
        raise RecordError(f"{meta.where}: random_number must be 0 or 1, not {second_first}")
    longer = longer_of(*responses)
    fields = {
        "item": item,
        "source": source_of(row.get("id", str)),
        "repeat": repeat,
        "order": ORDERS[second_first ^ swapped],
        "truth": ranking.index(0) ^ swapped,
        "longer": None if longer is None else longer ^ swapped,
        "response": meta.get("filter_choice", str),
    }
    return Record(row.where, fields)


def _pair(row: Record, field: str, kind: type) -> list[Any]:
    values: list[Any] = row.get(field, list)
    if len(values) != 2 or not all(isinstance(value, kind) for value in values):
        raise RecordError(
            f"{row.where}: {field} must be two of {kind.__name__}, not {values!r:.60}"
        )
    return values
