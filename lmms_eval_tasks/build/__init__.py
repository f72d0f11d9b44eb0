"""Shared code of the commands that build data sets from pictures."""
