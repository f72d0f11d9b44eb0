"""What users see is what version 0.2 showed: numbers, task names, prompts.

`golden_runs.py` makes it all again through the harness and the command line;
`goldens_v02/dropped.json` says what may be missing or may have changed, and why.
"""

import fnmatch
import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    "golden_runs", Path(__file__).with_name("golden_runs.py")
)
golden_runs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(golden_runs)

SHOWN = 40


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return golden_runs.run_here(tmp_path_factory.mktemp("goldens"))


@pytest.fixture(scope="module")
def compared(found):
    return {part: golden_runs.compare(found, part) for part in golden_runs.PARTS}


def fail_with(lines, what):
    if lines:
        more = [f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        pytest.fail("\n".join([f"{len(lines)} {what}:", *lines[:SHOWN], *more]), pytrace=False)


def test_nothing_failed(found):
    patterns = golden_runs.allowed()["missing"]
    failed = [
        f"{path}: {error}"
        for path, error in found["errors"].items()
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)
    ]
    fail_with(failed, "failed")


@pytest.mark.parametrize("part", golden_runs.PARTS)
def test_nothing_is_missing(compared, part):
    fail_with(compared[part][0], "missing")


@pytest.mark.parametrize("part", golden_runs.PARTS)
def test_nothing_differs(compared, part):
    fail_with(compared[part][1], "differ")


def test_every_allowance_is_needed_by_a_golden():
    paths = [
        path for part, told in golden_runs.read().items() for path in golden_runs.flat(told, part)
    ]
    for pattern in {**golden_runs.allowed()["missing"], **golden_runs.allowed()["changed"]}:
        assert fnmatch.filter(paths, pattern), f"no golden is called {pattern}"
