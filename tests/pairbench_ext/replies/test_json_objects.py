import pytest

from pairbench_ext.replies.json_objects import LONGEST, object_around

CASES = {
    "none": ("score: 8", None),
    "before an object": ("score {}", None),
    "after an object": ("{} score", None),
    "valid": ('{"score": 8}', ({"score": 8}, True)),
    "innermost": ('{"a": {"score": 8}, "b": 1}', ({"score": 8}, True)),
    "beside another": ('{"a": {"b": 1}, "score": 8}', ({"a": {"b": 1}, "score": 8}, True)),
    "brace in a string": ('{"a": ":-{", "score": 8}', ({"a": ":-{", "score": 8}, True)),
    "broken": ("{score: 8,}", ({"score": 8}, True)),
    "open": ('{"score": 8', ({"score": 8}, False)),
    "too many brackets": ("{'score': 8, " + "[]" * 101 + "}", ({}, True)),
}


@pytest.mark.parametrize(("text", "found"), CASES.values(), ids=CASES)
def test_the_object_around_a_key(text, found):
    assert object_around(text, text.index("score")) == found


def test_of_a_long_broken_object_what_follows_the_key():
    text = "{'a': '" + "x" * LONGEST + "', 'score': 8, 'b': 1}"
    assert object_around(text, text.index("score") - 1) == ({"score": 8, "b": 1}, True)
