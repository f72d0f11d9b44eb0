"""Anyone's recorded judgments: from files to logged samples of the benchmark `judgments`.

tables     the rows of a file, nested values under dotted names, one row for each judgment
cells      what a cell says: which of two, yes or no, a number, a letter, a ranking
columns    which column is what, by names and values
judgments  from rows to logged samples
"""
