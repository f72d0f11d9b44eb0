"""MM-RLHF-RewardBench: pairs of answers to 46 questions, of which people prefer one."""
