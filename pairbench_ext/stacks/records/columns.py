"""The roles of columns: which columns hold the item, the judge, the verdict, and so on.

A role is what a column is to a judgment. `item`: what is judged. `reply`: what the judge wrote.
`verdict`: what whoever recorded it read there, by the place that was shown; `winner` by the order
of the data; `scores` of the two, the higher one winning. `people`: what people said, a column for
each rater. `judge`: who judged; `annotator`: which person; `who`: whether a person or a model did.
`order`, `repeat`, `first` and `second` (the two systems), `first_answer` and `second_answer`,
`system` (the one), `aspect` (criterion), `source` (part of the data), `cluster`, `image`, `prompt`,
`remark` (where an error may be written), `confidence` (the judge's, from 0 to 1).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pairbench_ext.core.contents import digest, short
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.records import RecordError, from_mapping
from pairbench_ext.core.texts import did_you_mean
from pairbench_ext.replies import asks, parse
from pairbench_ext.replies.answer_format import AnswerFormat, declared
from pairbench_ext.stacks.records.cells import (
    NAMES,
    WORDS,
    empty,
    plain,
    ranked,
    read_toml,
    says,
    several,
    strength,
    text_of,
)

ROLES = {*NAMES, "verdict", "people", "winner", "scores", "first", "second", "cluster"}
ROLES |= {"first_answer", "second_answer", "annotator"}
#: The name of a column that is not there: rows that are alike but for their values are repeats.
EACH_ROW = "#"
_LONGEST = 80  # characters of an item's name
_END = re.compile(r"[_-][^_-]+$")  # of a name: `_1`, `_2`
EACH = ("judge", "system", "aspect", "repeat")
MEANINGS = {
    "pair": ("first", "second", "tie"), "yesno": ("yes", "no"),
}  # fmt: skip
#: By the kind of judgment: its words, the grammar of its replies, its declaration, from its value
#: to a cell's.
KINDS: Mapping[str, tuple[str, str, Callable[[Columns], AnswerFormat], Callable[[Any], Any]]] = {
    "pair": (
        "which of two is better", "labels",
        lambda _: asks("labels", labels="ABC", ties=True), lambda x: x - 1,
    ),
    "rating": ("a rating", "rating", lambda c: asks("rating", scale=c.scale), float),
    "yesno": ("yes or no", "yesno", lambda _: asks("yesno"), lambda x: 1 - x),
    "choice": (
        "one of several options", "letter",
        lambda c: asks("letter", options=max(c.options, 5)), lambda x: ord(x) - 65,
    ),
    "category": (
        "a category", "letter",
        lambda c: asks("letter", options=c.labels), lambda x: ord(x) - 65,
    ),
    "ranking": (
        "a ranking", "ranking",
        lambda c: asks("ranking", labels="ABCDEFGH"[: max(c.options, 3)]), str,
    ),
}  # fmt: skip

#: The kinds of answers that may be declared, by the kind of judgment.
ANSWERS = {"pair": "verdict", "rating": "rating", "yesno": "yesno"}


class QuestionError(RecordError):
    """A file can be read in several ways; the message lists a command for each of them."""

    exit_code = 2


@dataclass(frozen=True)
class Columns:
    """The roles of a file's columns, and how their values are read.

    Attributes:
        kind: of the judgments, a key of `KINDS`.
        roles: the columns of each role; an empty one is settled, too: there is none.
        values: what values mean that are not clear by themselves: first, second, tie; yes, no.
        each: what tells several columns of values apart, where their names do not: judge, system,
            aspect, repeat.
        scale: of ratings.
        options: how many there are, of choices and rankings.
        labels: of categories; what is ranked, by name; of yes or no, other words for it.
        answer: what was asked for, as `answer_format.declared` reads it.
        suffix: whether the end of an item's name (`_1`, `_2`) is not part of it.
        as_shown: whether the two systems change places, so that each row has them as shown.
        files: the end of the files' paths, such as `{judge}/{source}.jsonl`: so named columns.
        benchmark: whose samples are made; by default those of recorded judgments of the kind.
        task: of the samples; names in braces are columns.

    Raises:
        RecordError: if there is no such kind.
    """

    kind: str = ""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    each: str = ""
    scale: tuple[int, int] = (1, 10)
    options: int = 2
    labels: tuple[str, ...] = ()
    answer: str = ""
    suffix: bool = False
    as_shown: bool = False
    files: str = ""
    benchmark: str = ""
    task: str = "judgments"

    def __post_init__(self) -> None:
        if self.kind and self.kind not in KINDS:
            raise RecordError(f"--columns kind={self.kind}: write one of {', '.join(KINDS)}")
        if self.each not in ("", *EACH):
            raise RecordError(f"--columns each={self.each}: write one of {', '.join(EACH)}")

    def __getitem__(self, role: str) -> tuple[str, ...]:
        return self.roles.get(role, ())

    def with_roles(self, **roles: Sequence[str]) -> Columns:
        """Return a copy in which the given columns have the given roles."""
        return replace(self, roles={**self.roles, **{n: tuple(of) for n, of in roles.items()}})

    def names(self, *roles: str) -> list[str]:
        """Return the names of the columns that have one of the given roles."""
        return [name for role in roles for name in self[role]]

    @property
    def said(self) -> tuple[str, ...]:
        """Return the columns that hold the judge's recorded verdicts or scores."""
        return self["verdict"] or self["winner"] or self["scores"]

    @cached_property
    def two(self) -> tuple[str, ...]:
        """Return the columns that name the two compared systems."""
        return tuple(self.names("first", "second"))

    @property
    def by_name(self) -> bool:
        """Return whether columns name both compared systems, so that the names tell their order."""
        return len(self.two) == 2

    @property
    def of_two(self) -> bool:
        """Return whether columns hold the two compared systems, their answers or their scores."""
        return bool(self["first"] or self["first_answer"] or self["scores"])

    def item(self, row: Mapping[str, Any]) -> str:
        """Return the name of a row's item; an empty text if part of it is missing."""
        names, two = self["item"], self.two
        parts = ["" if empty(cell) else text_of(cell) for cell in map(row.get, names)]
        if not parts or "" in parts:
            return ""
        if self.suffix:
            parts[0] = _END.sub("", parts[0])
        if two and {*two} <= {*names}:  # the same two in another order: the same item
            both = sorted(text_of(row[name]) for name in two)
            parts = [both.pop(0) if n in two else x for n, x in zip(names, parts, strict=True)]
        name = "/".join(parts)
        return (
            name
            if len(name) <= _LONGEST
            else f"{name[:_LONGEST]}... {short(digest([name.encode()]))}"
        )

    def reverse(self, row: Mapping[str, Any]) -> bool:
        """Return whether the judge was shown a row's two systems in reverse order."""
        return any(self.says_reverse(row.get(name)) for name in self["order"])

    def says_reverse(self, cell: Any) -> bool:
        """Return whether a cell says that the two systems were shown in reverse order."""
        meant = self.values.get(f"order {text_of(cell).strip()}", "")
        if meant in ("forward", "reverse"):
            return meant == "reverse"
        return bool(WORDS["reversed"].fullmatch(plain(cell)))

    def says(self, cell: Any, row: Mapping[str, Any]) -> Any:
        """Return the judgment that a recorded value means; None if the value is not understood."""
        meant = self.values.get(text_of(cell).strip(), cell) if self.values else cell
        if self.kind == "pair" and isinstance(meant, str):
            named = [row.get(name) for name in self.two]
            if meant in named and len(named) == 2:
                return named.index(meant)
        return self._of_labels(meant) if self.labels else says(self.kind, meant)

    def _of_labels(self, meant: Any) -> Any:
        """Return the meaning of a value among named labels; words for yes and no need be none."""
        if self.kind == "ranking":
            return self._ranking(meant)
        text, labels = plain(meant), self._plain_labels
        if self.kind in ("category", "yesno") and text in labels:
            return labels.index(text)
        return None if self.kind == "category" else says(self.kind, meant)

    def strength(self, cell: Any) -> float | None:
        """Return how strong a preference on 5 or 7 grades is; None if the cell does not say."""
        text = text_of(cell).strip()
        return self._grades.get(text) or (strength(text) if len(text) <= _LONGEST else None)

    @cached_property
    def _grades(self) -> Mapping[str, float]:
        """Return the distance from the middle of codes, several of which mean the first."""
        codes = {code: number_or_none(code) for code in self.values}
        numbers = {code: number for code, number in codes.items() if number is not None}
        middle = sum(numbers.values()) / max(1, len(numbers))
        return {code: abs(n - middle) for code, n in numbers.items() if len(numbers) > 3}

    @cached_property
    def _plain_labels(self) -> list[str]:
        return [plain(label) for label in self.labels]

    def _ranking(self, cell: Any) -> str | None:
        """The ranking of names, in letters: A is the first of the labels."""
        letters = dict(zip(self.labels, "ABCDEFGH", strict=False))
        groups = ranked(several(cell) or cell)
        if sorted(name for group in groups for name in group) != [*self.labels]:
            return None
        return "".join("=".join(sorted(letters[name] for name in group)) for group in groups)

    def reads(self, reply: str) -> Any:
        """Return the judgment that a judge's reply means; None if the reply is not understood."""
        grammar, asked, cell = self.grammar
        value = parse(grammar, reply, None, asked).value
        return None if value is None else cell(value)

    @cached_property
    def grammar(self) -> tuple[str, AnswerFormat, Callable[[Any], Any]]:
        """Return the grammar and the answer format of replies, and a function to write values."""
        of = "category" if self.kind == "yesno" and self.labels else self.kind
        _, grammar, declared, cell = KINDS[of]
        return grammar, self.asks or declared(self), cell

    @cached_property
    def asks(self) -> AnswerFormat | None:
        """Return the answer format that the user declared; None if the user declared none."""
        if not self.answer or self.kind not in ANSWERS or self.labels:
            return None
        asks = declared(self.answer, ANSWERS[self.kind])
        return asks if asks.scale or self.kind != "rating" else replace(asks, scale=self.scale)


