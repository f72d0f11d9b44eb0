"""What runs say for the card of a judge: which aspect, tested against what.

`model` has `Evidence`, what a benchmark declares, and `Finding`, what it says of one run. `choices`
are answers that name one of several options (eyes, order, length, repeats), `ratings` those of
pairs in two orders and under two conditions, `replies` says whether replies can be read,
`intervals` tests numbers by their own interval.
"""
