"""Grammars for replies to Multimodal RewardBench 2."""
