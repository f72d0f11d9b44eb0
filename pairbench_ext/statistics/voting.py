r"""Combine the votes of several judges: by majority, or with weights fitted by cross-fitting.

If judges err independently and the options are equally likely, the best decision weighs each vote
by the log-odds of the judge's accuracy p over chance c (1 / number of options):

    w = max(0, log(p / (1 - p)) - log(c / (1 - c)))

Nitzan and Paroush, "Optimal Decision Rules in Uncertain Dichotomous Choice Situations",
International Economic Review 23 (1982); Shapley and Grofman, "Optimizing Group Judgmental
Accuracy in the Presence of Interdependencies", Public Choice 43 (1984). A judge no better than
chance has no vote; as that may be bad luck, it does not vote for the opposite.

Accuracies that few answers cannot tell apart must not weigh differently: log-odds l_j with the
variance v_j are drawn to their mean m by tau^2 / (tau^2 + v_j), for the variance tau^2 between
judges. DerSimonian and Laird, "Meta-Analysis in Clinical Trials", Controlled Clinical Trials 7
(1986); Morris, "Parametric Empirical Bayes Inference", JASA 78 (1983).
"""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.seeds import stable_hash

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

FOLDS = 10
NONE = -1  # no usable vote, no decision
_ROUNDING = 1e-9
_TIE_BREAK = 1e-6


def vote(
    choices: npt.ArrayLike, weights: npt.ArrayLike | None = None, coins: FloatArray | None = None
) -> IntArray:
    """Return for each question the option that gets the most votes of the judges.

    Args:
        choices: shape (judges, questions); numbers of options from 0, -1 for no usable vote.
        weights: shape (judges,) or (judges, questions), not negative; None for one vote each.
            Where nobody with a weight has a vote, all votes count alike.
        coins: shape (questions,), in [0, 1): which of the options of a tie; None leaves ties
            undecided.

    Returns:
        Shape (questions,): an option; -1 where no judge has a usable vote, and for a tie without
        a coin.

    >>> vote([[0, 1, 0], [0, 1, 1], [1, -1, -1]]).tolist()
    [0, 1, -1]
    >>> vote([[0], [1], [1]], [3, 1, 1]).tolist()
    [0]
    >>> vote([[0, 0], [2, 2]], coins=np.array([0.4, 0.6])).tolist()
    [0, 2]
    """
    votes_cast = np.asarray(choices, dtype=np.int64)
    given = np.ones(len(votes_cast)) if weights is None else np.asarray(weights, dtype=np.float64)
    weight = np.broadcast_to(given if given.ndim == 2 else given[:, None], votes_cast.shape)
    weight = np.where(votes_cast == NONE, 0.0, weight)
    unheard = weight.sum(axis=0) <= 0
    weight = np.where(unheard & (votes_cast != NONE), 1.0, weight)
    counts = np.zeros((int(votes_cast.max(initial=0)) + 1, votes_cast.shape[1]))
    for option, votes in enumerate(counts):
        votes += np.where(votes_cast == option, weight, 0).sum(axis=0)
    best = counts.max(axis=0)
    ahead = counts >= best * (1 - _ROUNDING)
    decided = best > 0
    if coins is None:
        decided &= ahead.sum(axis=0) == 1
    else:
        ahead &= ahead.cumsum(axis=0) == 1 + np.floor(coins * ahead.sum(axis=0))
    return np.where(decided, ahead.argmax(axis=0), NONE)


