"""Declare a benchmark; its tasks, metrics and report are made from the declaration.

    source -> trials -> requests -> replies -> outcomes -> numbers

A benchmark says which trials a task has and what each shows (`TaskTrials`), what a reply means
(`Benchmark.read`), and which numbers follow (`Number`). Documents, the harness's hooks, task files,
logs, `pairbench score`, its JSON, tables and default figure are derived.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from PIL.Image import Image

from pairbench_ext import replies
from pairbench_ext.core import controls
from pairbench_ext.core.controls import Control
from pairbench_ext.core.numbers import (
    Breakdown,
    ByCluster,
    Correlation,
    Estimator,
    Mean,
    Number,
    by_field,
)
from pairbench_ext.core.outcomes import TIE, Outcome, OutcomeFields
from pairbench_ext.core.readers import Option, PlainRows, Pool, Read, Reader, Reading, one_reply
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
from pairbench_ext.core.stock import StockLog
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.core.trials import TaskTrials
from pairbench_ext.statistics.means import mean_of_defined

#: How a task asks: as the paper prints it, or as the authors' public code sends it. Tasks of the
#: second kind are called `..._authors`.
Asking: TypeAlias = Literal["paper", "authors"]


class Decoding(NamedTuple):
    """The decoding settings with which a model writes its replies.

    Attributes:
        name: of the settings; a benchmark has one base file of each.
        tokens: the longest reply.
        temperature: 0 decodes greedily.
        top_p: share of the distribution that is sampled from; None leaves it to the backend.
        repetition_penalty: likewise.
        why: a comment for the base file.
    """

    name: str
    tokens: int
    temperature: float = 0
    top_p: float | None = None
    why: str = ""
    repetition_penalty: float | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Return these settings as lmms-eval's `generation_kwargs`, without any stop word."""
        settings: dict[str, Any] = {
            "do_sample": self.temperature > 0,
            "temperature": self.temperature,
        }
        if self.top_p is not None:
            settings["top_p"] = self.top_p
        if self.repetition_penalty is not None:
            settings["repetition_penalty"] = self.repetition_penalty
        # The harness's default of `until` stops at a blank line.
        return settings | {"max_new_tokens": self.tokens, "until": []}


class Task(NamedTuple):
    """A task that lmms-eval can run, such as one named by `--tasks`.

    Attributes:
        name: as `--tasks` takes it.
        entry: what it asks, as the benchmark's `entry_type` has it.
        about: one line for `pairbench tasks`.
        decoding: the generation settings.
        rounds: how it asks: once, in conversations, or one request after the other.
        folder: below the benchmark's folder of task files, for benchmarks with many.
        version: as the harness prints it; another one's numbers cannot be compared.
    """

    name: str
    entry: Mapping[str, Any]
    about: str
    decoding: Decoding
    rounds: Literal["once", "conversation", "one_by_one"] = "once"
    folder: str = ""
    version: str = "1.0"


class Group(NamedTuple):
    """A group of tasks. A metric of the group is the mean over its tasks; a count is the sum.

    Attributes:
        name: as `--tasks` takes it.
        members: tasks or groups.
        about: one line for `pairbench tasks`.
        version: as that of a task.
        mean: whether it has numbers; not where its tasks are of several benchmarks, or ask for
            what has no common mean.
    """

    name: str
    members: tuple[str, ...]
    about: str
    version: str = "1.0"
    mean: bool = True


RatersOf: TypeAlias = Callable[[Outcome], Mapping[str, Any]]


def _answered(outcomes: Sequence[Outcome], answer: Any) -> Outcome:
    return outcomes[0].answered(answer)


