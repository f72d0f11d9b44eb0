"""What users see is as in the goldens: numbers, task names, prompts.

`golden_runs.py` makes it all again through the harness and the command line.
"""

import pytest

from tests import golden_runs


@pytest.mark.parametrize("share", golden_runs.SHARES)
def test_nothing_is_missing_and_nothing_differs(share, tmp_path_factory):
    found = golden_runs.run_here(tmp_path_factory.getbasetemp() / "goldens" / share, share)
    assert golden_runs.compare(found, share) == ([], [])


def test_every_golden_is_in_one_share():
    assert golden_runs.in_no_share() == []
