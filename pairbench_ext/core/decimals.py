"""Numbers as texts."""

from __future__ import annotations


def decimal(value: float, digits: int, sign: str = "") -> str:
    """A number with so many digits after the point; what rounds to 0 is not negative.

    Args:
        value: the number.
        digits: after the point.
        sign: "+" to show that of positive numbers, too.

    >>> decimal(-0.001, 2), decimal(-0.001, 2, "+"), decimal(-0.5, 3), decimal(12, 0)
    ('0.00', '+0.00', '-0.500', '12')
    """
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"