@dataclass(frozen=True)
class People:
    """The settings by which a benchmark's judges are compared with people who judged its items.

    Attributes:
        stratum: of an outcome's item: correlations are taken within strata and averaged, so that
            differences between strata do not count for the judge.
        mean: over the correlations of raters and of strata.
        files: reads what people say of an outcome's item from files of ratings, where it is not
            in the logs.
    """

    stratum: Callable[[Outcome], Hashable] = lambda _: None
    mean: Callable[[Sequence[float]], float] = mean_of_defined
    files: Callable[[Sequence[Path]], RatersOf] | None = None


@dataclass(frozen=True)
class Answers:
    """Rules that say which answer a judge gave, so that judges can be compared on each question.

    Attributes:
        labels: of options, in the order of the data, a tie last; their numbers if there are none.
        ties: whether "none is better" is an answer besides the options.
        numbers: the numbers that panels are compared by; the headline by default.
        put: returns the outcome of a panel from its judges' outcomes of one question and what the
            panel says (as `Outcome.said`).
        why_not: why judges' outcomes cannot be put together; empty where they can.
        people: that people judged the same items; None where nobody did.
    """

    labels: Sequence[str] = ()
    ties: bool = False
    numbers: tuple[str, ...] = ()
    put: Callable[[Sequence[Outcome], Any], Outcome] = _answered
    why_not: str = ""
    people: People | None = None

    def label(self, option: int | None) -> Any:
        """Return the label of an answer option; -1 stands for a tie, which has the last label."""
        return option if option is None or not self.labels else self.labels[option]

    def named(self, outcome: Outcome, option: Any) -> Any:
        """Return the name of an answer option, given the option's position in the data.

        Its own label, if the item's options have some; that of its system, if systems have names;
        else of two options `first` or `second`, unless the benchmark has words for them.
        """
        labels = outcome.facets.get("labels")
        if labels and option is not None and option != TIE:
            return labels[option]
        words = any(len(str(label)) > 1 for label in self.labels)
        if option is None or outcome.options != 2 or words:
            return self.label(option)
        return "tie" if option == TIE else (outcome.systems or ("first", "second"))[option]


Span: TypeAlias = "tuple[int, int] | None"

_GROUPS = ("category", "source", "kind", "image_model", "domain", "split")
_CONDITIONS = ("condition", "aspect", "generated", "step")


class SampleTable(NamedTuple):
    """A small table that the report shows beside a reply; its cells are plain text, not markup.

    Attributes:
        title: above it.
        columns: at its head; the first one is of the rows' names.
        rows: as many texts each as there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def group_of(trial: Trial) -> str:
    """Return the category, source or other group of a trial's item; empty if the item has none."""
    return next((str(trial[key]) for key in _GROUPS if trial.get(key) not in (None, "")), "")


def condition_of(trial: Trial) -> str:
    """Return the condition or aspect that a trial asks about; empty if the trial names none."""
    return next((str(trial[key]) for key in _CONDITIONS if trial.get(key) not in (None, "")), "")


def span_in(grammar: str | None, exchange: Exchange, rule: str) -> Span:
    """Return where the verdict stands in a reply, as start and end; None if this is unknown."""
    if grammar is None or exchange.failed:
        return None
    try:
        return replies.parse(grammar, exchange.reply, rule).span
    except (TypeError, ValueError):  # a rule that wants to know more than the reply
        return None


