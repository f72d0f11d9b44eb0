"""Guess the roles of columns from their names and values.

A column gets the role of the highest score above a floor; a role that one column has goes to the
best. What columns say (values, replies, labels) is decided in `values`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from pairbench_ext.stacks.records.cells import WORDS, last, name_weight, text_of
from pairbench_ext.stacks.records.columns import Columns
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.profile import Column, Sample

Test: TypeAlias = Callable[[Column, Sample], bool]
_FLOOR = 1.0
_MOST = 20  # columns of judges' confidences


class Evidence(NamedTuple):
    """A test of a column's values, and the points for a role if the test succeeds."""

    role: str
    test: Test
    weight: float


def shares_labels(column: Column, sample: Sample) -> bool:
    """Return whether a column named after a rater holds the same labels as another column.

    Then it says what the rater said, not who: `annotator` beside `predicted`, both safe or unsafe.
    """
    words = column.words
    if len(words) < 2 or column.running or column.balanced:
        return False
    named = factors(column.name).person or WORDS["pair_name"].fullmatch(last(column.name))
    others = (name for name in sample if named or factors(name).person)
    return _has_words_of(column, others, sample)


def _has_words_of(column: Column, others: Iterable[str], sample: Sample) -> bool:
    """Return whether one of other columns holds more than half of a column's words."""
    words = column.words
    least = max(1, len(words) / 2)
    return any(len(words & sample[n].words) > least for n in others if n != column.name)


def says_as_judged(column: Column, sample: Sample) -> bool:
    """Return whether most words in a column also occur in one named as verdict, judge or person."""
    every = ((name, factors(name)) for name in sample)
    judged = (name for name, of in every if of.value or of.person or of.machine)
    return column.distinct > 1 and _has_words_of(column, judged, sample)


def is_count(name: str) -> bool:
    """Return whether a column's name says that the column counts things, such as `n_raters`."""
    return last(name).startswith(("n_", "num_"))


def holds_verdicts(column: Column, sample: Sample) -> bool:
    """Return whether a column's values can be verdicts, not only numbers or categories."""
    kinds = sample.kinds(column.name, Columns())
    return bool({"pair", "yesno", "choice", "ranking"} & kinds.keys())


def once_in_each_item(column: Column, sample: Sample) -> bool:
    """Return whether each item has a value only once, and another column is named as a verdict."""
    names = [name for name in sample if name != column.name]
    if not any(factors(last(name)).value for name in names):
        return False
    items = (
        n for n in names if name_weight(n, "item") and 4 * sample.twice([n]) > len(sample.rows)
    )
    return any(not sample.twice([name, column.name]) for name in items)


def _people_or_models(column: Column, _: Sample) -> bool:
    """Return whether every value is a word for a person or for a model, both among them."""
    words = column.words
    kinds = [
        bool(WORDS["person"].fullmatch(w)) - bool(WORDS["machine"].fullmatch(w)) for w in words
    ]
    return len(words) > 1 and {1, -1} == {*kinds}


def _each_row(column: Column, _: Sample) -> bool:
    return column.distinct >= 0.9 * max(1, len(column.cells))


def _paths(column: Column, _: Sample) -> bool:
    return any(re.search(r"\.(?:png|jpe?g|webp|gif|bmp)$|^https?:|/", x) for x in column.counts)


def _numbers(column: Column, _: Sample) -> bool:
    return len(column.numbers) == len(column.some)


def _shares(column: Column, sample: Sample) -> bool:
    return _numbers(column, sample) and all(0 <= x <= 1 for x in column.numbers)


def _constant(column: Column, _: Sample) -> bool:
    return column.distinct < 2


def _all_reversed(column: Column, _: Sample) -> bool:
    """Whether all rows say that the order was reversed: all others would be read as they are."""
    words = column.words if column.distinct == 1 else ()
    named = factors(column.name).order == "rev"
    return any(WORDS["reversed"].fullmatch(w) and (named or not w.isdigit()) for w in words)


