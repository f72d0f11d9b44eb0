"""Rules `authors`: what the authors' own code makes of the same replies, recorded from it."""

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pairbench_ext.replies import labels, parse, ranking, rating, subscores
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
            parse("yesno", vector["response"], "paper", {"labels": labels}).value == vector[labels]
        )
    for vector in vectors("cast/authors_vectors.json")["vectors"]:
        parsed = parse("yesno", vector["response"], "authors", {"labels": labels})
        assert (parsed.value or 0) == vector[labels]
    for reply in ("", "It depends.", "The answer is yes", "1. Yes", "Only yes", "\u662f"):
        assert parse("yesno", reply, "authors", {"labels": labels}).value is None


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


@given(st.text(alphabet="\\abcnuxNU{}0123456789 \n'\"é", max_size=30))
@example("\\777\\d\\\\d\\é\\\n")
def test_a_rating_is_unescaped_as_python_does_without_its_warnings(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = text.encode().decode("unicode_escape").strip()
        except UnicodeDecodeError:
            expected = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reason = rating.authors(text).reason
    assert reason.startswith("UnicodeDecodeError: ") if expected is None else reason == expected


@pytest.mark.parametrize("reply", ['{"score": [1e999]}', '{"a":' * 3000, '{"score": {"9": 1}}'])
def test_json_that_breaks_their_code_is_unusable_or_read(reply):
    assert isinstance(subscores.authors(reply).reason, str)
