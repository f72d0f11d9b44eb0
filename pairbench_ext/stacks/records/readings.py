"""Find complete ways to read a file of judgments; if several are possible, ask the user."""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.replies.proposed import proposed
from pairbench_ext.stacks.records.cells import (
    WORDS,
    empty,
    last,
    name_weight,
    path,
    says_nothing,
    text_of,
)
from pairbench_ext.stacks.records.columns import ANSWERS, KINDS, Columns, QuestionError
from pairbench_ext.stacks.records.converter import Converter, Imported, names_person, people_rows
from pairbench_ext.stacks.records.evidence import (
    holds_verdicts,
    once_in_each_item,
    plain_roles,
    says_as_judged,
    two_things,
    without_role,
)
from pairbench_ext.stacks.records.factors import factors, is_criterion
from pairbench_ext.stacks.records.key import alone, attempts, keyed, repeated
from pairbench_ext.stacks.records.kinds import kinds
from pairbench_ext.stacks.records.people import Labels
from pairbench_ext.stacks.records.places import places, rounds, swaps
from pairbench_ext.stacks.records.profile import FILE, Column, Row, Sample, spread
from pairbench_ext.stacks.records.raters import columns_of_values
from pairbench_ext.stacks.records.sheets import SHEET
from pairbench_ext.stacks.records.tools import columns_of
from pairbench_ext.stacks.records.totals import is_word
from pairbench_ext.stacks.records.values import Readings, replied, said, value_score

#: A person's name, letter with a number, or address.
_NAME = re.compile(
    r"(?!random|baseline|majority|ensemble|ours|control|always)"
    r"(?:[^\W\d_]{2,}(?:\.|_?\d+)?|[a-z]\d{1,3}|[\w.]+@[\w.]+)(?: [^\W\d_]+\.?){0,2}",
    re.I,
)
_MOST_NAMES = 12
_AUTHOR = re.compile("(?:.*_)?(?:writer|author|origin|source|by|creator|autore?|autor)")
_WHO = re.compile("who|whom|wer|qui|qui[ée]n|chi|role|rolle|r[ôo]le|rol|ruolo")
_MOST = 4  # readings that are shown
_SUMMED = 2_000  # rows that a summary is made of
_READ = 60  # replies that are read for it
#: Roles that a command says, and those of which it says that there are none.
_TOLD = ("reply", "verdict", "winner", "scores", "people", "annotator", "judge", "who", "aspect",
         "system", "source", "repeat")  # fmt: skip
_SETTINGS = ("each", "files", "benchmark", "kind")
_NONE = {"people", "system", "judge", "source", "who"}


def readings(sample: Sample, given: Columns) -> Readings:
    """Return ways to read a file, the most likely first; None means that it has no judgments.

    Args:
        sample: some rows.
        given: what is known already.

    Raises:
        RecordError: if a column that is named is not there.
    """
    found: Readings = [_checked(sample, of_tool(sample, given))]
    for step in _STEPS:
        found = [new for old in found for new in ([None] if old is None else step(sample, old))]
        found = _different(found)
    return found


def are_groups(found: Readings) -> bool:
    """Return whether a file holds several kinds of judgment, each with labels by people."""
    every = [each for each in found if each is not None]
    names = [n for each in every for n in (*each.said, *each["reply"], *each["people"])]
    apart = len(names) == len({*names}) and all(each["people"] for each in every)
    kinds = {each.kind for each in every}
    return apart and len(kinds) == len(found) > 1


def of_tool(sample: Sample, given: Columns) -> Columns:
    """Return the user's column roles, plus the roles known for the tool that wrote the file."""
    tool = columns_of(sample.rows[0])
    if tool is None:
        return given
    columns = tool[1]
    there = {role: [n for n in names if n in sample] for role, names in columns.roles.items()}
    if any(sample[n].distinct < 2 for n in there.get("aspect", ())):
        there["aspect"] = []  # one criterion is none
    return replace(
        given,
        kind=given.kind or columns.kind,
        roles={**{role: tuple(names) for role, names in there.items() if names}, **given.roles},
        values={**columns.values, **given.values},
    )