TABLE = (
    Evidence("judge", lambda c, _: "model" in last(c.name), 0.2),
    Evidence("judge", lambda c, s: holds_verdicts(c, s) or c.is_text, -4.0),
    Evidence("judge", lambda c, s: holds_verdicts(c, s) and once_in_each_item(c, s), 4.0),
    Evidence("judge", shares_labels, -4.0),
    Evidence("judge", lambda c, s: is_count(c.name) or (_constant(c, s) and _numbers(c, s)), -4.0),
    Evidence("who", _people_or_models, 2.5),
    Evidence("who", lambda c, s: not _people_or_models(c, s), -2.0),
    Evidence("order", lambda c, _: c.distinct != 2, -3.0),
    Evidence("order", _all_reversed, 4.0),
    Evidence("repeat", _each_row, -4.0),
    Evidence("system", lambda c, s: _constant(c, s) or c.is_text, -2.0),
    Evidence("aspect", lambda c, s: c.distinct > 50 or holds_verdicts(c, s) or c.is_text, -4.0),
    Evidence("aspect", lambda c, s: holds_verdicts(c, s) and c.balanced, 4.0),
    Evidence("source", lambda c, _: not 1 < c.distinct <= 60, -4.0),
    Evidence("system", shares_labels, -4.0),
    Evidence("source", says_as_judged, -4.0),
    Evidence("image", lambda c, s: c.is_text and not _paths(c, s), -2.0),
    Evidence("prompt", lambda c, s: _numbers(c, s) or holds_verdicts(c, s), -3.0),
    Evidence("confidence", lambda c, s: not _shares(c, s) or factors(c.name).person, -6.0),
    Evidence("remark", lambda c, s: holds_verdicts(c, s) or _numbers(c, s), -2.0),
)  # fmt: skip
#: Roles that one column has, and those that several may have, with how many.
_UNIQUE = ("who", "judge", "order", "repeat", "aspect", "system", "source")
_SEVERAL = {"confidence": _MOST, "image": 2, "prompt": 2, "remark": 4}


def score(column: Column, role: str, sample: Sample) -> float:
    """Return the points that a column gets for a role; 0 if the column's name does not fit."""
    weight = name_weight(column.name, role)
    if not weight:
        return 0.0
    return weight + sum(e.weight for e in TABLE if e.role == role and e.test(column, sample))


def plain_roles(sample: Sample, columns: Columns) -> Columns:
    """Return the given roles, plus roles that a column's own name and values make clear."""
    free = without_role(sample, columns)
    found = defaultdict[str, list[str]](list)
    taken = set[str]()
    for points, role, name in _by_points(sample, columns, free):
        most = 1 if _may_be_reply(role, name) else _SEVERAL.get(role, 1)
        open_ = name not in taken and len(found[role]) < most
        if open_ and (name_weight(name, "item") <= points or role == "image"):
            found[role].append(name)
            taken.add(name)
    if columns["first"] or columns["first_answer"]:
        found.pop("system", None)
    return columns.with_roles(**{role: names for role, names in found.items() if names})


def _by_points(
    sample: Sample, columns: Columns, free: Sequence[str]
) -> list[tuple[float, str, str]]:
    """Return the roles that columns may have, those with the most points first."""
    roles = [role for role in (*_UNIQUE, *_SEVERAL) if role not in columns.roles]
    scores = [(score(sample[name], role, sample), role, name) for role in roles for name in free]
    likely = [each for each in scores if each[0] >= _FLOOR]
    return sorted(likely, key=lambda each: (_may_be_reply(each[1], each[2]), -each[0]))


def _may_be_reply(role: str, name: str) -> bool:
    """Return whether a prompt may be a reply by its name: `text`, beside `question`."""
    return role == "prompt" and name_weight(name, "reply") > 0


def without_role(sample: Sample, columns: Columns, but: str = "") -> list[str]:
    """Return the names of the columns that have no role yet."""
    taken = {n for role, names in columns.roles.items() if role != but for n in names}
    return [name for name in sample if name not in taken]


def _two_sides(sample: Sample, columns: Columns) -> Mapping[str, list[list[str]]]:
    """Return pairs of columns whose names differ in their side alone, by what they are."""
    pairs = defaultdict[tuple[str, str], list[str]](list)
    for name in without_role(sample, columns):
        of = factors(name)
        match = WORDS["sides"].fullmatch(last(name))
        if match and not (of.person and match[2] in ("1", "2")):
            pairs[match[1], match[3]].append(name)
    kinds = defaultdict[str, list[list[str]]](list)
    of_three = {last(name)[:-1] for name in sample if last(name)[-1:] in ("3", "c")}
    for names in pairs.values():
        if len(names) == 2 and last(names[0])[:-1] not in of_three:
            two = sorted(names, key=lambda name: not _is_first(name))
            kinds[_what_sides_are(sample, two)].append(two)
    return kinds


