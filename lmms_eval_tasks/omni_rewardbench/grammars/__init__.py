"""Grammars that read judges' replies in OmniRewardBench."""