def _checked(sample: Sample, columns: Columns) -> Columns:
    """Return columns without those that are not there; of a role, one must be."""
    for role, names in columns.roles.items():
        there = [name for name in names if name in sample or name == "#"]
        if names and not there:
            every = listed(list(sample), 40)
            raise RecordError(
                f"no column has the name {names[0]!r}, given for {role}; the columns are {every}"
            )
        if role == "judge" and any(_is_said(sample, name) for name in there if name in sample):
            raise RecordError(
                f"the column {there[0]!r}, given for judge, holds verdicts, such as "
                f"{sample[there[0]].examples()}; did you mean verdict={there[0]}?"
            )
        columns = columns.with_roles(**{role: there})
    # A verdict that is named is as shown.
    return (
        columns.with_roles(winner=()) if columns["verdict"] and not columns["winner"] else columns
    )


def _is_said(sample: Sample, name: str) -> bool:
    """Return whether a column holds verdicts in words, and no names of raters such as A and B."""
    column = sample[name]
    words = any(len(word) > 1 for word in column.words)
    return words and holds_verdicts(column, sample) and not once_in_each_item(column, sample)


def _sides(sample: Sample, columns: Columns) -> Readings:
    found = rounds(sample, plain_roles(sample, two_things(sample, columns)))
    return [replace(each, as_shown=swaps(sample, each)) for each in found]


def _of_sheets(sample: Sample, columns: Columns) -> Readings:
    """Return readings of sheets: of raters, or of criteria if they hold the same items."""
    if SHEET not in without_role(sample, columns) or "judge" in columns.roles:
        return [columns]
    names = sample[SHEET].counts
    if any(factors(name).model or names_person(name) for name in names):
        if raters := _raters_in_sheets(sample, columns):
            return [columns.with_roles(judge=raters, who=[SHEET])]
        return [columns.with_roles(judge=[SHEET])]
    if not _same_items(sample):
        return [columns]
    sure = any(is_criterion(path(name).replace("_", " ")) for name in names)
    roles = ("aspect",) if sure else ("aspect", "judge", "source")
    return [columns.with_roles(**{role: [SHEET]}) for role in roles]


def _raters_in_sheets(sample: Sample, columns: Columns) -> list[str]:
    """Return a column that names several raters in each sheet but those of people, if any."""
    rows = [row for row in sample.rows if not names_person(text_of(row.get(SHEET)))]
    if len(rows) == len(sample.rows) or any(factors(name).model for name in sample[SHEET].counts):
        return []
    names = filter(_names_raters, without_role(sample, columns))
    return [n for n in names if rows and sample[n].distinct > 1 and _is_filled(n, rows)][:1]


def _names_raters(name: str) -> bool:
    return bool(WORDS["group"].fullmatch(last(name)) or name_weight(name, "judge"))


def _is_filled(name: str, rows: Sequence[Row]) -> bool:
    return not any(empty(row.get(name)) for row in rows)


def _same_items(sample: Sample) -> bool:
    """Return whether a column has the same values in several sheets, each once in a sheet."""
    again = [name for name, of in sample.items() if of.distinct < len(sample.rows)]
    return not all(sample.twice([name, SHEET]) for name in again)


def _people_among(sample: Sample, columns: Columns) -> Readings:
    """Return readings of raters some of whom are people: those that may be are asked about."""
    found = [_of_raters(sample, each) for each in _with_raters(sample, columns)]
    return [reading for readings in found for reading in readings]