def columns_of(words: Sequence[str], values: str = "") -> Columns:
    """Return the column roles and value meanings that `--columns` and `--values` declare.

    Args:
        words: `role=column,role=column+column`, settings such as `kind=pair`, or TOML files.
        values: `0=first,1=second`.

    Raises:
        RecordError: if a word is none of these, or a file is none of columns.
    """
    columns = Columns()
    for word in words:
        if word.endswith(".toml"):
            columns = load(Path(word))
            continue
        for part in word.split(","):
            columns = _with(columns, part)
    unclear = [part for part in values.split(",") if values and "=" not in part]
    if unclear:
        raise RecordError(f"--values {unclear[0]}: write VALUE=MEANING, such as 0=first,1=second")
    meant = dict(part.rsplit("=", 1) for part in values.split(",") if part)
    _check_meanings(meant)
    return replace(columns, values={**columns.values, **meant})


def _with(columns: Columns, part: str) -> Columns:
    """Return columns with what one part of `--columns` says."""
    role, sign, names = part.partition("=")
    scale = re.fullmatch(r"(-?\d+)-(\d+)", names)
    if role == "scale" and scale:
        return replace(columns, scale=(int(scale[1]), int(scale[2])))
    if role == "answer":
        try:
            declared(names, "verdict")
        except ValueError as error:
            raise RecordError(f"--columns answer: {error}") from None
        return replace(columns, answer=names)
    if role == "labels":
        return replace(columns, labels=tuple(names.split("+")))
    if role in ("kind", "each", "files", "benchmark", "task"):
        return replace(columns, **{role: names})  # type: ignore[arg-type]
    if sign and (role in ROLES or columns.benchmark):
        return columns.with_roles(**{role: [name for name in names.split("+") if name]})
    roles = ("kind", "each", "files", "scale", "labels", "answer", *sorted(ROLES))
    near = did_you_mean(role, roles)
    raise RecordError(
        f"--columns {part}: write ROLE=COLUMN; the role is one of {', '.join(roles)}{near}"
    )


