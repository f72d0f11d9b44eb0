"""Pure functions from values to numbers; NaN where a number is undefined, never a warning.

Rank correlation, agreement, ranking, shares, means, and intervals by bootstrap. What
they are computed from, and what the numbers mean, is the benchmarks' own.
"""