@dataclass(frozen=True)
class View:
    """The settings by which the report and the figures show a benchmark's samples.

    Attributes:
        group: of a trial: samples are filtered by it, and drawn from all groups where the report
            has room for some only.
        condition: of a trial: several ones of an item are told apart by it.
        answer: what an outcome says, in a form that is the same whatever the order was; None where
            it says nothing. Unless said, it is as `Benchmark.answers` says; without these, it is
            the headline's value: two answers are then the same if they are equally right.
        wrong: whether an outcome is wrong; None where that is unknown. By default, a headline value
            below 0.5.
        name: of the item, from an outcome about it, where its key alone says little; unlike those
            of all other items of a task.
        tables: beside a reply, from its trial and exchanges: sub-scores, what people said.
        pictures: further pictures by title, from a trial and the images that it shows.
        span: where a verdict was read, from the trial, its last exchange and the rule; by default
            where the benchmark's grammar reads it.
        figure: names the function that draws runs to a file, `figure(runs, path)`, as
            `module:function`, which is imported when it is drawn; empty for the default one.
    """

    group: Callable[[Trial], str] = group_of
    condition: Callable[[Trial], str] = condition_of
    answer: Callable[[Any], Hashable | None] | None = None
    wrong: Callable[[Any], bool | None] | None = None
    name: Callable[[Any], str] | None = None
    tables: Callable[[Trial, Sequence[Exchange]], Iterable[SampleTable]] = lambda *_: ()
    pictures: Callable[[Trial, Sequence[Image]], Mapping[str, Sequence[Image]]] = lambda *_: {}
    span: Callable[[Trial, Exchange, str], Span] | None = None
    figure: str = ""


def is_wrong(value: float | None) -> bool | None:
    """Return whether an answer is wrong: its main metric is below 0.5; None if it is undefined."""
    return None if value is None or math.isnan(value) else value < 0.5


#: All that a declaration needs can be imported from here.
__all__ = [
    "TIE", "Answers", "Asking", "Benchmark", "Breakdown", "ByCluster", "Control", "Correlation",
    "Decoding",
    "Dialogue", "Estimator", "Exchange", "Group", "Mean", "Number", "Option", "Outcome",
    "OutcomeFields", "OutcomeTable", "People", "Pictures", "PlainRows", "Pool", "Read", "Reader",
    "Reading", "Request", "Rounds", "SampleTable", "Task", "TaskTrials", "Trial", "View",
    "by_field", "dialogue", "one_reply",
]  # fmt: skip