def _check_meanings(values: Mapping[str, str]) -> None:
    every = {*MEANINGS["pair"], *MEANINGS["yesno"], "forward", "reverse", "person"}
    for value, meaning in values.items():
        understood = meaning in every or re.fullmatch("[A-H]", meaning)
        if not understood and number_or_none(meaning) is None:
            raise RecordError(
                f"--values {value}={meaning}: the meaning is unknown. Choose first, second or tie; "
                "yes or no; A to H for one of several options; forward or reverse; person; or a "
                f"number{did_you_mean(meaning, sorted(every))}"
            )
    if sum(bool({*values.values()} & {*meanings}) for meanings in MEANINGS.values()) > 1:
        raise RecordError(
            "--values: for comparisons of two answers, write first, second and tie; for single "
            "items, write yes and no; the two cannot be mixed"
        )


def number_or_none(text: str) -> float | None:
    """Return a text as a number; None if it is not a number."""
    try:
        return float(text)
    except ValueError:
        return None


def load(file: Path) -> Columns:
    """Return the column roles declared in a TOML file.

    Raises:
        RecordError: naming what is wrong in it.
    """
    try:
        content = read_toml(file)
    except (OSError, ValueError) as error:
        raise RecordError(f"{file}: the file is not valid TOML: {error}") from error
    return of_table(content, str(file))


def of_table(content: dict[str, Any], where: str) -> Columns:
    """Return the column roles declared in the parsed content of a TOML file."""
    named = content.pop("columns", {}).items()
    roles = {role: [names] if isinstance(names, str) else names for role, names in named}
    return from_mapping(Columns, {**content, "roles": roles}, where, strict=True)


def save(columns: Columns, file: Path) -> None:
    """Write column roles as a TOML file, which `load` can read."""
    settings = {each.name: getattr(columns, each.name) for each in fields(Columns)}
    tables = {"columns": settings.pop("roles"), "values": settings.pop("values")}
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value]
    for title, table in tables.items():
        entries = (f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())
        lines += ["", f"[{title}]", *entries]
    write_atomically(file, "\n".join([*lines, ""]))
