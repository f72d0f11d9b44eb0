"""Multimodal RewardBench 2: pairs of images, edits, or answers of text and images."""
