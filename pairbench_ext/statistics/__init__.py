"""Pure functions that compute statistics; an undefined statistic is NaN, without a warning.

What they are computed from, and what the numbers mean, is the benchmarks' own. Other rooms use:

    correlation, kendall, ranking, relation    rank correlation, other statistics of two variables
    agreement, kappa, people, alternative_annotator    agreement of raters, judges with people
    means, shares, association, sign_flip    means, shares, and tests of replies against the truth
    bootstrap, intervals, clusters, combination    intervals by cluster, of one statistic or several
    difference, multiple, noise, power    two judges: interval, test, noise, items needed
    panel, voting              several judges together
    calibration                probabilities beside what was right
    corrected, estimate, label_checks    a judge corrected by labels, and what speaks against these
    trust, these_items         which verdicts can be promised to agree with people
    apportionment, seeds    parts of the items; randomness by seed and key
"""
