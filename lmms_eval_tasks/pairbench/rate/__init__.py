"""A study with people: they score pairs on a local page, and every score is on disk at once.

`pairs` has what is asked, `study` the pairs that are drawn and their order, `ratings` the scores'
file, `agreement` the numbers, `write_truth` the truth in a data set; `lmms_eval_tasks.people` has
the page.
"""
