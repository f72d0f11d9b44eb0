"""What holds of every grammar: its rules are found, and read any reply, in linear time."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks import reading
from pairbench_ext.replies import Parsed, asks, find_rule, grammars, parse, rule_name
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.json_objects import LONGEST
from pairbench_ext.replies.options import letters
from pairbench_ext.replies.proposed import proposed

GRAMMARS = ("labels", "letter", "points", "ranking", "rating", "subscores", "verdict", "yesno")
OPTIONS = {
    "labels": [{}, {"labels": "ABC", "ties": True}, {"labels": "12345"}],
    "letter": [{"options": 4}, {"options": ["first image", "second image"]}],
    "ranking": [{}, {"labels": "AB"}],
    "subscores": [{}, {"n": 1}, {"n": 2}],
    "yesno": [{"labels": labels} for labels in ("yes/no", "both/one", "true/false")],
}
CASES = [
    (grammar, rule, options)
    for grammar, rules in grammars().items()
    for rule in rules
    for options in OPTIONS.get(grammar, [{}])
    if grammar in GRAMMARS and not (options and grammar == "points")
]


def test_there_are_letters_for_one_to_26_options():
    assert (letters(1), letters(26)) == ("A", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for none in (0, 27, -1):
        with pytest.raises(ValueError, match=f"for 1 to 26 options, not for {none}"):
            letters(none)


def is_a_value(grammar, value, options):
    """Whether a grammar has such a value."""
    if grammar in ("rating", "points"):
        low, top = (1, 10) if grammar == "rating" else (0, 100)
        return low <= value <= top
    if grammar == "verdict":
        return value in (1, 2)
    if grammar == "labels":
        return value in range(0 if options.get("ties") else 1, len(options.get("labels", "AB")) + 1)
    if grammar == "letter":
        count = options["options"]
        return value in tuple(letters(count if isinstance(count, int) else len(count)))
    if grammar == "yesno":
        return value in (0, 1)
    if grammar == "ranking":
        return sorted(value) == sorted(options.get("labels", "ABCD"))
    if grammar == "numbered_list":
        return bool(value) and all(isinstance(entry, str) and entry.strip() for entry in value)
    return len(value) == options.get("n", len(value)) and all(0 <= number <= 10 for number in value)


def pieces():
    """Words of the corpora, and signs that readers look for."""
    words = {
        word
        for file in reading.default_files()
        for sample in reading.load(file)[:40]
        for word in sample.response.split(" ")
    }
    signs = [
        "\n", "\n\n", " ", ". ", ": ", "*", "_", '"', "'", "[[", "]]", "{", "}", "<think>",
        "</think>", "\\", "\\boxed{", "/10", "%", "||V^=^V||", "```", "\x00", "1e999",
    ]  # fmt: skip
    return st.sampled_from([*sorted(words), *signs])


ANY_TEXT = st.text(st.characters(codec=None), max_size=200)
REPLIES = st.one_of(ANY_TEXT, st.lists(pieces(), max_size=40).map(" ".join))


def test_the_grammars_are_found_and_careful_by_default():
    assert set(GRAMMARS) <= set(grammars())
    assert {rule_name(grammar) for grammar in GRAMMARS} == {"careful"}
    assert not {"engine", "json_objects", "phrases", "refusals"} & set(grammars())


@given(REPLIES)
@example("")
@example("\x00\x1b[31mAnswer\x00 2 is better\x7f")
@example("[" * 5000)
@example('{"score": [' + "9" * 5000 + ", 7]}")
def test_every_rule_reads_any_reply_and_gives_a_value_of_its_grammar(reply):
    for grammar, rule, options in CASES:
        parsed = parse(grammar, reply, rule, asks(grammar, **options or {}))
        assert isinstance(parsed, Parsed)
        assert isinstance(parsed.reason, str)
        assert parsed.reason or parsed.value is not None
        if parsed.value is not None and rule != "authors":
            assert is_a_value(grammar, parsed.value, options), (grammar, rule, options, parsed)
        if parsed.span is not None:
            assert 0 <= parsed.span[0] < parsed.span[1] <= len(reply)


LABELLED = [
    *[("rating", None, f"Score: {n}", n) for n in (1, 8, 10)],
    ("letter", {"options": 4}, "Answer: B", "B"),
    ("verdict", None, "Overall Judgment: Answer 2 is better.", 2),
    ("yesno", {"labels": "both/one"}, "Answer: one", 0),
]


@given(ANY_TEXT.filter(lambda text: "think>" not in text), st.sampled_from(LABELLED))
def test_what_comes_before_a_labelled_answer_does_not_change_it(text, labelled):
    grammar, options, answer, value = labelled
    rule = "careful" if options else "strict"
    asked = asks(grammar, **options or {})
    assert parse(grammar, f"{text}.\n{answer}\n", rule, asked).value == value


SENTENCES = [
    "Answer 1 is better.", "I do not think that it is", "Wait, no.", "Overall Judgment: Tie.",
    "not", "Final verdict:", "If clarity mattered most,", "Assistant B wins", "some might say",
    "- Clarity: Answer 2", "**Overall Judgment:** Answer 1 is better", "[[B]]", "\n", "\n\n",
]  # fmt: skip
ENDINGS = [
    "[[A]]", "[[B]].", "**[[C]]** for a tie.", "[[A>>B]]", "[[B>C]]", "[[a]]", "[[A]]?",
    "[[B]] for a tie.",
    "Overall Judgment: _Answer 2_ is slightly better.", "final verdict: answer 1 is better",
]  # fmt: skip


@given(st.lists(st.sampled_from(SENTENCES), max_size=6).map(" ".join), st.sampled_from(ENDINGS))
def test_a_verdict_as_asked_is_read_without_a_search_as_with_one(text, ending):
    reply = f"{text} {ending}"
    for grammar, options in (("verdict", {"ties": True}), ("labels", {"labels": "ABC"})):
        asked = asks(grammar, **options)
        searched = parse(grammar, "\u200b" + reply, None, asked)  # a sign that is no plain text
        parsed = parse(grammar, reply, None, asked)
        assert parsed.value == searched.value
        assert parsed.reason.strip() == searched.reason.strip("\u200b \n")


@given(st.lists(st.integers(0, 10), min_size=1, max_size=3), st.text(max_size=40))
def test_valid_json_is_read_whatever_its_rationale(scores, rationale):
    reply = json.dumps({"score": scores, "reasoning": rationale})
    parsed = parse("subscores", reply, None, asks("subscores", n=len(scores)))
    if "think" not in rationale.lower():  # thoughts are taken out of a rationale
        assert parsed == (tuple(scores), rationale.strip()) or "a refusal" in parsed.reason
    else:
        assert parsed.value == tuple(scores)


SCORED = (
    "Answer 1: {}/10\nAnswer 2: {}/10",
    "Answer 1 scores {} and Answer 2 scores {}.",
    '{{"answer_1": {{"score": {}, "why": "clear"}}, "answer_2": {{"score": {}, "why": "short"}}}}',
    "| Criterion | Answer 1 | Answer 2 |\n|---|---|---|\n| Total | {} | {} |",
    "### Answer 1\nClear.\nScore: {}/10\n\n### Answer 2\nShort.\nScore: {}/10",
    "回答1得分：{}分\n回答2得分：{}分",
    "Score A: {} Score B: {}",
)


@given(st.sampled_from(SCORED), st.integers(0, 10), st.integers(0, 10))
def test_the_higher_of_two_scores_is_the_verdict_unless_words_say_one(form, first, second):
    reply = form.format(first, second)
    parsed = parse("verdict", reply)
    assert parsed.value == (1 if first > second else 2 if second > first else None), parsed
    assert first != second or parsed.reason == "a tie"
    assert parse("verdict", f"{reply}\n\nOverall Judgment: Answer 1 is better.").value == 1


@given(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=6))
def test_of_several_verdicts_a_revision_holds(answers):
    verdicts = [f"Overall Judgment: Answer {n} is better." for n in answers]
    assert parse("verdict", " Wait, I was wrong. ".join(verdicts)).value == answers[-1]
    agreed = answers[0] if len({*answers}) == 1 else None
    assert parse("verdict", " ".join(verdicts)).value == agreed


SECONDS = 0.5  # of what is quadratic, seconds
LENGTH = 8_000  # characters: what is linear in them takes some hundredths of a second
ONCE = {(grammar, rule): options for grammar, rule, options in CASES}
ATOMS = (
    "*", "_", " ", "\n", "\t\n", "9", "[", "(", "{", "}", '"', "\\", "<", "\x00", "#", "A ",
    "[[A]] or ", "Score: 1 ", "Score:", "Reason:", "Answer 1 is ", "the better answer is ", "not ",
    "so, ", "if ",
    "neither ", "In terms of ", "### Answer ", "answer is ", "\\boxed{", "the statement is ",
    "both ", "1. Accuracy: Answer 1 is better\n\n", "score1: 8, score2: 7, ", '"reasoning": "',
    "||V^=^V||", "<think>", "</think>",
    "<|im_start|>user\n", "I cannot ", "A > ",
)  # fmt: skip


@pytest.mark.parametrize("atom", ATOMS, ids=map(repr, ATOMS))
def test_a_long_reply_is_read_in_linear_time(atom):
    reply = "Score: " + atom * (LENGTH // len(atom))
    for (grammar, rule), options in ONCE.items():
        asked = asks(grammar, **options or {})
        began = time.process_time()
        parse(grammar, reply, rule, asked)
        assert time.process_time() - began < SECONDS, (grammar, rule)


# Below the limit on what is mended, and within it the worst that a search found.
@pytest.mark.parametrize("atom", ["{a]", "]{\u201c", "}\\", "\u201c:", '["', "{a:", "{'"])
def test_json_is_mended_in_time(atom):
    reply = "{'score': [8, 7], " + atom * ((LONGEST - 20) // len(atom))
    assert parse("subscores", reply, None, asks("subscores", n=2)).value in ((8, 7), None)


@pytest.mark.parametrize(
    ("grammar", "rule", "options", "message"),
    [
        ("ratings", None, {}, "unknown grammar 'ratings'; known: .*rating"),
        ("rating", "lenient", {}, "grammar 'rating' has no rule 'lenient'; its rules are author"),
        ("rating", None, {"n": 2}, "grammar 'rating' cannot use {'n': 2}: .* unexpected .* 'n'"),
        ("yesno", None, {"labels": "ja/nein"}, "unknown labels 'ja/nein'; known: yes/no"),
        ("labels", None, {"labels": 3}, "grammar 'labels' cannot use {'labels': 3}"),
        ("letter", None, {"options": 27}, "letters for 1 to 26 options, not for 27"),
        ("letter", "strict", {"options": True}, "options must be a number or a list of texts"),
        ("letter", "authors", {"options": {"A": 1}}, "options must be a number or a list of texts"),
    ],
)
def test_unknown_names_and_options_are_told_before_any_reply(grammar, rule, options, message):
    with pytest.raises(ValueError, match=message):
        find_rule(grammar, rule, asks(grammar, **options))


NOUNS = (
    *("answer", "response", "assistant", "candidate", "model", "option", "output", "caption"),
    *("description", "translation", "image", "picture", "video", "submission"),
)
SAID = {
    "{noun} 1 is better.": 1,
    "I think {noun} B is better.": 2,
    "Neither {noun} is better than the other.": 0,
    "Both {noun}s are equally good.": 0,
    "The two {noun}s are on par.": 0,
}


@pytest.mark.parametrize("noun", [*NOUNS, "speaker"])
@pytest.mark.parametrize("grammar", ["verdict", "labels"])
def test_wins_and_ties_know_the_same_nouns(grammar, noun):
    options = {"ties": True, **({"labels": "ABC"} if grammar == "labels" else {})}
    if noun == "speaker":  # a task's own
        options, grammar = {"ties": True, "names": [noun]}, "verdict"
    read = {
        said: parse(grammar, said.format(noun=noun), None, asks(grammar, **options)).value
        for said in SAID
    }
    assert read == SAID


def test_the_strict_rule_reads_the_declared_answer_where_it_stands_as_asked_only():
    read = {
        ("verdict", "Overall Judgment: **Answer 2** is better."): 2,
        ("verdict", "I prefer the second response."): None,
        ("labels", "B is more exact. [[B]]"): 2,
        ("rating", "**Score:** 8/10\n**Reason:** much alike"): 8,
        ("rating", "I would give it an 8."): None,
        ("letter", "### Answer\nC"): "C",
        ("letter", "It is option C, I think."): None,
        ("yesno", "**No**"): 0,
        ("points", "Score: 85/100"): 85,
        ("ranking", "[[B]], [[A]], [[D]], [[C]]"): "BADC",
    }
    for (grammar, reply), value in read.items():
        assert parse(grammar, reply, "strict").value == value, reply


def test_a_reading_says_in_which_step_it_was_made():
    steps = [
        parse("verdict", reply).step
        for reply in ("<answer>2</answer>", "I prefer the second response.", "Hm.")
    ]
    assert steps == ["asked", "prose", "prose"]


DECLARED = AnswerFormat(
    "verdict", {"1": 1, "2": 2, "3": 0, "neither": 0}, ties=True, keys=("choice",), names=("clip",)
)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"confidence": 1, "choice": 2}', 2),
        ("Confidence: [[2]]\nChoice: [[3]]", 0),
        ("[[1]] [[D]]", None),
        ("Clip 2", 2),
        ("neither", 0),
        ("Answer: 1\nOn second thought, clip 2 is better.", 2),
    ],
)
def test_a_declaration_says_what_may_be_said(reply, value):
    assert parse("verdict", reply, None, DECLARED).value == value


def test_declared_answers_are_read_in_the_styles_of_todays_models():
    """Of `declared.jsonl`, 97% of what a person reads is read, and nothing else."""
    lines = Path(__file__).with_name("declared.jsonl").read_text(encoding="utf-8").splitlines()
    read = []
    for row in map(json.loads, lines):
        value = parse(row["asks"]["kind"], row["response"], None, AnswerFormat(**row["asks"])).value
        value = list(value) if isinstance(value, tuple) else value
        assert value in (row["value"], None), row
        read += [value is not None] * (row["value"] is not None)
    assert sum(read) >= 0.97 * len(read) > 200


def test_scores_in_prose_have_the_declared_scale_and_sense():
    asks = AnswerFormat("verdict", scores=2, wins="low", scale=(0, 10))
    assert parse("verdict", "Answer 1: 8/10\nAnswer 2: 2/10", None, asks).value == 2
    assert parse("verdict", "Score of Answer 1: 12\nScore of Answer 2: 8", None, asks).value is None


def test_two_marked_numbers_are_scores_in_the_declared_order_and_sense():
    asks = AnswerFormat("verdict", scores=2, wins="low", ties=True)
    assert parse("verdict", "[[1]] [[2]]", None, asks).value == 1
    assert parse("verdict", "\\boxed{4}\n\\boxed{4}", None, asks).value == 0


PROMPTS = [
    f"Question: which of these is yes or no, number {n}?\nAnswer 1: [[D]]\n"
    "Rate it on a scale from 1 to 5."
    for n in range(10)
]


def test_a_declaration_is_proposed_from_what_prompts_share_or_from_replies():
    asks = proposed(PROMPTS).asks
    assert (asks.kind, asks.scale) == ("rating", (1, 5))
    assert proposed(["Is A better than B, or does [[A]] say yes or no, or [[B]]?"]) is not None
    two = proposed(replies=[f"<answer>{n}</answer><answer>3</answer>" for n in range(9)])
    assert str(two.asks) == "scores 2"
    assert proposed(replies=["It is a dog.", "A cat.", "Two.", "Red.", "Blue."]) is None
    verdicts = ["[[A]]", "[[B]]", "I think so.\n[[C]]", "[[A]]", "[[B]]"]
    assert proposed(replies=verdicts).asks.kind == "verdict"


@pytest.mark.parametrize(
    ("prompt", "declared"),
    [
        ("# Which is better, Output (a) or Output (b)? Write the name.", "verdict: "),
        ('End with "Therefore, Output (a) is better." or the same of (b).', "verdict: "),
        ("Respond only with 'Correct' or 'Incorrect'.", "yesno: labels correct=1 incorrect=0"),
        ("Return **only** True or False, no other text.", "yesno: labels true=1 false=0"),
        ("Style: A number from 1 to 5.\nContent: A number from 1 to 5.", ""),
        ("[Content: Score], [Logic: Score]. Each is a score out of 10.", ""),
    ],
)
def test_of_public_prompts_the_kind_is_proposed_or_nothing(prompt, declared):
    found = proposed([prompt])
    assert (f"{found.asks.kind}: {found.asks}" if found else "") == declared


def test_numbers_that_answers_gave_in_boxes_are_no_scores():
    said = "Output (a) gives the sum as \\boxed{112}, but Output (b) wrongly says \\boxed{122}."
    reply = f"{said} Therefore, Output (a) is better."
    assert parse("verdict", reply, None, asks("verdict", ties=True)).value == 1


def test_a_declaration_names_what_is_known():
    with pytest.raises(ValueError, match="kind must be one of verdict, letter"):
        AnswerFormat("verdicts")
