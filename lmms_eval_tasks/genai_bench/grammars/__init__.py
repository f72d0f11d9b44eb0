"""Grammars that read judges' replies in GenAI-Bench."""
