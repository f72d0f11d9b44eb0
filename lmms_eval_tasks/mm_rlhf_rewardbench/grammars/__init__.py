"""Grammars for replies to MM-RLHF-RewardBench."""
