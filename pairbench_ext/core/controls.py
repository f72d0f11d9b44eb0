"""Controls: judges that ignore the question, such as one that always picks the first answer.

A number means little beside chance alone: what a judge gets that looks at one image, at lengths or
at nothing is often more. A control says what such a judge answers to each question of a run, so its
numbers are computed on the very items of the run. Some are of every benchmark, by the kind of its
outcomes; a benchmark declares further ones.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from statistics import median_high, median_low, mode
from typing import Any, TypeAlias

from pairbench_ext.core.outcomes import TIE, Order, Outcome
from pairbench_ext.statistics.seeds import draw

#: A judge: from an outcome, of which only the question is looked at, to its own.
Judge: TypeAlias = Callable[[Outcome], Outcome]
#: The outcome of a question with another answer, as `Answers.put` makes it.
Put: TypeAlias = Callable[[Sequence[Outcome], Any], Outcome]
_DRAWS = 2  # of a random judge; each with all rotations of its answers
_MOST_SHIFTS = 12


@dataclass(frozen=True)
class Control:
    """A control: a judge that ignores the question, such as one that tosses a coin.

    Attributes:
        name: in JSON: "first".
        about: what it does, after "a judge that": "tosses a coin".
        judges: the judges of this kind for the outcomes of a run; none where it makes no sense.
        mean: whether its number is the mean over these judges, which are draws of a random one; by
            default it is that of the best of them.
        correlates: whether correlations of its ratings are defined.
    """

    name: str
    about: str
    judges: Callable[[Sequence[Outcome], Put], Iterable[Judge]]
    mean: bool = False
    correlates: bool = True


def saying(put: Put, answer_of: Callable[[Outcome], Any]) -> Judge:
    """Return a control that answers each item with what `answer_of` returns for it."""
    return lambda outcome: put([outcome], answer_of(outcome))


def _coins(outcomes: Sequence[Outcome], put: Put) -> Iterator[Judge]:
    """Yield random choices, and all rotations of each: so the mean of values per trial is exact."""
    counts = {outcome.options for outcome in outcomes}
    shifts = min(math.lcm(*counts), _MOST_SHIFTS) if counts and min(counts) > 1 else 0
    for number in range(_DRAWS):
        for shift in range(shifts):
            yield saying(put, partial(_tossed, number=number, shift=shift))


def _tossed(outcome: Outcome, number: int = 0, shift: int = 0) -> int:
    asked = outcome.item_and_variant, outcome.repeat, outcome.order
    return (_drawn(outcome.options, number, *asked) + shift) % outcome.options


@lru_cache(maxsize=1 << 19)
def _drawn(options: int, number: int, asked: Hashable, repeat: int, order: Order) -> int:
    """Return a draw, which is made once for all rotations and judges."""
    return draw(options, number, "control", repr(asked), repeat, str(order))


def _places(outcomes: Sequence[Outcome], put: Put) -> Iterator[Judge]:
    for place in range(max((outcome.options for outcome in outcomes), default=0)):
        yield saying(put, partial(_nearest, place=place))


def _nearest(outcome: Outcome, place: int) -> int:
    return min(place, outcome.options - 1)


def _longer(outcomes: Sequence[Outcome], put: Put) -> Iterator[Judge]:
    if any(outcome.longer is not None for outcome in outcomes):
        yield saying(put, lambda x: _tossed(x) if x.longer is None else x.place_of(x.longer))


def _ties(outcomes: Sequence[Outcome], put: Put) -> Iterator[Judge]:
    if any(outcome.truth == TIE for outcome in outcomes):
        yield saying(put, lambda _: TIE)


COIN = Control("coin", "tosses a coin", _coins, mean=True)
PLACE = Control("place", "always chooses the same position or letter", _places)
SAME = replace(PLACE, about="always gives the same answer")  # of options that have no places
LONGER = Control("longer", "always chooses the longer answer", _longer)
TIED = Control("tie", "calls every item a tie", _ties)
OF_CHOICES = (COIN, PLACE, LONGER, TIED)


def _as_shown(outcomes: Sequence[Outcome], put: Put) -> Iterator[Judge]:
    if all(isinstance(outcome.truth, str) for outcome in outcomes):
        yield saying(put, lambda x: "".join(sorted(x.truth)))


#: Of rankings, which are the labels in order, the best first.
AS_SHOWN = Control("as_shown", "ranks answers in the order shown", _as_shown)


def constant(scale: tuple[float, float] | None) -> Control:
    """Return the control that gives every item the same rating: the rating that scores best.

    The medians of the truths are nearest to them on average, the commonest is right most often.

    Args:
        scale: the lowest and the highest rating, which are tried where nothing is true.
    """

    def judges(outcomes: Sequence[Outcome], put: Put) -> Iterator[Judge]:
        truths = [float(x.truth) for x in outcomes if isinstance(x.truth, (int, float))]
        values = {median_low(truths), median_high(truths), mode(truths)} if truths else scale or ()
        yield from (partial(_rated, put=put, value=value) for value in sorted(values))

    return Control("constant", "rates every item the same", judges, correlates=False)


def _rated(outcome: Outcome, put: Put, value: float) -> Outcome:
    return put([outcome], value)


def of_kind(kind: str, scale: tuple[float, float] | None) -> tuple[Control, ...]:
    """Return the controls for benchmarks whose outcomes are of one `kind`, such as ratings."""
    return {"chosen": OF_CHOICES, "rated": (constant(scale),)}.get(kind, ())
