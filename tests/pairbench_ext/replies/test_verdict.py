import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pairbench_ext import replies as parsing
from pairbench_ext.replies import Parsed
from pairbench_ext.replies.engine import CONFLICT
from pairbench_ext.replies.verdict import (
    DIVIDED,
    NO_MATCH,
    NO_VERDICT,
    TAKEN_BACK,
    TIE,
    authors,
    careful,
    strict,
)

VECTORS = json.loads((Path(__file__).parents[2] / "vectors/vlrb/parse_vectors.json").read_text())

# Every case of the authors' vectors that `careful` reads where their pattern reads nothing ...
READS_MORE = {
    "Overall Judgement: Answer 1 is better.": 1,
    "Answer 2 is better.": 2,
    "In conclusion, Answer 2 is better.": 2,
    "Overall Judgment: Answer 2 is much better.": 2,
    "Therefore, the better answer is Answer 1.": 1,
    "Overall Judgment: Response 1 is better.": 1,
    "Overall Judgment: Answer 1 wins.": 1,
    "Overall Judgment: Answer 2 is slightly the better.": 2,
    "Overall  Judgment: Answer 1 is better": 1,
    "Overall\nJudgment: Answer 1 is better": 1,
    "Overall Judgment: Answer #1 is better.": 1,
    "Overall Judgment: Answer [2] is better.": 2,
    "Overall Judgment: _Answer 2_ is better.": 2,
    "\u603b\u4f53\u5224\u65ad\uff1aAnswer 2 is better": 2,
    "Overall Judgment: Answer 1 is a better answer.": 1,
    "Overall Judgment: Answer 1 is the best.": 1,
    "Overall Judgment: Answer 2, which is longer, is better.": 2,
    "Final Judgment: Answer 1 is better.": 1,
    "Judgment: Answer 1 is better.": 1,
    "Answer 1 is better. Therefore, I choose it.": 1,
    "Overall Judgment: <b>Answer 1</b> is better": 1,
    "Overall Judgment: Answer A is better.": 1,
}
# ... that it reads otherwise ...
READS_OTHERWISE = {
    "**Overall Judgment: Answer 2 is better**\n\nAnswer 1 is better only in clarity.": (1, 2),
    "1. Accuracy: Therefore, Answer 1 is better here.\n2. Clarity: Answer 2 wins.\n\n"
    "Overall Judgment: Answer 2 is superior.": (1, 2),
}
# ... and that it does not read where their pattern does.
READS_LESS = {
    "Overall Judgment: neither Answer 1 is better nor Answer 2 is better": 2,
    "1. Accuracy: Therefore, Answer 1 is better here.\n2. Completeness: Answer 2 is better.\n\n"
    "Overall: tie": 2,
    "Overall Judgment: Answer 1 is better than Answer 2. Therefore, Answer 2 is better.": 2,
    "Overall Judgment: Answer 1 is better\nAnswer 2 is better\nAnswer 1 is better": 1,
    "Overall Judgment: Answer 3 is better.": 3,
    "Overall Judgment: Answer 0 is better.": 0,
    "Overall JudgmentAnswer2isbetter": 2,
}


@pytest.mark.parametrize("vector", VECTORS, ids=[repr(v["text"])[:50] for v in VECTORS])
def test_authors_equals_the_authors_pattern(vector):
    assert authors(vector["text"]).value == vector["answer"]


@pytest.mark.parametrize("vector", VECTORS, ids=[repr(v["text"])[:50] for v in VECTORS])
def test_careful_differs_from_authors_where_it_is_listed(vector):
    text, answer = vector["text"], vector["answer"]
    if text in READS_MORE:
        assert (answer, careful(text).value) == (None, READS_MORE[text])
    elif text in READS_OTHERWISE:
        assert (answer, careful(text).value) == READS_OTHERWISE[text]
    elif text in READS_LESS:
        assert (answer, careful(text).value) == (READS_LESS[text], None)
    else:
        assert careful(text).value == answer


