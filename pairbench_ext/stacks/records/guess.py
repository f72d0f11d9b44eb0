"""Which column is what, from names and values: printed with examples, asked where two fit."""

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
from pairbench_ext.stacks.records.columns import KINDS, NAMES, PRESETS, Columns, last
from pairbench_ext.stacks.records.sample import FILE, Sample

_SIDES = re.compile(
    r"(.*?)(?:^|[ _-]|(?<=[a-z]))(a|b|1|2|left|right|first|second|chosen|rejected)((?:_\w+)?)"
)
_ANSWER = re.compile(r".*(?:response|output|answer|caption|completion|text|conversation|body).*")
_MADE_BY = re.compile(r".*(?:model|system|generator|name|id).*")
_SCORED = re.compile(r".*(?:score|rating|grade|likert).*")
_SCORES = re.compile(rf"{_SCORED.pattern}|win.*")
_ENDED = re.compile(r"(.+)[_-](?:[12]|fwd|rev|ab|ba|orig(?:inal)?|swap(?:ped)?)")
_CODES = {"0", "1", "2", "3", "-1", "0.0", "1.0", "2.0"}
_MEANT = {"pair": "which of two is better", "rating": "a rating", "yesno": "yes or no",
          "choice": "one of several options", "ranking": "a ranking"}  # fmt: skip
_VERDICT = re.compile(NAMES["verdict"][0])
_JUDGES = 200  # at most


class QuestionError(RecordError):
    """Two readings fit; the message asks for the one that is meant, and says how to answer."""


