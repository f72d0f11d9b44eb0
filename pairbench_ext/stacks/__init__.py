"""Run our tasks without lmms-eval: in plain Python, batch APIs, VLMEvalKit or inspect.

Other rooms use:

    plain, plain.tasks, plain.batches    tasks that any function, or a batch API, answers
    records.columns, records.judgments, records.converter    recorded judgments as logged samples
    records.labels, records.memory    people's labels in files and tables of any form
    leaderboards              results as the records of leaderboards
"""
