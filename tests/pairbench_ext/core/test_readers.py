"""Reading of the plain case."""

from dataclasses import dataclass

import pytest

from pairbench_ext.core.benchmark import Exchange
from pairbench_ext.core.readers import one_reply, row_fields
from pairbench_ext.core.records import Record, RecordError

ASPECTS = ("alignment", "fidelity")


@dataclass(frozen=True)
class Score:
    item: str
    aspect: str = ""
    said: float | None = None


@pytest.mark.parametrize(
    ("reply", "said"),
    [('{"score": [8, 7]}', [8, 7]), ('{"score": [8]}', [None, None]), ("", [None, None])],
)
def test_a_reply_may_say_several_things_at_once(reply, said):
    read = one_reply(Score, "subscores", lambda _: {"n": 2}, parts=("aspect", ASPECTS))
    reading = read({"item": "a"}, [Exchange({}, reply)], "careful")
    assert reading.outcomes == tuple(map(Score, "aa", ASPECTS, said))
    assert len(reading.unusable) == (said[0] is None)


@pytest.mark.parametrize("scores", [[8], [8, 7, 6]])
def test_a_reply_that_says_more_or_fewer_things_is_unusable(scores):
    read = one_reply(Score, "subscores", parts=("aspect", ASPECTS))  # of a grammar that counts none
    reading = read({"item": "a"}, [Exchange({}, f'{{"score": {scores}}}')], "careful")
    assert [one.said for one in reading.outcomes] == [None, None]
    assert reading.unusable == (f"{len(scores)} values, not 2",)


def test_what_a_log_says_was_said_is_not_taken_over():
    fields = row_fields(Score)
    logged = {"item": "a", "said": [8, 7]}
    assert fields(Record("log, line 1", logged)) == {"item": "a", "aspect": "", "said": None}
    with pytest.raises(RecordError, match="log, line 1: no field 'item'"):
        fields(Record("log, line 1", {"said": 3}))
