"""Compute a benchmark's metrics from files of logged samples or of plain rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Reading
from pairbench_ext.core.limit_items import Sampled, sample_remarks
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.readers import SILENT
from pairbench_ext.core.records import Record, RecordError, read_up_to_cut
from pairbench_ext.core.sources import named
from pairbench_ext.core.texts import counted, did_you_mean, plural, printable
from pairbench_ext.runs.completeness import UNKNOWN, Completeness, completeness
from pairbench_ext.runs.controls import Reached, reached
from pairbench_ext.runs.files import JudgeRun, PassedOver, owner, shown, task_name, task_of
from pairbench_ext.runs.how_read import HowRead, how_read
from pairbench_ext.runs.samples import LEFT_OUT, read_record, read_records, trial_of
from pairbench_ext.runs.task_outcomes import TaskOutcomes

if TYPE_CHECKING:
    from pairbench_ext.runs.distributions import Distributions

_BY_REWARDS = (
    "a reward model scores one answer at a time, without words. So numbers about position bias, "
    "unreadable replies and instructions do not apply, and numbers about ratings use ranks only"
)


class Run(TaskOutcomes):
    """The samples of one file; their metrics are computed when they are needed.

    Args:
        benchmark: whose samples it holds.
        file: where they are.
        readings: of the samples, in the order of the file.
        task: empty for plain rows.
        judge: its name.
        rule: how replies were read; None for the rule of the run, or else the default.
        pool: how unreadable replies are scored, and which averages are taken; None for the setting
            of the run.
        options: of the benchmark's table.
        asked: how much of its task the file holds.
        criterion: by which it was judged, of a file with several; then the task's name ends in it.

    Attributes:
        base_task: the task's name without the criterion.
        places: of a criterion, which of the file's samples it has, from 0; None for all.
        name: the task; of plain rows, the name of the file.
        failed: how many requests failed.
        left_out: why rows of the data could not be asked about.
        kept: the samples, if they are in memory; None if they are in the file.
        stock: what lmms-eval's own task prints of the same samples, where it logged them.
        measured: whether there is anything to compute numbers from. Not where a rank could not
            build its task: its part of the samples is missing.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        file: Path,
        readings: Sequence[Reading],
        task: str = "",
        judge: str = "",
        rule: str | None = None,
        pool: str | None = None,
        options: Mapping[str, Any] | None = None,
        asked: Completeness = UNKNOWN,
        criterion: str = "",
    ) -> None:
        self.base_task, self.criterion = task, criterion
        self.places: tuple[int, ...] | None = None
        if criterion:
            task = f"{task or benchmark.name} ({printable(criterion)})"
        outcomes = [outcome for reading in readings for outcome in reading.outcomes]
        super().__init__(judge, task, benchmark, outcomes, pool, options or {}, str(file))
        self.file = file
        self.readings = readings
        self.rule = rule
        self.asked = asked
        self.stock: tuple[str, ...] = ()
        self.kept: Sequence[Record] | None = None
        self.name = printable(task or task_name(file))
        self.failed = sum(reading.failed for reading in readings)
        self.left_out = tuple(dict.fromkeys(why for x in readings for why in x.left_out))
        self.measured = bool(outcomes) and all(reading.built for reading in readings)

    @cached_property
    def unusable(self) -> Counter[str]:
        """Return how many replies were unreadable, keyed by reason."""
        return Counter(why for reading in self.readings for why in reading.unusable)

    @cached_property
    def how_read(self) -> HowRead:
        """Return how many replies were read in the requested format, from prose, or not at all."""
        return how_read(self.readings, self.outcomes, self.file)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """Return the values of the run's metrics, keyed by the metric's name.

        Raises:
            RecordError: if no numbers follow from the outcomes.
        """
        left_out = {LEFT_OUT: len(self.left_out)}
        if self.left_out and not self.measured:
            names = [name for number in self.benchmark.numbers for name in number.names]
            return dict.fromkeys(names, math.nan) | left_out
        return super().numbers | left_out

    def scored(self) -> Run:
        """Compute the metrics now, so that errors are raised here, and return the run.

        Raises:
            RecordError: if no numbers follow from the outcomes.
        """
        _ = self.numbers
        return self

    @cached_property
    def distributions(self) -> Distributions | None:
        """Return the answer probabilities of the run's replies; None if none were logged."""
        none = Counter(x.no_distribution for x in self.readings if x.no_distribution)
        sources = Counter(reading.source for reading in self.readings if reading.source)
        if not none and not sources:
            return None
        from pairbench_ext.runs.distributions import Distributions

        return Distributions(self, none, sources)

    @cached_property
    def controls(self) -> tuple[Reached, ...]:
        """Return, for each main number, the best score of a control judge on the run's items."""
        return tuple(reached(self)) if self.measured and not self.rewarded else ()

    @property
    def records(self) -> Sequence[Record]:
        """Return the run's samples; read the file again if they are not in memory.

        Raises:
            RecordError: naming file, line and field of what is unusable.
        """
        return read_up_to_cut(self.file)[0] if self.kept is None else self.kept

    @cached_property
    def prompts(self) -> dict[Hashable, tuple[str, tuple[str, ...]]]:
        """Return each question's prompt and image names, if the file has them."""
        prompts: dict[Hashable, tuple[str, tuple[str, ...]]] = {}
        for record in self.benchmark.samples(self.records):
            trial = trial_of(record).fields
            prompt = record.fields.get("input")
            images = trial.get("pictures") or trial.get("images") or ()
            named = tuple(map(str, images if isinstance(images, (list, tuple)) else [images]))
            asked = prompt if isinstance(prompt, str) else ""
            if asked or any(named):
                for outcome in read_record(self.benchmark, record, self.rule).outcomes:
                    prompts[outcome.question] = asked, named
        return prompts

    @property
    def sampled(self) -> Sampled | None:
        """Return how items were sampled from the data; None if all items were asked."""
        drawn = (reading.sampled for reading in self.readings if reading.sampled is not None)
        return next(drawn, None)

    def breakdowns(self) -> dict[str, Mapping[Any, Any]]:
        """Return the metrics on each part of the data, such as each source, keyed by breakdown."""
        if not self.measured:
            return {}
        by_part = {
            part.name: part.of(self.table) for part in self.benchmark.breakdowns if not part.across
        }
        return {name: parts for name, parts in by_part.items() if parts}

    def remarks(self) -> list[str]:
        """Return remarks on the run to print beside its metrics."""
        noise = self.noise
        return [
            *self.asked.describe(),
            *self.how_read.describe(),
            *self.remarks_on_numbers(),
            *self.remarks_on_samples(),
            *(noise.describe(str(self.benchmark.headline)) if noise else ()),
            *(self.distributions.describe() if self.distributions else ()),
        ]

    def remarks_on_numbers(self) -> list[str]:
        """Return warnings that must be printed before the metrics."""
        pooled = [self.benchmark.pool(self.pool)] if self.pool else []
        return [
            *self._unread(),
            *self.stock,
            *((_BY_REWARDS,) if self.rewarded else ()),
            *(
                f"unreadable replies count as --pool {pool.name} says: {pool.about}"
                for pool in pooled
            ),
            *(self.benchmark.remarks(self.table) if self.measured else ()),
        ]

    def remarks_on_samples(self, *, left_out: bool = True) -> list[str]:
        """Return remarks on samples that are missing, failed, empty or skipped.

        Args:
            left_out: whether to say which rows were skipped.
        """
        failed, silent = self.failed, self.unusable[SILENT]
        counts = {
            f"{counted(failed, 'request')} failed": failed,
            f"{counted(silent, 'reply', 'is')} empty; more tokens may help "
            "(--gen_kwargs max_new_tokens=8192)": silent,
        }
        losses = [
            f"{remark}; {plural('it counts', number)} as unreadable"
            for remark, number in counts.items()
            if number
        ]
        return [*sample_remarks(self.readings), *losses, *(self._skipped() if left_out else ())]

    def _unread(self) -> list[str]:
        """Return a warning that no reply could be read, with the commonest reason."""
        names = [number.name for number in self.benchmark.numbers]
        if not self.unusable or not self.measured or "coverage" not in names:
            return []
        if self.benchmark.number("coverage").of(self.table) != 0:
            return []
        [(why, count)] = self.unusable.most_common(1)
        return [
            f"no reply could be read ({why}: {count:,} of {self.unusable.total():,}), so the "
            "other numbers mean nothing. Can this judge do this task?"
        ]

    def _skipped(self) -> list[str]:
        """Return how many rows were skipped, and the first reasons."""
        broken = [why for reading in self.readings if not reading.built for why in reading.left_out]
        if broken:
            why = named(tuple(dict.fromkeys(broken)))
            return [f"the task could not be asked, so its numbers are undefined (nan): {why}"]
        if not self.left_out:
            return []
        none = "" if self.measured else ". No row is left, so its numbers are undefined (nan)"
        return [f"{counted(len(self.left_out), 'row')} skipped: {named(self.left_out)}{none}"]


