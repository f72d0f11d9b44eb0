"""What a judge's mention of "Answer 1" or "Answer 2" claims: that it is the better one, or not.

A claim is read from the words around the mention, never from what follows from them: "Answer 2 is
worse" names no better answer. Every pattern looks at a bounded stretch of text, so that reading a
reply takes time linear in its length.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# U+FF11 and U+FF12 are full-width digits, U+FF1A is the full-width colon, U+2019 an apostrophe.
MENTION = r"""
    \b (?: answer | response | candidate | assistant )
    [\s-]{0,3} (?: no\.? \s? | number \s )? [#(\[<']{0,2}
    [12\uff11\uff12] (?! [^\W_] | \.[0-9] | ['\u2019]s\b ) [)\]>']{0,2}
  | \b (?: first | second ) \s (?: answer | response | candidate | one ) \b
        (?! ['\u2019]s\b )
"""

_BEFORE = 70  # characters before a mention that may change what is said of it

_ADVERBS = r"""
    (?: (?: the | an? (?: \s (?: bit | little | lot ) )? | by \s far
        | only (?= \s+ (?: slight | margin ) ) | slightly | much | far | clear | clearly
        | significantly | substantially | considerably | notably | marginally | somewhat
        | moderately | generally | definitely | undoubtedly | obviously | objectively | strongly
        | overall | still | also | likely | probably | arguably | ultimately | therefore | thus
        | indeed | actually | even | more | most
    ) ,? \s+ ){0,5}
"""
_BETTER = r"""
    (?: better | best | superior | preferable | preferred | favou?red | strong(?:er|est) | winner )
    \b (?! - )
"""
# ", which is longer," or "(the longer one)" between the answer and what is said of it.
_ASIDE = r"""
    (?: \s* \( [^()\n]{0,80} \)
      | , \s (?: which | not | though | although | while | despite | being ) \b [^,.;\n]{1,80} ,
    )?
"""
_IS_BETTER = re.compile(
    rf"""
    {_ASIDE} \s+ (?:
        (?: is | was | seems (?: \s to \s be )? | appears (?: \s to \s be )? | looks | remains
          | emerges \s as | comes \s out \s as | stands \s out \s as | would \s be (?= \s the \s )
          | (?: is | can \s be ) \s (?: considered | deemed | judged )
        ) \s+ {_ADVERBS} {_BETTER}
      | {_ADVERBS} (?: wins | outperforms | surpasses ) \b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_IS_NOT_BETTER = re.compile(
    rf"""
    {_ASIDE} \s+ (?:
        (?: is | was | does | seems | appears )
        (?: n['\u2019]t | \s+ (?: not | no | never | hardly ) )
        \s+ {_ADVERBS} (?: {_BETTER} | win \b )
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Better in one respect only: "better in clarity", "better at counting", "better written".
_IN_ONE_RESPECT = re.compile(
    r"""
    (?: \s+ (?: answer | response | option | choice | one ) )?
    (?: \s+ than \s+ (?: (?: answer | response ) \s [12] | the \s other (?: \s \w{1,9} )? ) )?
    ,? \s+ (?: only \s+ )? (?:
        in \b (?! \s+ (?: this | general | every | all | both | most | my | our | conclusion ) \b )
      | for \b (?! \s+ (?: the \s following | these | this | several | two | three | many ) \b )
      | (?: at | on | regarding | concerning | with \s+ (?: regard | respect ) | if | when ) \b
      | (?: structured | organi[sz]ed | written | worded | phrased | formatted | articulated
          | aligned | suited | detailed | supported | explained | presented | expressed ) \b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What, right before a mention, turns "is better" into something else.
_OPEN_QUESTION = re.compile(
    r"""
    (?: \b (?: whether | if | unless | either | better \s+ or ) \s+
      | [12\uff11\uff12] [)\]>']{0,2} \s* (?: \b (?: and | or | vs\.? ) \b | [&/] ) \s*
    ) (?: the \s+ )? \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEITHER = re.compile(r"\b(?:neither|nor)\s+(?:is\s+)?(?:the\s+)?\Z", re.IGNORECASE)
_DENIED = re.compile(
    r"""
    (?: \b (?: not | cannot ) | n['\u2019]t ) \s+ (?: \w{1,12} \s+ ){0,2}?
    (?: think | believe | say | claim | conclude | agree | mean | true | case | clear
      | certain | sure )
    (?: \s+ (?: that | whether | if ) )? \s+ (?: the \s+ )? \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What, right before a mention, calls it the better one.
_CHOSEN = re.compile(
    r"""
    (?: \b (?: better | best | superior | preferred | preferable | stronger | winning )
          (?: \s+ (?: answer | response | option | choice | candidate | one ) )?
          (?: \s+ of \s+ the \s+ two )? \s* (?: : | \uff1a | \s (?: is | was | would \s be ) \s )
      | \b (?: winner | choice | preference | pick )
          \s* (?: : | \uff1a | \s (?: is | goes \s to ) \s )
      | \b (?: I | we ) (?: \s+ would | ['\u2019]d )? \s+ (?: \w{1,10} ly \s+ )?
          (?: prefer | choose | pick | select | favou?r | recommend | go \s with | vote \s for ) \s
      | \bin \s+ favou?r \s+ of \s
      | \\boxed \{ \s* (?: \\text \{ )?
    ) \s* (?: (?: clearly | therefore | still | that | the ) \s+ )? \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOT_ALONE = re.compile(r"\s*(?:,?\s*\b(?:or|and|nor|vs)\b|[/&])", re.IGNORECASE)
# A label and nothing else on the line, or in the reply.
_LABELLED = re.compile(
    r"\b(?:judge?ment|verdict|decision|conclusion|overall|(?:final|my) answer)"
    r"[ \t]*[:\uff1a](?P<gap>\s*)\Z",
    re.IGNORECASE,
)
_LINE_ENDS = re.compile(r"[ \t]*[.!\u3002]?[ \t]*(?:\n|\Z)|\s+(?:because|since)\b", re.IGNORECASE)
_TEXT_ENDS = re.compile(r"\s*[.!\u3002]?\s*\Z")
_SECOND = re.compile(r"second|[2\uff12]", re.IGNORECASE)


class Claim(NamedTuple):
    """What is said of one answer.

    Attributes:
        answer: 1 or 2.
        says: `"better"`, `"not better"` or `"neither"` (of the two is).
        in_one_respect: whether it is said of one respect only, such as clarity.
    """

    answer: int
    says: str
    in_one_respect: bool = False


def claim(text: str, start: int, end: int) -> Claim | None:
    """What the text says of the answer that it mentions from `start` to `end`.

    Returns:
        The claim; None if the mention is no claim, or one that is left open ("whether Answer 1 is
        better", "Answer 1 or Answer 2").

    >>> claim("Answer 2 is slightly better in clarity.", 0, 8)
    Claim(answer=2, says='better', in_one_respect=True)
    """
    answer = 2 if _SECOND.search(text, start, end) else 1
    before = text[max(0, start - _BEFORE) : start]
    denied = _IS_NOT_BETTER.match(text, end)
    if denied:
        return Claim(answer, "not better", in_one_respect(text, denied.end()))
    better = _IS_BETTER.match(text, end)
    if not better:
        return Claim(answer, "better") if _is_chosen(text, before, start, end) else None
    if _OPEN_QUESTION.search(before):
        return None
    if _NEITHER.search(before):
        return Claim(answer, "neither")
    if _DENIED.search(before):
        return Claim(answer, "not better")
    return Claim(answer, "better", in_one_respect(text, better.end()))


def in_one_respect(text: str, end: int) -> bool:
    """Whether what is said up to `end` is then limited to one respect."""
    return bool(_IN_ONE_RESPECT.match(text, end))


def _is_chosen(text: str, before: str, start: int, end: int) -> bool:
    """Whether the mention itself is the choice: "the better answer is Answer 1", "Verdict: ..."."""
    if _CHOSEN.search(before):
        return not _NOT_ALONE.match(text, end)
    label = _LABELLED.search(before)
    if label and "\n" not in label["gap"] and _LINE_ENDS.match(text, end):
        return True
    alone = start <= _BEFORE and not before.strip()
    return bool((label or alone) and _TEXT_ENDS.match(text, end))
