"""`python -m benchmarks.reading`: how many replies are read as a careful person reads them.

A corpus is a file of JSON lines, named after its grammar (`rating.jsonl`, `rating.any.jsonl`):

    {"response", "value", "form", "language", "options"}

`value` is what nine of ten careful people read in the response, null where they would shrug;
`options` is what `replies.asks` takes, if the grammar wants any. Other fields are ignored.
Which part of a corpus a reader may be tuned on is for its folder to say: `held_out` is for none.

A folder of checkouts of public repositories (`recorded`) is read as well: how many of a model's
replies are read, and how many of those as the repository's own code reads them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import typer

from benchmarks.common import Line, markdown
from benchmarks.recorded import SOURCES
from lmms_eval_tasks.cast.lists import statements
from pairbench_ext import replies
from pairbench_ext.replies.answer_format import AnswerFormat

TESTS = Path(__file__).parent.parent / "tests"

# right: read as meant; wrong: read otherwise; unread: not read, but readable; silent: rightly not
# read; invented: read where there is nothing to read.
Outcome: TypeAlias = Literal["right", "wrong", "unread", "silent", "invented"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


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

    def asked(self, grammar: str) -> AnswerFormat:
        """What was asked for, in the grammar's words."""
        return replies.asks(grammar, **self.options)


class Read(NamedTuple):
    """A reply, what the rule returned (None for nothing), and how that compares."""

    sample: Sample
    said: Any
    outcome: Outcome


class Result(NamedTuple):
    """Replies as they were read by a rule, and the corpus and the grammar that they are of."""

    corpus: str
    grammar: str
    read: list[Read]

    def count(self, *outcomes: Outcome) -> int:
        """How many replies had one of these outcomes."""
        return sum(one.outcome in outcomes for one in self.read)

    @property
    def readable(self) -> int:
        """How many replies say something."""
        return self.count("right", "wrong", "unread")


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
    """The replies of a corpus."""
    samples = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line:
            row = json.loads(line)
            told = row["value"], row["form"], row["language"]
            samples.append(Sample(row["response"], row.get("options") or {}, *told, number))
    return samples


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
    return bool(said == meant)


def judge(said: Any, meant: Any) -> Outcome:
    """How what a rule returned compares with what a careful person reads."""
    if meant is None:
        return "silent" if said is None else "invented"
    if said is None:
        return "unread"
    return "right" if same(said, meant) else "wrong"


def read(path: Path, rule: str | None = None) -> Result:
    """Read a corpus.

    Raises:
        ValueError: if the rule is unknown.
    """
    return _read(f"{path.parent.name}/{path.stem}", grammar_of(path), load(path), rule)


def read_recorded(folder: Path, rule: str | None = None, most: int = 0) -> Iterator[Result]:
    """Read the replies in checkouts of public repositories, by repository and by model.

    Args:
        folder: which has the checkouts, each under the name of its repository.
        rule: a rule; None for each grammar's default.
        most: how many replies of each model to read, spread over all of them; 0 for all.
    """
    for source in sorted(SOURCES.keys() & {child.name for child in folder.iterdir()}):
        by_model: dict[tuple[str, str], list[Sample]] = defaultdict(list)
        for model, grammar, options, text, value in SOURCES[source](folder / source):
            samples = by_model[model, grammar]
            samples.append(Sample(text, options, value, model, "", len(samples) + 1))
        results = []
        for (model, grammar), samples in sorted(by_model.items()):
            some = samples[:: -(-len(samples) // most)] if most else samples
            results.append(_read(f"{source} {model}", grammar, some, rule))
        yield from results
        yield Result(source, "", [each for result in results for each in result.read])


def _read(corpus: str, grammar: str, samples: Iterable[Sample], rule: str | None) -> Result:
    outcomes = []
    for sample in samples:
        if grammar == "numbered_list":  # it has one way to be read
            said: Any = statements(sample.response)
        else:
            said = replies.parse(grammar, sample.response, rule, sample.asked(grammar)).value
        if said in (-1, [], ()):  # the ways in which rules say that there is nothing
            said = None
        outcomes.append(Read(sample, said, judge(said, sample.value)))
    return Result(corpus, grammar, outcomes)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def _share(count: int, of: int) -> str:
    return f"{count / of:.1%}" if of else "-"


def _lines(results: Iterable[Result]) -> Iterator[Line]:
    for result in results:
        read = result.count("right", "wrong", "invented")
        silent = len(result.read) - result.readable
        yield {
            "corpus": result.corpus,
            "grammar": result.grammar,
            "replies": str(len(result.read)),
            "read": _share(read, len(result.read)),
            "readable": str(result.readable),
            **{name: _share(result.count(name), result.readable) for name in OUTCOMES[:3]},
            "invented": _share(result.count("invented"), silent),
        }


def _differences(results: Iterable[Result]) -> Iterator[str]:
    """Replies that are unread or read otherwise than meant, each as a line of JSON."""
    for result in results:
        for sample, said, outcome in result.read if result.grammar else ():
            if outcome in ("wrong", "unread", "invented"):
                row = {"corpus": result.corpus, "line": sample.line, "outcome": outcome}
                row |= {"meant": sample.value, "read": said, "response": sample.response}
                yield json.dumps(row, ensure_ascii=False) + "\n"


def main(
    paths: Annotated[list[Path] | None, typer.Argument()] = None,
    rule: str | None = None,
    differences: Path | None = None,
    most: int = 0,
) -> None:
    """How many replies are read as a careful person, or a repository's own code, reads them.

    PATHS are corpora, or folders of checkouts; without any, the tests' corpora. Of a checkout,
    "readable" are the replies for which an answer is recorded there, "invented" the others that are
    read; at most --most replies of each model are read. --rule takes the place of each grammar's
    default. --differences is a file for the replies that are unread or read otherwise.
    """
    results: list[Result] = []
    for path in paths or default_files():
        results += read_recorded(path, rule, most) if path.is_dir() else [read(path, rule)]
    if differences:
        differences.write_text("".join(_differences(results)), encoding="utf-8")
    print(*markdown(_lines(results)), sep="\n")


if __name__ == "__main__":
    typer.run(main)
