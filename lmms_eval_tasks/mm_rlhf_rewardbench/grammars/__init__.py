"""Grammars that read judges' replies in MM-RLHF-RewardBench."""
