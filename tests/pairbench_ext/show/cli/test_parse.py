"""Options of `pairbench score replies` that only some grammars take."""

import json

import pytest

from tests.files import pairbench

REPLIES = "".join(
    json.dumps({"response": reply}) + "\n" for reply in ("A dog.", "The second image.", "C")
)


def invoke(*arguments):
    return pairbench("score", "replies", *arguments, input=REPLIES)


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (["letter"], [None, None, "C"]),
        (["letter", "--rule", "authors"], ["A", None, "C"]),
        (["letter", "--options", "2"], [None, None, None]),
        (["letter", "--options", '["first image", "second image"]'], [None, "B", None]),
    ],
    ids=["default", "authors", "number", "texts"],
)
def test_letters_of_options(arguments, values):
    done = invoke(*arguments)
    assert [json.loads(line)["value"] for line in done.stdout.splitlines()] == values


def test_a_byte_order_mark_is_no_part_of_the_first_line():
    """PowerShell writes one before what it pipes."""
    done = pairbench(
        "score", "replies", "rating", input='\ufeff{"response": "Score: 8"}\n', status=0
    )
    assert json.loads(done.stdout)["value"] == 8
