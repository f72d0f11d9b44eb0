import dataclasses
import math

import pytest

from pairbench_ext.core.benchmark import Number, Request, dialogue


def talk():
    first = yield Request(("one",), log={"step": 1})
    if first != "stop":
        yield Request((f"after {first}",), log={"step": 2})


@pytest.mark.parametrize(
    ("replies", "logged", "following", "unread"),
    [
        ([], [], "one", 0),
        (["a"], [1], "after a", 0),
        (["a", "b"], [1, 2], None, 0),
        (["stop"], [1], None, 0),
        (["stop", "b"], [1], None, 1),
        (["a", "b", "c"], [1, 2], None, 1),
    ],
)
def test_a_dialogue_goes_as_far_as_the_replies(replies, logged, following, unread):
    told = dialogue(talk(), replies)
    assert [exchange.log["step"] for exchange in told.exchanges] == logged
    assert [exchange.reply for exchange in told.exchanges] == replies[: len(logged)]
    assert (told.following.texts[0] if told.following else None) == following
    assert (told.unread, told.complete) == (unread, following is None and not unread)


def test_means_leave_out_what_is_not_known():
    number = Number("n", "n", len, per_trial=lambda outcome: outcome)
    assert number.sums([1, None, math.nan, False]) == {(): (1, 2)}
    assert Number("n", "n", len).sums([1]) == {}
    by_part = dataclasses.replace(number, part=lambda outcome: (outcome > 1,))
    assert by_part.sums([1, 3, 2, None]) == {(False,): (1, 1), (True,): (5, 2)}
