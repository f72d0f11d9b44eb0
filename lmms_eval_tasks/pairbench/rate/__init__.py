"""A study with people: they score pairs on a local page, and what they score is on disk at once.

`questions` says what is asked, `study` which pairs in which order, `ratings` how scores are read,
`session` what is shown and recorded of them; `lmms_eval_tasks.people` does the rest.
"""
