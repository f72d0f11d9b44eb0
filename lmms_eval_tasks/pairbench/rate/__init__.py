"""A study with people: they score pairs on a local page, and every score is on disk at once.

`pairs` has what is asked, `study` the pairs that are drawn and their order, `ratings` the scores'
file, `agreement` the numbers, `truth` the ground truth that follows; `lmms_eval_tasks.people` has
the page.
"""
