"""From files of a run to findings: scores, comparisons, panels, people, cards."""
