"""What judges and people said: which columns, and of which kind; asked where two readings fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pairbench_ext.core.texts import listed
from pairbench_ext.stacks.records.cells import NAMES, WORDS, last, number, plain, text_of
from pairbench_ext.stacks.records.columns import KINDS, Columns, QuestionError, Sample
from pairbench_ext.stacks.records.roles import Roles

_CODES = {"0", "1", "2", "3", "-1", "0.0", "1.0", "2.0", "0.5", "1.5"}
_STRONG = 2  # names of replies that are enough by themselves
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
        self._judgment(self.two_things())
        self.rest()
        if unused := [f"`{name}`" for name in self.without_role()]:
            self.lines.append(f"not used: {listed(unused, 12)}")

    def _kind(self, names: Sequence[str]) -> str:
        """The kind of judgment that columns are of; empty without columns.

        Raises:
            QuestionError: if several kinds fit.
        """
        every = [fits for name in names if (fits := self.fits(name))]
        if not every or self.columns.kind:
            return self.columns.kind
        fits = [kind for kind in KINDS if all(kind in of for of in every)] or every[0]
        name, words = names[0], {plain(cell) for cell, _ in self._sample.some(names[0])}
        scored, verdict = (WORDS[word].fullmatch(last(name)) for word in ("scored", "verdict"))
        two, coded = self.columns.of_two, words <= _CODES
        if fits == ["rating"] and (two or (verdict and coded)) and not scored:
            raise self.question(
                name,
                "say what its numbers mean: --values 0=first,1=second,2=tie; or --columns "
                "kind=rating",
            )
        if len(fits) == 1 and (fits == ["pair"] or not words <= _CODES - {"-1"}):
            return fits[0]
        if scored and "rating" in fits:
            return "rating"
        letters = fits == ["pair", "choice"] and (words <= {"a", "b"} or not words & {"a", "b"})
        if "pair" in fits and (two or verdict or letters):
            return "pair"
        could = dict.fromkeys((*fits, "pair"))
        kinds = " or ".join(f"{_MEANT[kind]} (--columns kind={kind})" for kind in could)
        codes = "; if so, say what 0 and 1 mean (--values 0=first,1=second)" * coded
        raise self.question(name, f"{kinds}{codes}?")

    def _judgment(self, scores: Sequence[str]) -> None:
        """What the judge said, as words and as a value, and what people said."""
        people = self.columns["people"] or self._people(slice(1))
        values, strong = (
            [name for name in self._valued(slice(rank)) if name not in people] for rank in (3, 2)
        )
        kin = last(scores[0]).partition("_")[0] if scores else ""  # such as `winner_tie`
        if scores and all(last(name).startswith(kin) for name in strong):
            values = [*scores]
        else:
            scores = []
        given, sample = self.columns.said, self._sample
        if "reply" not in self.columns.roles and not self.columns["scores"]:
            kind = "pair" if scores else self._kind((*given, *values[:1], *people[:1]))
            self._reply([kind] if kind else [*KINDS], values, people)
        elif self.columns["reply"] and not given:
            kinds = next((fits for name in people if (fits := self.fits(name))), [*KINDS])
            read, _ = sample.read(self.columns["reply"][0], kinds, self.columns)
            self.columns = replace(self.columns, kind=read.kind, scale=read.scale)
        if not (given or self.columns["reply"]):
            self.set("scores", scores, "scores of the two; the higher one wins")
        if not (given or self.columns["scores"]):
            self._value(people)
        said = self.columns.said
        kind = "pair" if self.columns["scores"] else self._kind((*said, *people[:1]))
        if not kind or not (said or self.columns["reply"]):
            raise QuestionError(
                "no column says what the judge said: name it, --columns verdict=COLUMN for a value "
                "or reply=COLUMN for its words; there are "
                f"{listed(list(sample.cells), 30)}"
            )
        self.columns = replace(self.columns, kind=kind)
        self.set("people", people or self._people(slice(1, 2)), "what people said")
        names = [*said, *self.columns["people"]]
        if kind in ("choice", "ranking"):
            options = sample.options(names, self.columns)
            self.columns = replace(self.columns, options=options)
        if kind == "rating" and names and self.columns.scale == Columns.scale:
            self.columns = replace(self.columns, scale=sample.scale(names))

    def _valued(self, ranks: slice) -> list[str]:
        """Columns of values that judges could have said, by their names."""
        return [*dict.fromkeys(name for name in self.free("verdict", ranks) if self.fits(name))]

    def _people(self, ranks: slice) -> list[str]:
        """What people said; by a weak name, only what is not what the judge said."""
        found = [name for name in self.free("people", ranks) if self.fits(name)]
        if ranks.start:
            found = [n for n in found if self._sample.agreement(n, self.columns)[0] < 0.985][:1]
        if len({re.sub(r"\d", "", last(name)) for name in found}) > 1:
            raise QuestionError(
                f"{listed([f'`{n}`' for n in found], 6)} could each be what people said: name one, "
                f"or all raters: --columns people={'+'.join(found)}"
            )
        return found

    def _reply(self, kinds: Sequence[str], values: Sequence[str], people: Sequence[str]) -> None:
        """The judge's words: the column of the best name that a grammar reads.

        A weak name (`response`) is not enough where a value says something else. Without any value,
        the name does not matter where a grammar reads nearly all of a column.
        """
        named = {n for role in ("item", "prompt", "image", "order") for n in self.free(role)}
        ranks = [self.free("reply", slice(r, r + 1)) for r in range(len(NAMES["reply"]))]
        nameless = [n for n in self.without_role() if n not in named and not self.fits(n)]
        for rank, names in enumerate([*ranks, [] if values else nameless]):
            found: dict[str, tuple[Columns, float]] = {}
            for name in names:
                words = [x for x, _ in self._sample.some(name) if isinstance(x, str)]
                known = name in people or (name in values and not self._sample.is_text(name))
                if words and not known and (rank < len(ranks) or number(words[0]) is None):
                    read, share = self._sample.read(name, kinds, self.columns)
                    if share >= (0.5 if rank < len(ranks) else 0.9):
                        found[name] = read, share
            for name, (read, share) in found.items():
                others = [other for other in values if other != name]
                said = read.with_roles(reply=[name])
                agree = any(self._sample.agreement(other, said)[0] >= 0.5 for other in others)
                if agree or rank < _STRONG or not others:
                    if len(found) > 1 and not agree and rank not in range(_STRONG, len(ranks)):
                        self._ask(list(found), "reply")
                    self.columns = read
                    self.set("reply", [name], f"what the judge wrote ({share:.0%} can be read)")
                    return

    def _value(self, people: Sequence[str]) -> None:
        """What was read in the reply, or is all that is recorded of it."""
        free = [name for name in self.without_role() if name not in people]
        ranks = [[n for n in self._valued(slice(r, r + 1)) if n in free] for r in range(4)]
        if self.columns["reply"]:
            found = [n for names in ranks for n in names]
            found = [n for n in found if self._sample.agreement(n, self.columns)[0] >= 0.8][:1]
        else:
            items = self.free("item")
            numbers = [n for n in free if n not in items and "rating" in self.fits(n)]
            ranks.append([n for n in numbers if self._sample.distinct[n] > 1])
            found = next(filter(None, ranks), [])
            alike = [
                n for n in found if last(n) == last(found[0]) and self._sample.same(n, found[0])
            ]
            if alike == found:  # a value and its copy
                found = found[:1]
            if len(found) > 1:
                self._ask(found, "verdict")
        for name in found:
            self._set_value(name, self._kind((name, *people[:1])), people)

    def _set_value(self, name: str, kind: str, people: Sequence[str]) -> None:
        """A value is as shown (verdict), or in the order of the data (winner)."""
        if WORDS["label"].fullmatch(last(name)) and not self.columns["reply"] and not people:
            raise self.question(
                name,
                f"what the judge said, --columns verdict={name}, or what people said, --columns "
                f"people={name}?",
            )
        columns, cells = replace(self.columns, kind=kind), self._sample.some(name)
        words, first = sorted({text_of(x) for x, row in cells if columns.says(x, row) == 0}), ""
        if kind == "pair" and words:
            called = [f"`{n}`" for n in (*columns["first"], *columns["first_answer"])]
            first = f"; {' or '.join(words[:2])} is {(*called, 'the first')[0]}"
        two = columns.two
        systems = {text_of(x) for n in two for x, _ in self._sample.cells[n]}
        # A word that is the name of a column or of a system is no place.
        of_data = bool({text_of(x) for x, _ in cells} & {*self._sample.cells, *systems})
        if kind == "pair" and columns["reply"]:
            of_data = self._sample.agreement(name, columns)[1]
        elif kind == "pair" and columns["order"] and not of_data:
            raise self.question(
                name,
                "the place that was shown, or the option in the order of the data? --columns "
                f"verdict={name}, or --columns winner={name}",
            )
        self.set("winner" if of_data else "verdict", [name], f"the {KINDS[kind][0]}{first}")

    def _ask(self, names: Sequence[str], role: str) -> None:
        shown = listed([f"`{name}`" for name in names], 12)
        raise QuestionError(
            f"{shown} could each be what the judge said: name one, --columns {role}={names[0]}, or "
            f"several, each a judge: {role}={'+'.join(names)}"
        )