def _of_raters(sample: Sample, columns: Columns) -> Readings:
    """Return readings of a column of raters, if there is one."""
    judges = columns["judge"]
    if columns["who"] and "judge" not in columns.roles:
        return [_with_names_of_raters(sample, columns)]
    if len(judges) != 1 or "who" in columns.roles or judges[0] not in sample:
        return [columns]
    if _of_annotators(sample, columns):
        return [columns.with_roles(annotator=judges, judge=(), who=())]
    return _with_people_among(sample, columns, judges)


def _with_raters(sample: Sample, columns: Columns) -> list[Columns]:
    """Return columns with one of any name that holds people and models: who judged, or who wrote.

    Where something is said to be a judge's or people's, such a column tells who wrote.
    """
    naming = [factors(n) for n in without_role(sample, columns) if _names_who_said(n)]
    several = len(naming) > 1 or any(of.person or of.truth for of in naming)
    if several or "judge" in columns.roles or columns["who"]:
        return [columns]
    once, who = _columns_of_raters(sample, columns)
    if not once and not who:
        return [columns]
    found = columns.with_roles(judge=once[:1]) if once else columns.with_roles(who=who[:1])
    sure = not naming and _WHO.fullmatch(last((once or who)[0]))
    return [found] if sure else [found, columns]


def _columns_of_raters(sample: Sample, columns: Columns) -> tuple[list[str], list[str]]:
    """Return columns that hold people and models: each once in an item, or not as values."""
    names = [n for n in without_role(sample, columns)
             if _holds_raters(sample[n]) and not _AUTHOR.fullmatch(last(n))]  # fmt: skip
    once = [name for name in names if once_in_each_item(sample[name], sample)]
    who = [n for n in names if not (factors(last(n)).value or says_as_judged(sample[n], sample))]
    return once, who


def _names_who_said(name: str) -> bool:
    of = factors(name)
    return of.person or of.truth or (of.value and bool(of.machine or of.model))


def _holds_raters(column: Column) -> bool:
    words = () if column.is_text or column.distinct > _MOST_NAMES else column.counts
    people, machines = ([*map(is_rater, words)] for is_rater in (names_person, _is_machine))
    return any(people) and any(machines) and all(map(or_, people, machines))


def _with_names_of_raters(sample: Sample, columns: Columns) -> Columns:
    """Return columns with the one whose every value is of a person, or of a model, if there is."""
    who, rows = columns["who"][0], len(sample.rows)
    names = [
        name for name in without_role(sample, columns)
        if sample[who].distinct < sample[name].distinct == rows - sample.twice([name, who])
        and 2 * sample[name].distinct < rows and not factors(last(name)).value
    ]  # fmt: skip
    return columns.with_roles(judge=names) if len(names) == 1 else columns


def _with_people_among(sample: Sample, columns: Columns, judges: Sequence[str]) -> Readings:
    """Return the readings of a column that names raters, by the words in it."""
    words = list(sample[judges[0]].counts)
    people = _people_in(words, columns)
    settled = columns.with_roles(who=judges if 0 < len(people) < len(words) else ())
    if factors(last(judges[0])).machine and not people and any(map(_is_person, sample)):
        return [settled]  # what people say stands in a column of its own
    unknown = _unknown([word for word in words if word not in people], bool(people))
    meant = {**columns.values, **dict.fromkeys(unknown, "person")}
    asked = replace(columns.with_roles(who=judges), values=meant)
    return [asked, settled] if unknown else [settled]


def _people_in(words: Sequence[str], columns: Columns) -> list[str]:
    """Return the words that name people; none if nothing says that the others are no people."""
    people = [w for w in words if names_person(w) or columns.values.get(w) == "person"]
    others = any(map(_is_machine, words)) or not all(factors(word).given for word in people)
    return people if others else []


def _unknown(words: Sequence[str], people: bool) -> list[str]:
    """Return the names of raters that may be people's; none if nobody else would judge."""
    unknown = [w for w in words if _NAME.fullmatch(w) and not _is_machine(w)]
    named = people or any(map(_is_machine, words))
    return unknown if named and len(unknown) <= min(_MOST_NAMES, len(words) - 1) else []


