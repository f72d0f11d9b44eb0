"""Multimodal RewardBench: about 5,000 pairs of a better and a worse answer, in six areas."""
