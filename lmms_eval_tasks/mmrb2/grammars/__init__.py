"""Grammars that read judges' replies in Multimodal RewardBench 2."""
