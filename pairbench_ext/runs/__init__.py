"""From files of a run to findings: scores, comparisons, panels, people, cards.

Other rooms use:

    files, samples, completeness    which file is of which run, and how much of a task it holds
    scoring, groups                 the numbers of runs, and means over tasks
    compare, ranking_table, gate    judges beside each other
    panel, people, correct          judges together, beside people, corrected by people's labels
    people_labels                   people's labels of items, from files
    card.choices, card.ratings, card.model, card.lines    can a judge be trusted?
    published, placing, paper_table    published tables, a run among them, a table for a paper
    workload, detectable            what a run will ask, and what it can show
"""
