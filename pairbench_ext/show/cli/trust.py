"""`pairbench trust`: which of a judge's verdicts can be used without a person."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.files import check_file, write_atomically
from pairbench_ext.core.records import RecordError, reason_of
from pairbench_ext.core.texts import counted
from pairbench_ext.runs import trust as trusting
from pairbench_ext.runs.distributions import recalibrations
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.runs.trust import Check, check_promises
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import console, print_json, print_table, working
from pairbench_ext.show.cli.correct import LabelFiles
from pairbench_ext.show.paper_table import csv_cell

_COLUMNS = ("task", "group", "item", "verdict", "confidence", "trusted", "promise")
_BROKEN = 0.05


def trust_runs(
    runs: options.OneOrMoreJudges,
    people: LabelFiles,
    agree: Annotated[
        float,
        typer.Option(
            min=0.01, max=0.99, help="Share of labels with which trusted verdicts must agree."
        ),
    ] = 0.8,
    delta: Annotated[
        float, typer.Option(min=0.001, max=0.5, help="How often the promise may be wrong.")
    ] = 0.1,
    strata: Annotated[
        str | None,
        typer.Option(
            help="Field that names the strata in which labels were drawn: a promise for each."
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(min=0, help="How far a rating may be from people's. Default: scale / 10."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(help="JUDGE=COST of a thousand of its verdicts; people=COST; repeatable."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="CSV file for all verdicts.")] = None,
    check: Annotated[
        Path | None, typer.Option(help="File of --out: does its promise hold for these runs?")
    ] = None,
    plot: options.PlotFile = None,
    overwrite: options.Overwrite = False,
    rule: options.RuleOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Show which verdicts of the first judge can be used without a person, by people's labels.

    A verdict's confidence is how far all answers agree with it: those of the judge in both orders
    and all repeats, and those of further judges, if any are given. The promise is that trusted
    verdicts agree with people in at least the share --agree; it is wrong with probability --delta
    at most. Labels must be drawn at random from the same items; the promise covers no other items.
    """
    costs = dict(_costs(cost or ()))
    with working("reading"):
        options.check_plot(plot, [*runs, *people], overwrite=overwrite)
        if out is not None:
            check_file(out, [*runs, *people], overwrite=overwrite)
        sides = side_by_side(read_judges(judge_runs(runs), rule=rule))
        labels = PeopleLabels(people)
    if check is not None:
        with working("testing"):
            earlier = _earlier(check)
            checks = check_promises(sides, labels, earlier, by=strata, within=within)
            labels.check_used()
            if not checks:
                raise RecordError(f"{check}: no new label of a verdict that its promise covers")
        _print_checks(checks, json_only=json_only)
        return
    with working("testing"):
        made = trusting.trust(sides, labels, agree=agree, delta=delta, by=strata, within=within)
        labels.check_used()
        if not made:
            raise RecordError(f"{people[0]}: no label of an item of these runs")
    if out is not None:
        write_atomically(out, _verdicts(made))
    if plot is not None:
        from pairbench_ext.show.figures.panels import draw_trust  # it needs what only figures need

        options.draw(plot, draw_trust, made)
    beside = list(recalibrations((next(iter(s.judges.values())) for s in sides), labels))
    if json_only:
        print_json({"trust": made} | ({"calibration": beside} if beside else {}))
        return
    for each in made:
        _print(each, costs)
    for recalibration in beside:
        console.print(recalibration.describe())
    console.print(
        "Promised of items like these alone: labels must be drawn from the same items at random. "
        "Of a kind of item that no label is of, and of a changed judge, nothing is promised: "
        "--check tests it later."
    )


def _print(made: trusting.Trust, costs: dict[str, float]) -> None:
    rows = []
    for least, kept, level in zip(made.thresholds, made.kept, made.levels, strict=True):
        mark = " promised" if least >= made.threshold else ""
        shares = level.agreement, level.bound
        rows.append(
            (
                f"{least:.2f}{mark}",
                f"{kept:,} ({kept / len(made.items):.0%})",
                level.labelled,
                level.clusters,
                *("" if math.isnan(share) else f"{share:.0%}" for share in shares),
            )
        )
    console.print(f"{made.name}: {' '.join(made.sentences())}")
    title = f"{made.name}, {made.judge}: each level with {1 - made.delta:.0%} confidence"
    columns = ("items", "labels", "clusters", "agree", "at least")
    print_table(title, ("confidence at least",), columns, rows)
    unread = sum(math.isnan(item.confidence) for item in made.items)
    if unread:
        console.print(f"{counted(unread, 'item')} without a verdict: never trusted")
    if costs:
        judges = sum(costs.get(judge, 0.0) for judge in (made.judge, *made.others))
        left = 1 - sum(map(made.is_trusted, made.items)) / len(made.items)
        total = judges + left * costs.get("people", 0.0)
        console.print(f"a thousand verdicts cost {total:,.2f}, {left:.0%} of them by people")


def _verdicts(made: Sequence[trusting.Trust]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for each in made:
        for item in each.items:
            verdict = "" if item.verdict is None else item.verdict
            cells = (csv_cell(str(x)) for x in (each.task, each.group, item.item, verdict))
            trusted = "yes" if each.is_trusted(item) else "no"
            writer.writerow([*cells, f"{item.confidence:.6f}", trusted, each.agree])
    return text.getvalue()


def _earlier(file: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """By task and group, the least confidence that was trusted, and the share promised."""
    least: dict[tuple[str, str], tuple[float, float]] = {}
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            for row in csv.DictReader(lines):
                if row["trusted"] == "yes":
                    key, confidence = (row["task"], row["group"]), float(row["confidence"])
                    known = least.get(key, (math.inf, 0.0))[0]
                    least[key] = min(confidence - 1e-6, known), float(row["promise"])
    except KeyError as error:
        raise RecordError(
            f"{file}: no column {error}: it is not a file of `pairbench trust --out`"
        ) from None
    except (OSError, csv.Error, ValueError) as error:
        raise RecordError(
            f"{file}: not a file of `pairbench trust --out` ({reason_of(error)})"
        ) from error
    if not least:
        raise RecordError(f"{file}: it holds no promise")
    return least


def _print_checks(checks: Sequence[Check], *, json_only: bool) -> None:
    broken = [each for each in checks if each.p <= _BROKEN / len(checks)]
    if json_only:
        print_json({"checks": [each._asdict() for each in checks]})
    for each in () if json_only else checks:
        name = " ".join(filter(None, (each.task, each.group)))
        console.print(
            f"{name}: the promise is {'' if each in broken else 'not shown to be '}broken: "
            f"{each.agreement:.0%} of {counted(each.labelled, 'label')} agree (p {each.p:.3f}); a "
            f"fall to {each.detectable:.0%} would have been found"
        )
    if broken:
        raise typer.Exit(1)


def _costs(given: Sequence[str]) -> Iterator[tuple[str, float]]:
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            yield name, float(number)
        except ValueError:
            raise typer.BadParameter(f"{text}: write JUDGE=COST, such as gpt=2.5") from None
