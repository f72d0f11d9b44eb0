"""Grammars for replies to Multi-Crit."""
