"""People answer the questions on a local page (Appendix B.4); their answers become sample logs.

`study` chooses the questions and their order, `answers` makes logs of the answers.
"""
