"""How replies of OmniRewardBench are read."""
