"""What users see is as in the goldens: numbers, task names, prompts.

`golden_runs.py` makes it all again through the harness and the command line.
"""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "golden_runs", Path(__file__).with_name("golden_runs.py")
)
golden_runs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(golden_runs)


def test_nothing_is_missing_and_nothing_differs(tmp_path):
    """One test: making it all again takes a minute, which no two workers should spend."""
    found = golden_runs.run_here(tmp_path)
    changes = {part: golden_runs.compare(found, part) for part in golden_runs.PARTS}
    assert changes == {part: ([], []) for part in golden_runs.PARTS}
