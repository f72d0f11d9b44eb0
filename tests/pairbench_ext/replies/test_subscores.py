"""Sub-scores: what is read, what is refused, and that no reply raises or takes long."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pairbench_ext import replies as parsing
from pairbench_ext.replies import Parsed
from pairbench_ext.replies.json_objects import LONGEST
from pairbench_ext.replies.refusals import is_refusal
from pairbench_ext.replies.subscores import NO_SCORE, UNCLEAR, authors, careful, strict

FORMAT = '{\n"score" : [...],\n"reasoning" : "..."\n}'

# Reply -> two sub-scores and the rationale.
USABLE = {
    "json": ('{"score": [8, 7], "reasoning": "lit"}', (8, 7), "lit"),
    "line breaks": ('{\n "score": [\n  8,\n  7\n ],\n "reasoning": "a\nb"\n}', (8, 7), "a\nb"),
    "delimiters": ('||V^=^V||\n{"score": [8, 7], "reasoning": "lit"}\n||V^=^V||', (8, 7), "lit"),
    "code fence": ('```json\n{"score": [8, 7], "reasoning": "lit"}\n```', (8, 7), "lit"),
    "prose around": ('Sure [1]! {"score": [8, 7], "reasoning": "lit"} Bye.', (8, 7), "lit"),
    "single quotes": ("{'score': [8, 7], 'reasoning': 'it\\'s lit'}", (8, 7), "it's lit"),
    "curly quotes": ("{“score”: [8, 7], “reasoning”: “lit”}", (8, 7), "lit"),
    "no quotes": ("{score: [8, 7], reasoning: lit}", (8, 7), "lit"),
    "trailing commas": ('{"score": [8, 7,], "reasoning": "lit",}', (8, 7), "lit"),
    "comma missing": ('{"score": [8, 7] "reasoning": "lit"}', (8, 7), "lit"),
    "commas missing in the list": ('{"score": [8 7], "reasoning": "lit"}', (8, 7), "lit"),
    "quotes within quotes": (
        '{"score": [8, 7], "reasoning": "says "stop" twice"}',
        (8, 7),
        'says "stop" twice',
    ),
    "brace missing": ('{"score": [8, 7], "reasoning": "lit"', (8, 7), "lit"),
    "cut in the rationale": ('{"score": [8, 7], "reasoning": "so lit that', (8, 7), "so lit that"),
    "rationale first": ('{"reasoning": "lit", "score": [8, 7]}', (8, 7), "lit"),
    "brace in the rationale": ('{"reasoning": ":-{ ", "score": [8, 7]}', (8, 7), ":-{"),
    "nested": ('{"result": {"score": [8, 7], "reasoning": "lit"}}', (8, 7), "lit"),
    "list of reasons": ('{"score": [8, 7], "reasoning": ["a", "b"]}', (8, 7), '["a", "b"]'),
    "other names": ('{"Output Score": [8, 7], "Rationale": "lit"}', (8, 7), "lit"),
    "numbers in quotes": ('{"score": ["8", "7"], "reasoning": ""}', (8, 7), ""),
    "list in quotes": ('{"score": "[8, 7]", "reasoning": ""}', (8, 7), ""),
    "of ten": ('{"score": [8/10, 7/10], "reasoning": "lit"}', (8, 7), "lit"),
    "of ten in words": ("Score: [8 out of 10, 7 out of 10]", (8, 7), ""),
    "decimals": ('{"score": [8.5, 7.0]}', (8.5, 7.0), ""),
    "ends of the scale": ('{"score": [0, 10]}', (0, 10), ""),
    "named": ('{"score": {"naturalness": 8, "artifacts": 7}, "reasoning": "lit"}', (8, 7), "lit"),
    "ranked keys": ('{"score1": 8, "score2": 7, "reasoning": "lit"}', (8, 7), "lit"),
    "ranked in a list": ("[score1: 8, score2: 7]", (8, 7), ""),
    "as asked for": ("output score = [8, 7]", (8, 7), ""),
    "no braces": ("Score: [8, 7]\nReasoning: lit", (8, 7), "lit"),
    "markdown": ("**Score:** [8, 7]\n**Reasoning:** lit", (8, 7), "lit"),
    "bare list": ("[8, 7]", (8, 7), ""),
    "bare list in a fence": ("```\n[8, 7]\n```", (8, 7), ""),
    "bare list, prose before": ("My rating is [8, 7].", (8, 7), "My rating is ."),
    "bare list, prose after": ("[8, 7] The light is fine.", (8, 7), "The light is fine."),
    "several, the last": ('{"score": [1, 2]}\nOn reflection:\n{"score": [8, 7]}', (8, 7), ""),
    "object before prose": ('{"score": [8, 7], "reasoning": "lit"}\nScore: 9', (8, 7), "lit"),
    "score in the rationale": ('{"score": [8, 7], "reason": "score: 3"}', (8, 7), "score: 3"),
    "score in another object": ('{"score": [8, 7]} {"note": "score: 3"}', (8, 7), ""),
    "format echoed": (f'{FORMAT}\n{{"score": [8, 7], "reasoning": "lit"}}', (8, 7), "lit"),
    "thoughts": ('<think>{"score": [1, 1]}</think>{"score": [8, 7]}', (8, 7), ""),
    "control characters": ('\x00{"score": [8, 7], "reason": "\x1b[3red"}', (8, 7), "\x1b[3red"),
    "not a refusal": ('{"score": [8, 7], "reason": "I cannot see it"}', (8, 7), "I cannot see it"),
}  # fmt: skip

# Reply -> why two sub-scores cannot be had from it.
UNUSABLE = {
    "empty": ("", NO_SCORE),
    "prose": ("The image looks natural.", NO_SCORE),
    "format echoed": (FORMAT, NO_SCORE),
    "names echoed": ("output score = [score1, score2]", NO_SCORE),
    "scale echoed": ("On a scale 0 to 10: A score from 0 to 10 will be given.", NO_SCORE),
    "empty list": ('{"score": [], "reasoning": "lit"}', NO_SCORE),
    "null": ('{"score": [null, null]}', NO_SCORE),
    "truth values": ('{"score": [true, false]}', NO_SCORE),
    "not a number": ('{"score": [NaN, 7]}', NO_SCORE),
    "percent": ('{"score": [80%, 70%]}', NO_SCORE),
    "range": ('{"score": [8-9, 7]}', NO_SCORE),
    "thousands": ('{"score": [1_0, 7]}', NO_SCORE),
    "score elsewhere": ('{"score": "8 points", "note": "score: 9"}', UNCLEAR),
    "score in a string only": ('{"note": "score: [8, 7]"}', NO_SCORE),
    "remark": ('{"score": [8, 7 (minor)]}', NO_SCORE),
    "of five in words": ("Score: 4 out of 5", NO_SCORE),
    "of a hundred in words": ("Score: 8 out of 100", NO_SCORE),
    "of five": ('{"score": [4/5, 3/5]}', NO_SCORE),
    "other brackets only": ("See [1] and [2] for [8] and [7].", NO_SCORE),
    "cut list": ('{"score": [8, 1', NO_SCORE),
    "cut number": ('{"score": 1', UNCLEAR),
    "two bare lists": ("[1, 2] or [3, 4]", UNCLEAR),
    "one of two": ('{"score": [8], "reasoning": "lit"}', "1 sub-scores, not 2"),
    "bare number": ("8", "1 sub-scores, not 2"),
    "scalar": ('{"score": 8, "reasoning": "lit"}', "1 sub-scores, not 2"),
    "three of two": ('{"score": [8, 7, 6]}', "3 sub-scores, not 2"),
    "decimal commas": ('{"score": [8,5, 7,5]}', "4 sub-scores, not 2"),
    "too high": ('{"score": [8, 88]}', "not from 0 to 10: 88"),
    "negative": ('{"score": [-1, 7]}', "not from 0 to 10: -1"),
    "just outside": ('{"score": [10.5, 7]}', "not from 0 to 10: 10.5"),
}


@pytest.mark.parametrize(("reply", "scores", "reason"), USABLE.values(), ids=USABLE)
def test_careful_reads(reply, scores, reason):
    assert careful(reply, n=2) == Parsed(scores, reason)


@pytest.mark.parametrize(("reply", "reason"), UNUSABLE.values(), ids=UNUSABLE)
def test_careful_does_not_guess(reply, reason):
    assert careful(reply, n=2) == (None, reason)


@pytest.mark.parametrize(
    "reply",
    [
        "8",
        "8/10",
        "8 out of 10",
        "Score: 8 out of 10.",
        "[8]",
        "Score: 8",
        "Score: 8.",
        '{"score": 8}',
        '{"score": [8]}',
        "```\n8\n```",
    ],
)
def test_one_sub_score(reply):
    assert careful(reply, n=1).value == (8,)


def test_as_many_as_there_are_where_none_were_asked_for():
    assert careful('{"score": [8, 7, 6]}').value == (8, 7, 6)


def test_integers_stay_integers():
    assert list(map(type, careful('{"score": [8, 7.0]}').value)) == [int, float]


REFUSALS = {
    "plain": "I'm sorry, but I cannot evaluate images of real people.",
    "curly apostrophe": "I\u2019m unable to provide a rating for this.",
    "with a score": '{"score": [0, 0], "reasoning": "I cannot rate these images."}',
    "without numbers": '{"score": [null, null], "reasoning": "As an AI model, I see nothing."}',
    "no image": "No image was provided, so no score is given.",
}


def test_strict_reads_the_asked_format_only():
    assert strict('So: {"score": [8, 7], "reasoning": "lit"}', n=2) == Parsed((8, 7), "lit")
    for reply in ("[8, 7]", "Score: [8, 7]", '{"score": 8}', '{"score": [8, 7]', ""):
        assert strict(reply, n=2).value is None


def test_a_remark_beside_scores_is_no_refusal():
    reason = "I cannot identify the person but the edit is good"
    reply = json.dumps({"score": [8, 7], "reasoning": reason})
    assert careful(reply, n=2) == Parsed((8, 7), reason)


@pytest.mark.parametrize("reply", REFUSALS.values(), ids=REFUSALS)
def test_refusals_are_told_apart(reply):
    parsed = careful(reply, n=2)
    assert is_refusal(parsed)
    assert parsed.reason.startswith("a refusal: ")
    assert not is_refusal(careful("no idea", n=2))


# What the authors' code does with the same replies.
OFFICIAL = {
    "json": ('{"score": [8, 7], "reasoning": "lit"}', (8, 7)),
    "delimiters": ('a ||V^=^V||{"score": [8, 7]}||V^=^V|| b', (8, 7)),
    "line breaks are deleted": ('{"score": [8,\n7], "reasoning": "a\nb"}', (8, 7)),
    "first to last brace": ('{"score": [1, 2]} {"score": [8, 7]}', None),
    "single quotes": ("{'score': [8, 7]}", None),
    "trailing comma": ('{"score": [8, 7,]}', None),
    "no score": ('{"Score": [8, 7]}', None),
    "scalar": ('{"score": 7.5}', (7.5,)),
    "truncated": ('{"score": [7.9, "8"]}', (7, 8)),
    "outside": ('{"score": [88, 2]}', (88, 2)),
    "digits of a text": ('{"score": "10"}', (1, 0)),
    "any number of them": ('{"score": [1, 2, 3, 4, 5]}', (1, 2, 3, 4, 5)),
    "empty list": ('{"score": []}', None),
    "words": ('{"score": ["eight"]}', None),
    "list in prose": ("My rating is [8, 7].", (8, 7)),
    "list of three": ("[8, 7, 6]", None),
    "integer": (" 8\n", (8,)),
    "integer outside": ("11", None),
    "decimal": ("8.5", None),
    "a list as the whole JSON": ('||V^=^V||[{"score": 8}]||V^=^V||', None),
    "keyword": ('{"score": [8, 7], "reasoning": "Sorry for the cat."}', None),
    "keyword that never matches": ('{"score": [8, 7], "reasoning": "as an AI model"}', (8, 7)),
}


@pytest.mark.parametrize(("reply", "scores"), OFFICIAL.values(), ids=OFFICIAL)
def test_authors_has_the_authors_quirks(reply, scores):
    assert authors(reply, n=2).value == scores


def test_authors_says_why_it_reads_nothing():
    assert authors("no idea").reason.startswith("neither JSON nor")
    assert authors('{"score": ["x"]}').reason.startswith("ValueError: invalid literal")
    assert is_refusal(authors('{"score": [0], "reasoning": "not available"}'))


def test_the_grammar_is_registered_and_careful_by_default():
    assert parsing.grammars()["subscores"] == {
        "careful": careful,
        "strict": strict,
        "authors": authors,
    }
    assert parsing.parse("subscores", "[8, 7]").value == (8, 7)
    assert not {"json_objects", "refusal"} & set(parsing.grammars())


fragments = st.sampled_from(
    ['{"score": ', '"score"', "score1: ", "'score': ", "[", "]", "{", "}", "8", "10", "7.5", ", ",
     ": ", '"reasoning": "', '"', "'", "\u201c", "\\", "\n", "/10", "-", "||V^=^V||", "```", "null",
     "I cannot rate ", "sorry", "<think>", "</think>", "Reason: ", "//", "\x00", "NaN", "1e999"]
)  # fmt: skip
any_string = st.text(st.characters(codec=None), max_size=200)
replies = st.one_of(any_string, st.lists(fragments, max_size=40).map("".join))


@given(replies, st.sampled_from([None, 1, 2, 3]))
@example('{"score": [1e999, 7]}', 2)
@example('{"score": [' + "9" * 5000 + ", 7]}", 2)
@example("[" * 5000, 2)
def test_careful_is_total(reply, n):
    value, reason = careful(reply, n)
    assert isinstance(reason, str)
    if value is None:
        assert reason
    else:
        assert len(value) == n or n is None
        assert all(0 <= score <= 10 for score in value)


@given(replies)
@example('{"score": [1e999]}')
@example('{"a":' * 3000)
@example('{"score": {"9": 1}}')
def test_authors_is_total(reply):
    value, reason = authors(reply)
    assert isinstance(reason, str)
    assert value is None or len(value) >= 1


unthinking = any_string.filter(lambda text: "think>" not in text)


@given(st.lists(st.integers(0, 10), min_size=1, max_size=3), unthinking, unthinking)
def test_valid_json_is_read_whatever_its_rationale(scores, rationale, prose):
    reply = json.dumps({"score": scores, "reasoning": rationale})
    read = careful(reply, n=len(scores))
    assert is_refusal(read) or read == (tuple(scores), rationale.strip())
    assert careful(prose + reply, n=len(scores)).value in (None, tuple(scores))


MEGABYTE = 1_000_000
ATOMS = (
    "{", "}", "[", "]", '"', "'", "\u201c", "\\", ":", ",", " ", "\n", "\x00", "a", "1", "8, ",
    "{]", '{"score": ', '{"score": [8, 7], ', "x{score: 8}", "score: 8 ", "score1: 8, score2: 7, ",
    "I cannot ", '"reasoning": "', "||V^=^V||", "<think>",
)  # fmt: skip


# Mending a megabyte would take hours, so that returning at all is the test.
@pytest.mark.parametrize(
    ("rule", "start"),
    [(careful, ""), (careful, "{'score': [8, 7], 'reasoning': "), (authors, '{"score": ')],
    ids=["careful", "careful, in an object", "authors"],
)
@pytest.mark.parametrize("atom", ATOMS, ids=map(repr, ATOMS))
def test_a_megabyte_is_read(rule, start, atom):
    assert isinstance(rule(start + atom * (MEGABYTE // len(atom)), n=2), Parsed)


# Below the limit on what is mended, and within it the worst that a search found.
@pytest.mark.parametrize("atom", ["{a]", "]{\u201c", "}\\", "\u201c:", '["', "{a:", "{'"])
def test_what_is_mended_is_mended_in_time(atom):
    reply = "{'score': [8, 7], " + atom * ((LONGEST - 20) // len(atom))
    assert careful(reply, n=2).value in ((8, 7), None)


def test_a_long_broken_object_is_read_from_its_score():
    reply = "{'reasoning': '" + "so " * LONGEST + "', 'score': [8, 7]}"
    assert careful(reply, n=2).value == (8, 7)


def test_a_long_valid_object_is_read_whole():
    reason = "so " * MEGABYTE
    assert careful(f'{{"reasoning": "{reason}", "score": [8, 7]}}', n=2) == ((8, 7), reason.strip())
