"""The grammar of scores out of 100."""
