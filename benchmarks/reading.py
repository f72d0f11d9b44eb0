"""`python -m benchmarks.reading`: how many replies are read as a careful person reads them.

A corpus is a file of JSON lines, named after its grammar (`rating.jsonl`, `rating.any.jsonl`):

    {"response", "value", "form", "language", "options"}

`value` is what nine of ten careful people read in the response, null where they would shrug;
`options` is what `replies.find_rule` takes, if the grammar wants any. Other fields are ignored.
Which part of a corpus a reader may be tuned on is for its folder to say: `held_out` is for none.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.common import say
from lmms_eval_tasks.cast.numbered_list import statements
from pairbench_ext import replies

TESTS = Path(__file__).parent.parent / "tests"
_LIST = "numbered_list"
_UNREADABLE = -1  # what the rules `authors` of `rating` and their like return for nothing
_WORST = 4  # forms and languages that the table names

# right: read as meant; wrong: read otherwise; unread: not read, but readable; silent: rightly not
# read; invented: read where there is nothing to read.
Outcome: TypeAlias = Literal["right", "wrong", "unread", "silent", "invented"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
FAILURES: tuple[Outcome, ...] = ("wrong", "unread", "invented")
Reader: TypeAlias = Callable[[str], Any]


class Sample(NamedTuple):
    """A reply and what it says.

    Attributes:
        response: the reply.
        options: of the grammar; empty if it wants none.
        value: what a careful person reads; None for nothing.
        form: how it is written.
        language: of the reply, such as `en`.
        line: in its file, from 1.
    """

    response: str
    options: Mapping[str, Any]
    value: Any
    form: str
    language: str
    line: int


class Read(NamedTuple):
    """A reply as it was read.

    Attributes:
        sample: the reply.
        said: what the rule returned; None for nothing.
        outcome: how that compares.
    """

    sample: Sample
    said: Any
    outcome: Outcome


class Result(NamedTuple):
    """A corpus as it was read by a rule.

    Attributes:
        corpus: its folder and name.
        grammar: of its replies.
        rule: that read them.
        read: the replies.
    """

    corpus: str
    grammar: str
    rule: str
    read: list[Read]

    def count(self, *outcomes: Outcome) -> int:
        """How many replies had one of these outcomes."""
        return sum(one.outcome in outcomes for one in self.read)

    @property
    def readable(self) -> int:
        """How many replies say something."""
        return self.count("right", "wrong", "unread")

    @property
    def shrugs(self) -> int:
        """How many replies say nothing."""
        return self.count("silent", "invented")

    def failures(self, field: str) -> list[tuple[str, int, int]]:
        """Failures by `form` or `language`, most first: its value, failures, replies."""
        total = Counter(getattr(one.sample, field) for one in self.read)
        failed = Counter(getattr(one.sample, field) for one in self.read if one.outcome in FAILURES)
        return [(value, n, total[value]) for value, n in failed.most_common()]


def default_files() -> list[Path]:
    """The corpora that this checkout has, those of benchmarks' own grammars too."""
    return sorted(TESTS.glob("**/corpora/*/*.jsonl"), key=lambda file: file.parts[-2:])


def grammar_of(path: Path) -> str:
    """The grammar of a corpus, from its file name.

    >>> grammar_of(Path("labels.arena_hard.jsonl"))
    'labels'
    """
    return path.name.partition(".")[0]


def load(path: Path) -> list[Sample]:
    """The replies of a corpus.

    Raises:
        ValueError: naming the line that is no JSON object with the fields of a sample.
    """
    samples = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
            samples.append(
                Sample(
                    response=row["response"],
                    options=row.get("options") or {},
                    value=row["value"],
                    form=row["form"],
                    language=row["language"],
                    line=number,
                )
            )
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}, line {number}: no sample of a corpus: {error!r}") from error
    return samples


def find_reader(grammar: str, rule: str | None, options: Mapping[str, Any]) -> Reader:
    """From a reply to its value by a rule, None for nothing.

    Raises:
        ValueError: if the grammar, the rule or an option is unknown.
    """
    if grammar == _LIST and grammar not in replies.grammars():  # it has one way to be read
        if rule is not None:
            raise ValueError(f"grammar {grammar!r} has no rules")
        return statements
    found = replies.find_rule(grammar, rule, options or None)
    return lambda response: found(response).value


