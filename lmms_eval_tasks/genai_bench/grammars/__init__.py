"""Grammars for replies to GenAI-Bench."""
