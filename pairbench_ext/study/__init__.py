"""Do two benchmarks order models alike? Scores of models from several sources, and how they agree.

`table` reads a table of the user's, `sources` adds what papers print and numbers of runs; all of it
is one `Scores`, by the models' names. `pairs` correlates every two columns, `printed` finds what
papers print of these.
"""
