"""Judges with one implanted defect raise that flag alone; judges without any raise none."""

import pytest

from pairbench_ext.runs.card.lines import card_of, flags
from tests.audited import DEFECTS, Judge
from tests.files import judges_of


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_raises_its_flag_alone(defect):
    assert flags(card_of(list(Judge(1, defect).runs()))) == {DEFECTS[defect]}


def test_a_judge_without_defects_raises_no_flag():
    raised = [flags(card_of(list(Judge(seed).runs()))) for seed in range(5)]
    assert sum(not flag for flag in raised) >= 4, raised


@pytest.mark.parametrize("defect", ["", "first", "unreadable", "deaf"])
def test_logged_replies_raise_the_same_flag(defect, tmp_path):
    """From the words of each reply, as a log has them."""
    Judge(0, defect).write_logs(tmp_path)
    [judge] = judges_of(tmp_path)
    assert len(judge.runs) == 7
    assert flags(card_of(judge.runs.values())) == ({DEFECTS[defect]} if defect else set())
