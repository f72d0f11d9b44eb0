"""Multimodal RewardBench 2: pairs of generated images, edits, interleaved answers and reasoning."""
