"""The Python interface: each function takes judges and returns findings, as text and tables.

    import pairbench_ext as pb

    judges = pb.read("out/*")       # folders that lmms-eval wrote, or files of samples
    judges = pb.judgments(frame)    # or a table of judgments in memory
    pb.compare(judges)              # shows the ranking in a notebook, prints it in a terminal

Names, arguments and defaults are those of the commands. `core.findings.Finding` says what can be
done with the result: `.to_frame()`, `.to_dict()`, `.plot()`, `print`.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np

from pairbench_ext.core import registry
from pairbench_ext.core.files import check_file
from pairbench_ext.core.findings import Finding
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import did_you_mean, listed
from pairbench_ext.runs import compare as comparing
from pairbench_ext.runs import correct as correcting
from pairbench_ext.runs import panel as panels
from pairbench_ext.runs import people as peoples
from pairbench_ext.runs import trust as trusting
from pairbench_ext.runs.card_finding import card_finding
from pairbench_ext.runs.compare_finding import compare_finding
from pairbench_ext.runs.drift_finding import drift_finding
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.gate import gate_of
from pairbench_ext.runs.labels_finding import checks_finding, correct_finding, trust_finding
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.panel_finding import panel_finding
from pairbench_ext.runs.paper_table import table_finding
from pairbench_ext.runs.people_finding import people_finding
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.plan import Wanted
from pairbench_ext.runs.plan_finding import LabelPlan, plan_of
from pairbench_ext.runs.promise_checks import check_promises
from pairbench_ext.runs.score_finding import score_finding
from pairbench_ext.runs.scoring import Judge, read_judges
from pairbench_ext.runs.side_by_side import SideBySide, side_by_side, tasks_of
from pairbench_ext.stacks.records import judgments as recorded
from pairbench_ext.stacks.records.labels import people_labels
from pairbench_ext.stacks.records.memory import InMemory, rows_of_table
from pairbench_ext.statistics.alternative_annotator import EPSILON
from pairbench_ext.statistics.kappa import Scale
from pairbench_ext.statistics.people import against_people
from pairbench_ext.statistics.power import ALPHA

#: A path, or a pattern of paths.
Place: TypeAlias = str | Path
#: Labels of people: files, or a data frame or rows with the columns of such a file.
Labels: TypeAlias = Any


class Judges(Sequence[Judge]):
    """A list of judges. Take one by its position in the list or by its name.

    Args:
        judges: in order; names are unique.
        notes: how they were read, and what was left out.
    """

    def __init__(self, judges: Iterable[Judge], notes: Iterable[str] = ()) -> None:
        self._judges, self.notes = tuple(judges), tuple(notes)
        names = self.names
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise RecordError(
                f"two judges have the same name ({listed(sorted(twice), 3)}). Read them in one "
                "call, such as read(new, old): their paths then tell them apart"
            )

    @property
    def names(self) -> list[str]:
        """Return the names of the judges, in the order of the list."""
        return [judge.name for judge in self._judges]

    def __len__(self) -> int:
        """Return the number of judges."""
        return len(self._judges)

    @overload
    def __getitem__(self, key: int | str) -> Judge: ...

    @overload
    def __getitem__(self, key: slice) -> Judges: ...

    def __getitem__(self, key: int | str | slice) -> Judge | Judges:
        """Return a judge, by name or by position in the list; a slice returns several judges.

        Raises:
            KeyError: if no judge has the name; it names those that are like it.
        """
        if isinstance(key, str):
            for judge in self._judges:
                if key in (judge.name, judge.name.rpartition("/")[2]):
                    return judge
            meant = did_you_mean(key, self.names) or f"; there are {listed(self.names, 6)}"
            raise KeyError(f"no judge is called {key!r}{meant}")
        return Judges(self._judges[key]) if isinstance(key, slice) else self._judges[key]

    def __repr__(self) -> str:
        """Return the judges' names and tasks, and how their replies were read, as text."""
        lines = (
            f"{judge.name}: {listed([run.name for run in judge.runs.values()], 4)}"
            for judge in self._judges
        )
        return "\n".join([*lines, *self.notes])


