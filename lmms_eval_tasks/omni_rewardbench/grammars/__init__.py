"""Grammars for replies to OmniRewardBench."""
