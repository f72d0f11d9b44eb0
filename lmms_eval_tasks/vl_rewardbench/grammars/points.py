"""Scores out of 100, such as "Score: 85" or "I would rate it 85 out of 100".

Rule `careful`, the default: what a person makes of the reply, as for ratings from 1 to 10
(`replies.rating`). A score in per cent is one out of 100; a score that is revised is read as the
last. Another scale ("8/10"), a range or a bound, two scores that both stand, a number above 100, a
share of one ("0.85"): unusable.

Rule `strict`: what LLaVA-Critic's card asks for in so many words, a score out of 100: "85/100", "85
out of 100", or a number alone after "Score:". The last one holds, outside of thoughts.

There is no rule `authors`: neither the card nor VL-RewardBench's paper (Section 4.3) says how scores
were extracted, and no code of theirs that does is public.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.scores import read
from pairbench_ext.replies.thoughts import strip_thinking

if TYPE_CHECKING:
    from pairbench_ext.replies import Rule

LOWEST, HIGHEST = 0, 100
_ASKED = re.compile(r"score the response out of 100", re.IGNORECASE)  # the prompt, repeated
# "Score: 85%", "I would rate it at 85%", or nothing but "85%".
_PERCENT = re.compile(
    r"(?:(?<=score)|(?<=rating)|(?<=grade)|(?<=\A))(?P<score>[\s:=]{0,4}[0-9]{1,3}(?:\.[0-9]{1,2})?) ?%"
    r"|(?<![a-z])(?P<rated>(?:rate|score|grade|assign|award)[^.\n\d;!?%]{1,60}? [0-9]{1,3}(?:\.[0-9]{1,2})?) ?%(?! of )",
    re.IGNORECASE,
)
# What the answer says is no score of it: "the response says five".
_TOLD = re.compile(
    r"(?<![a-z])(?:response|answer|reply|caption|description) (?:says|mentions|counts|lists|claims|states|names)\b"
    r"(?:[^.,;:!?\n]|[.,](?=[0-9])){0,80}",
    re.IGNORECASE,
)
# "a full score of 100": said of this answer, not of what it lacks.
_FULL = re.compile(
    r"(?<![a-z])(?P<given>(?:give|assign|award|earns?|deserves?|gets?|receives?|merits?)[^.\n\d;!?]{1,60}? )"
    r"(?:full|perfect)(?= (?:score|rating|marks?)\b)",
    re.IGNORECASE,
)

_NUMBER = r"[0-9]{1,3}(?:\.[0-9]{1,2})?"
_STATED = re.compile(
    rf"""
    (?<![\w.,/+-]) (?P<of>{_NUMBER}) [*_`]{{0,3}} (?: [ ]?/[ ]? | [ ]out[ ]of[ ] ) 100
        (?! [\w%/] | [.,][0-9] )
  | (?<![^\W_]) score [*_`]{{0,3}} [:\uff1a] [*_`\s]{{0,8}} (?P<alone>{_NUMBER})
        (?! [\w%] | [.,][0-9] | [ ]?[-\u2010-\u2015/~][ ]?[0-9] | [ ](?:out[ ]of|to|or)\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def careful(response: str) -> Parsed:
    """The score from 0 to 100 that a careful person reads, or nothing.

    >>> careful("I would give this response a score of 85 out of 100.").value
    85
    >>> careful("Score: 8/10").value is None
    True
    """
    text = plain(response).rewritten(_ASKED, lambda _: "").rewritten(_TOLD, lambda _: "")
    text = text.rewritten(_PERCENT, lambda found: found["score"] or found["rated"])
    found = read(text.rewritten(_FULL, lambda found: found["given"]), LOWEST, HIGHEST)
    if isinstance(found.value, float) and 0 < found.value < 1:
        return Parsed(None, f"a share of one, not out of 100: {found.value:g}")
    return found


def strict(response: str) -> Parsed:
    """The last score that is stated as asked, out of 100, or nothing.

    >>> strict("It is mostly right. Score: 85/100. Reason: one colour is off.").value
    85
    >>> strict("I would say 85 percent.").value is None
    True
    """
    stated = list(_STATED.finditer(strip_thinking(response)))
    if not stated:
        return Parsed(None, "no score out of 100")
    written = stated[-1]["of"] or stated[-1]["alone"]
    score = float(written) if "." in written else int(written)
    if not LOWEST <= score <= HIGHEST:
        return Parsed(None, f"not from {LOWEST} to {HIGHEST}: {written}")
    return Parsed(score, "")


RULES: dict[str, Rule] = {"careful": careful, "strict": strict}
DEFAULT = "careful"
