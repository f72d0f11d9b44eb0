"""People answer the questions (Appendix B.4): on a local page, and then as models do in a log.

`questions` says what is asked, `study` which questions in which order, `answers` how answers are
kept and read, `session` what is shown and recorded; `logs` makes a model's log of them.
"""
