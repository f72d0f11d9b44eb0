"""Find the roles of columns in a file of people's labels, given the questions to judges.

A column with names of their items, criteria or systems is told by its values, and so is one whose
values say what a judge may say. Declared columns are settled.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.label_rows import FIELDS, PLACES
from pairbench_ext.stacks.records.cells import name_weight, says_nothing
from pairbench_ext.stacks.records.columns import Columns, QuestionError
from pairbench_ext.stacks.records.evidence import score
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.label_values import Asked, Meanings, cell_text
from pairbench_ext.stacks.records.profile import Sample
from pairbench_ext.stacks.records.readings import command, options_of
from pairbench_ext.stacks.records.values import candidates

_SHARED = 0.5  # of the values of a column, for it to name items or criteria
_MOSTLY = 0.9  # of the values, for systems
_SAYS = 0.75  # of the values, for a column to be labels
_NUMBER = re.compile(r"[\W_]*\d+")


@dataclass(frozen=True)
class LabelColumns:
    """A search for the roles of the columns in a file of people's labels.

    Attributes:
        file: for errors.
        asked: what the labels are of.
        sample: of the rows.
        names: of all columns, with those in which nothing stands.
        given: what is declared of these columns.
        proposed: the same for the command that a question proposes.
        typed: that command, without options about columns.
    """

    file: Path
    asked: Asked
    sample: Sample
    names: tuple[str, ...]
    given: Columns
    proposed: Columns
    typed: Sequence[str]

    def found(self) -> Columns:
        """Return which columns hold the item, the labels (`people`), and other roles.

        Raises:
            RecordError: if none names an item, or two have the same name.
            QuestionError: if several may be labels.
        """
        item = self.given["item"] or self._item()
        labels = self.given["people"] or self.given["verdict"]
        labels = labels or ("label",) * ("label" in self.names)
        columns = replace(self.given, roles={"item": item, "people": labels}, answer="")
        aspect = self._one("criterion", "aspect", self._criterion(columns))
        columns = columns.with_roles(aspect=aspect)
        two = self._two(columns)
        columns = columns.with_roles(first=two[:1], second=two[1:])
        rater = self._one("rater", "annotator", self.given["judge"] or self._rater(columns))
        columns = columns.with_roles(annotator=rater)
        if not labels:
            columns = columns.with_roles(people=self._labels(columns))
        self._check_names(columns)
        return columns

    def known(self) -> list[str]:
        """Return columns with known names: fields of a label, or fields of the judged items."""
        return [n for n in self.names if n in FIELDS or n in self.asked.fields]

    def free(self, columns: Columns) -> list[str]:
        """Return the columns that have no role yet."""
        taken = {*self.known()}.union(*columns.roles.values())
        return [name for name in self.sample if name not in taken]

    def _check_names(self, columns: Columns) -> None:
        used = {name for names in columns.roles.values() for name in names}
        parted = (name.rpartition(".") for name in self.names)
        twice = [name for name, _, end in parted if name in used and end.isdecimal()]
        if twice:
            raise RecordError(f"{self.file}: two columns have the name {twice[0]!r}; rename one")

    def _one(self, name: str, role: str, found: Sequence[str]) -> tuple[str, ...]:
        """Return the column that is declared, or has a name, or was found."""
        return self.given[role] or ((name,) if name in self.names else tuple(found[:1]))

    def _texts(self, name: str) -> set[str]:
        return {cell_text(cell) for cell, _ in self.sample[name].cells}

    def _naming(self, names: Sequence[str], named: Collection[str], share: float) -> list[str]:
        """Return columns of which at least a share of the distinct values are known names."""
        texts = {name: self._texts(name) for name in names} if named else {}
        return [n for n, of in texts.items() if len(of & {*named}) >= share * max(1, len(of))]

    def _item(self) -> tuple[str, ...]:
        if self.asked.key and {*self.asked.key} <= {*self.names}:
            return self.asked.key
        if {"item", "label"} <= {*self.names}:
            return ("item",)
        found = {n: sum(map(self.asked.has, self._texts(n))) for n in self.sample}
        most = max(found.values(), default=0)
        best = [n for n in found if found[n] == most >= max(1, _SHARED * len(self._texts(n)))]
        if best:
            return (max(best, key=lambda n: name_weight(n, "item")),)
        return self._no_item()

    def _no_item(self) -> tuple[str, ...]:
        names = self.asked.key and " and ".join(f"`{name}`" for name in self.asked.key)
        items = listed([*map(repr, sorted(self.asked.kinds)[:2])], 2)
        like = f"no column {names}, and no column" if names else "no column"
        raise RecordError(
            f"{self.file}: the labels have {like} with names of items, such as {items}. The "
            f"columns are {listed([f'`{n}`' for n in self.sample], 12)}. Name the column with the "
            "items: --columns item=COLUMN"
        )

    def _criterion(self, columns: Columns) -> Sequence[str]:
        return self._naming(self.free(columns), self.asked.criteria, _SHARED)

    def _two(self, columns: Columns) -> tuple[str, ...]:
        """Return the columns of the two systems: they name two different ones in every row."""
        declared = (*self.given["first"], *self.given["second"]) or self.asked.two
        for two in (declared, PLACES):
            if len(two) == 2 and {*two} <= {*self.names}:
                return two
        free = self.free(columns)
        names = self._naming(free, self.asked.systems, _MOSTLY)
        for first, second in permutations(names, 2) if len(free) > 2 or columns["people"] else ():
            if all(cell_text(x.get(first)) != cell_text(x.get(second)) for x in self.sample.rows):
                return first, second
        return ()

    def _rater(self, columns: Columns) -> tuple[str, ...]:
        scores = {n: score(self.sample[n], "judge", self.sample) for n in self.free(columns)}
        best = max(scores, key=lambda n: scores[n], default="")
        return (best,) if scores.get(best, 0.0) >= 1 else ()

    def _labels(self, columns: Columns) -> tuple[str, ...]:
        """Return the columns of what people said."""
        saying = [n for n in self.free(columns) if self._says(n, columns) and not _of_judge(n)]
        kinds = self.asked.every_kind
        roles = {**columns.roles, "judge": columns["annotator"], "annotator": ()}
        of_kind = replace(columns, kind=kinds[0] if len(kinds) == 1 else "", roles=roles)
        found = candidates(self.sample, of_kind)
        for names in (found.people, found.judged, found.weak, saying):
            named = _with_alike([n for n in names if n in saying], saying)
            if len(named) == 1 or self._of_criteria(named) or _of_raters(named):
                return named
            if named:
                raise self._ask(named)
        raise self._ask(())

    def _of_criteria(self, names: Sequence[str]) -> bool:
        """Return whether columns are called as known criteria."""
        rest = {factors(name).rest for name in names} or {""}
        return rest <= {name.lower() for name in self.asked.criteria}

    def _says(self, name: str, columns: Columns) -> bool:
        """Return whether a column's values say what a judge may say."""
        cells = [(cell, row) for cell, row in self.sample[name].some if not says_nothing(cell)]
        rows = [row for _, row in cells]
        meanings = Meanings(self.asked, columns.with_roles(people=[name]), rows)
        understood = sum(meanings.of("", cell, row) is not None for cell, row in cells)
        return bool(cells) and understood >= _SAYS * len(cells)

    def _ask(self, names: Sequence[str]) -> QuestionError:
        """Return the question which of some columns are labels; which of all, if none says any."""
        shown = listed([f"`{name}`" for name in names or sorted(self.sample)], 12)
        lines = [(
            f"{self.file}: which column holds people's labels? The columns are {shown}. Name it: "
            "--columns people=COLUMN; for several raters, people=COLUMN+COLUMN"
        )]  # fmt: skip
        answers = [[*names], *([n] for n in names)] if names else []
        for answer in answers[:4]:
            values = Counter(cell_text(x) for n in answer for x, _ in self.sample[n].some)
            settled = self.proposed.with_roles(people=answer)
            common = listed([f"{x!r:.40} ({count:,})" for x, count in values.most_common(3)], 3)
            lines += [f"{' and '.join(f'`{n}`' for n in answer)}: {common}",
                      f"   {command(self.typed, options_of(settled, settled))}"]  # fmt: skip
        return QuestionError("\n".join(lines))


def _of_judge(name: str) -> bool:
    """Return whether a column is called after a model or judge."""
    of = factors(name)
    return (of.machine or bool(of.model)) and not of.person


def _of_raters(names: Sequence[str]) -> bool:
    """Return whether columns are called alike, but for numbers or words for a person."""
    every = [factors(name) for name in names]
    alike = len({_NUMBER.sub("", name) for name in names}) == 1
    return alike or (all(of.person for of in every) and len({of.rest for of in every}) == 1)


def _with_alike(names: Sequence[str], every: Sequence[str]) -> tuple[str, ...]:
    """Return names, then the others that begin with the same words."""
    begun = {_word(name) for name in names}
    return (*names, *(name for name in every if name not in names and _word(name) in begun))


def _word(name: str) -> str:
    """Return the first word of a column's name."""
    return re.split(r"[\W_]+", name.lower())[0]
