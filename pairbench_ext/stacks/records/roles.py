"""The roles of columns that are told by names and plain tests: all but what was said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pairbench_ext.core.plurals import listed
from pairbench_ext.core.records import RecordError
from pairbench_ext.stacks.records.cells import text_of
from pairbench_ext.stacks.records.columns import (
    HARNESSES,
    NAMES,
    Columns,
    QuestionError,
    last,
    path,
)
from pairbench_ext.stacks.records.sample import FILE, Sample

_SIDES = re.compile(
    r"(.*?)(?:^|[ _-]|(?<=[a-z]))(a|b|1|2|left|right|first|second|chosen|rejected)((?:_\w+)?)"
)
_ANSWER = re.compile(r".*(?:response|output|answer|caption|completion|text|conversation|body).*")
_MADE_BY = re.compile(r".*(?:model|system|generator|name|id).*")
SCORED = re.compile(r".*(?:score|rating|grade|likert).*")
_SCORES = re.compile(rf"{SCORED.pattern}|win.*")
_ENDED = re.compile(r"(.+)[_-](?:[12]|fwd|rev|ab|ba|orig(?:inal)?|swap(?:ped)?)")
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
            _, known = HARNESSES[title]
            there = {r: names for r, names in known.roles.items() if {*names} <= {*sample.cells}}
            shown = (f"{role} is `{'` and `'.join(names)}`" for role, names in there.items())
            self.lines.append(f"taken for {title}: {', '.join(shown)}")
            self.columns = replace(
                given,
                kind=given.kind or known.kind,
                roles={**there, **given.roles},
                values={**known.values, **given.values},
            )
        for role, names in self.columns.roles.items():
            if names and not {*names} & sample.cells.keys():
                every = listed(list(sample.cells), 40)
                raise RecordError(f"no column {names[0]!r} for {role}; there are {every}")
        named = self.columns.roles.items()
        there = {role: tuple([n for n in names if n in sample.cells]) for role, names in named}
        self.columns = replace(self.columns, roles=there)

    def _set(self, role: str, names: Sequence[str], why: str) -> None:
        if role not in self.columns.roles and names:
            self.columns = self.columns.with_roles(**{role: names})
            shown = " and ".join(f"`{name}`" for name in names)
            hold = "hold" if len(names) > 1 else "holds"
            examples = self._sample.examples(names[0])
            self.lines.append(f"{shown} {hold} {examples}: taken for {why}")

    def free(self, role: str, ranks: slice = slice(None)) -> list[str]:
        """Columns that have the name of a role and no other role, the best names first."""
        free = self._without_role(but=role)
        people = NAMES["people"][0]  # may be said by any part: `human.choice`
        return [
            name
            for names in NAMES[role][ranks]
            for name in free
            if re.fullmatch(names, path(name) if names == people else last(name))
        ]

    def _without_role(self, but: str = "") -> list[str]:
        """Columns that have no role but this one."""
        taken = {n for role, names in self.columns.roles.items() if role != but for n in names}
        return [name for name in self._sample.cells if name not in taken]

    def fits(self, name: str) -> list[str]:
        """The kinds of judgment that a column's values could be."""
        return self._sample.fits(name, self.columns)

    def _two_things(self) -> None:
        """Columns of one name but for `_a` and `_b`: systems, answers, scores; and the order."""
        orders = [name for name in self.free("order") if self._sample.distinct[name] == 2]
        self._set("order", orders[:1], "the order that was shown")
        pairs: dict[tuple[str, str], list[str]] = {}
        for name in self._sample.cells:
            if match := _SIDES.fullmatch(last(name)):
                pairs.setdefault((match[1], match[3]), []).append(name)
        scores: list[str] = []
        for two in (sorted(names) for names in pairs.values() if len(names) == 2):
            one = last(two[0])
            if (_SCORES.fullmatch(one) or one == "chosen") and self.fits(two[0]) == ["rating"]:
                scores = scores or two
            elif _ANSWER.fullmatch(one) and self._sample.is_text(two[0]):
                self._set("first_answer", two[:1], "the first answer")
                self._set("second_answer", two[1:], "the second answer")
            elif (
                _MADE_BY.fullmatch(one)
                and not self.fits(two[0])
                and self._sample.distinct[two[0]] <= max(20, len(self._sample.rows) / 4)
            ):
                self._set("first", two[:1], "who made the first")
                self._set("second", two[1:], "who made the second")
        kin = last(scores[0]).partition("_")[0] if scores else ""  # such as `winner_tie`
        others = [n for n in self._valued(slice(2)) if not last(n).startswith(kin)]
        if scores and not (others or self.columns.said):
            words = [
                name
                for name in self.free("reply", slice(2))
                if isinstance(self._sample.some(name)[0][0], str)
            ]
            if words and not {"reply", "people"} & self.columns.roles.keys():
                both = "+".join(scores)
                raise QuestionError(
                    f"`{words[0]}` is what the judge wrote; are `{scores[0]}` and `{scores[1]}` "
                    f"what was read in it (--columns scores={both}), or something else (--columns "
                    f"reply={words[0]})?"
                )
            self._set("scores", scores, "scores of the two; the higher one wins")

    def _valued(self, ranks: slice) -> dict[str, None]:
        """Columns of values that judges could have said, by their names."""
        return dict.fromkeys(name for name in self.free("verdict", ranks) if self.fits(name))

    def _rest(self) -> None:
        distinct, sample = self._sample.distinct, self._sample
        judges = [name for name in self.free("judge") if distinct[name] <= _JUDGES]
        self._set("judge", judges[:1], "the judge")
        models = [
            n for n in self.free("system") if re.fullmatch("model(_?(name|id))?|group", last(n))
        ]
        told = {"judge", "system", "first"} & self.columns.roles.keys()
        if models and not told and distinct[models[0]] > 1:
            raise QuestionError(
                f"`{models[0]}` holds {sample.examples(models[0])}: the judges, the models whose "
                f"outputs are judged, or parts of the data? --columns judge={models[0]} or system= "
                "or source="
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
                self._set(role, found[: 2 if role == "image" else 1], why)

    def _item(self) -> None:
        """The fewest columns that tell rows apart, but for judges, orders and repeats."""
        columns, sample = self.columns, self._sample
        apart = [n for role in ("judge", "order", "repeat", "aspect") for n in columns[role]]
        one_judge = columns["judge"] or (columns.files and "{judge}" not in columns.files)
        apart += [] if one_judge else [FILE]
        free = self.free("item", slice(2)) or self.free("item")
        ids = [n for n in free if sample.distinct[n] > 1 and n not in apart]
        named = [[n] for n in [n for n in ids if "." not in n] or ids]  # `response.id` is none
        two = [*columns["first"], *columns["second"]]
        seen = {tuple(text_of(row.get(n)) for n in two) for row in sample.rows}
        swaps = any(pair[::-1] in seen for pair in seen if len(pair) == 2 and pair[0] != pair[1])
        apart += two[:1] if swaps else []
        more = [[n] for role in ("system", "prompt", "image") for n in columns[role]]
        more += [[*two]] if swaps else [[n] for n in two]
        more += [[n] for n in self.free("prompt") if [n] not in more]
        key = list(columns["item"])
        candidates = (named or more) if not key else []
        while candidates and (not key or sample.twice([*key, *apart])):
            best = min(
                candidates, key=lambda c: (sample.twice([*key, *c, *apart]), sample.distinct[c[0]])
            )
            if key and sample.twice([*key, *best, *apart]) >= sample.twice([*key, *apart]):
                break
            key += best
            candidates = [each for each in (*named, *more) if not {*each} & {*key}]
        self._set("item", key, "the item" + ", together" * (len(key) > 1))
        if not key:
            self.lines.append("no column names the item: the number of its row does")
            return
        ended = [(_ENDED.fullmatch(text_of(x)), row[FILE]) for x, row in sample.cells[key[0]]]
        bases = Counter((match[1], file) for match, file in ended if match)
        if swaps and bases.total() == len(ended) and {*bases.values()} == {2}:
            self.columns = replace(self.columns, suffix=True)
        groups = [name for name in (*(n for [n] in named), *columns["image"]) if name not in key]
        fewer = [
            name
            for name in groups
            if 1 < sample.distinct[name] < sample.distinct[key[0]]
            and sample.twice([*key, name]) == sample.twice(key)
        ]
        self._set("cluster", key[:1] if len(key) > 1 else fewer[:1], "what items have in common")
        self._check_files([*key, *two])

    def _check_files(self, key: Sequence[str]) -> None:
        """Several files are of several judges, unless they share no item: then this is asked."""
        items: dict[Any, set[Any]] = {}
        for row in self._sample.rows:
            items.setdefault(row[FILE], set()).add(tuple(sorted(text_of(row.get(n)) for n in key)))
        alone = not any(a & b for a, b in pairwise(items.values()))
        if alone and len(items) > 1 and not self.columns["judge"] and not self.columns.files:
            raise QuestionError(
                "the files share no item: is each of another judge, --columns 'files={judge}.*', "
                "or are they parts of one judge's answers, 'files={source}.*'? (So end the paths; "
                "* is anything.)"
            )
