"""What a pattern needs: a text without it is never matched, so the pattern can be left out."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.replies import context, refusals, scores, sieve, verdict, verdict_scores

PATTERNS = [
    *(phrase for _, phrase in verdict._phrases()),
    *(form for _, form in verdict.TABLE.forms),
    *verdict_scores._PATTERNS,
    *scores._scale(1, 10)[2],
    *(form for _, form in scores._scale(1, 5)[0].forms),
    context.REVISION,
    refusals._DECLINES._pattern,
]
SIEVE = sieve.Sieve(PATTERNS)
PIECES = sorted({one for pattern in PATTERNS for need in sieve.needed(pattern) for one in need})
TEXTS = st.lists(
    st.sampled_from(PIECES) | st.sampled_from(" \n.:'\"1278\u16a0\u16a2") | st.characters(),
    max_size=12,
)


@given(TEXTS, st.sampled_from([str, str.upper, str.title, str.swapcase]))
def test_no_pattern_that_matches_is_left_out(pieces, change):
    text = change("".join(pieces))
    passed = set(SIEVE.passed(text))
    assert [n for n, pattern in enumerate(PATTERNS) if pattern.search(text)] == [
        n for n, pattern in enumerate(PATTERNS) if n in passed and pattern.search(text)
    ]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("wins|loses", "It W\u0130NS"),  # a letter that `str.lower` makes two of
        ("likes", "LI\u212aES"),  # the sign of Kelvin
        ("best", "be\u017ft"),
        ("(?-i:WINS)", "WINS"),
        ("(?:a|b)?c{2}", "acc"),
        ("a(?=bc)", "abc"),
        ("(?<=ab)c", "abc"),
        ("x(?!abc)", "x"),
        ("[^a]b|c.d", "zb"),
        (r"\bgo(?:es|ing)?\b", "going"),
        ("stra\u00dfe", "STRA\u1e9eE"),
        ("", ""),
    ],
)
def test_a_pattern_passes_what_it_matches(pattern, text):
    compiled = re.compile(pattern, re.IGNORECASE)
    assert compiled.search(text)
    assert list(sieve.Sieve([compiled]).passed(text)) == [0]
    assert [m.span() for m in sieve.Sieved(compiled).finditer(text)] == [
        m.span() for m in compiled.finditer(text)
    ]


def test_what_lacks_the_words_of_a_pattern_does_not_pass():
    found = sieve.Sieve([re.compile("(?:first|second) wins"), re.compile(r"\d+")])
    assert list(found.passed("the third wins")) == [1]  # of digits nothing is known
    assert list(found.passed("the first loses")) == [1]
    assert list(found.passed("the first wins")) == [0, 1]


def test_letters_are_those_of_str_lower_but_for_the_odd_ones():
    """Of all characters that a pattern in any case takes for a plain one."""
    plain = [c for c in map(chr, range(0x3000)) if c.isalpha() and sieve._is_plain(c)]
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    found = re.compile(f"[{''.join(plain)}]", re.IGNORECASE).findall(every)
    unlike = [c for c in found if c.lower() not in plain and not sieve._ODD.match(c)]
    assert unlike == []
