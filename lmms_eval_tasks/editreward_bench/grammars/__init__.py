"""Grammars that read judges' replies in EditReward-Bench."""
