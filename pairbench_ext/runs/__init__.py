"""From files of a run to findings: which file is of which run, scores, comparisons, panels, cards."""
