"""What a logged sample says of its trial."""

import pytest

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.samples import one_of, response_of, trial_of


def test_a_plain_row_is_its_own_trial():
    row = Record("rows.jsonl, line 1", {"item": "a", "trial": 3, "response": "8"})
    assert trial_of(row) is row


@pytest.mark.parametrize("logged", [None, 3, "a", [1]])
def test_a_sample_whose_trial_is_none_is_named(logged):
    sample = Record("log.jsonl, line 7", {"filtered_resps": "8", "trial": logged})
    with pytest.raises(RecordError, match=r"log\.jsonl, line 7: no field 'trial'; was"):
        trial_of(sample)


@pytest.mark.parametrize("value", ["", "AB", "E"])
def test_a_value_is_one_of_the_letters_of_a_text(value):
    record = Record("f, line 1", {"truth": value})
    with pytest.raises(RecordError, match=r"f, line 1: truth .* is none of"):
        one_of(record, "truth", "ABCD")


@pytest.mark.parametrize("reply", ["8", ["8"], [["8"]], [["8", "9"]]])
def test_the_reply_may_stand_in_lists(reply):
    assert response_of(Record("f, line 1", {"filtered_resps": reply})) == "8"


@pytest.mark.parametrize("nothing", [[], [[]], [None]])
def test_no_reply_is_an_empty_one(nothing):
    assert response_of(Record("f, line 1", {"filtered_resps": nothing})) == ""


@pytest.mark.parametrize("other", [{"text": "8"}, 8, 0, False, True, 8.5])
def test_a_reply_that_is_no_text_is_named(other):
    with pytest.raises(RecordError, match=r"f, line 1: field 'filtered_resps' must hold the reply"):
        response_of(Record("f, line 1", {"filtered_resps": [other]}))