def test_every_listed_difference_is_one_of_the_vectors():
    assert len(VECTORS) == 60
    assert {*READS_MORE, *READS_OTHERWISE, *READS_LESS} <= {v["text"] for v in VECTORS}


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Overall Judgment: Answer 2 is better.", 2),
        ("**Overall Judgment:** **Answer 2** is slightly better.", 2),
        ("### Overall Judgment\n\nAnswer 1 is the better answer.", 1),
        ("Overall Judgment: Answer 1 is better.\nOverall Judgment: Answer 2 is better.", 2),
        ("Answer 2 is better.", None),
        ("Overall Judgment: Answer X is better.", None),
        ("<think>Overall Judgment: Answer 2 is better.</think>", None),
    ],
)
def test_strict_reads_the_asked_format_only(reply, value):
    assert strict(reply).value == value


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Overall Judgment: It is a tie.", TIE),
        ("Answer 1 is better. Wait, Answer 1 is not better.", TAKEN_BACK),
        ("Overall Judgment: Answer 1 is better in clarity, but it misses the dog.", DIVIDED),
        ("Verdict: Answer 1\nVerdict: Answer 2", CONFLICT),
        ("Answer 1 says red. Answer 2 says blue.", NO_VERDICT),
    ],
)
def test_careful_says_why_there_is_no_verdict(reply, reason):
    assert careful(reply) == (None, reason)


def test_where_a_verdict_is_read():
    reply = "<think>Answer 1?</think>**Overall**: fine. So **Answer 2** is better."
    start, end = careful(reply).span
    assert reply[start:end] == "Answer 2** is better"


def test_the_reason_of_a_verdict_is_the_reply():
    reply = " <think>1?</think>**Clarity**: fine.\nOverall Judgment: Answer 2 is better.\n"
    assert careful(reply).reason == reply.partition("</think>")[2].strip()
    assert authors(reply).reason == reply.strip()


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        pytest.param("Therefore, Answer 0012 is better", 12, id="any number"),
        pytest.param("There*fore, Ans\nwer 1 is better", 1, id="what is deleted joins words"),
        pytest.param("<think>Therefore, Answer 1 is better</think>", 1, id="thoughts are read"),
        pytest.param("Answer 1 is better. Therefore, yes.", None, id="nothing before the anchor"),
    ],
)
def test_authors_has_the_authors_quirks(reply, value):
    assert authors(reply).value == value


def test_authors_says_why_it_reads_nothing():
    assert authors("Overall Judgment: it is a tie") == (None, NO_MATCH)
    thousands = authors(f"Therefore, Answer {'9' * 5000} is better")
    assert thousands.value is None
    assert thousands.reason.startswith("ValueError: Exceeds the limit")


def test_the_grammar_is_registered_and_careful_by_default():
    assert parsing.grammars()["verdict"] == {
        "careful": careful,
        "strict": strict,
        "authors": authors,
    }
    assert parsing.parse("verdict", "Answer 2 is better.").value == 2
    assert parsing.parse("verdict", "Answer 2 is better.", "authors").value is None
    assert "claims" not in parsing.grammars()


# Any string at all, and strings made of what the patterns look for.
fragments = st.sampled_from(
    ["Overall Judgment", "Therefore", "Accuracy", "Answer", "answer 1", "Answer 2", "Response 1",
     " is ", " is not ", "the ", "slightly ", "better", "better answer is ", "wins", "neither ",
     "nor ", "whether ", " in clarity", "a tie", "[[1]]", "[[2]]", ":", "\n", "\n\n", " ", ". ",
     "*", "_", "#", "1. ", "3", "<think>", "</think>", "<b>", "(", ")", ", which ", "\u2019s",
     "compared to ", "second ", "least ", "might argue that ", "disagree that ", "2", "1\n",
     "Given the above, ", "more accurate", "while ", "but ", "\\boxed{", "}", " > "]
)  # fmt: skip
any_string = st.text(st.characters(codec=None), max_size=200)
replies = st.one_of(any_string, st.lists(fragments, max_size=40).map("".join))


@given(replies)
@example("\x00\x1b[31mAnswer\x00 2 is better\x7f")
def test_careful_is_total(reply):
    value, reason = careful(reply)
    assert value in (None, 1, 2)
    assert isinstance(reason, str)
    assert reason or value is None


