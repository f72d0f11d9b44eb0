import pytest

from pairbench_ext import replies as parsing
from pairbench_ext.replies import Parsed
from pairbench_ext.replies.rating import authors, careful, strict


def test_the_registry_finds_rating_and_its_rules():
    assert parsing.grammars()["rating"] == {
        "careful": careful,
        "strict": strict,
        "authors": authors,
    }


def test_every_grammar_has_its_default_among_its_rules():
    for grammar, rules in parsing.grammars().items():
        assert parsing.default_rule(grammar) in rules


def test_a_module_without_rules_is_no_grammar():
    assert "thinking" not in parsing.grammars()


@pytest.mark.parametrize(
    ("rule", "value"), [(None, 3), ("strict", 3), ("authors", 1)], ids=["default", "strict", "nb"]
)
def test_parse_uses_the_rule(rule, value):
    parsed = parsing.parse("rating", "Image 1 is better. Score: 3", rule)
    assert isinstance(parsed, Parsed)
    assert parsed.value == value


def test_an_unknown_grammar_is_named():
    with pytest.raises(ValueError, match=r"unknown grammar 'ratings'; known: .*rating"):
        parsing.parse("ratings", "Score: 3")


def test_an_unknown_rule_is_named():
    message = "unknown rule 'lenient' of grammar 'rating'; known: authors, careful, strict"
    with pytest.raises(ValueError, match=message):
        parsing.parse("rating", "Score: 3", "lenient")


def test_every_rule_of_every_grammar_reads_any_reply():
    for grammar, rules in parsing.grammars().items():
        for rule in rules:
            for reply in ("", "\x00", "\ud800", "\\", "<think>", "10" * 5000):
                assert isinstance(parsing.parse(grammar, reply, rule).reason, str)


def test_options_of_a_grammar():
    assert parsing.parse("subscores", "[8, 7]", None, {"n": 2}).value == (8, 7)
    assert parsing.parse("subscores", "[8, 7]", None, {"n": 3}).value is None
    assert parsing.parse("yesno", "both", "paper", {"labels": "both/one"}).value == 1


@pytest.mark.parametrize(
    ("grammar", "options", "message"),
    [
        ("rating", {"n": 2}, "grammar 'rating' has no option 'n'; it takes none"),
        ("yesno", {"n": 2}, "grammar 'yesno' has no option 'n'; it takes labels"),
        ("yesno", {"labels": "ja/nein"}, "unknown labels 'ja/nein'; known: yes/no"),
        ("labels", {"labels": 3}, "grammar 'labels' cannot read by {'labels': 3}"),
        ("subscores", {"n": "q"}, "grammar 'subscores' cannot read by {'n': 'q'}"),
    ],
)
def test_unknown_options_are_named_before_any_reply(grammar, options, message):
    with pytest.raises(ValueError, match=message):
        parsing.find_rule(grammar, None, options)


@pytest.mark.parametrize("grammar", sorted(parsing.grammars()))
@pytest.mark.parametrize("letters", ["i\u0131", "s\u017f", "k\u212a"])
def test_letters_that_are_the_same_to_a_pattern_only_are_read_without_an_error(grammar, letters):
    options = {"n": 2} if grammar == "subscores" else None
    for text in ("Score: eight", "Score: [six, five]", "First: A\nSecond: B", "A is best, B worst"):
        assert parsing.parse(grammar, text.replace(*letters), None, options) is not None
