"""Grammars for replies to EditReward-Bench."""
