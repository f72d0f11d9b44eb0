"""What judges and people said: which columns, and of which kind; asked where two readings fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pairbench_ext.core.plurals import listed
from pairbench_ext.stacks.records.cells import number, text_of
from pairbench_ext.stacks.records.columns import KINDS, NAMES, Columns, QuestionError, last
from pairbench_ext.stacks.records.roles import SCORED, Roles
from pairbench_ext.stacks.records.sample import Sample

_VERDICT = re.compile(NAMES["verdict"][0])
_SURE = 0.9  # share of a column that must be read, where its name says nothing
_CODES = {"0", "1", "2", "3", "-1", "0.0", "1.0", "2.0", "0.5", "1.5"}
_LABEL = re.compile(r"(?:.*_)?(?:label|target|gold)")
_MEANT = {
    "pair": "which of two is better",
    "rating": "a rating",
    "yesno": "yes or no",
    "choice": "one of several options",
    "ranking": "a ranking",
}


class Guess(Roles):
    """All roles of columns.

    Args:
        sample: some rows of all files.
        given: what is known already.

    Raises:
        QuestionError: if two readings fit.
        RecordError: if a column that is named is not there.
    """

    def __init__(self, sample: Sample, given: Columns) -> None:
        super().__init__(sample, given)
        self._two_things()
        self._judgment()
        self._rest()
        self._item()
        self._unused()

    def _kind(self, names: Sequence[str]) -> str:
        """The kind of judgment that columns are of; empty without columns.

        Raises:
            QuestionError: if several kinds fit.
        """
        every = [fits for name in names if (fits := self.fits(name))]
        fits = [kind for kind in KINDS if every and all(kind in of for of in every)]
        fits = fits or (every[0] if every else [])
        if not fits or self.columns.kind:
            return self.columns.kind
        name, words = names[0], {*self._sample.words(names[0])}
        if words <= _CODES and fits == ["pair"]:
            return "pair"
        scored, verdict = (pattern.fullmatch(last(name)) for pattern in (SCORED, _VERDICT))
        two = self.columns.of_two or (verdict and words <= _CODES)
        if fits == ["rating"] and two and not scored:
            raise QuestionError(
                f"`{name}` holds {listed(sorted(words), 4)}: say what its numbers mean: --values "
                "0=first,1=second,2=tie; or --columns kind=rating"
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
            kinds = [kind] if kind else [*KINDS]
            self._reply(kinds, values, people)
            if not self.columns["reply"]:
                self._words(kinds, values, people)
        elif self.columns["reply"] and not given:
            kinds = next((fits for name in people if (fits := self.fits(name))), [*KINDS])
            read, _ = self._sample.read(self.columns["reply"][0], kinds, self.columns)
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
        found = [name for name in self.free("people", ranks) if self.fits(name)]
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
            for name in self.free("reply", slice(rank, rank + 1)):
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

    def _words(self, kinds: Sequence[str], values: Sequence[str], people: Sequence[str]) -> None:
        """The judge's words by what they say alone: a grammar reads nearly all of the column."""
        if values:
            return
        named = {n for role in ("item", "prompt", "image", "order") for n in self.free(role)}
        texts = [
            name
            for name in self._free_texts()
            if name not in named and name not in people and not self.fits(name)
        ]
        read = {n: self._sample.read(n, kinds, self.columns) for n in texts}
        found = [name for name, (_, share) in read.items() if share >= _SURE]
        if len(found) > 1:
            self._ask(found, "reply")
        for name in found:
            self.columns = read[name][0]
            self._set("reply", [name], f"what the judge wrote ({read[name][1]:.0%} can be read)")

    def _free_texts(self) -> list[str]:
        first = {name: self._sample.some(name)[0][0] for name in self._without_role()}
        return [n for n, x in first.items() if isinstance(x, str) and number(x) is None]

    def _unused(self) -> None:
        """The columns that nothing is made of, so that nobody takes them for used."""
        unused = [f"`{name}`" for name in self._without_role()]
        if unused:
            self.lines.append(f"not used: {listed(unused, 12)}")

    def _value(self, people: Sequence[str]) -> None:
        """What was read in the reply, or is all that is recorded of it."""
        if self.columns["scores"]:
            return
        free = [name for name in self._without_role() if name not in people]
        ranks = [[n for n in self._valued(slice(r, r + 1)) if n in free] for r in range(4)]
        if self.columns["reply"]:
            found = [n for names in ranks for n in names]
            found = [n for n in found if self._agreement(n, self.columns)[0] >= 0.8][:1]
        else:
            items = self.free("item")
            numbers = [n for n in free if n not in items and "rating" in self.fits(n)]
            ranks.append([n for n in numbers if self._sample.distinct[n] > 1])
            found = next(filter(None, ranks), [])
            if len(found) > 1:
                self._ask(found, "verdict")
        if not found:
            return
        kind = self._kind((*found, *people[:1]))
        if _LABEL.fullmatch(last(found[0])) and not self.columns["reply"] and not people:
            raise QuestionError(
                f"`{found[0]}` holds {self._sample.examples(found[0])}: what the judge said, "
                f"--columns verdict={found[0]}, or what people said, --columns people={found[0]}?"
            )
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