def _is_machine(word: str) -> bool:
    of = factors(word)
    return bool(of.model or of.machine)


def _is_person(name: str) -> bool:
    return factors(name).person


def _of_annotators(sample: Sample, columns: Columns) -> bool:
    """Whether a column of raters has people alone, and another one holds what a model said."""
    [name] = columns["judge"]
    words = list(sample[name].counts)
    if any(map(_is_machine, words)):
        return False
    person = factors(last(name)).person or all(map(names_person, words))
    others = [n for n in without_role(sample, columns) if value_score(n, sample, columns) >= 1]
    machines = sum(_is_machine(last(n)) for n in others)
    truths = sum(factors(n).truth for n in others)  # which need be nobody's
    people = sum(map(_is_person, others)) - truths
    return person and 0 < machines < len(others) - truths and not people


def _raters(sample: Sample, columns: Columns) -> Readings:
    """Return readings of who is in a column of raters, and of a column of models."""
    judges = columns["judge"]
    by_name = judges and factors(last(judges[0])).person
    judged = columns.said or columns["reply"]
    if by_name and columns["people"] and judged and not columns["who"]:
        return [columns.with_roles(annotator=judges, judge=())]
    group = _group(sample, columns)
    return _of_group(columns, group) if group else [columns]


def _of_group(columns: Columns, group: str) -> Readings:
    """Return readings of a column of models: who judges, or whose outputs are judged."""
    named = [each.rater for each in columns_of_values(columns.said, (), columns.each) or ()]
    if any(named):  # the columns are the judges
        return [columns.with_roles(system=[group], judge=())]
    if columns["first"] and "." not in group:
        return [columns.with_roles(judge=[group], system=())]
    if columns["first"] or (columns["system"] and factors(last(group)).rest):  # `response_model`
        return [columns]
    source = [name for name in columns["source"] if name != group]
    free = columns.with_roles(system=(), judge=(), source=source)
    roles = ("judge", "system") if source else ("judge", "system", "source")
    return [free.with_roles(**{role: [group]}) for role in roles]


def _group(sample: Sample, columns: Columns) -> str:
    """Return the column of models, whoever they are; empty if there is none, or it is known."""
    told = "judge" in columns.roles or columns["who"] or columns.files
    if told or ("system" in columns.roles and not columns["system"]):
        return ""
    names = (*columns["system"], *columns["source"], *without_role(sample, columns))
    groups = (n for n in names if WORDS["group"].fullmatch(last(n)) and sample[n].distinct > 1)
    return next((n for n in groups if not WORDS["judged"].match(last(n))), "")


def _keys(sample: Sample, columns: Columns) -> Readings:
    return [keyed(sample, columns)]


def _files(sample: Sample, columns: Columns) -> Readings:
    if not alone(sample, columns):
        return [columns]
    return [replace(columns, files="{judge}.*"), replace(columns, files="{source}.*")]


_STEPS: Sequence[Callable[[Sample, Columns], Readings]] = (
    _of_sheets, _sides, _people_among, said, replied, kinds, _raters, _keys, attempts, places,
    repeated, _files,
)  # fmt: skip


def _different(found: Readings) -> Readings:
    """Return readings without those that are there twice."""
    kept: Readings = []
    for each in found:
        if each not in kept:
            kept.append(each)
    return kept


class Summary(NamedTuple):
    """A way to read a file's columns, described for the user.

    Attributes:
        text: in a line.
        meanings: three values with what they mean.
        problem: why the rows cannot be converted so; empty if they can.
    """

    text: str
    meanings: str
    problem: str = ""

    def __str__(self) -> str:
        return self.text + f" ({self.meanings})" * bool(self.meanings)


