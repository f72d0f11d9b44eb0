"""What benchmarks of pairs share; a new one reads its rows and says what is shown.

Of two answers one is right, as in VL-RewardBench:

- `trials`: rows become a `Pair`; `PreferenceTrials` shows it in drawn orders, in both, or in one.
- `votes`: outcomes are `VOTE`, `votes_by` reads replies, a `Grouping` says which groups there
  are; `votes(table)` has them as arrays, for numbers of a benchmark's own.
- `numbers`: `numbers(grouping)`, `breakdowns(grouping)`, `remarks`, `pools()`, `K_OPTION`.

People may call both equal, as in MLLM-as-a-Judge:

- `ties`: the numbers `TIES` and `CONSISTENCY`, outcomes `TIED`, `OrderedItems`, which are shown in
  both orders; of pairs of images, rows become a `TiedPair` and trials are `TiedPairs`.

Beside these: `accuracy` (the statistics), `prompts` (Table 18), `lengths` (of answers).
"""
