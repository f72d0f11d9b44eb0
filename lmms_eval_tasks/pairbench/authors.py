"""PairBench's metrics, computed as in the authors' notebook.

Its rules, where they depart from the paper:

- Ratings are taken as they come: 0, 11 and 85 are numbers like any other, and an unusable answer is
  -1 in RelaxSym and Smoothness too. So two unusable answers are symmetric.
- RelaxSym divides by the number of trials asked in either order; one asked in one order only is not
  symmetric, and it is 0 for an empty table. Whether the backend could show the order is not asked.
- Smoothness is in bits, over all ratings, and raises if one is -1.
- Controllability is 0 if an MMScore is 0 or undefined, is computed for two negative MMScores, and
  raises if their signs differ.
- The headline MMScore is Kendall's tau-b of the pooled ratings, not the mean of two conditions.
- Smoothness pools the conditions, too.

Where the notebook raises, the number is NaN here. A value of None is the notebook's -1.
"""

import math
from itertools import pairwise

import numpy as np

from lmms_eval_tasks.pairbench.ratings import Condition, answers, under
from lmms_eval_tasks.pairbench.statistic import Statistic, definition, entropy
from pairbench_ext.core.benchmark import OutcomeTable


def mmscore(
    table: OutcomeTable, condition: Condition | None = None, statistic: str = Statistic.KENDALL
) -> float:
    """Return Kendall's tau-b of ratings and truth, for one condition or all; NaN if undefined.

    Another statistic takes its place as in `metrics`; the notebook has none.
    """
    part = table if condition is None else under(table, condition)
    return definition(statistic).of(answers(part), part.column("truth"))


def relaxsym(table: OutcomeTable, eps: float = 1.0) -> float:
    """Return the share of trials whose ratings in both orders differ by at most eps; 0 if empty.

    The notebook draws one template per pair; a trial here is told apart by its template too.
    """
    trials = [row.item_and_variant for row in table]
    if not trials:
        return 0.0
    both = np.array([trial == after for trial, after in pairwise(trials)], dtype=np.bool_)
    with np.errstate(over="ignore"):  # two absurd answers of different signs
        symmetric = both & (np.abs(np.diff(answers(table))) <= eps)
    return float(symmetric.sum() / len(set(trials)))


def smoothness(table: OutcomeTable) -> float:
    """Return the entropy of the distribution of all ratings, in bits.

    NaN for an empty table, and where the notebook raises: with a negative rating (an unusable
    answer) or a fractional one.
    """
    given = answers(table)
    if np.any((given < 0) | (given != np.floor(given))):
        return math.nan
    _, counts = np.unique(given, return_counts=True)
    return entropy(counts, base=2)


def controllability(sens: float, inv: float) -> float:
    """Return 1 - |difference| / geometric mean of the two conditions' MMScores.

    0 where their product is 0 or NaN; NaN where the notebook raises, for different signs.
    """
    product = sens * inv
    if product < 0:
        return math.nan
    return 1 - abs(inv - sens) / math.sqrt(product) if product > 0 else 0.0
