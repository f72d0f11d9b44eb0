"""MM-RLHF-RewardBench: pairs of answers to 46 questions; people prefer one of each pair."""