def by_criterion(run: Run) -> list[Run]:
    """Return one run for each criterion in a run's file, each with its own metrics.

    The run itself where the benchmark has no criteria, or the file names none. Samples that are of
    no criterion go with the first.
    """
    field = run.benchmark.outcome.criterion
    named = [{str(x.variant.get(field) or "") for x in each.outcomes} for each in run.readings]
    criteria = sorted(set().union(*named)) if field else []
    if not any(criteria):
        return [run]
    parts: dict[str, dict[int, Reading]] = {criterion: {} for criterion in criteria}
    for place, (reading, names) in enumerate(zip(run.readings, named, strict=True)):
        for criterion in names or criteria[:1]:
            kept = tuple(x for x in reading.outcomes if str(x.variant[field] or "") == criterion)
            parts[criterion][place] = replace(reading, outcomes=kept)
    how = run.base_task, run.judge, run.rule, run.pool, run.options, run.asked
    runs = []
    for criterion, readings in parts.items():
        runs.append(Run(run.benchmark, run.file, tuple(readings.values()), *how, criterion))
        runs[-1].places, runs[-1].kept = tuple(readings), run.kept
    return runs


class Judge(NamedTuple):
    """A judge: its name and its runs.

    Attributes:
        name: unlike all others.
        runs: by task, "" for plain rows.
        passed_over: files of samples in its folder that do not count.
    """

    name: str
    runs: Mapping[str, Run]
    passed_over: tuple[PassedOver, ...] = ()


