"""Find the rows in a JSON file, which may be in a list, in columns, or under keys.

Each function below knows one such form: it returns the rows, or None where the object has another.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

from pairbench_ext.stacks.records.factors import factors

#: Fields of a file of aggregated numbers, which holds no judgments.
AGGREGATED = {"schema_version", "evaluation_id", "evaluation_results"}

_ITEMS = 20  # more fields than a row has: values by item
_RATERS = 20  # at most, by whose names a level of keys is told
_LISTED = 5  # more than a cell lists: a column

Object: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = "Iterable[Any] | None"


def rows_in(content: Any) -> Iterable[Any]:
    """Return the rows of a JSON file; if it is a log of the tool inspect, the log's samples.

    Raises:
        ValueError: if it has columns of different lengths.
    """
    if not isinstance(content, dict):
        return content if isinstance(content, list) else [content]
    if content.keys() >= AGGREGATED:
        return [content]
    if {"eval", "samples"} <= content.keys() and isinstance(content["samples"], list | None):
        return (of_inspect(sample, content) for sample in content["samples"] or ())
    [*values] = content.values()
    if len(values) == 1 and isinstance(values[0], dict):
        return rows_in(values[0])
    found = (rows for form in _FORMS if (rows := form(content)) is not None)
    return next(found, [content])


def of_inspect(sample: Any, log: Any) -> dict[str, Any] | str:
    """Return the judgment in a sample of inspect's log, or why the sample has no judgment."""
    if not isinstance(sample, dict):
        return "no JSON object"
    kept = ("id", "epoch", "target", "input", "metadata", "choices", "scores")
    fields = {field: sample[field] for field in kept if sample.get(field) is not None}
    words = {"completion": _field(sample.get("output"), "completion")}
    return {"judge": _field(_field(log, "eval"), "model"), "output": words, **fields}


def _field(content: Any, name: str) -> Any:
    return content.get(name) if isinstance(content, dict) else None


def _lists(content: Object) -> dict[str, list[Any]]:
    return {name: cells for name, cells in content.items() if isinstance(cells, list) and cells}


def _columns(content: Object) -> Rows:
    """Return columns: lists of one length, with what is the same for all rows beside them."""
    lists = _lists(content)
    lengths = {name: len(cells) for name, cells in lists.items()}
    objects = any(isinstance(cells[0], dict) for cells in lists.values())
    if len(lists) < 2 or objects or max(lengths.values()) <= _LISTED:
        return None
    if len({*lengths.values()}) == 1:
        rest = {name: value for name, value in content.items() if name not in lists}
        rows = zip(*lists.values(), strict=True)
        return ({**rest, **dict(zip(lists, row, strict=True))} for row in rows)
    if lists.keys() == content.keys():
        raise ValueError(f"the columns have different lengths, {lengths}")
    return None


def _by_keys(content: Object) -> Rows:
    """Objects by keys: columns by row, as pandas writes tables; rows by group and key; rows."""
    values = list(content.values())
    if len(values) < 2 or not all(isinstance(value, dict) for value in values):
        return None
    if all(map(str.isdecimal, chain.from_iterable(values))):
        return [{name: cells.get(key) for name, cells in content.items()} for key in values[0]]
    inner = list(chain.from_iterable(value.values() for value in values))
    if len(inner) == len(values) or not all(isinstance(part, dict) for part in inner):
        return ({"key": key, **value} for key, value in content.items())
    return _by_two_keys(content)


def _by_two_keys(content: Object) -> Iterator[Any]:
    """Yield the rows under two levels of keys."""
    outer, inner = _levels(content)
    for key, rows in content.items():
        for name, row in rows.items():
            yield {outer: key, inner: name, **row}


def _levels(content: Object) -> tuple[str, str]:
    """Return the names of two levels of keys: raters are a model or a person among others."""
    keys = [[*content], [*dict.fromkeys(chain.from_iterable(content.values()))]]
    named = [any(x.model or x.person or x.machine for x in map(factors, of)) for of in keys]
    few = [len(level) <= _RATERS for level in keys]
    if named[1] and few[1] and len(keys[1]) < len(keys[0]):
        return "item", "rater"
    return ("rater", "item") if named[0] and few[0] and not few[1] else ("group", "key")


def _groups(content: Object) -> Rows:
    """Return lists of objects by group, and nothing else."""
    lists = _lists(content)
    grouped = all(isinstance(row, dict) for rows in lists.values() for row in rows)
    if len(content) < 2 or not grouped or lists.keys() != content.keys():
        return None
    return ({"group": name, **row} for name, rows in content.items() for row in rows)


def _largest_list(content: Object) -> Rows:
    """Return the longest list of objects among the fields; what is no list is of all rows."""
    tables: dict[str, list[Any]] = {
        name: rows for name, rows in _lists(content).items() if isinstance(rows[0], dict)
    }
    if content.get("results"):
        tables["results"] = list(rows_in(content["results"]))
    if not tables:
        return None
    name = max(tables, key=lambda name: len(tables[name]))
    rest = {n: v for n, v in content.items() if not isinstance(v, list) and n != name}
    return ({**rest, **row} if isinstance(row, dict) else row for row in tables[name])


def _values_by_item(content: Object) -> Rows:
    """Return more single values than a row has: one of each item."""
    scalars = not any(isinstance(value, list | dict) for value in content.values())
    if not scalars or len(content) <= _ITEMS:
        return None
    return ({"key": key, "value": value} for key, value in content.items())


def _nested_columns(content: Object) -> Rows:
    """Return columns that stand under keys: `scores.fluency.judge` and `scores.fluency.human`."""
    flat = dict(_leaves("", content))
    return None if len(flat) == len(content) else _columns(flat)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield name, value
        return
    for key, inner in value.items():
        yield from _leaves(f"{name}.{key}".strip("."), inner)


_FORMS: tuple[Callable[[Object], Rows], ...] = (
    _columns,
    _by_keys,
    _groups,
    _largest_list,
    _values_by_item,
    _nested_columns,
)