def read(
    *places: Place, benchmark: str | None = None, rule: str | None = None, pool: str | None = None
) -> Judges:
    """Read judges' logged samples from folders and files, as `pairbench compare` does.

    Args:
        places: folders that `lmms-eval --log_samples` wrote, files of samples, or patterns of
            these, such as "out/*".
        benchmark: whose samples count; None for those of all benchmarks.
        rule: that reads replies; None for the setting of the runs.
        pool: how unreadable replies are scored; None for the setting of the runs.

    Raises:
        RecordError: if nothing is there, or a file cannot be used.
    """
    benchmarks = () if benchmark is None else registry.benchmarks_named(benchmark)
    paths = [path for place in places for path in _paths(place)]
    return Judges(read_judges(judge_runs(paths, benchmarks), rule=rule, pool=pool))


def _paths(place: Place) -> list[Path]:
    if isinstance(place, Path) or not glob.has_magic(place):
        return [Path(place)]
    found = sorted(Path(name) for name in glob.glob(place))  # noqa: PTH207  (a pattern may be absolute)
    if not found:
        raise RecordError(f"{place}: nothing is there")
    return found


def judgments(data: Any, **roles: Any) -> Judges:
    """Read judges from a table in memory, such as a data frame with one judgment per row.

    Args:
        data: a pandas or polars frame, an Arrow table, or a list of mappings.
        **roles: which column is what, where names and values do not tell: `verdict="choice"`,
            `people=["ann", "ben"]`; as `stacks.records.judgments.judgments` takes them.

    Raises:
        QuestionError: if several readings fit; it shows them.
        RecordError: if nothing can be read.
    """
    remarks: list[str] = []
    return Judges(recorded.judgments(data, remarks=remarks, **roles), remarks)


def compare(
    judges: Any, *, number: str | Sequence[str] = (), baseline: str | None = None
) -> Finding:
    """Return which judge is the best, and which differences between judges are significant.

    Args:
        judges: at least two.
        number: to compare, one or several; by default the main numbers.
        baseline: the judge that all others are compared with; None for all pairs.

    Raises:
        RecordError: as of `runs.compare.compare`.
    """
    alone = not (number or baseline)
    numbers = _several(number)
    how: dict[str, Any] = {"numbers": numbers, "baseline": baseline, "headlines_alone": alone}
    how["stand_in"] = True
    return compare_finding(comparing.compare(_judges(judges), **how))


def card(judges: Any) -> Finding:
    """Test whether judges can be trusted: biases, unreadable replies, agreement with people."""
    return card_finding(best_first(_judges(judges)))


def score(judges: Any) -> Finding:
    """Return all metrics computed for these judges, as `pairbench score` prints them."""
    runs = [run.scored() for judge in best_first(_judges(judges)) for run in judge.runs.values()]
    return score_finding(runs)


def table(judges: Any, *, published: bool = False, intervals: bool = True) -> Finding:
    """Return each benchmark's results in its paper's table layout, with one row per judge.

    Args:
        judges: one or more.
        published: whether the published rows are in them.
        intervals: whether values have their 95% intervals; the command asks for `--intervals`.
    """
    given = best_first(_judges(judges))
    compared, _ = comparing.if_comparable(given)
    return table_finding(given, compared, with_published=published, intervals=intervals)


def trust(
    judges: Any,
    people: Labels = None,
    *,
    agree: float = 0.8,
    delta: float = 0.1,
    future: bool = False,
    by: str | None = None,
    strata: str | None = None,
    within: float | None = None,
    check: Place | None = None,
) -> Finding:
    """Return which of the first judge's verdicts can be used without a check by a person.

    Args:
        judges: the judge, then further judges that were asked the same.
        people: labels of items that were drawn at random; None for those of the data.
        agree: the share of labels that trusted verdicts must agree with.
        delta: how often a promise may be wrong.
        future: whether to make the promise for future items, not for these items.
        by: a field of the items: a promise for each of its values.
        strata: a field within which labels were drawn at random.
        within: how far a rating may be from people's; None for a tenth of the scale.
        check: a file of `pairbench trust --out`: whether its promises hold for these judges.

    Raises:
        RecordError: if no item has a label, or labels cannot be used.
    """
    sides = side_by_side(_judges(judges))
    how: dict[str, Any] = {"agree": agree, "delta": delta, "future": future, "by": by}
    labels = _labels(people, sides)
    if check is not None:
        kept = check_promises(sides, labels, Path(check), by=by, within=within)
        return checks_finding(kept)
    trusted = trusting.trust(sides, labels, **how, strata=strata, within=within)
    if not any(part.levels or part.refused for part in trusted):
        raise labels.missing()
    refused = [f"{part.name}: {part.problem}" for part in trusted if part.refused]
    if refused:
        raise RecordError("; ".join(refused))
    return _noted(trust_finding(trusted), labels)


