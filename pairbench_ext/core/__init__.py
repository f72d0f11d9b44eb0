"""What a benchmark is: its declaration, tasks, plans, trials, requests, outcomes and numbers.

Other rooms use:

    benchmark                      all that a declaration needs
    registry, tasks                which benchmarks are installed; tasks and groups
    items, trials, limit_items     rows as items, plans and trials, a part of the items
    sources, media, contents       where rows are; images, decoded when shown; digests of them
    requests, visual.aligned, visual.concat    what a model is shown
    readers, outcomes, table, answers    from a reply to an outcome; the table; judges and people
    distributions, rewards         distributions beside replies; numbers in the place of replies
    numbers, orders                how a number is declared; who wins in both orders
    view                           how the report shows samples
    records, fields, left_out      rows, validated; rows that cannot be used, counted
    files, outputs, locks, user_cache, extras, threads    files, packages, processes
    characters, plurals, decimals  texts
"""
