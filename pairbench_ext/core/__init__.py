"""The parts of a benchmark: its declaration, tasks, requests to the model, outcomes, metrics.

Other rooms use:

    benchmark                      all that a declaration needs; tasks, answers, the report's view
    registry                       which benchmarks are installed
    items, trials, limit_items     rows as items, plans and trials, a part of the items
    sources, media, contents       rows, and which are left out; images; digests of them
    requests, visual               what a model is shown
    readers, outcomes, table       from a reply, or a reward, to an outcome; the table
    distributions, probabilities   distributions over answers, from the tokens beside replies
    numbers                        how a number is declared, and follows from a table
    controls, stock                judges that do not do what is asked; logs of stock tasks
    foreign, foreign_tables        the gate for files and pictures of others: limits, decoding; CSV
    records                        rows, validated
    findings, findings_html        what was found, as sentences and tables; as markup
    progress                       what is under way, for whoever waits
    files, locks, user_cache, extras, threads    files, packages, processes
    texts                          counts, numbers and names as they are printed
"""