def correct(
    judges: Any,
    people: Labels = None,
    *,
    by: str | None = None,
    strata: str | None = None,
    width: float | None = None,
    future: bool = False,
) -> Finding:
    """Estimate people's mean label over all items, from a judge's verdicts and a few labels.

    Args:
        judges: whose verdicts are corrected.
        people: labels of items that were drawn at random; None for those of the data.
        by: a field that names the system judged, each of which is estimated.
        strata: a field within which labels were drawn at random.
        width: half the width of an interval, to say how many labels it needs.
        future: whether to estimate for future items, of which these are a sample.

    Raises:
        RecordError: if no item has a label, or labels cannot be used.
    """
    how: dict[str, Any] = {"by": by, "strata": strata, "half_width": width, "future": future}
    sides = side_by_side(_judges(judges))
    labels = _labels(people, sides)
    return _noted(correct_finding(correcting.correct(tasks_of(sides), labels, **how)), labels)


def drift(*runs: Any) -> Finding:
    """Return what changed between several runs of the same judge, the earliest run first.

    Args:
        runs: the earliest first, each as other functions take one judge; or one list of them.

    Raises:
        RecordError: if there are fewer than two, or one holds several judges.
    """
    given = list(runs[0]) if len(runs) == 1 and isinstance(runs[0], (list, tuple)) else runs
    judges = [_judges(run) for run in given]
    if len(judges) < 2 or any(len(of_run) != 1 for of_run in judges):
        raise RecordError(
            "drift compares runs of one judge: give at least two runs, each with one judge"
        )
    return drift_finding([judge for of_run in judges for judge in of_run])


def panel(judges: Any, *, number: str | Sequence[str] = ()) -> Finding:
    """Return whether several judges' combined verdicts are better than the best single judge's."""
    return panel_finding(panels.panel(best_first(_judges(judges)), numbers=_several(number)))


def people(judges: Any, people: Labels = None, *, epsilon: float = EPSILON) -> Finding:
    """Return how often judges agree with people, and how often people agree with each other.

    Args:
        judges: one or more.
        people: labels, as for `trust`; None for those of the data.
        epsilon: of the alternative annotator test.
    """
    sides = side_by_side(best_first(_judges(judges)))
    labels = _labels(people, sides)
    return _noted(people_finding(peoples.beside_people(sides, labels, epsilon=epsilon)), labels)


def plan(
    tasks: str | Sequence[str],
    *,
    runs: Sequence[Place] = (),
    number: str | Sequence[str] = (),
    discordant: float = 0.2,
    detect: float | None = None,
    margin: float | None = None,
    labels: float | None = None,
    correlation: float = 0.7,
    trust: float | None = None,
    agree: float = 0.8,
    delta: float = 0.1,
    alpha: float = ALPHA,
) -> Finding:
    """Return how many requests a run makes, and the smallest difference between judges it can show.

    Args:
        tasks: names of tasks and groups.
        runs: logs of two judges, to plan by.
        number: the numbers to plan for, with runs.
        discordant: share of items on which exactly one of two judges is right.
        detect: a difference whose number of items is wanted.
        margin: of the gate, whose number of items is wanted.
        labels: half the width of an interval of a rate, whose number of labels is wanted.
        correlation: of verdicts and labels.
        trust: the share of kept verdicts that agree with people, to plan a promise.
        agree: the share to promise.
        delta: how often the promise may be wrong.
        alpha: level of the test.

    Raises:
        PlanError: if nothing can be planned.
    """
    return plan_of(
        _several(tasks),
        runs=[Path(run) for run in runs],
        numbers=_several(number),
        discordant=discordant,
        wanted=Wanted(alpha=alpha, difference=detect, margin=margin),
        labels=LabelPlan(labels, correlation, trust, agree, delta),
    )


def gate(
    new: Any, base: Any, *, margin: float | None = None, allow_missing: bool = False
) -> Finding:
    """Test whether a new judge may replace an old one; the result is true if it may.

    Args:
        new: the new judge.
        base: the other one.
        margin: how much worse the new one may be; None for whatever is not significant.
        allow_missing: whether to compare what both have, if the new one lacks items.

    Raises:
        RecordError: as of `runs.gate.gate_of`.
    """
    both = Judges([*_judges(new), *_judges(base)])
    compared = comparing.compare(both, headlines_alone=True)
    return gate_of(compared, margin, allow_missing=allow_missing).finding()


