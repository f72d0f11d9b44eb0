"""`pairbench check`: show how replies were read, and ask a person to confirm some of them."""

from collections.abc import Sequence
from typing import Annotated

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.check import Checked, check_finding, drawn
from pairbench_ext.runs.how_read import checks_of, confirm
from pairbench_ext.runs.scoring import Run, read_judges
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import console, errors, fail_on, print_finding, working
from pairbench_ext.show.cli.options import option

_QUESTION = "Was the reply read correctly? y (yes), n (no), s (skip), q (quit)"
_SHOWN = 1500  # characters of a reply that a person sees


def check_runs(
    runs: options.OneOrMoreJudges,
    sample: Annotated[
        int | None,
        option(
            "Ask you whether this many replies, drawn at random, were read correctly. Your "
            "answers give an upper bound of the share of misread replies.",
            min=1,
        ),
    ] = None,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Show how replies were read: in the format asked for, in prose, or not at all. Runs no model.

    Shows the most frequent reasons for unreadable replies with examples, and readings that
    contradict a recorded value. With --sample you confirm readings. Your answers are kept beside
    the run and printed with it, as long as the readings stay the same.
    """
    with fail_on(RecordError, OSError):

        def read() -> list[Run]:
            judges = read_judges(options.runs_of(runs, benchmark), rule=rule)
            return [run for judge in judges for run in judge.runs.values()]

        with working("reading"):
            found = read()
        if sample is not None:
            for run in found:
                _confirm(run, drawn(run, sample))
            found = read()
        print_finding(check_finding(found), json_only=json_only)


def _confirm(run: Run, readings: Sequence[Checked]) -> None:
    """Ask a person about readings, one by one."""
    if not readings:
        errors.print(f"{run.name}: a person has already checked every reply")
        return
    answers: dict[tuple[int, str], str] = {}  # of the same words once
    for number, reply in enumerate(readings, 1):
        key = (reply.read.checksum, repr(reply.read.value))
        if key not in answers:
            text = reply.text if len(reply.text) <= _SHOWN else f"... {reply.text[-_SHOWN:]}"
            console.print(f"\n{run.name}, reading {number} of {len(readings)}, item {reply.item}")
            console.print(text)
            console.print(f"read as: {reply.read.value!r} ({reply.read.step})")
            answers[key] = typer.prompt(_QUESTION, value_proc=_letter)
        if answers[key] == "q":
            break
        if answers[key] in ("y", "n"):
            confirm(run.file, reply.place, reply.read, right=answers[key] == "y")
    errors.print(f"kept in {checks_of(run.file)[0]}")


def _letter(answer: str) -> str:
    """Return the first letter of a person's answer, if the question names it."""
    letter = answer.strip().lower()[:1]
    if letter not in ("y", "n", "s", "q"):
        raise typer.BadParameter(f"{answer!r} is no answer; write y, n, s or q")
    return letter
