"""What users see is as in the goldens: numbers, task names, prompts.

`golden_runs.py` makes it all again through the harness and the command line.
"""

from tests import golden_runs


def test_nothing_is_missing_and_nothing_differs(tmp_path):
    """One test: making it all again takes a minute, which no two workers should spend."""
    found = golden_runs.run_here(tmp_path)
    changes = {part: golden_runs.compare(found, part) for part in golden_runs.PARTS}
    assert changes == {part: ([], []) for part in golden_runs.PARTS}