def summary(
    columns: Columns, rows: Sequence[Row], names: Sequence[str], labels: Labels | None = None
) -> Summary:
    """Return what one way to read a file finds: judges, items, orders, values.

    Args:
        columns: the reading.
        rows: each with the number of its file.
        names: of the judges of the files.
        labels: people's, where they are not in the rows.
    """
    done = Imported(columns)
    seen, problem = _Seen(), ""
    if labels is None and (columns["annotator"] or columns["who"]):
        placed = (Record("", fields) for fields in rows)
        labels = Labels(people_rows(columns, placed), say=False)
    some = spread(rows, _SUMMED) if _apart(rows) else rows[:_SUMMED]
    try:
        for rater, sample in _samples(Converter(done, labels), some, names):
            seen.add(rater, sample["trial"])
    except RecordError as error:
        problem = str(error)
    text = seen.text(columns) if seen.raters else "no judgment"
    part = f"in {len(some):,} of the rows: " if len(some) < len(rows) else ""
    text += _understood(done)
    text += _replies_read(columns, rows)
    return Summary(f"{part}{text}", _meanings(columns, rows), problem)


def share_read(columns: Columns, rows: Sequence[Row]) -> float | None:
    """Return the share of replies in some rows that can be read; None if there are no replies."""
    cells = (row.get(name) for name in columns["reply"] for row in rows)
    texts = [text_of(cell) for cell in cells if not says_nothing(cell)]
    some = spread(texts, _READ)
    return sum(columns.reads(text) is not None for text in some) / len(some) if some else None


def _apart(rows: Sequence[Row]) -> bool:
    """Return whether rows are of several files."""
    return bool(rows) and rows[0].get(FILE) != rows[-1].get(FILE)


