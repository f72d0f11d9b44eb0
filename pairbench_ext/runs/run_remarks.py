"""What readings say besides numbers: what failed, what was left out, what was asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pairbench_ext.core.benchmark import Benchmark, Reading
from pairbench_ext.core.left_out import named
from pairbench_ext.core.plurals import counted, plural


def count_failed(readings: Iterable[Reading]) -> int:
    """How many requests failed."""
    return sum(reading.failed for reading in readings)


def has_outcomes(readings: Iterable[Reading]) -> bool:
    """Whether there is anything to compute numbers from.

    Not where a rank could not build its task: its part of the samples is missing.
    """
    given = list(readings)
    return all(one.built for one in given) and any(one.outcomes for one in given)


def left_out_of(readings: Iterable[Reading]) -> tuple[str, ...]:
    """What could not be asked about: each reason once, however many trials it has cost."""
    return tuple(dict.fromkeys(reason for one in readings for reason in one.left_out))


def failed_remarks(benchmark: Benchmark, readings: Iterable[Reading]) -> list[str]:
    """What failed requests count as; nothing if there are none."""
    failed = count_failed(readings)
    if not failed:
        return []
    counts = plural("it counts", failed)
    return [f"{counted(failed, 'request')} failed; {counts} as {benchmark.counts_as}"]


def unread_remarks(coverage: float, readings: Iterable[Reading]) -> list[str]:
    """That no reply could be read, and mostly why; nothing if one could.

    Args:
        coverage: the share of the replies that could; NaN where there is none.
        readings: what the samples say.
    """
    reasons = Counter(why for reading in readings for why in reading.unusable)
    if coverage != 0 or not reasons:
        return []
    [(why, count)] = reasons.most_common(1)
    return [
        f"no reply could be read ({why}: {count:,} of {reasons.total():,}): the other numbers say "
        "nothing; can this judge do this task?"
    ]


def left_out_remarks(readings: Sequence[Reading]) -> list[str]:
    """What was left out, and the first reasons; nothing if all was asked."""
    broken = left_out_of(reading for reading in readings if not reading.built)
    if broken:
        return [f"it could not be asked, its numbers are undefined (nan): {named(broken)}"]
    reasons = left_out_of(readings)
    if not reasons:
        return []
    none = "" if has_outcomes(readings) else "; nothing is left, its numbers are undefined (nan)"
    return [f"{len(reasons)} left out of the data, and of the numbers: {named(reasons)}{none}"]