def log_odds_weights(
    right: npt.ArrayLike, n: npt.ArrayLike, chance: float, repeats: float = 1
) -> FloatArray:
    """Return each judge's weight in a vote, computed from how often the judge is right.

    p is (right + 1/2) / (n + 1), so that no weight is infinite. What judges of equal weight leave
    tied is decided by the accuracies that were seen.

    Args:
        right: shape (judges,).
        n: shape (judges,).
        chance: the accuracy of guesses, between 0 and 1.
        repeats: how many answers there are to what is one item: they count as one, so that the
            variance is not understated.

    Returns:
        Shape (judges,), not negative; 0 for a judge without any answer.

    >>> log_odds_weights([750, 500, 200], [1000, 1000, 1000], 0.5).round(2).tolist()
    [1.09, 0.0, 0.0]
    >>> log_odds_weights([16, 15], [20, 20], 0.5).round(2).tolist()  # as good as each other
    [1.16, 1.16]
    """
    hits, total = np.asarray(right, dtype=np.float64), np.asarray(n, dtype=np.float64)
    asked = total > 0
    hits, misses = hits[asked] + 0.5, (total - hits)[asked] + 0.5
    odds, guess = np.log(hits / misses), np.log(chance / (1 - chance))
    shrunk = _shrunk(odds, repeats * (1 / hits + 1 / misses))
    weights = np.zeros(len(total))
    weights[asked] = np.maximum(shrunk - guess, 0) + _TIE_BREAK * np.maximum(odds - guess, 0)
    return weights


def _shrunk(values: FloatArray, variances: FloatArray) -> FloatArray:
    """Estimates drawn to their mean by as much as their variances explain their differences."""
    if len(values) < 2:
        return values
    precisions = 1 / variances
    spread = float(precisions @ (values - precisions @ values / precisions.sum()) ** 2)
    scale = precisions.sum() - (precisions**2).sum() / precisions.sum()
    between = max(0.0, (spread - (len(values) - 1)) / scale)
    both = 1 / (variances + between)
    mean = both @ values / both.sum()
    return np.asarray(mean + between / (between + variances) * (values - mean))


def fitted_votes(
    choices: npt.ArrayLike,
    right: npt.ArrayLike,
    folds: npt.ArrayLike,
    chance: float,
    repeats: float = 1,
    *,
    coins: FloatArray | None = None,
    earlier: bool = False,
) -> tuple[IntArray, FloatArray]:
    """Return a weighted vote per question, with weights fitted on the other folds' questions.

    Args:
        choices: shape (judges, questions), as in `vote`.
        right: shape (judges, questions); 1 or 0, NaN where there is no truth or no usable vote.
        folds: shape (questions,); weights for a fold are fitted in all others (cross-fitting).
        chance: the accuracy of guesses.
        repeats: as in `log_odds_weights`.
        coins: as in `vote`.
        earlier: fit in the folds before alone, with equal weights in the first. In cross-fitting,
            a question has its say in the weights of others, and these in its own, so that the
            decisions are not independent and a test that takes them for that calls equal judges
            different too often. Here, what comes before is given: signs of differences are fair
            coins under the hypothesis, and the sign test is exact (Dawid, "Statistical Theory: The
            Prequential Approach", JRSS A 147, 1984).

    Returns:
        The decisions, shape (questions,), and the weights, shape (folds, judges).
    """
    votes_cast, hits = np.asarray(choices, dtype=np.int64), np.asarray(right, dtype=np.float64)
    numbers = np.asarray(folds)
    decided = np.full(votes_cast.shape[1], NONE)
    fitted = []
    for fold in np.unique(numbers):
        inside = numbers == fold
        fitted_on = hits[:, numbers < fold if earlier else ~inside]
        count = (~np.isnan(fitted_on)).sum(axis=1)
        weights = log_odds_weights(np.nansum(fitted_on, axis=1), count, chance, repeats)
        drawn = None if coins is None else coins[inside]
        decided[inside] = vote(votes_cast[:, inside], weights, drawn)
        fitted.append(weights)
    return decided, np.array(fitted)


def folds_of(clusters: Sequence[Hashable]) -> IntArray:
    """Assign questions to folds of nearly the same size, without splitting a cluster.

    It depends on the names of the clusters alone, not on their order.

    >>> len(set(folds_of(["a", "b", "a", "c"]).tolist()))
    3
    """
    names = sorted(set(clusters), key=lambda name: (stable_hash(0, "fold", repr(name)), repr(name)))
    place = {name: number % FOLDS for number, name in enumerate(names)}
    return np.array([place[name] for name in clusters], dtype=np.int64)