def _samples(
    converter: Converter, rows: Sequence[Row], names: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, fields in enumerate(rows, start=1):
        file = fields.get(FILE) or 0
        record = Record(f"row {number} of file {file + 1}", fields)
        for rater, _, sample in converter.samples(record, names[file], Path()):
            yield rater, sample


@dataclass
class _Seen:
    raters: Counter[str] = field(default_factory=Counter)
    items: set[str] = field(default_factory=set)
    people: set[str] = field(default_factory=set)
    aspects: set[str] = field(default_factory=set)
    orders: set[str] = field(default_factory=set)
    repeats: set[int] = field(default_factory=set)

    def add(self, rater: str, trial: Mapping[str, Any]) -> None:
        """Add a judgment to the counts."""
        self.raters[rater] += 1
        self.items.add(trial["item"])
        self.people.update(trial.get("people") or ())
        self.aspects.update([trial["aspect"]] if trial.get("aspect") else ())
        self.orders.add(trial["order"])
        self.repeats.add(trial.get("repeat") or 0)

    def text(self, columns: Columns) -> str:
        """Return the counts in one line."""
        parts = [f"{KINDS[columns.kind][0]}, {counted(self.raters.total(), 'judgment')}"]
        parts.append(f"{counted(len(self.raters), 'judge')} ({listed(list(self.raters), 3)})")
        parts.append(f"{counted(len(self.items), 'item')}")
        if self.aspects:
            parts.append(f"criteria {listed(sorted(self.aspects), 4)}")
        if len(self.orders) > 1:
            parts.append("both orders")
        if len(self.repeats) > 1:
            parts.append(f"{len(self.repeats)} answers each")
        names = listed(sorted(self.people), 3)
        parts.append(f"people: {names}" if self.people else "no people's labels")
        return ", ".join(parts)


def _understood(done: Imported) -> str:
    names = [n for n in done.counts if n not in (*done.columns["people"], "people's labels")]
    counts = sum((done.counts[name] for name in names), Counter[str]())
    recorded = counts["understood"] + counts["unknown"]
    if not recorded:
        return ""
    share = f"{counts['understood'] / recorded:.0%} of {recorded:,} recorded values are understood"
    return f"; {share}" + f", {counts['missing']:,} are missing" * bool(counts["missing"])


def _replies_read(columns: Columns, rows: Sequence[Row]) -> str:
    """Return the share of replies that can be read, and how many are missing; empty of none."""
    if (share := share_read(columns, rows)) is None:
        return ""
    missing = sum(says_nothing(row.get(name)) for name in columns["reply"] for row in rows)
    text = f"; {share:.0%} of the replies can be read"
    return text + f", {missing:,} more are missing" * bool(missing)


def _meanings(columns: Columns, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return three values with their meaning; of ratings, the lowest and the highest."""
    meanings: dict[str, str] = {}
    names = {"pair": {0: "first", 1: "second", -1: "tie"}, "yesno": {0: "yes", 1: "no"}}
    systems = names.get(columns.kind, {})
    for row in rows[:_SUMMED] if columns.kind in names else ():
        for name in columns.said if not columns["scores"] else ():
            value = None if empty(row.get(name)) else columns.says(row[name], row)
            if value in systems:
                meanings.setdefault(f"{text_of(row[name]):.30}", systems[value])
    return ", ".join(f"{text} = {meaning}" for text, meaning in [*meanings.items()][:3])


def options_of(columns: Columns, given: Columns) -> list[str]:
    """Return the options `--columns` and `--values` that select one way to read a file."""
    told_roles = {role: columns[role] for role in _TOLD if role in columns.roles}
    told = {role: names for role, names in told_roles.items() if names or role in _NONE}
    settings = {role: "+".join(names) for role, names in {**given.roles, **told}.items()}
    more = {name: getattr(columns, name) for name in _SETTINGS}
    more["scale"] = "{}-{}".format(*given.scale) if given.scale != Columns.scale else ""
    more |= {"answer": given.answer, "labels": "+".join(given.labels)}
    settings |= {name: value for name, value in more.items() if value}
    return [*_option("--columns", settings), *_option("--values", columns.values)]


def _option(name: str, of: Mapping[str, str]) -> list[str]:
    """Return an option with pairs; a text with a comma cannot be told."""
    pairs = ",".join(f"{key}={value}" for key, value in of.items() if "," not in key)
    return [name, pairs] if pairs else []


def consistent(found: Readings, sample: Sample, names: Sequence[str]) -> Readings:
    """Return the ways to read a file without contradictions between rows; if none, all ways."""
    if len(found) < 2 or are_groups(found):
        return found
    kept = [c for c in found if c is None or not summary(c, sample.rows, names).problem]
    return kept if any(kept) else found


def ask(
    found: Readings, sample: Sample, given: Columns, names: Sequence[str], typed: Sequence[str]
) -> QuestionError:
    """Return a question to the user that lists a command for each possible way to read the file."""
    summaries = [(each, summary(each, sample.rows, names)) for each in found if each is not None]
    if not summaries:
        shown = listed([f"`{name}`" for name in sample], 30)
        return QuestionError(
            "no column seems to hold what the judge said. Name the column: --columns "
            "verdict=COLUMN if it holds a value, or reply=COLUMN if it holds what the judge wrote. "
            f"The columns are {shown}"
        )
    if summaries[0][1].problem:
        return QuestionError(summaries[0][1].problem)
    lines = [_asked(min(len(summaries), _MOST))]
    for number, (columns, what) in enumerate(summaries[:_MOST], start=1):
        roles = (f"{role} {listed([f'`{n}`' for n in columns[role]], 3)}"
                 for role in _TOLD if columns[role])  # fmt: skip
        lines.append(f"{number}. {', '.join(roles)}: {what}")
        settled = columns.with_roles(people=columns["people"])
        lines.append(f"   {command(typed, options_of(settled, given))}")
    return QuestionError("\n".join(lines))


def _asked(count: int) -> str:
    if count > 1:
        return f"the file can be read in {count} ways; paste the command of the right one:"
    return (
        "this file may not hold judgments of a judge. If it holds judgments, it can be read in one "
        "way; paste this command:"
    )  # fmt: skip


def command(typed: Sequence[str], options: Sequence[str]) -> str:
    """Return the user's command plus options; in Python, the options as arguments."""
    if typed:
        return shlex.join([*typed, *options])
    words = [option for option in options if option != "--accept"]
    pairs = zip(words[::2], words[1::2], strict=True)
    named = [f"{name.removeprefix('--')}={value!r}" for name, value in pairs]
    accept = ["accept=True"] * ("--accept" in options)
    return f"judgments({', '.join(['data', *named, *accept])})"


def describe(found: Sequence[Columns], sample: Sample) -> list[str]:
    """Return lines that tell the user the role of each column, with example values.

    Args:
        found: the reading, or one of each kind of judgment.
        sample: some rows.
    """
    tool = columns_of(sample.rows[0])
    lines = [f"read as {tool[0]}"] if tool else []
    for columns in found:
        lines += [_holds(role, names, sample) for role, names in columns.roles.items()]
        lines.append(_asked_for(columns, sample) if columns["reply"] else "")
    lines += _kept_totals(found[0]["item"], sample)
    if not found[0]["item"]:
        lines.append("no column names the item, so the row number is used as the item's name")
    unused = set.intersection(*({*without_role(sample, columns)} for columns in found))
    if rest := [f"`{name}`" for name in sample if name in unused]:
        lines.append(f"not used: {listed(rest, 12)}")
    return list(dict.fromkeys(filter(None, lines)))


def _kept_totals(names: Sequence[str], sample: Sample) -> list[str]:
    """Return a line on rows whose item has the name of a total, if there are any."""
    texts = dict.fromkeys(text_of(cell) for name in names for cell, _ in sample[name].cells)
    words = list(filter(is_word, texts))
    text = "rows are kept as judgments, although their item has the name of a total or mean"
    return [f"{text}: {listed(words, 3)}"] if words else []


def _asked_for(columns: Columns, sample: Sample) -> str:
    """Return what the replies were asked for, as declared, or as prompts or replies propose it."""
    if columns.asks:
        return f"the declared format of the answer is: {columns.asks}"
    prompts, replies = (
        [text_of(row.get(name)) for name in columns[role][:1] for row in sample.rows[:_READ]]
        for role in ("prompt", "reply")
    )
    found = proposed(prompts, replies)
    if not found or found.asks.kind != ANSWERS.get(columns.kind) or not str(found.asks):
        return ""
    option = shlex.quote(f"answer={found.asks}")
    return f"you can declare the format of the answers, as {found.because}: --columns {option}"


def _holds(role: str, names: Sequence[str], sample: Sample) -> str:
    if role not in _WHAT or not {*names[:1]} & {*sample}:
        return ""
    shown, read = " and ".join(f"`{name}`" for name in names), "is" if len(names) < 2 else "are"
    return f"{shown} {read} read as {_WHAT[role]}: {sample[names[0]].examples()}"


_WHAT = {
    "reply": "what the judge wrote", "verdict": "the verdict",
    "winner": "the verdict, with options numbered as in the data",
    "scores": "scores of the two systems; the higher one wins", "people": "what people said",
    "judge": "the judge", "annotator": "the person", "who": "whether a person or a model judged",
    "item": "the item", "order": "the order in which the two answers were shown",
    "repeat": "the repeat number, where a question is judged several times",
    "first": "the system behind the first answer", "second": "the system behind the second answer",
    "first_answer": "the first answer", "second_answer": "the second answer",
    "system": "the system that is judged", "aspect": "the criterion",
    "source": "the part of the data to which the item belongs",
    "cluster": "what several items share, such as an image",
    "image": "the image", "prompt": "what was asked",
    "confidence": "the judge's confidence, for `pairbench trust`",
    "remark": "remarks, which may say that the judge failed",
}  # fmt: skip
