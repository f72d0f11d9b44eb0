"""Turn recorded judgments, from files or tables, into samples of the benchmark `judgments`.

tables     which files belong together, whose they are, and their rows
tools      files of known tools, a module each
nested     rows without nesting, one for each judgment
cells      names of columns (`names.toml`); what a cell says: which of two, a number, a ranking, ...
columns    which column is what: the roles, as people write them
factors    names of columns, parsed once
profile    columns as their values have them
evidence   roles by a table of names and of tests on the values
values     who said what: replies, values of judges, people's labels
kinds      the kind of judgment, by a table
raters     several columns of values: raters, criteria, orders, repeats
places     place or option, tested on the data
key        which columns name the item
readings   whole readings, and the question where several fit
facts      what is known of a row's item
converter  rows in long form, and their samples
people     people's labels in files of their own
judgments  all of it
"""
