"""The roles of columns that are told by names and plain tests: all but what was said."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.stacks.records.cells import NAMES, WORDS, last, path, text_of
from pairbench_ext.stacks.records.columns import FILE, HARNESSES, Columns, QuestionError, Sample

_JUDGES = 200  # at most


class Roles:
    """The roles of columns, which are found one after the other.

    Args:
        sample: some rows of all files.
        given: what is known already.

    Attributes:
        columns: the roles.
        lines: how each was found, for people.

    Raises:
        QuestionError: if two readings fit.
        RecordError: if a column that is named is not there.
    """

    def __init__(self, sample: Sample, given: Columns) -> None:
        self._sample, self.columns, self.lines = sample, given, list[str]()
        recognised = [t for t, (marks, _) in HARNESSES.items() if marks <= sample.cells.keys()]
        for title in recognised[:1]:
            self._recognise(title, HARNESSES[title][1])
        for role, names in self.columns.roles.items():
            there = [name for name in names if name in sample.cells]
            if names and not there:
                every = listed(list(sample.cells), 40)
                raise RecordError(f"no column {names[0]!r} for {role}; there are {every}")
            self.columns = self.columns.with_roles(**{role: there})

    def _recognise(self, title: str, known: Columns) -> None:
        cells = self._sample.cells.keys()
        there = {role: names for role, names in known.roles.items() if {*names} <= cells}
        shown = (f"{role} is `{'` and `'.join(names)}`" for role, names in there.items())
        self.lines.append(f"taken for {title}: {', '.join(shown)}")
        self.columns = replace(
            self.columns,
            kind=self.columns.kind or known.kind,
            roles={**there, **self.columns.roles},
            values={**known.values, **self.columns.values},
        )

    def set(self, role: str, names: Sequence[str], why: str) -> None:
        """Give columns a role that no column has, and say why."""
        if role not in self.columns.roles and names:
            self.columns = self.columns.with_roles(**{role: names})
            shown = " and ".join(f"`{name}`" for name in names)
            hold = "hold" if len(names) > 1 else "holds"
            examples = self._sample.examples(names[0])
            self.lines.append(f"{shown} {hold} {examples}: taken for {why}")

    def free(self, role: str, ranks: slice = slice(None)) -> list[str]:
        """Columns that have the name of a role and no other role, the best names first."""
        free = self.without_role(but=role)
        people = NAMES["people"][0]  # may be said by any part: `human.choice`
        return [
            name
            for names in NAMES[role][ranks]
            for name in free
            if re.fullmatch(names, path(name) if names == people else last(name))
        ]

    def without_role(self, but: str = "") -> list[str]:
        """Columns that have no role but this one."""
        taken = {n for role, names in self.columns.roles.items() if role != but for n in names}
        return [name for name in self._sample.cells if name not in taken]

    def fits(self, name: str) -> list[str]:
        """The kinds of judgment that a column's values could be."""
        return self._sample.fits(name, self.columns)

    def question(self, name: str, text: str) -> QuestionError:
        """The question what a column is."""
        return QuestionError(f"`{name}` holds {self._sample.examples(name)}: {text}")

    def two_things(self) -> list[str]:
        """Set columns of one name but for `_a` and `_b`: systems, answers; return two of scores."""
        sample = self._sample
        orders = [name for name in self.free("order") if sample.distinct[name] == 2]
        self.set("order", orders[:1], "the order that was shown")
        pairs = defaultdict[tuple[str, str], list[str]](list)
        for name in sample.cells:
            if match := WORDS["sides"].fullmatch(last(name)):
                pairs[match[1], match[3]].append(name)
        scores: list[str] = []
        for two in (sorted(names) for names in pairs.values() if len(names) == 2):
            side = last(two[0])
            few = sample.distinct[two[0]] <= max(20, len(sample.rows) / 4)
            if WORDS["scores"].fullmatch(side) and self.fits(two[0]) == ["rating"]:
                scores = scores or two
            elif WORDS["answer"].fullmatch(side) and sample.is_text(two[0]):
                self.set("first_answer", two[:1], "the first answer")
                self.set("second_answer", two[1:], "the second answer")
            elif WORDS["made_by"].fullmatch(side) and few and not self.fits(two[0]):
                self.set("first", two[:1], "who made the first")
                self.set("second", two[1:], "who made the second")
        return scores

    def rest(self) -> None:
        """The judge, and what is known of items besides what was said of them."""
        distinct, sample = self._sample.distinct, self._sample
        self.set(
            "judge", [n for n in self.free("judge") if distinct[n] <= _JUDGES][:1], "the judge"
        )
        groups = [n for n in self.free("system") if WORDS["group"].fullmatch(last(n))]
        told = {"judge", "system", "first"} & self.columns.roles.keys()
        if groups and not told and distinct[groups[0]] > 1:
            raise self.question(
                groups[0],
                "the judges, the models whose outputs are judged, or parts of the data? --columns "
                f"judge={groups[0]} or system= or source=",
            )
        roles: Mapping[str, tuple[str, Callable[[str], bool]]] = {
            "repeat": ("the number of the answer", lambda n: distinct[n] > 1),
            "system": ("who made what is judged", lambda n: 1 < distinct[n] < 500),
            "aspect": ("the aspect", lambda n: 1 < distinct[n] <= 50),
            "source": ("the part of the data", lambda n: 1 < distinct[n] <= 60),
            "image": ("the image", lambda n: not sample.is_text(n)),
            "prompt": ("what was asked", lambda n: distinct[n] > 1 or sample.is_text(n)),
        }
        for role, (why, test) in roles.items():
            if role != "system" or not self.columns["first"]:
                found = [name for name in self.free(role) if test(name)]
                self.set(role, found[: 2 if role == "image" else 1], why)
        self._item()

    def _item(self) -> None:
        """The fewest columns that tell rows apart, but for judges, orders and repeats."""
        columns, sample = self.columns, self._sample
        apart = [n for role in ("judge", "order", "repeat", "aspect") for n in columns[role]]
        one_judge = columns["judge"] or (columns.files and "{judge}" not in columns.files)
        apart += [] if one_judge else [FILE]
        free = self.free("item", slice(2)) or self.free("item")
        ids = [n for n in free if sample.distinct[n] > 1 and n not in apart]
        named = [[n] for n in [n for n in ids if "." not in n] or ids]  # `response.id` is none
        two = list(columns.two)
        seen = {tuple(text_of(row.get(n)) for n in two) for row in sample.rows}
        swaps = any(pair[::-1] in seen for pair in seen if len(pair) == 2 and pair[0] != pair[1])
        apart += two[:1] if swaps else []
        more = [[n] for role in ("system", "prompt", "image") for n in columns[role]]
        more += [[*two]] if swaps else [[n] for n in two]
        more += [[n] for n in self.free("prompt") if [n] not in more]
        key = list(columns["item"]) or self._telling_apart(named or more, [*named, *more], apart)
        self.set("item", key, "the item" + ", together" * (len(key) > 1))
        if not key:
            self.lines.append("no column names the item: the number of its row does")
            return
        cells = sample.cells[key[0]]
        ended = ((WORDS["ended"].fullmatch(text_of(cell)), row[FILE]) for cell, row in cells)
        bases = Counter((match[1], file) for match, file in ended if match)
        if swaps and bases.total() == len(cells) and {*bases.values()} == {2}:
            self.columns = replace(self.columns, suffix=True)
        shared = [n for n in (*(n for [n] in named), *columns["image"]) if n not in key]
        shared = [n for n in shared if 1 < sample.distinct[n] < sample.distinct[key[0]]]
        shared = [n for n in shared if sample.twice([*key, n]) == sample.twice(key)]
        self.set("cluster", key[:1] if len(key) > 1 else shared[:1], "what items have in common")
        self._check_files([*key, *two])

    def _telling_apart(
        self, first: list[list[str]], every: list[list[str]], apart: list[str]
    ) -> list[str]:
        """Columns that tell rows apart together with others, each time the one that does best."""
        twice, key = self._sample.twice, list[str]()
        candidates = first
        while candidates and (not key or twice([*key, *apart])):
            counts = [(twice([*key, *c, *apart]), self._sample.distinct[c[0]]) for c in candidates]
            best = candidates[counts.index(min(counts))]
            if key and min(counts)[0] >= twice([*key, *apart]):
                break
            key += best
            candidates = [each for each in every if not {*each} & {*key}]
        return key

    def _check_files(self, key: Sequence[str]) -> None:
        """Several files are of several judges, unless they share no item: then this is asked."""
        items = defaultdict[Any, set[Any]](set)
        for row in self._sample.rows:
            items[row[FILE]].add(tuple(sorted(text_of(row.get(name)) for name in key)))
        alone = len(items) > 1 and not any(a & b for a, b in pairwise(items.values()))
        if alone and not self.columns["judge"] and not self.columns.files:
            raise QuestionError(
                "the files share no item: is each of another judge, --columns 'files={judge}.*', "
                "or are they parts of one judge's answers, 'files={source}.*'? (So end the paths; "
                "* is anything.)"
            )
