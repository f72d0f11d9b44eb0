"""How replies of Multimodal RewardBench 2 are read."""
