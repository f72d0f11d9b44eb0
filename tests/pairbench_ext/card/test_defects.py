"""Judges with one implanted defect raise that flag alone; judges without any raise none."""

import pytest

from pairbench_ext.card import card_of, flags
from tests.audited import DEFECTS, Judge


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_raises_its_flag_alone(defect, seed):
    assert flags(card_of(list(Judge(seed, defect).runs()))) == {DEFECTS[defect]}


def test_a_judge_without_defects_raises_no_flag():
    raised = [flags(card_of(list(Judge(seed).runs()))) for seed in range(100)]
    assert sum(not one for one in raised) >= 95, raised
