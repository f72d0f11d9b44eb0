"""What a benchmark contributes to the card of a judge, and what it says of one run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

Aspect: TypeAlias = Literal[
    "sees", "order", "length", "instructions", "scale", "condition", "itself", "people"
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

#: Level of all verdicts of a card together: of 100 judges without a defect, one has a flag.
ALPHA = 0.01
#: What is not shown is held against a judge only where it would have been shown, this likely: what
#: experiments are mostly planned for.
POWER = 0.8


@dataclass(frozen=True)
class Finding:
    """What one run says of one aspect.

    Attributes:
        says: what was found, with counts, in words.
        null: what it was tested against, in words; empty where there is no test.
        p: of that test; NaN where there is none.
        flag: the defect that the test can raise.
        todo: what to do about it.
        fine: what to say where the flag is not raised.
        raised: "rejected": the defect is there if the null is rejected; "kept": if it is not, but
            would have been (a judge that does not look is one that cannot be told from chance).
        able: whether the null, were it wrong, would have been rejected ("kept"), or could have been
            by any answers to as much as was asked ("rejected").
        value, low, high: the number and its 95% interval, where the benchmark's has none.
    """

    says: str
    null: str = ""
    p: float = math.nan
    flag: str = ""
    todo: str = ""
    fine: str = "no more than chance"
    raised: Literal["rejected", "kept"] = "rejected"
    able: bool = True
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan

    @property
    def tested(self) -> bool:
        """Whether there is a p-value."""
        return not math.isnan(self.p)


@dataclass(frozen=True)
class Evidence:
    """What a benchmark says of one aspect of a judge.

    Attributes:
        aspect: one of `ASPECTS`.
        title: what the number is, in words.
        find: what a run (`scoring.Run`) says; None where it says nothing, such as of orders that
            were not asked in both.
        number: the benchmark's number that is shown; empty for the finding's own value.
        kind: of that value, as that of a `Number`.
        needs_sight: whether it means something only of a judge that was shown to see, in the same
            task: who answers at random obeys no condition either.
    """

    aspect: Aspect
    title: str
    find: Callable[[Any], Finding | None]
    number: str = ""
    kind: str = "share"
    needs_sight: bool = False


def number_alone(aspect: Aspect, number: str, title: str, kind: str = "share") -> Evidence:
    """A number of the benchmark that nothing is tested of."""
    return Evidence(aspect, title, lambda _: Finding(""), number, kind)
