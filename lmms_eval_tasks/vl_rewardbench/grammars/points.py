"""Scores out of 100, such as "Score: 85" or "I would rate it 85 out of 100".

Rule `careful`, the only one: what a person makes of the reply, as for ratings from 1 to 10
(`replies.rating`). A score in per cent is one out of 100; a score that is revised is read as the
last. Another scale ("8/10"), a range, two scores that both stand, a number above 100: unusable.

LLaVA-Critic's card asks for no format, and VL-RewardBench's paper (Section 4.3) does not say how
scores were extracted from its replies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.scores import read

if TYPE_CHECKING:
    from pairbench_ext.replies import Rule

LOWEST, HIGHEST = 0, 100
_ASKED = re.compile(r"score the response out of 100", re.IGNORECASE)  # the prompt, repeated
# "Score: 85%", or nothing but "85%".
_PERCENT = re.compile(
    r"(?:(?<=score)|(?<=rating)|(?<=grade)|(?<=\A))(?P<score>[\s:=]{0,4}[0-9]{1,3}(?:\.[0-9]{1,2})?) ?%",
    re.IGNORECASE,
)


def careful(response: str) -> Parsed:
    """The score from 0 to 100 that a careful person reads, or nothing.

    >>> careful("I would give this response a score of 85 out of 100.").value
    85
    >>> careful("Score: 8/10").value is None
    True
    """
    text = plain(response).rewritten(_ASKED, lambda _: "")
    return read(text.rewritten(_PERCENT, lambda found: found["score"]), LOWEST, HIGHEST)


RULES: dict[str, Rule] = {"careful": careful}
DEFAULT = "careful"
