"""Make a judge's card from logged samples: tests that show whether the judge can be trusted.

Benchmarks declare evidence as `Benchmark.card`; by default, that of their answers is used. Verdicts
are tests. All nulls whose rejection raises a flag are tested together (Holm), so that a judge
without any problem has a card without flags with a probability of 99% or more, however many tasks
it did.
"""
