"""What a benchmark is: one declaration, from which the kernel makes everything else.

    source -> trials -> requests -> replies -> outcomes -> numbers

A benchmark says which trials a task has and what each shows (`TaskTrials`), what a reply means
(`Benchmark.read`), and which numbers follow (`Number`). Documents, the harness's hooks, task files,
logs, `pairbench score`, its JSON, tables and default figure are derived.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pairbench_ext.core.answers import Answers, People
from pairbench_ext.core.estimators import ByCluster, Correlation, Estimator, Mean
from pairbench_ext.core.numbers import Breakdown, Number, by_field
from pairbench_ext.core.outcomes import TIE, Outcome, OutcomeFields
from pairbench_ext.core.readers import Reader, one_reply
from pairbench_ext.core.readings import Option, PlainRows, Pool, Read, Reading
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
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.core.task_trials import TaskTrials
from pairbench_ext.core.tasks import Asking, Decoding, Group, Task
from pairbench_ext.core.view import SampleTable, View

#: All that a declaration needs can be imported from here.
__all__ = [
    "TIE", "Answers", "Asking", "Benchmark", "Breakdown", "ByCluster", "Correlation", "Decoding",
    "Dialogue", "Estimator", "Exchange", "Group", "Mean", "Number", "Option", "Outcome",
    "OutcomeFields", "OutcomeTable", "People", "Pictures", "PlainRows", "Pool", "Read", "Reader",
    "Reading", "Request", "Rounds", "SampleTable", "Task", "TaskTrials", "Trial", "View",
    "by_field", "dialogue", "one_reply",
]  # fmt: skip


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, declared once.

    Attributes:
        name: in the command line, in logs and in the names of its tasks.
        title: in tables and figures.
        trials: the trials of a task, from its entry: source, items, plan, and what is asked.
        read: from a trial's replies to outcomes; `one_reply` where one grammar reads one reply.
        numbers: what is measured.
        tasks: tasks and groups.
        headline: the number whose per-trial value is logged as `score`, which the harness's
            `--baseline` compares.
        breakdowns: numbers by part of one table, or of several runs together.
        remarks: remarks beside the numbers of a table: warnings in a run, a caption below.
        pools: ways to pool that `--pool` takes, besides `paper` and `readable`.
        options: further options of `pairbench score`; numbers find them in `OutcomeTable.options`.
        answers: how the outcomes of several judges, and what people say, are put together.
        card: evidence for the card of a judge (`runs.card.model.Evidence`); by default, that of
            choices or of ratings, with the headline.
        published: its published tables (`runs.published.Published`); None where there are none.
        plain: its plain rows.
        source: the part of a task's entry that names its data. Tasks with the same data share
            clusters of the same name, which are resampled together.
        view: how the report shows its samples, and what its figure is, where not the default.
    """

    name: str
    title: str
    trials: Callable[[Mapping[str, Any]], TaskTrials[Any]]
    read: Reader
    numbers: tuple[Number, ...]
    tasks: tuple[Task | Group, ...]
    headline: str | None = None
    breakdowns: tuple[Breakdown, ...] = ()
    remarks: Callable[[OutcomeTable], Iterable[str]] = lambda _: ()
    pools: tuple[Pool, ...] = ()
    options: tuple[Option, ...] = ()
    answers: Answers = field(default_factory=Answers)
    card: tuple[Any, ...] = ()
    published: Any = None
    plain: PlainRows = field(default_factory=PlainRows)
    source: Callable[[Mapping[str, Any]], Hashable] = lambda entry: entry.get("data")
    view: View = field(default_factory=View)

    def __post_init__(self) -> None:
        counts = Counter(name for number in self.numbers for name in number.names)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            raise ValueError(f"{self.name}: the number {twice[0]!r} is declared twice")
        if self.headline is not None and self.number(self.headline).mean is None:
            raise ValueError(f"{self.name}: the headline {self.headline!r} has no per-trial value")

    def table(
        self, outcomes: Iterable[Outcome], pool: str | None = None, **options: Any
    ) -> OutcomeTable:
        """The table of outcomes, from which the numbers are computed.

        Args:
            outcomes: in any order.
            pool: the name of a way to pool; None for that of the run.
            options: of `pairbench score`, by name; the default of those that are not given.

        Raises:
            ValueError: if outcomes contradict each other, there is no such pool, or an option is
                too small.
        """
        every = {option.name: options.get(option.name, option.default) for option in self.options}
        for option in self.options:
            value = every[option.name]
            if option.least is not None and value is not None and not value >= option.least:
                raise ValueError(f"{option.name} must be at least {option.least}, got {value}")
        if pool is not None:
            way = self.pool(pool)
            outcomes = (way.change(outcome) for outcome in outcomes if way.keep(outcome))
            every["pool"] = pool
        return OutcomeTable(self.read.settled(list(outcomes)), every)

    def recognises(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is a plain row of this benchmark, or one of a log of its authors."""
        if not self.plain.about:
            return False
        try:
            rows = self.plain.convert([Record("", row)])
            return all(self.outcome.fits(plain.fields) for plain in rows)
        except RecordError:
            return False

    @property
    def outcome(self) -> OutcomeFields:
        """The fields of its outcomes: of its logged trials and plain rows."""
        return self.read.fields

    @property
    def across(self) -> tuple[Breakdown, ...]:
        """The breakdowns of several runs together."""
        return tuple(part for part in self.breakdowns if part.across)

    @property
    def every_pool(self) -> dict[str, Pool]:
        """The ways to pool by name, declared or not."""
        known = (
            Pool("paper", "as in the paper"),
            Pool("readable", "left out, and counted", keep=lambda outcome: outcome.usable),
        )
        return {pool.name: pool for pool in (*known, *self.pools)}

    def pool(self, name: str) -> Pool:
        """The way to pool of a name.

        Raises:
            ValueError: if there is none, naming those that there are.
        """
        if name not in self.every_pool:
            known = ", ".join(self.every_pool)
            raise ValueError(f"unknown pool {name!r} of {self.name}; known: {known}")
        return self.every_pool[name]

    def source_of(self, task: str) -> Hashable:
        """Where the clusters of a task are from; tasks that are not declared are taken for one."""
        entries = (
            each.entry for each in self.tasks if isinstance(each, Task) and each.name == task
        )
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
        values: dict[str, float] = {}
        for number in self.numbers:
            values |= number.values(table)
        return values
