"""What a benchmark is: one declaration, from which the kernel makes everything else.

    source -> trials -> requests -> replies -> outcomes -> numbers

A benchmark says which trials a task has and what each shows (`TaskTrials`), what a reply means
(`Benchmark.read`), and which numbers follow (`Number`). Documents, the harness's hooks, task files,
logs, `pairbench score`, its JSON, tables and default figure are derived.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pairbench_ext import replies as grammars
from pairbench_ext.core.answers import TIE, Answers, Chosen, People, Rated, of_outcomes
from pairbench_ext.core.numbers import Breakdown, Number
from pairbench_ext.core.outcomes import Outcome, OutcomeFields, OutcomeTable
from pairbench_ext.core.readers import one_reply
from pairbench_ext.core.readings import Option, Pool, Read, Reading
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.requests import (
    Dialogue,
    Exchange,
    Pictures,
    Request,
    Rounds,
    Trial,
    dialogue,
)
from pairbench_ext.core.sample_view import SampleTable, SampleView
from pairbench_ext.core.task_trials import TaskTrials
from pairbench_ext.core.tasks import Asking, Decoding, Group, Task

#: All that a declaration needs can be imported from here.
__all__ = [
    "TIE",
    "Answers",
    "Asking",
    "Benchmark",
    "Breakdown",
    "Chosen",
    "Decoding",
    "Dialogue",
    "Exchange",
    "Group",
    "Number",
    "Option",
    "Outcome",
    "OutcomeFields",
    "OutcomeTable",
    "People",
    "Pictures",
    "Pool",
    "Rated",
    "Read",
    "Reading",
    "Request",
    "Rounds",
    "SampleTable",
    "SampleView",
    "Task",
    "TaskTrials",
    "Trial",
    "dialogue",
]


_UNDECLARED = "its benchmark does not declare what its answers are"


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, declared once.

    Attributes:
        name: in the command line, in logs and in the names of its tasks.
        title: in tables and figures.
        trials: the trials of a task, from its entry.
        grammar: of `replies`; its rules are what `--rule` takes. None where replies are free text.
        fields: what `read` needs to know of a trial, from a logged trial or a plain row. It raises
            RecordError, naming the field that is missing or wrong.
        read: what replies say.
        table: from outcomes in any order, and `options` by name, to what the numbers are computed
            from. It raises ValueError if outcomes contradict each other.
        numbers: what is measured.
        row: the fields of a plain row, for help texts.
        breakdowns: numbers by part of one table.
        across: numbers of several runs together; `Breakdown.of` takes the list of `scoring.Run`.
        remarks: what to say beside the numbers of a table: warnings in a run, a caption below.
        tasks: tasks and groups.
        headline: the number whose per-trial value is logged as `score`, which the harness's
            `--baseline` compares. Without one, `--baseline` has nothing to compare.
        cluster: what an outcome belongs together with, for clustered standard errors.
        item: what an outcome is of, that two judges must both have been asked to be compared; its
            cluster by default.
        repeat: which question an outcome answers, and the how-many-eth answer to it that it is,
            where questions are asked several times; None where they are not. Of choices, as
            `answers` says.
        answers: what outcomes say. From it follow panels of judges, agreement with people, the card
            and what the report calls the same answer. A text says why judges' outcomes cannot be
            put together.
        people: that people judged the same items, as `answers` says; None where nobody did.
        source: what of a task's entry says where its clusters are from. Tasks with the same share
            those of the same name: they are resampled together.
        rounds: the key of a logged trial under which its exchanges are, if it asks in rounds.
        counts_as: what a failed request counts as, in words.
        rule: which rule reads, unless told otherwise; None for the grammar's default.
        pools: ways to pool that `--pool` takes, besides or instead of `paper` (`table`) and
            `readable`.
        usable: whether the reply of an outcome could be used; pool `readable` leaves out the
            outcomes whose could not. Of choices, as `answers` says; None where replies have no
            such outcomes.
        options: further options of `pairbench score`, keywords of `table`.
        figure: draws runs to a file, a function `figure(runs, path)`; None for the default one.
        convert: makes plain rows of a file's records, for logs in a format of the authors' own.
        recognises: whether a logged trial or plain row of version 0.1 is of this benchmark; later
            logs say whose they are.
        view: what the report shows specially of the benchmark's samples.
        check_runs: raises RecordError where files cannot be scored together; it takes the list of
            `scoring.Run`.
        published: its published tables (`runs.published.Published`); None where there are none.
        card: evidence for the card of a judge (`runs.card.model.Evidence`); by default, that of
            choices or of ratings, with the headline.
    """

    name: str
    title: str
    trials: Callable[[Mapping[str, Any]], TaskTrials[Any]]
    grammar: str | None
    numbers: tuple[Number, ...]
    row: str
    outcome: OutcomeFields | None = None
    fields: Callable[[Record], Mapping[str, Any]] = None  # type: ignore[assignment]
    read: Read = None  # type: ignore[assignment]
    table: Callable[..., Any] = None  # type: ignore[assignment]
    breakdowns: tuple[Breakdown, ...] = ()
    across: tuple[Breakdown, ...] = ()
    remarks: Callable[[Any], Iterable[str]] = lambda _: ()
    tasks: tuple[Task | Group, ...] = ()
    headline: str | None = None
    cluster: Callable[[Any], Any] = lambda _: None
    item: Callable[[Any], Hashable] = None  # type: ignore[assignment]
    repeat: Callable[[Any], tuple[Hashable, Hashable] | None] | None = None
    answers: Answers | str = _UNDECLARED
    people: People | None = None
    source: Callable[[Mapping[str, Any]], Hashable] = lambda entry: entry.get("data")
    rounds: str | None = None
    counts_as: str = "unusable replies"
    rule: str | None = None
    pools: tuple[Pool, ...] = ()
    usable: Callable[[Any], bool] | None = None
    options: tuple[Option, ...] = ()
    figure: Callable[..., None] | None = None
    convert: Callable[[Sequence[Record]], Sequence[Record]] = lambda records: records
    recognises: Callable[[Mapping[str, Any]], bool] = None  # type: ignore[assignment]
    view: SampleView = field(default_factory=SampleView)
    check_runs: Callable[[Sequence[Any]], None] = lambda _: None
    published: Any = None
    card: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for name, value in self._of_outcome().items():
            if getattr(self, name) is None or name in ("cluster", "answers"):
                object.__setattr__(self, name, value)
        if self.recognises is None:
            object.__setattr__(self, "recognises", lambda _: True)
        if self.item is None:
            object.__setattr__(self, "item", self.cluster)
        for name, value in self._of_answers().items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)
        counts = Counter(name for number in self.numbers for name in number.names)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            raise ValueError(f"{self.name}: the number {twice[0]!r} is declared twice")
        if self.headline is not None and self.number(self.headline).per_trial is None:
            raise ValueError(f"{self.name}: the headline {self.headline!r} has no per-trial value")

    def _of_outcome(self) -> dict[str, Any]:
        """What follows from the fields of the outcomes."""
        fields = self.outcome
        if fields is None:
            return {}
        grammar = self.grammar
        answers = not isinstance(self.answers, str) or self.answers == _UNDECLARED
        answers = answers and fields.kind != "text"
        return {
            "fields": fields.read,
            "read": one_reply(fields, grammar) if grammar else None,
            "table": lambda outcomes, **options: OutcomeTable(outcomes, options),
            "cluster": lambda outcome: outcome.cluster,
            "item": lambda outcome: outcome.item,
            "usable": lambda outcome: outcome.usable,
            "recognises": self._has_fields,
            "answers": of_outcomes(fields.kind, self.answers) if answers else self.answers,
        }

    def _has_fields(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is a plain row of this benchmark, or one of a log of its authors."""
        assert self.outcome is not None
        try:
            return all(self.outcome.fits(plain.fields) for plain in self.convert([Record("", row)]))
        except RecordError:
            return False

    def _of_answers(self) -> dict[str, Any]:
        """What need not be declared besides what outcomes say."""
        if isinstance(self.answers, str) or self.answers.kind == "rating":
            return {}
        return {"repeat": self.answers.repeat, "usable": self.answers.usable}

    def rule_name(self, rule: str | None = None) -> str:
        """A rule's name as it is today; the default one for None, nothing where there are none.

        Raises:
            ValueError: if the grammar has no such rule, naming those that it has.
        """
        if self.grammar is None:
            return ""
        return grammars.rule_name(self.grammar, rule or self.rule)

    @property
    def every_pool(self) -> dict[str, Pool]:
        """The ways to pool by name, declared or not."""
        made = [Pool("paper", "as the paper counts, or as the numbers say", self.table)]
        if self.usable is not None:
            made.append(Pool("readable", "left out, and counted", self._of_usable))
        return {pool.name: pool for pool in (*made, *self.pools)}

    def pool(self, name: str) -> Pool:
        """The way to pool of a name, that of today or a former one.

        Raises:
            ValueError: if there is none, naming those that there are.
        """
        for pool in self.every_pool.values():
            if name in (pool.name, pool.formerly):
                return pool
        raise ValueError(
            f"unknown pool {name!r} of {self.name}; known: {', '.join(self.every_pool)}"
        )

    def _of_usable(self, outcomes: Iterable[Any], **options: Any) -> Any:
        assert self.usable is not None
        return self.table(filter(self.usable, outcomes), **options)

    def source_of(self, task: str) -> Hashable:
        """Where the clusters of a task are from; tasks that are not declared are taken for one."""
        entries = (one.entry for one in self.tasks if isinstance(one, Task) and one.name == task)
        entry = next(entries, None)
        return self.name if entry is None else (self.name, self.source(entry))

    def number(self, name: str) -> Number:
        """The number of a name.

        Raises:
            KeyError: if there is none.
        """
        for number in self.numbers:
            if name in number.names:
                return number
        raise KeyError(f"{self.name} has no number {name!r}")

    def score(self, table: Any) -> dict[str, float]:
        """Return all numbers of a table by name, with the ends of their intervals."""
        found: dict[str, float] = {}
        for number in self.numbers:
            found |= number.values(table)
        return found