def agreement(
    judge: Sequence[Any],
    people: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | Sequence[Any],
    *,
    scale: Scale | None = None,
    epsilon: float = EPSILON,
) -> Finding:
    """Return how well a judge agrees with people, from arrays with one value per item.

    Args:
        judge: what it says of each item; None or NaN where it says nothing.
        people: the same of one person, or of several: by name, or one after another.
        scale: "nominal" for labels, "interval" for numbers; None for what the values are.
        epsilon: of the alternative annotator test.

    Raises:
        ValueError: if the lengths differ, or values do not fit the scale.
    """
    named = people if isinstance(people, Mapping) else _named(people)
    rows = [list(judge), *map(list, named.values())]
    if len({*map(len, rows)}) > 1:
        numbers = ", ".join(str(len(row)) for row in rows)
        raise ValueError(
            f"judge and people must each have one value per item; found {numbers} values"
        )
    if scale is None:
        alike = all(_is_number(x) for row in rows for x in row if x is not None)
        scale = "interval" if alike else "nominal"
    if scale == "nominal":
        labels = sorted({str(x) for row in rows for x in row if not _is_missing(x)})
        rows = [[None if _is_missing(x) else labels.index(str(x)) for x in row] for row in rows]
    matrix = np.array(rows, dtype=np.float64)
    numbers_of = against_people(matrix[0], matrix[1:], scale, epsilon=epsilon)
    beside = peoples.Beside("agreement", "judge", "", scale, tuple(named), numbers_of, {})
    return people_finding(peoples.Besides((beside,), {}, ()))


def _named(people: Any) -> dict[str, Sequence[Any]]:
    several = len(people) > 0 and not isinstance(people[0], str) and np.ndim(people[0]) > 0
    rows = people if several else [people]
    return {f"person {place}": row for place, row in enumerate(rows, start=1)}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def report(
    judges: Any,
    out: Place = "report.html",
    *,
    people: Labels = None,
    agree: float = 0.8,
    images: str = "thumb",
    title: str = "Judge card",
    overwrite: bool = False,
) -> Path:
    """Write an HTML page about judges: findings, and every sample that they are computed from.

    Args:
        judges: one or more.
        out: where to; the page of `pairbench report`.
        people: labels, as for `trust`.
        agree: the share to agree with.
        images: "full", "thumb" or "none".
        title: of the page.
        overwrite: whether an existing file may be replaced.

    Returns:
        The path of the page.

    Raises:
        OutputError: if there is a file already.
    """
    from pairbench_ext.show.report.page import write_report

    given = _judges(judges)
    inputs = [run.file for judge in given for run in judge.runs.values()]
    check_file(Path(out), inputs, overwrite=overwrite)
    how: dict[str, Any] = {"images": images, "title": title, "agree": agree}
    labels = _labels(people, side_by_side(given))
    return write_report(given, Path(out), people=labels, **how).path


def _several(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _judges(given: Any) -> list[Judge]:
    """Return judges, from one, from several, or from where their samples are.

    Raises:
        RecordError: if there is none, or nothing is where samples should be.
    """
    if isinstance(given, Judge):
        return [given]
    if isinstance(given, (str, Path)):
        return list(read(given))
    read_judges = list(Judges(judge for part in given for judge in _judges(part)))
    if not read_judges:
        raise RecordError("no judge is given; give a folder of logged samples or a file")
    return read_judges


def _noted(finding: Finding, labels: PeopleLabels) -> Finding:
    """Return a finding with what was left out of the labels."""
    return replace(finding, notes=(*labels.notes, *finding.notes))


def _labels(given: Labels, sides: Sequence[SideBySide]) -> PeopleLabels:
    """Return people's labels from files, from a table in memory, or, if None, of the data."""
    tasks = tasks_of(sides)
    if given is None or isinstance(given, (str, Path)):
        return people_labels([] if given is None else [Path(given)], tasks)
    if isinstance(given, Sequence) and given and all(isinstance(x, (str, Path)) for x in given):
        return people_labels([Path(label) for label in given], tasks)
    return people_labels([InMemory(rows_of_table(given))], tasks)
