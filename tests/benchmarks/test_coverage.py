"""Intervals hold as often as they say; `python -m benchmarks.coverage` has more of it."""

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import coverage

CASES = {case.name: case for case in coverage.cases()}
SAMPLES = 50
# Of 50 samples, a share below this has a chance of 2% where intervals hold in 90% of them.
LEAST = 0.8


@pytest.mark.parametrize("name", CASES)
def test_intervals_hold(name):
    held, width = coverage.measure(CASES[name], 16, 0.005, SAMPLES)
    assert held >= LEAST
    assert 0 < width < 0.75


def test_the_bootstrap_alone_does_not_hold():
    case = CASES["MMScore, replies random"]
    plain = case._replace(interval=coverage.bootstrap_alone)
    (alone, _), (held, _) = (coverage.measure(each, 16, 0.005, SAMPLES) for each in (plain, case))
    assert alone < 0.7
    assert held > 0.9


def test_of_many_errors_the_interval_is_nearly_the_bootstraps():
    case = CASES["MMScore, replies random"]
    plain = case._replace(interval=coverage.bootstrap_alone)
    (_, alone), (_, width) = (coverage.measure(each, 200, 0.3, 10) for each in (plain, case))
    assert width == pytest.approx(alone, rel=0.03)


def test_the_table():
    app = typer.Typer()
    app.command()(coverage.main)
    done = CliRunner().invoke(app, ["--samples", "2", "--only", "accuracy, one reply"])
    header, _, *rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert header.startswith("| number, errors | rate | n = 8: held (width) |")
    assert len(rows) == len(coverage.RATES)
    assert "100.0% (" in rows[0]
