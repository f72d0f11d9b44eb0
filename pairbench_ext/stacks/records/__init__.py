"""Anyone's recorded judgments: from files to logged samples of the benchmark `judgments`.

tables     which files belong together, whose they are, and their rows
nested     rows without nesting, one for each judgment
cells      names of columns (`names.toml`); what a cell says: which of two, a number, a ranking, ...
columns    what is known of columns: roles, kind; tests on the values of some rows
roles      the roles of columns that names and tests tell
guess      what judges and people said, or the question to ask
people     people's labels in files of their own
converter  samples of rows, as the roles say
judgments  all of it: from files to files; our own runs in other tools' forms need no guess
"""