@dataclass(frozen=True)
class Benchmark:
    """The declaration of a benchmark: its tasks, its data, how replies are read, its metrics.

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
        controls: judges that do not do what is asked (`core.controls`), besides those of every
            benchmark with outcomes of this kind.
        main_numbers: the numbers beside which the highest control is printed; the headline and
            those that panels are compared by, unless said.
        stock: logs of lmms-eval's own tasks that are read as samples of this benchmark.
        design: of a task, by its name: tasks of different designs never have a common mean.
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
    controls: tuple[Control, ...] = ()
    main_numbers: tuple[str, ...] = ()
    stock: tuple[StockLog, ...] = ()
    design: Callable[[str], Hashable] = lambda _: None
    view: View = field(default_factory=View)

    def __post_init__(self) -> None:
        counts = Counter(name for number in self.numbers for name in number.names)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            raise ValueError(f"{self.name}: the number {twice[0]!r} is declared twice")
        if self.headline is not None and self.number(self.headline).mean is None:
            raise ValueError(
                f"{self.name}: the main number {self.headline!r} must be a mean over trials"
            )

    def table(
        self,
        outcomes: Iterable[Outcome],
        pool: str | None = None,
        *,
        by_item: bool = False,
        **options: Any,
    ) -> OutcomeTable:
        """Return a table of these outcomes, from which the benchmark's metrics are computed.

        Args:
            outcomes: in any order.
            pool: the name of a way to pool; None for that of the run.
            by_item: whether each item counts once, however many outcomes it has.
            options: of `pairbench score`, by name; the default of those that are not given.

        Raises:
            ValueError: if outcomes contradict each other, there is no such pool, or an option is
                too small.
        """
        values = {option.name: options.get(option.name, option.default) for option in self.options}
        for option in self.options:
            value = values[option.name]
            if option.least is not None and value is not None and not value >= option.least:
                raise ValueError(f"{option.name} must be at least {option.least}, got {value}")
        if pool is not None:
            way = self.pool(pool)
            outcomes = (way.change(outcome) for outcome in outcomes if way.keep(outcome))
            values["pool"] = pool
        return OutcomeTable(self.read.settled(list(outcomes)), values, by_item=by_item)

    def stock_log(self, record: Record) -> StockLog | None:
        """Return rules to read a sample of lmms-eval's own tasks; None for other samples."""
        return next((log for log in self.stock if log.fits(record.fields)), None)

    def samples(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return a file's records, converted to samples or plain rows of this benchmark.

        Raises:
            RecordError: naming what is missing or wrong.
        """
        log = self.stock_log(records[0]) if records else None
        return self.plain.convert(records) if log is None else log.samples(records, self.name)

    def recognises(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row has this benchmark's plain format, or that of its authors' logs."""
        if not self.plain.about:
            return False
        try:
            rows = self.plain.convert([Record("", row)])
            return all(self.outcome.fits(plain.fields) for plain in rows)
        except RecordError:
            return False

    @property
    def outcome(self) -> OutcomeFields:
        """Return the declaration of the fields that logged trials and plain rows both have."""
        return self.read.fields

    @property
    def main(self) -> tuple[str, ...]:
        """Return the names of the main metrics, which are also computed for control judges."""
        headline = (self.headline,) if self.headline else ()
        return self.main_numbers or tuple(dict.fromkeys((*self.answers.numbers, *headline)))

    @property
    def every_control(self) -> tuple[Control, ...]:
        """Return the controls (judges that ignore the question) to which judges are compared."""
        names = {control.name for control in self.controls}
        of_kind = controls.of_kind(self.outcome.kind, self.outcome.scale)
        return (*self.controls, *(control for control in of_kind if control.name not in names))

    @property
    def across(self) -> tuple[Breakdown, ...]:
        """Return the breakdowns whose tables combine several runs."""
        return tuple(part for part in self.breakdowns if part.across)

    @property
    def every_pool(self) -> dict[str, Pool]:
        """Return all ways to count unreadable replies (`--pool`), keyed by name."""
        common = (
            Pool("paper", "as in the paper"),
            Pool("readable", "left out; the count is shown", keep=lambda outcome: outcome.usable),
        )
        return {pool.name: pool for pool in (*common, *self.pools)}

    def pool(self, name: str) -> Pool:
        """Return the way to count unreadable replies (`--pool`) that has this name.

        Raises:
            ValueError: if there is none, naming those that there are.
        """
        if name not in self.every_pool:
            names = ", ".join(self.every_pool)
            raise ValueError(f"{self.name} has no --pool {name!r}; it has {names}")
        return self.every_pool[name]

    def source_of(self, task: str) -> Hashable:
        """Return an identifier of a task's data, the same for all tasks on these data."""
        entries = (x.entry for x in self.tasks if isinstance(x, Task) and x.name == task)
        entry = next(entries, None)
        return self.name if entry is None else (self.name, self.source(entry))

    @property
    def every_number(self) -> tuple[Number, ...]:
        """Return all metrics, also those that replace others for judges whose ratings never tie."""
        return (*self.numbers, *(n.if_some_tie for n in self.numbers if n.if_some_tie))

    def number(self, name: str) -> Number:
        """Return the metric that has this name, or that has an interval bound with this name.

        Raises:
            KeyError: if there is none.
        """
        for number in self.every_number:
            if name in number.names:
                return number
        raise KeyError(f"{self.name} has no number {name!r}")

    @property
    def ranked_by(self) -> Number | None:
        """Return the metric that judges are ranked by: the main one, or the first with an interval.

        None where no number has an interval and a better end, and there is no headline.
        """
        headline = None if self.headline is None else self.number(self.headline)
        if headline is not None and headline.interval and headline.better:
            return headline
        sure = (number for number in self.numbers if number.interval and number.better)
        return next(sure, headline)

    def score(self, table: Any) -> dict[str, float]:
        """Return a table's metrics and the bounds of their confidence intervals, keyed by name."""
        values: dict[str, float] = {}
        for number in self.numbers:
            values |= number.values(table)
        return values
