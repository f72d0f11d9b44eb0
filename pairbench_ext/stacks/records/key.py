"""Find the columns that name the item: as few columns as distinguish the rows."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pairbench_ext.stacks.records.cells import WORDS, empty, name_weight, text_of
from pairbench_ext.stacks.records.columns import EACH_ROW, Columns
from pairbench_ext.stacks.records.evidence import without_role
from pairbench_ext.stacks.records.profile import FILE, Sample

_OTHERS = 0.1  # of the repeats of an item, which have another label than an earlier one
_TRIED = 12  # columns at a time
_APART = ("order", "repeat", "aspect", "who")  # what rows of one item differ in


def keyed(sample: Sample, columns: Columns) -> Columns:
    """Add the roles of columns that name the item and its cluster, such as a shared image."""
    apart = columns.names("judge", "annotator", *_APART)
    one_judge = columns["judge"] or (columns.files and "{judge}" not in columns.files)
    apart += [] if one_judge else [FILE]
    swapped = columns.as_shown
    apart += columns.two[:1] if swapped else []
    if "item" not in columns.roles:
        names, more = _candidates(sample, columns, apart, swapped=swapped)
        key = _telling_apart(sample, names, more, apart)
        shared = {*columns.names("system", "source"), *columns.two}  # none of which names an item
        unclear = {*key} <= shared and sample.twice([*key, *apart])
        columns = columns.with_roles(item=[] if unclear else key)
    if not columns["item"]:
        return columns
    if swapped and _ended(sample, columns["item"][0]):
        columns = replace(columns, suffix=True)
    return _with_cluster(sample, columns)


def _candidates(
    sample: Sample, columns: Columns, apart: Sequence[str], *, swapped: bool
) -> tuple[list[list[str]], list[list[str]]]:
    """Return columns that may name the item, the best names first, and those that may help."""
    free = _without([*without_role(sample, columns), *columns["image"]], *apart)
    points = {n: weight for n in free if (weight := name_weight(n, "item"))}
    named = _by_points(sample, points)
    best = [n for n in named if points[n] >= 1]
    if columns["annotator"]:
        best = _of_several_people(sample, columns, best)
    best = best or _unknown(sample, _without(free, *points, *columns["image"]), apart) or named
    more, every = _helping(columns, swapped=swapped), _each_alone(named)
    return _each_alone(best) or more, [*every, *(m for m in more if m not in every)]


def _of_several_people(sample: Sample, columns: Columns, names: list[str]) -> list[str]:
    """Return columns in which several people's rows are alike, before numbers of the rows."""
    shown = columns.names("image", "prompt", "first_answer")
    again = [n for n in (*names, *shown) if 2 * sample[n].distinct <= len(sample.rows)]
    told = [n for n in again if not sample.twice([n, *columns["annotator"]])]
    return told or names


def _without(names: Sequence[str], *others: str) -> list[str]:
    return [name for name in names if name not in others]


def _by_points(sample: Sample, points: Mapping[str, float]) -> list[str]:
    """Return names that may be of items, the best first; `response.id` is behind others."""
    ids = (n for n in points if sample[n].distinct > 1)
    return sorted(ids, key=lambda n: ("." in n, -points[n]))


def _unknown(sample: Sample, names: Sequence[str], apart: Sequence[str]) -> list[str]:
    """Return the first column of an unknown name that tells rows apart, if there is one."""
    return list(itertools.islice((n for n in names if _tells_all(sample, n, apart)), 1))


def _helping(columns: Columns, *, swapped: bool) -> list[list[str]]:
    """Return columns that tell items apart together with others: the two systems are one."""
    names = columns.names("system", "prompt", "image")
    two = [[*columns.two]] if swapped else _each_alone(columns.two)
    return [*_each_alone(names), *filter(None, two), *_each_alone(columns["source"])]


def _each_alone(names: Sequence[str]) -> list[list[str]]:
    return [[name] for name in names]


def _tells_all(sample: Sample, name: str, apart: Sequence[str]) -> bool:
    """Whether short values of a column are different in all rows, but for judges and orders."""
    column = sample[name]
    again = 2 * column.distinct <= len(sample.rows)  # as no time and no cost is
    whole = not column.numbers or column.running or again
    return whole and not column.is_text and column.distinct > 2 and not sample.twice([name, *apart])


def _telling_apart(
    sample: Sample, first: list[list[str]], every: list[list[str]], apart: Sequence[str]
) -> list[str]:
    """Columns that tell rows apart together with others, each time the one that does best."""
    key: list[str] = []
    candidates = first
    while candidates and (not key or sample.twice([*key, *apart])):
        tried = candidates[:_TRIED]
        least, best = _best(sample, tried, [*key, *apart], by_few=bool(apart))
        if key and least >= sample.twice([*key, *apart]):
            break
        key += best
        candidates = [each for each in every if not {*each} & {*key}]
    return key


