import dataclasses
import math

import pytest

from pairbench_ext.core.benchmark import Benchmark, Number, Request, dialogue
from pairbench_ext.statistics.bootstrap import Interval
from tests.toy_benchmark import TOY


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


def test_one_request_is_a_dialogue():
    request = Request(("one",))
    assert dialogue(request, []).following is request
    assert dialogue(request, ["a"]).complete
    assert dialogue(request, ["a", "b"]).unread == 1


def test_a_failed_exchange_is_known():
    [exchange] = dialogue(Request(("one",)), ["[LMMS_EVAL_REQUEST_FAILED after 5]"]).exchanges
    assert exchange.failed


def test_a_number_and_its_interval_have_names():
    number = Number("accuracy", "a", len, interval=lambda t: Interval(0.0, math.nan), ci95="a_ci95")
    assert number.names == ("accuracy", "a_ci95_low", "a_ci95_high")
    values = number.values([1, 2])
    assert (values["accuracy"], values["a_ci95_low"]) == (2.0, 0.0)
    assert math.isnan(values["a_ci95_high"])


def changed(**fields):
    return Benchmark(**{**TOY.__dict__, **fields})


def test_a_number_is_declared_once():
    with pytest.raises(ValueError, match="toy: the number 'accuracy' is declared twice"):
        changed(numbers=(*TOY.numbers, Number("accuracy", "again", len)))


def test_the_headline_is_a_mean_over_trials():
    with pytest.raises(ValueError, match="toy: the headline 'answers' has no per-trial value"):
        changed(headline="answers")
    with pytest.raises(KeyError, match="toy has no number 'other'"):
        TOY.number("other")


def test_means_leave_out_what_is_not_known():
    number = Number("n", "n", len, per_trial=lambda outcome: outcome)
    assert number.sums([1, None, math.nan, False]) == {(): (1, 2)}
    assert Number("n", "n", len).sums([1]) == {}
    by_part = dataclasses.replace(number, part=lambda outcome: (outcome > 1,))
    assert by_part.sums([1, 3, 2, None]) == {(False,): (1, 1), (True,): (5, 2)}
