"""What users see is as in the goldens: numbers, task names, prompts.

`golden_runs.py` makes it all again through the harness and the command line.
"""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    "golden_runs", Path(__file__).with_name("golden_runs.py")
)
golden_runs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(golden_runs)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return golden_runs.run_here(tmp_path_factory.mktemp("goldens"))


@pytest.mark.parametrize("part", golden_runs.PARTS)
def test_nothing_is_missing_and_nothing_differs(found, part):
    missing, differs = golden_runs.compare(found, part)
    assert not missing
    assert not differs
