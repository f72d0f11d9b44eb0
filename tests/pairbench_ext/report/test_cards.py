"""What a card says of a judge in which no defect was found."""

import math

import pytest

from pairbench_ext.card import CardLine
from pairbench_ext.report import cards


@pytest.mark.parametrize(("p", "sees"), [(0.001, True), (0.2, False), (math.nan, False)])
def test_no_defect_is_good_only_of_a_judge_that_sees(p, sees, monkeypatch):
    line = CardLine(
        "sees", "task", "accuracy", 0.7, 0.6, 0.8, "share", "", "right on 7 of 10", "chance", p
    )
    monkeypatch.setattr(cards, "card_of", lambda _: [line])
    [made] = cards.cards_of({"judge": []})
    assert (made.flags, made.sees) == ((), sees)
