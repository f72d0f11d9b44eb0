"""Rules `authors`: what the authors' own code makes of the same replies, recorded from it."""

import json
from pathlib import Path

import pytest

from pairbench_ext.replies import asks, labels, parse, ranking, rating
from pairbench_ext.replies.letter import EMPTY, NO_LETTER
from pairbench_ext.replies.yesno import LABELS

FOLDER = Path(__file__).parents[2] / "vectors"


def vectors(name):
    return json.loads((FOLDER / name).read_text())


def test_rating():
    for vector in vectors("pairbench/parse_vectors.json"):
        raised = vector["exception"]
        expected = (vector["score"], vector["reason"]) if raised is None else (-1, raised)
        assert rating.authors(vector["response"]) == expected


def test_letter():
    for vector in vectors("subtle/parse_vectors.json"):
        reply, letter = vector["response"] or "", vector["letter"]
        expected = (letter, reply.strip()) if letter else (None, EMPTY if not reply else NO_LETTER)
        assert parse("letter", reply, "authors") == expected


def test_verdict():
    for vector in vectors("vlrb/parse_vectors.json"):
        assert parse("verdict", vector["text"], "authors").value == vector["answer"]


@pytest.mark.parametrize("labels", LABELS)
def test_yesno_of_their_paper_and_of_their_repository(labels):
    """Their repository reads an unreadable reply as 0, which is left to pooling here."""
    for vector in vectors("cast/parse_vectors.json")["vectors"]:
        assert (
            parse("yesno", vector["response"], "paper", asks("yesno", labels=labels)).value
            == vector[labels]
        )
    for vector in vectors("cast/authors_vectors.json")["vectors"]:
        parsed = parse("yesno", vector["response"], "authors", asks("yesno", labels=labels))
        assert (parsed.value or 0) == vector[labels]
    for reply in ("", "It depends.", "The answer is yes", "1. Yes", "Only yes", "\u662f"):
        assert parse("yesno", reply, "authors", asks("yesno", labels=labels)).value is None


def test_labels_and_rankings_are_what_stands_in_double_brackets():
    assert labels.authors("[[B]], not [[A]]").value == 1
    assert labels.authors("[[a]]").value is None
    assert ranking.authors("[[A]] then [[C]]").value == "AC"


@pytest.mark.parametrize(
    ("reply", "exception"),
    [
        ("\ud800", "UnicodeEncodeError: "),
        ("Score: 8 \\", "UnicodeDecodeError: "),
        ("9" * 5000, "ValueError: Exceeds the limit"),
    ],
    ids=["half a surrogate pair", "backslash at the end", "thousands of digits"],
)
def test_an_exception_of_the_rating_s_code_is_named(reply, exception):
    parsed = rating.authors(reply)
    assert parsed.value == -1
    assert parsed.reason.startswith(exception)
