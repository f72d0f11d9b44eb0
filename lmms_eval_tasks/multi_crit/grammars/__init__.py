"""Grammars that read judges' replies in Multi-Crit."""
