"""What a logged sample says of its trial."""

import pytest

from pairbench_ext.records import Record, RecordError
from pairbench_ext.sample_log import one_of, trial_of


def test_a_plain_row_is_its_own_trial():
    row = Record("rows.jsonl, line 1", {"item": "a", "trial": 3, "response": "8"})
    assert trial_of(row) is row


@pytest.mark.parametrize("logged", [None, 3, "a", [1]])
def test_a_sample_whose_trial_is_none_is_named(logged):
    sample = Record("log.jsonl, line 7", {"filtered_resps": "8", "trial": logged})
    with pytest.raises(RecordError, match=r"log\.jsonl, line 7: 'trial' must be what was asked"):
        trial_of(sample)


@pytest.mark.parametrize("value", ["", "AB", "E"])
def test_a_value_is_one_of_the_letters_of_a_text(value):
    record = Record("f, line 1", {"truth": value})
    with pytest.raises(RecordError, match=r"f, line 1: truth .* is none of"):
        one_of(record, "truth", "ABCD")
