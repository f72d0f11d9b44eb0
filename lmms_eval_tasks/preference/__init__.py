"""Code shared by all benchmarks in which a judge compares two responses.

For pairs of which one answer is right, as in VL-RewardBench:

- `trials`: rows become a `Pair`; `PreferenceTrials` shows it in drawn orders, in both, or in one.
- `votes`: outcomes are `VOTE`, `votes_by` reads replies, a `Grouping` names the groups of items;
  `votes(table)` is the table of votes from which a benchmark computes numbers of its own.
- `numbers`: `numbers(grouping)`, `breakdowns(grouping)`, `remarks`, `pools()`, `K_OPTION`.

For pairs that people may call equal, as in MLLM-as-a-Judge:

- `ties`: the numbers `TIES` and `CONSISTENCY`, outcomes `TIED`, and `OrderedItems`, which are shown
  in both orders; for pairs of images, rows become a `TiedPair` and trials are `TiedPairs`.

Beside these: `accuracy` (the statistics), `prompts` (Table 18), `lengths` (of answers).
"""
