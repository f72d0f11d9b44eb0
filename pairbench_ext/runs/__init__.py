"""Compute findings from judges' logs: scores, comparisons, panels, agreement with people, tests.

Other rooms use:

    files, samples, completeness    which file is of which run, and how much of a task it holds
    scoring, groups                 the numbers of runs, and means over tasks
    side_by_side                    several judges on one task, their answers matched by question
    compare, comparisons, gate, drift    judges beside each other
    panel, people, correct    judges together, beside people, corrected by labels
    distributions                   distributions over answers beside the words
    score_finding, compare_finding, card_finding, drift_finding    what commands print
    people_finding, panel_finding, plan_finding, labels_finding    likewise
    check, how_read                 how replies were read, and what people confirmed of it
    order                           the best judge first
    task_outcomes                   one judge's outcomes of a task
    trust, promised, trusted_items, promise_checks    which verdicts can be used without a person
    people_labels, label_rows, label_draws, label_checks    people's labels: what they mean, of what
    card.choices, card.ratings, card.model    can a judge be trusted?
    published, paper_table          published tables, a table for a paper
    correlations                    scores of the same models, yours and published ones
    plan                            what a run will ask, and what it can show
"""
