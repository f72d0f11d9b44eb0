"""A model that declines to judge has not judged."""

from __future__ import annotations

import re

from pairbench_ext.replies import Parsed

REFUSAL = "a refusal"
_EXCERPT = 80  # characters of the refusal that are quoted

# "I cannot see any artifacts" is a judgment: only verbs of judging and helping count, and seeing
# only the image itself. U+2019 is an apostrophe.
_DECLINES = re.compile(
    r"""
    \b (?:
        (?: I | we ) (?: ['\u2019]m | \s am | \s are )? \s (?: sorry , \s (?: but \s )? I \s )?
        (?: cannot | can \s not | can['\u2019]t | won['\u2019]t | will \s not
          | unable \s to | not \s able \s to | must \s decline \s to
          | (?: do \s not | don['\u2019]t ) \s have \s the \s (?: cap)? ability \s to )
        \s (?: \w{1,12} ly \s )? (?:
            (?: assist | help (?! \s but \b ) | evaluate | rate | score | assess | judge | comply
              | proceed | fulfil{1,2} | process | analy[sz]e | complete | comment \s on
              | engage ) \b
          | (?: provide | give | offer | make | perform ) \s (?: \w{1,15} \s ){0,4}?
            (?: rating | score | evaluation | assessment | judge?ment | analysis | feedback ) s? \b
          | (?: see | view | access | open | identify ) \s (?: the | any | these | this | your ) \s
            (?: (?: provided | attached | first | second | third | edited | generated ) \s )?
            (?: images? | pictures? ) \b
          | identify \s (?: the | any | these | this ) \s (?: people | persons? ) \b
        )
      | (?: images? | it | they | evaluation | request ) \s cannot \s be \s
        (?: evaluated | rated | scored | assessed | processed | completed | conducted ) \b
      | as \s an \s AI \s (?: language \s )? (?: model | assistant ) \b
      | I (?: ['\u2019]m | \s am ) \s (?: very \s | really \s )? sorry , \s but \s I \b
      | (?: 抱歉 | 对不起 | 對不起 ) [,\uff0c]? \s? 我? (?: 无法 | 無法 | 不能 )
      | es \s tut \s mir \s leid | je \s suis \s désolée? | lo \s siento
      | (?: images? | pictures? ) \s (?: (?: could | can | did | do | does | was | were | is | are | has | have ) \s? (?: not | n['\u2019]t ) | cannot )
          \s (?: be(?:en)? \s )? (?: load | loaded | provided | attached | uploaded | available | displayed | found | opened | accessible ) \b
      | (?: unable | impossible | not \s (?: able | possible ) ) \s to \s (?: assess | evaluate | rate | score | judge ) \b
          \s? (?: without \b | because \b | due \b | since \b | the \s (?: images? | pictures? ) | as \b | [.!] )
      | no \s images? \s (?: was | were | has \s been | have \s been ) \s
        (?: provided | attached | uploaded | given ) \b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What makes it a judgment all the same: "I cannot rate it higher", "... give a perfect score".
_BOUNDS = re.compile(
    r"""
    [^.,;!?\n]*? \b (?:
        higher | lower | better | perfect
      | (?: full | maximum | top ) \s (?: score | rating | mark ) s?
      | (?: above | below | beyond | over | more \s than ) \s (?: an? \s )? [0-9]
    ) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLAUSE = 60  # characters after what declines in which a bound is looked for


# In a rationale beside scores: what is not seen or known of the image is a remark on it.
_REMARK = re.compile(
    r"[^.!?\n]{0,80}?\b(?:see|view|identify|access|open|recogni[sz]e|tell)\b", re.IGNORECASE
)
_BUT = re.compile(r"[^.!?\n]{0,160}?\b(?:but|however|though|although|yet)\b", re.IGNORECASE)


def refusal(text: str, *, judged: bool = False) -> Parsed | None:
    """The verdict on a text that declines to judge: none, and what it says.

    Args:
        text: the reply, or the rationale of scores.
        judged: whether the text is beside scores, so that "I cannot identify the person, but the
            edit is good" declines nothing.

    Returns:
        None if the text declines nothing.

    >>> refusal("Sadly, I cannot rate images of real people.").reason
    "a refusal: 'I cannot rate images of real people.'"
    >>> refusal("I cannot see any artifacts.") is refusal("I cannot rate it above 3.") is None
    True
    """
    for found in _DECLINES.finditer(text):
        start = found.start()
        if judged and (_REMARK.match(text, start, found.end()) or _BUT.match(text, found.end())):
            continue
        if not _BOUNDS.match(text, start, found.end() + _CLAUSE):
            return Parsed(None, f"{REFUSAL}: {text[start : start + _EXCERPT]!r}")
    return None


def is_refusal(parsed: Parsed) -> bool:
    """Whether a reply was unusable because it declines to judge."""
    return parsed.value is None and parsed.reason.startswith(REFUSAL)