def _best(
    sample: Sample, tried: Sequence[list[str]], chosen: Sequence[str], *, by_few: bool
) -> tuple[int, list[str]]:
    """Return how many rows are alike with the best columns, and these columns.

    Of columns that tell all rows apart, one with few values is best: another numbers the rows.
    """
    counts = [sample.twice([*names, *chosen]) for names in tried]
    best = [names for names, count in zip(tried, counts, strict=True) if count == min(counts)]
    alone = [names for names in best if len(names) == 1]
    if by_few and not min(counts) and len(best[0]) == 1:
        return 0, min(alone, key=lambda names: sample[names[0]].distinct)
    return min(counts), best[0]


def _ended(sample: Sample, name: str) -> bool:
    """Return whether items have names in pairs that differ in their end alone: `7_1` and `7_2`."""
    cells = sample[name].cells
    ends = ((WORDS["ended"].fullmatch(text_of(cell)), row.get(FILE)) for cell, row in cells)
    bases = Counter((match[1], file) for match, file in ends if match)
    return bases.total() == len(cells) and {*bases.values()} == {2}


def _with_cluster(sample: Sample, columns: Columns) -> Columns:
    if "cluster" in columns.roles:
        return columns
    key = list(columns["item"])
    free = [n for n in without_role(sample, columns) if name_weight(n, "item") >= 2]
    shared = [n for n in (*free, *columns["image"]) if n not in key]
    shared = [n for n in shared if 1 < sample[n].distinct < sample[key[0]].distinct]
    shared = [n for n in shared if sample.twice([*key, n]) == sample.twice(key)]
    found = key[:1] if len(key) > 1 else shared[:1]
    return columns.with_roles(cluster=found) if found else columns


def attempts(sample: Sample, columns: Columns) -> list[Columns | None]:
    """Return columns in which repeats of an item are items of their own if their labels differ."""
    repeat, people = columns["repeat"], columns["people"]
    if not people or not columns["item"] or not {*repeat} & {*sample}:
        return [columns]
    key = [*columns["item"], *_apart(columns)]
    labelled = sample.twice(key) - sample.twice([*key, *people])
    if labelled < _OTHERS * (sample.twice(key) - sample.twice([*key, *repeat])):
        return [columns]
    cluster = columns["cluster"] or columns["item"]
    each = [*columns["item"], *repeat]
    return [columns.with_roles(item=each, cluster=cluster, repeat=[])]


def repeated(sample: Sample, columns: Columns) -> list[Columns | None]:
    """Return ways to read columns; rows can be repeats if all items have equally many rows."""
    if "repeat" in columns.roles or not columns["item"]:
        return [columns]
    seen = defaultdict[Any, list[Any]](list)
    told, said_in = _apart(columns), (*columns.said, *columns["reply"])
    for row in sample.rows:
        key, values = (tuple(text_of(row.get(n)) for n in names) for names in (told, said_in))
        if (name := columns.item(row)) and values:
            seen[name, key].append(values)
    sizes = {len(values) for values in seen.values()}
    differ = any(len({*values}) > 1 for values in seen.values())
    if differ and len(sizes) == 1:
        return [*_told_apart(sample, columns), columns.with_roles(repeat=[EACH_ROW]), None]
    return [columns]


def _told_apart(sample: Sample, columns: Columns) -> list[Columns | None]:
    """Return readings with a column that has each of its few values once in each item."""
    key = [*columns["item"], *_apart(columns)]
    few = (n for n in without_role(sample, columns) if 1 < sample[n].distinct <= _TRIED)
    names = [name for name in few if not sample.twice([*key, name])]
    every: list[Columns | None] = []
    for name in names[:1]:
        roles = [role for role in ("judge", "aspect", "system") if role not in columns.roles]
        each = columns.with_roles(item=[*columns["item"], name])  # an item is one system's
        every += [(each if role == "system" else columns).with_roles(**{role: [name]})
                  for role in roles]  # fmt: skip
    return every


def _apart(columns: Columns) -> list[str]:
    names = columns.names("judge", "order", "aspect", "who", "first", "second")
    return names if columns["judge"] else [*names, FILE]


def alone(sample: Sample, columns: Columns) -> bool:
    """Return whether there are several files, none of which shares an item with another."""
    if columns["judge"] or columns.files or not columns["item"]:
        return False
    items = defaultdict[Any, set[Any]](set)
    said_in = (*columns.said, *columns["reply"])
    for row in sample.rows:
        if any(not empty(row.get(name)) for name in said_in):  # others say nothing of a judge
            items[row[FILE]].add(columns.item(row))
    return len(items) > 1 and not any(a & b for a, b in itertools.pairwise(items.values()))
