"""Multimodal RewardBench 2: pairs of images, of edited images, or of answers with images."""
