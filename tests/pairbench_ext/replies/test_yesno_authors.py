"""Confirmations as CAST's authors read them, beside what their code makes of the same replies."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext import replies
from pairbench_ext.replies.yesno import LABELS

# Recorded from their code, in which an unreadable reply is 0.
VECTORS = json.loads((Path(__file__).parents[2] / "vectors/cast/authors_vectors.json").read_text())
CASES = [(v["response"], labels, v[labels]) for v in VECTORS["vectors"] for labels in LABELS]
UNREADABLE = ["", "It depends.", "The answer is yes", "'both'", "1. Yes", "Only yes", "\u662f"]


def read(reply, labels="yes/no"):
    return replies.parse("yesno", reply, "authors", {"labels": labels})


@pytest.mark.parametrize(("reply", "labels", "value"), CASES)
def test_every_reply_is_read_as_by_their_code(reply, labels, value):
    assert (read(reply, labels).value or 0) == value


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("reply", UNREADABLE)
def test_what_is_unreadable_is_no_denial(reply, labels):
    """Whether it counts as one is pooling."""
    value, why = read(reply, labels)
    assert value is None
    assert why.startswith("does not start with ")


def test_unknown_labels_are_an_error():
    with pytest.raises(ValueError, match="unknown labels 'ja/nein'"):
        read("ja", "ja/nein")


@given(st.text(st.characters(codec=None)), st.sampled_from(list(LABELS)))
def test_it_is_total(reply, labels):
    assert read(reply, labels).value in (None, 0, 1)
    assert read(f"{reply} Answer: {LABELS[labels][0]}", labels).value == 1
