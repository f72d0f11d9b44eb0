"""Anyone's recorded judgments: from files to logged samples of the benchmark `judgments`.

tables     the rows of a file, nested values under dotted names, one row for each judgment
cells      what a cell says: which of two, yes or no, a number, a letter, a ranking
columns    what is known of columns: roles, kind; a table of names
sample     tests on the values of some rows
roles      the roles of columns that names and tests tell
guess      what judges and people said, or the question to ask
sources    which files belong together, and whose they are
judgments  from rows to logged samples
"""