def same(said: Any, meant: Any) -> bool:
    """Whether two values are equal but for how they are written.

    8 is 8.0, a tuple a list, and texts are equal that have the same words.

    >>> same((8, 7.0), [8, 7]), same("Place: indoors.", "place - indoors"), same(8, "8")
    (True, True, False)
    """
    if isinstance(said, str) and isinstance(meant, str):
        return _words(said) == _words(meant)
    if _is_sequence(said) and _is_sequence(meant):
        return len(said) == len(meant) and all(map(same, said, meant))
    if isinstance(said, (int, float)) and isinstance(meant, (int, float)):
        return math.isclose(said, meant)
    return False


def judge(said: Any, meant: Any) -> Outcome:
    """How what a rule returned compares with what a careful person reads."""
    if meant is None:
        return "silent" if said is None else "invented"
    if said is None:
        return "unread"
    return "right" if same(said, meant) else "wrong"


def read(path: Path, rule: str | None = None) -> Result:
    """Read a corpus.

    Args:
        path: its file.
        rule: a rule of its grammar; None for the grammar's default.

    Raises:
        ValueError: if the file is no corpus, or the rule is unknown.
    """
    grammar = grammar_of(path)
    readers: dict[str, Reader] = {}
    outcomes = []
    for sample in load(path):
        key = json.dumps(sample.options, sort_keys=True)
        if key not in readers:
            readers[key] = find_reader(grammar, rule, sample.options)
        said = _value(readers[key](sample.response))
        outcomes.append(Read(sample, said, judge(said, sample.value)))
    name = rule or (replies.rule_name(grammar) if grammar in replies.grammars() else "statements")
    return Result(f"{path.parent.name}/{path.stem}", grammar, name, outcomes)


def _value(said: Any) -> Any:
    """None for the ways in which rules say that there is nothing: -1 and an empty list."""
    nothing = said == _UNREADABLE or (_is_sequence(said) and not said)
    return None if nothing else said


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def _share(count: int, of: int) -> str:
    return f"{count / of:.1%}" if of else "-"


def _worst(failures: Sequence[tuple[str, int, int]]) -> str:
    return ", ".join(f"{value} {failed}/{total}" for value, failed, total in failures[:_WORST])


def _table(results: Iterable[Result]) -> Table:
    table = Table(
        *("corpus", "rule", "readable", "right", "wrong", "unread", "shrugs", "invented"),
        *("worst forms", "worst languages"),
    )
    for result in results:
        table.add_row(
            result.corpus,
            result.rule,
            str(result.readable),
            *(_share(result.count(one), result.readable) for one in ("right", "wrong", "unread")),
            str(result.shrugs),
            _share(result.count("invented"), result.shrugs),
            _worst(result.failures("form")),
            _worst(result.failures("language")),
        )
    return table


def _show(result: Result, limit: int) -> None:
    for outcome in FAILURES:
        for one in [one for one in result.read if one.outcome == outcome][:limit]:
            sample = one.sample
            print(f"\n{result.corpus} line {sample.line}: {outcome}", end="")
            print(f" ({sample.form}, {sample.language})")
            print(f"  meant {sample.value!r}, read {one.said!r}")
            print(f"  {sample.response!r}")


def _tried(path: Path, rule: str | None) -> Result | None:
    try:
        return read(path, rule)
    except (OSError, ValueError) as error:
        say(f"left out {path}: {error}")
        return None


def main(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Corpora; those of the tests by default.")
    ] = None,
    rule: Annotated[str | None, typer.Option(help="Instead of each grammar's default.")] = None,
    show: Annotated[int, typer.Option(help="How many failures of each kind to print.")] = 0,
) -> None:
    """How many replies are read as a careful person reads them."""
    tried = [_tried(path, rule) for path in files or default_files()]
    results = [result for result in tried if result is not None]
    for result in results:
        _show(result, show)
    table, console = _table(results), Console(markup=False, highlight=False)
    console.print(table, width=max(console.width, console.measure(table).maximum), crop=False)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(main)
    app()