@given(replies)
def test_authors_is_total(reply):
    value, reason = authors(reply)
    assert value is None or value >= 0
    assert reason


@given(any_string.filter(lambda text: "think>" not in text), st.sampled_from([1, 2]))
def test_whatever_comes_before_a_last_judgment_does_not_change_it(text, answer):
    reply = f"{text}.\n\nOverall Judgment: Answer {answer} is better."
    assert careful(reply).value == authors(reply).value == answer


@given(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=6))
def test_of_several_verdicts_a_revision_holds(answers):
    verdicts = [f"Overall Judgment: Answer {n} is better." for n in answers]
    revised = " Wait, I was wrong. ".join(verdicts)
    assert careful(revised).value == authors(revised).value == answers[-1]
    assert strict(" ".join(verdicts)).value == answers[-1]
    assert careful(" ".join(verdicts)).value == (answers[0] if len({*answers}) == 1 else None)


@pytest.mark.parametrize("character", [*map(chr, range(32)), "\x7f", "\x85", "\u2028", "\ufeff"])
def test_a_control_character_around_a_verdict_does_no_harm(character):
    assert careful(f"{character}Overall Judgment: Answer 2 is better.{character}").value == 2


LENGTH = 200_000  # characters: what is quadratic in them does not end within the time limit
LONG = {
    text: text * (LENGTH // len(text))
    for text in ("*", "_", " ", "\n", "\t\n", "1", "[", "(", "Overall Judgment", "therefore, ",
                 "Accuracy\n", "1. Accuracy: Answer 1 is better\n\n", "Answer 1 is ",
                 "the better answer is ", "not ", "Verdict: 1\n", "In terms of ",
                 "compared to Answer 1 ", "Answer 1 is clearer ",
                 "neither ", ", which ", "\x00", "<think>")
}  # fmt: skip


# A quadratic pattern would take hours on these, so that returning at all is the test.
@pytest.mark.parametrize(
    ("rule", "start"),
    [
        (careful, ""),
        (careful, "Overall Judgment: Answer 2 is the"),
        (strict, "Overall Judgment"),
        (authors, "Therefore, Answer "),
    ],
    ids=["careful", "careful, in a verdict", "strict", "authors"],
)
@pytest.mark.parametrize("text", LONG.values(), ids=map(repr, LONG))
def test_a_long_reply_is_read(rule, start, text):
    assert isinstance(rule(start + text), Parsed)


SCORED = (
    "Answer 1: {}/10\nAnswer 2: {}/10",
    "Answer 1 scores {} and Answer 2 scores {}.",
    '{{"answer_1": {{"score": {}, "why": "clear"}}, "answer_2": {{"score": {}, "why": "short"}}}}',
    "| Criterion | Answer 1 | Answer 2 |\n|---|---|---|\n| Total | {} | {} |",
    "### Answer 1\nClear.\nScore: {}/10\n\n### Answer 2\nShort.\nScore: {}/10",
    "回答1得分：{}分\n回答2得分：{}分",
    "Score A: {} Score B: {}",
)
SCORES = st.integers(0, 10)


@given(st.sampled_from(SCORED), SCORES, SCORES)
def test_the_higher_of_two_scores_is_the_verdict(form, first, second):
    parsed = parsing.parse("verdict", form.format(first, second))
    assert parsed.value == (1 if first > second else 2 if second > first else None), parsed
    assert first != second or parsed.reason == "a tie"


@given(st.sampled_from(SCORED), SCORES, SCORES, st.integers(1, 2))
def test_what_is_said_in_words_comes_before_scores(form, first, second, better):
    reply = f"{form.format(first, second)}\n\nOverall Judgment: Answer {better} is better."
    assert parsing.parse("verdict", reply).value == better


def test_equal_scores_are_a_tie_where_ties_are_an_answer():
    options = {"labels": "ABC", "ties": True}
    reply = "Assistant A: 7/10\nAssistant B: 7/10"
    assert parsing.parse("labels", reply, None, options).value == 0
