"""Read scores out of 100 from replies, such as "Score: 85".

The rules `careful` and `strict` are those of ratings from 1 to 10 (`replies.rating`); a score in per
cent is one out of 100.

There is no rule `authors`: neither the card nor VL-RewardBench's paper (Section 4.3) says how scores
were extracted, and no code of theirs that does is public.
"""

from collections.abc import Callable

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.rating import prose, reason

__all__ = ["RULES", "asks", "prose", "reason"]


def asks() -> AnswerFormat:
    """Declare that a prompt asks for a score out of 100.

    >>> prose("I would give this response a score of 85 out of 100.", asks()).value
    85
    >>> prose("Score: 8/10", asks()).value is None
    True
    """
    return AnswerFormat("points", scale=(0, 100))


RULES: dict[str, Callable[..., Parsed]] = {}