def read_run(
    file: Path,
    benchmarks: Sequence[Benchmark] = (),
    *,
    rule: str | None = None,
    pool: str | None = None,
    options: Mapping[str, Any] | None = None,
    task: str | None = None,
    judge: str = "",
) -> Run:
    """Read one file of samples, and parse its replies by the benchmark's rules.

    Args:
        file: JSON lines.
        benchmarks: one of which its samples are of; none for all benchmarks.
        rule: how replies are read; None for the rule of the run, or else the default. So it is
            where the benchmark has no such rule.
        pool: how unreadable replies are scored, likewise.
        options: of the benchmark's table; those that it does not declare are left out.
        task: its name; by default, as the file is called.
        judge: whose it is.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    benchmark = owner(benchmarks, file)
    rule = rule if rule in benchmark.read.rules else None
    pool = pool if pool in benchmark.every_pool else None
    logged, cut = read_up_to_cut(file)
    stock = benchmark.stock_log(logged[0]) if logged else None
    emptied = list(benchmark.samples(logged))
    returned = {x.fields.get("doc_id"): stock.known(x) for x in emptied} if stock else {}
    del logged
    if not emptied:
        raise RecordError(f"{file}: the file holds no samples")
    lines = len(emptied)
    records, readings = read_records(benchmark, emptied, rule)
    asked = completeness(file, records, readings, cut)._replace(
        part=" ".join(sample_remarks(readings)), repeated=lines - len(records)
    )
    given = {option.name: (options or {}).get(option.name) for option in benchmark.options}
    given = {name: value for name, value in given.items() if value is not None}
    task = task_of(file) if task is None else task
    run = Run(benchmark, file, readings, task, judge, rule, pool, given, asked)
    if stock is not None:
        unread = [bool(reading.unusable) for reading in readings]
        run.stock = tuple(stock.describe(list(returned.values()), unread))
    return run


def read_judges(
    judges: Iterable[JudgeRun], *, rule: str | None = None, pool: str | None = None
) -> list[Judge]:
    """Read all samples files of judges, as `read_run` reads one.

    Raises:
        RecordError: if a file is unusable, or none of the benchmarks has the rule or the pool.
    """
    read = [
        Judge(
            judge.name,
            {
                run.task: run
                for task, file in judge.files.items()
                for run in by_criterion(
                    read_run(
                        file, judge.benchmarks, rule=rule, pool=pool, task=task, judge=judge.name
                    )
                )
            },
            judge.passed_over,
        )
        for judge in tracked([*judges], "reading judges")
    ]
    used = [run.benchmark for judge in read for run in judge.runs.values()]
    rules = [name for benchmark in used for name in benchmark.read.rules]
    pools = [name for benchmark in used for name in benchmark.every_pool]
    for kind, wanted, existing in (("rule", rule, rules), ("pool", pool, pools)):
        if wanted is not None and wanted not in existing:
            names = list(dict.fromkeys(existing))
            raise RecordError(
                f"no benchmark of these runs has a {kind} {wanted!r}; they have "
                f"{', '.join(names)}{did_you_mean(wanted, names)}"
            )
    return read


def judges_of_records(records: Mapping[tuple[str, str], list[Record]]) -> list[Judge]:
    """Return the judges whose samples are in memory, without a file.

    Args:
        records: the samples of each judge and task; emptied.

    Raises:
        RecordError: naming what is unusable.
    """
    runs: dict[str, dict[str, Run]] = {}
    for (judge, task), samples in records.items():
        benchmark = registry.benchmark_of(str(trial_of(samples[0]).fields["benchmark"]))
        kept = tuple(samples)
        _, readings = read_records(benchmark, samples)
        whole = Run(benchmark, Path(task), readings, task, judge)
        whole.kept = kept
        for run in by_criterion(whole):
            runs.setdefault(judge, {})[run.task] = run
    return [Judge(name, of_judge) for name, of_judge in runs.items()]


def files_document(judges: Iterable[Judge]) -> dict[str, dict[str, str]]:
    """Return the paths of the samples files, keyed by judge, then by task, for JSON."""
    return {x.name: {task: shown(run.file) for task, run in x.runs.items()} for x in judges}
