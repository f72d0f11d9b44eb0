"""How replies of MM-RLHF-RewardBench are read."""
