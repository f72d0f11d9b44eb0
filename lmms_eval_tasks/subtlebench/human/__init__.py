"""People answer the questions (Appendix B.4): on a local page, and then as models do in a log.

`study` says which questions are asked in which order, `answers` reads them and makes logs of them.
"""