def _is_first(name: str) -> bool:
    match = WORDS["sides"].fullmatch(last(name))
    return bool(match and WORDS["of_first"].fullmatch(match[2]))


def _what_sides_are(sample: Sample, two: Sequence[str]) -> str:
    """What two columns of the two sides hold: texts, systems, scores; empty for anything else."""
    part, columns = last(two[0]), [sample[name] for name in two]
    if all(_numbers(column, sample) and column.cells for column in columns):
        return "scores" if WORDS["scored_sides"].fullmatch(part) else ""
    if all(holds_verdicts(column, sample) for column in columns):
        return ""
    if _are_systems(sample, two):
        return "systems"
    return "answers" if WORDS["answer"].fullmatch(part) else ""


def _are_systems(sample: Sample, two: Sequence[str]) -> bool:
    """Return whether two columns name the systems: few short words, so called or who won."""
    column = sample[two[0]]
    few = column.distinct <= max(20, len(sample.rows) / 4) and not column.is_text
    return few and bool(WORDS["made_by"].fullmatch(last(two[0])) or _are_named(sample, two))


def _are_named(sample: Sample, two: Sequence[str]) -> bool:
    """Whether a column of verdicts names, row by row, what stands in one of two columns."""
    systems = sample[two[0]].words | sample[two[1]].words
    others = (n for n in sample if n not in two and _says_who_won(n) and sample[n].distinct > 1)
    return any(
        _names_one_of(sample, name, two)
        for name in others
        if all(w in systems or WORDS["tie"].fullmatch(w) for w in sample[name].words)
    )


def _says_who_won(name: str) -> bool:
    of = factors(last(name))
    return bool(of.value or of.person or WORDS["value_name"].fullmatch(last(name)))


def _names_one_of(sample: Sample, name: str, two: Sequence[str]) -> bool:
    rows = [
        (text_of(row.get(name)), {text_of(row.get(side)) for side in two})
        for cell, row in sample[name].some
        if not WORDS["tie"].fullmatch(text_of(cell).lower())
    ]
    named = sum(len(sides) == 2 and value in sides for value, sides in rows)
    return bool(rows) and named >= 0.95 * len(rows)


def two_things(sample: Sample, columns: Columns) -> Columns:
    """Add roles for two columns whose names differ only in `_a` and `_b`, such as two answers."""
    kinds = _two_sides(sample, columns)
    if "first" not in columns.roles:
        named = sorted(kinds["systems"], key=lambda two: -_name_of_system(two[0]))
        for first, second in named[:1]:
            columns = columns.with_roles(first=[first], second=[second])
    if "first_answer" not in columns.roles:
        for first, second in sorted(kinds["answers"], key=lambda two: not sample[two[0]].is_text)[
            :1
        ]:
            columns = columns.with_roles(first_answer=[first], second_answer=[second])
    return columns


def _name_of_system(name: str) -> int:
    """Return a column of names tells more than one of numbers."""
    return bool(re.search("name", last(name))) + bool(re.search("model|modell|system", last(name)))


def scores_of_two(sample: Sample, columns: Columns) -> list[list[str]]:
    """Return pairs of columns that hold scores or votes for the two compared systems."""
    return _two_sides(sample, columns)["scores"]


def side_words(columns: Columns) -> dict[str, str]:
    """Return, for each word in the names of two systems' columns, which system it means.

    `links` is the first where systems are in `Modell links` and `Modell rechts`.
    """
    meanings: dict[str, str] = {}
    for role, other_role in (("first", "second"), ("first_answer", "second_answer")):
        for first, second in zip(columns[role], columns[other_role], strict=False):
            words = [re.findall(r"[^\W_]+", name.lower()) for name in (first, second)]
            different = [[w for w in words[n] if w not in words[1 - n]] for n in (0, 1)]
            if len(different[0]) == len(different[1]) == 1:
                meanings |= {different[0][0]: "first", different[1][0]: "second"}
            meanings |= {text_of(first).lower(): "first", text_of(second).lower(): "second"}
    return meanings