class Guess:
    """The roles of columns.

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
        for marks, roles in PRESETS:
            if marks <= sample.cells.keys():
                preset = {role: (n,) for role, n in roles.items() if n in sample.cells}
                self.columns = replace(given, roles={**preset, **given.roles})
        for role, names in self.columns.roles.items():
            if names and not {*names} & sample.cells.keys():
                every = listed(list(sample.cells), 40)
                raise RecordError(f"no column {names[0]!r} for {role}; there are {every}")
        named = self.columns.roles.items()
        there = {role: tuple([n for n in names if n in sample.cells]) for role, names in named}
        self.columns = replace(self.columns, roles=there)
        self._two_things()
        orders = [name for name in self._free("order") if sample.distinct[name] == 2]
        self._set("order", orders[:1], "the order that was shown")
        self._judgment()
        self._all_else()
        self._item()

    def _set(self, role: str, names: Sequence[str], why: str) -> None:
        if role not in self.columns.roles and names:
            roles = {**self.columns.roles, role: tuple(names)}
            self.columns = replace(self.columns, roles=roles)
            shown = " and ".join(f"`{name}`" for name in names)
            hold = "hold" if len(names) > 1 else "holds"
            examples = self._sample.examples(names[0])
            self.lines.append(f"{shown} {hold} {examples}: taken for {why}")

    def _free(self, role: str, ranks: slice = slice(None)) -> list[str]:
        """Columns that have the name of a role and no other role, the best names first."""
        taken = {n for of, names in self.columns.roles.items() if of != role for n in names}
        free = [name for name in self._sample.cells if name not in taken]
        return [n for names in NAMES[role][ranks] for n in free if re.fullmatch(names, last(n))]

    def _fits(self, name: str) -> list[str]:
        return self._sample.fits(name, self.columns)

    def _two_things(self) -> None:
        """Columns of one name but for `_a` and `_b`: systems, their answers, or their scores."""
        pairs: dict[tuple[str, str], list[str]] = {}
        for name in self._sample.cells:
            if match := _SIDES.fullmatch(last(name)):
                pairs.setdefault((match[1], match[3]), []).append(name)
        scores: list[str] = []
        for two in (sorted(names) for names in pairs.values() if len(names) == 2):
            one = last(two[0])
            if _SCORES.fullmatch(one) and self._fits(two[0]) == ["rating"]:
                scores = scores or two
            elif _ANSWER.fullmatch(one) and self._sample.is_text(two[0]):
                self._set("first_answer", two[:1], "the first answer")
                self._set("second_answer", two[1:], "the second answer")
            elif (
                _MADE_BY.fullmatch(one)
                and not self._fits(two[0])
                and self._sample.distinct[two[0]] <= max(20, len(self._sample.rows) / 4)
            ):
                self._set("first", two[:1], "who made the first")
                self._set("second", two[1:], "who made the second")
        kin = last(scores[0]).partition("_")[0] if scores else ""  # such as `winner_tie`
        others = [n for n in self._valued(slice(2)) if not last(n).startswith(kin)]
        if scores and not (others or self.columns.said):
            self._set("scores", scores, "scores of the two; the higher one wins")

    def _valued(self, ranks: slice) -> dict[str, None]:
        """Columns of values that judges could have said, by their names."""
        return dict.fromkeys(name for name in self._free("verdict", ranks) if self._fits(name))

    def _kind(self, names: Sequence[str]) -> str:
        """The kind of judgment that columns are of; empty without columns.

        Raises:
            QuestionError: if several kinds fit.
        """
        every = [fits for name in names if (fits := self._fits(name))]
        fits = [kind for kind in KINDS if every and all(kind in of for of in every)]
        fits = fits or (every[0] if every else [])
        if not fits or self.columns.kind:
            return self.columns.kind
        name, words = names[0], {*self._sample.words(names[0])}
        if words <= _CODES and fits == ["pair"]:
            return "pair"
        scored, verdict = (pattern.fullmatch(last(name)) for pattern in (_SCORED, _VERDICT))
        if (
            fits == ["rating"]
            and words <= _CODES
            and not scored
            and (self.columns.of_two or verdict)
        ):
            raise QuestionError(
                f"`{name}` holds {listed(sorted(words), 4)}: say what its numbers mean: --values "
                "0=first,1=second,2=tie"
            )
        if len(fits) == 1 and not words <= _CODES - {"-1"}:
            return fits[0]
        if scored and "rating" in fits:
            return "rating"
        letters = words <= {"a", "b"} or not words & {"a", "b"}
        if "pair" in fits and (
            self.columns.of_two or verdict or (fits == ["pair", "choice"] and letters)
        ):
            return "pair"
        could = dict.fromkeys((*fits, "pair"))
        kinds = " or ".join(f"{_MEANT[kind]} (--columns kind={kind})" for kind in could)
        coded = "; if so, say what 0 and 1 mean (--values 0=first,1=second)" * (words <= _CODES)
        raise QuestionError(f"`{name}` holds {listed(sorted(words), 4)}: {kinds}{coded}?")

    def _judgment(self) -> None:
        """What the judge said, as words and as a value, and what people said."""
        people = self.columns["people"] or self._people(slice(1))
        values = [n for n in self._valued(slice(3)) if n not in people]
        given = self.columns.said
        if "reply" not in self.columns.roles and not self.columns["scores"]:
            kind = self._kind((*given, *values[:1], *people[:1]))
            self._reply([kind] if kind else [*KINDS], values, people)
        elif self.columns["reply"] and not given:
            read, _ = self._sample.read(self.columns["reply"][0], [*KINDS], self.columns)
            self.columns = replace(self.columns, kind=read.kind, scale=read.scale)
        if not given:
            self._value(people)
        kind = "pair" if self.columns["scores"] else self._kind((*self.columns.said, *people[:1]))
        if not kind or not (self.columns.said or self.columns["reply"]):
            raise QuestionError(
                "no column says what the judge said: name it, --columns verdict=COLUMN for a value "
                "or reply=COLUMN for its words; there are "
                f"{listed(list(self._sample.cells), 30)}"
            )
        self.columns = replace(self.columns, kind=kind)
        self._set("people", people or self._people(slice(1, 2)), "what people said")
        names = [*self.columns.said, *self.columns["people"]]
        if kind in ("choice", "ranking"):
            options = self._sample.options(names, self.columns)
            self.columns = replace(self.columns, options=options)
        if kind == "rating" and names and self.columns.scale == Columns.scale:
            self.columns = replace(self.columns, scale=self._sample.scale(names))

    def _people(self, ranks: slice) -> list[str]:
        """What people said; by a weak name, only what is not what the judge said."""
        found = [name for name in self._free("people", ranks) if self._fits(name)]
        if ranks.start:
            found = [n for n in found if self._agreement(n, self.columns)[0] < 0.985][:1]
        if len({re.sub(r"\d", "", last(name)) for name in found}) > 1:
            raise QuestionError(
                f"{listed([f'`{n}`' for n in found], 6)} could each be what people said: name one, "
                f"or all raters: --columns people={'+'.join(found)}"
            )
        return found

    def _reply(self, kinds: Sequence[str], values: Sequence[str], people: Sequence[str]) -> None:
        """The judge's words: the column of the best name that a grammar reads.

        A weak name (`response`) is not enough where a value says something else.
        """
        for rank in range(len(NAMES["reply"])):
            found: dict[str, tuple[Columns, float]] = {}
            for name in self._free("reply", slice(rank, rank + 1)):
                strings = any(isinstance(cell, str) for cell, _ in self._sample.some(name))
                if (
                    strings
                    and name not in people
                    and (name not in values or self._sample.is_text(name))
                ):
                    read, share = self._sample.read(name, kinds, self.columns)
                    if share >= 0.5:
                        found[name] = read, share
            for name, (read, share) in found.items():
                said = replace(read, roles={**read.roles, "reply": (name,)})
                others = [other for other in values if other != name]
                agree = any(self._agreement(other, said)[0] >= 0.5 for other in others)
                if agree or rank < 2 or not others:
                    if len(found) > 1 and not agree and rank < 2:
                        self._ask(list(found), "reply")
                    self.columns = read
                    self._set("reply", [name], f"what the judge wrote ({share:.0%} can be read)")
                    return

    def _value(self, people: Sequence[str]) -> None:
        """What was read in the reply, or is all that is recorded of it."""
        if self.columns["scores"]:
            return
        taken = {*people, *(n for names in self.columns.roles.values() for n in names)}
        ranks = [[n for n in self._valued(slice(r, r + 1)) if n not in taken] for r in range(4)]
        if self.columns["reply"]:
            found = [n for names in ranks for n in names]
            found = [n for n in found if self._agreement(n, self.columns)[0] >= 0.8][:1]
        else:
            numbers = [n for n in self._sample.cells if "rating" in self._fits(n)]
            ranks.append([n for n in numbers if n not in taken and self._sample.distinct[n] > 1])
            found = next(filter(None, ranks), [])
            if len(found) > 1:
                self._ask(found, "verdict")
        if not found:
            return
        kind = self._kind((*found, *people[:1]))
        columns, first = replace(self.columns, kind=kind), ""
        words = {text_of(x) for x, row in self._sample.some(found[0]) if columns.says(x, row) == 0}
        if kind == "pair" and words:
            called = [f"`{n}`" for n in (*columns["first"], *columns["first_answer"])]
            first = f"; {' or '.join(sorted(words)[:2])} is {(*called, 'the first')[0]}"
        systems = {text_of(x) for role in ("first", "second") for n in columns[role]
                   for x, _ in self._sample.cells[n]}  # fmt: skip
        every = {text_of(x) for x, _ in self._sample.some(found[0])}
        # A word that is the name of a column or of a system is no place.
        of_data = bool(every & {*self._sample.cells, *systems})
        if kind == "pair" and columns["reply"]:
            of_data = self._agreement(found[0], columns)[1]
        elif kind == "pair" and columns["order"] and not of_data:
            raise QuestionError(
                f"`{found[0]}` holds {self._sample.examples(found[0])}: the place that was shown, "
                f"or the option in the order of the data? --columns verdict={found[0]}, or "
                f"--columns winner={found[0]}"
            )
        role = "winner" if of_data else "verdict"
        self._set(role, found, f"the {KINDS[kind][0]}{first}")

    def _agreement(self, name: str, columns: Columns) -> tuple[float, bool]:
        """How well a column agrees with the words, and whether it is in the order of the data."""
        shares = (self._sample.agreement(name, columns, of_data=of) for of in (False, True))
        return max(zip(shares, (False, True), strict=True), key=lambda share: share[0])

    def _ask(self, names: Sequence[str], role: str) -> None:
        shown = listed([f"`{name}`" for name in names], 12)
        raise QuestionError(
            f"{shown} could each be what the judge said: name one, --columns {role}={names[0]}, or "
            f"several, each a judge: {role}={'+'.join(names)}"
        )

    def _all_else(self) -> None:
        distinct, sample = self._sample.distinct, self._sample
        judges = [name for name in self._free("judge") if distinct[name] <= _JUDGES]
        self._set("judge", judges[:1], "the judge")
        models = [n for n in self._free("system") if re.fullmatch("model(_?(name|id))?", last(n))]
        told = {"judge", "system", "first"} & self.columns.roles.keys()
        if models and not told and distinct[models[0]] > 1:
            raise QuestionError(
                f"`{models[0]}`: the judges, or the models whose outputs are judged? Say which: "
                f"--columns judge={models[0]} or --columns system={models[0]}"
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
                found = [name for name in self._free(role) if test(name)]
                self._set(role, found[: 2 if role == "image" else 1], why)

    def _item(self) -> None:
        """The fewest columns that tell rows apart, but for judges, orders and repeats."""
        columns, sample = self.columns, self._sample
        apart = [n for role in ("judge", "order", "repeat", "aspect") for n in columns[role]]
        apart += [] if columns["judge"] else [FILE]
        named = [[n] for n in self._free("item") if sample.distinct[n] > 1 and n not in apart]
        two = [*columns["first"], *columns["second"]]
        seen = {tuple(text_of(row.get(n)) for n in two) for row in sample.rows}
        swaps = any(pair[::-1] in seen for pair in seen if len(pair) == 2 and pair[0] != pair[1])
        apart += two[:1] if swaps else []
        more = [[n] for role in ("system", "prompt", "image") for n in columns[role]]
        more += [[*two]] if swaps else [[n] for n in two]
        more += [[n] for n in self._free("prompt") if [n] not in more]
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
        fewer = [n for n in groups if 1 < sample.distinct[n] < sample.distinct[key[0]]]
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
                "the files share no item: are they parts of one judge's answers, --columns "
                "'files={source}.*', or a judge each, --columns 'files={judge}.*'?"
            )
