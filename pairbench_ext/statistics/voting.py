r"""Votes of several judges put together: majority, weighted vote, and folds to fit weights in.

If judges err independently and the options are equally likely, the best decision weighs each vote
by the log-odds of the judge's accuracy p over chance c (1 / number of options):

    w = max(0, log(p / (1 - p)) - log(c / (1 - c)))

Nitzan and Paroush, "Optimal Decision Rules in Uncertain Dichotomous Choice Situations",
International Economic Review 23 (1982); Shapley and Grofman, "Optimizing Group Judgmental
Accuracy in the Presence of Interdependencies", Public Choice 43 (1984). A judge no better than
chance is not heard; whether that was luck is not known, so it does not vote for the opposite.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.seeds import stable_hash

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

FOLDS = 10
NONE = -1  # no usable vote, no decision
_ROUNDING = 1e-9


def vote(choices: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> IntArray:
    """What has the most votes for it, question by question.

    Args:
        choices: shape (judges, questions); numbers of options from 0, -1 for no usable vote.
        weights: shape (judges,) or (judges, questions), not negative; None for one vote each.
            Where nobody with a weight has a vote, all votes count alike.

    Returns:
        Shape (questions,): an option; -1 for a tie, or where no judge has a usable vote.

    Raises:
        ValueError: if a weight is negative.

    >>> vote([[0, 1, 0], [0, 1, 1], [1, -1, -1]]).tolist()
    [0, 1, -1]
    >>> vote([[0], [1], [1]], [3, 1, 1]).tolist()
    [0]
    """
    said = np.asarray(choices, dtype=np.int64)
    given = np.ones(len(said)) if weights is None else np.asarray(weights, dtype=np.float64)
    if np.any(given < 0):
        raise ValueError("weights must not be negative")
    each = np.broadcast_to(given if given.ndim == 2 else given[:, None], said.shape)
    each = np.where(said == NONE, 0.0, each)
    unheard = each.sum(axis=0) <= 0
    each = np.where(unheard & (said != NONE), 1.0, each)
    counts = np.zeros((int(said.max(initial=0)) + 1, said.shape[1]))
    for option, votes in enumerate(counts):
        votes += np.where(said == option, each, 0).sum(axis=0)
    best = counts.max(axis=0)
    ahead = (counts >= best * (1 - _ROUNDING)).sum(axis=0)
    return np.where((best > 0) & (ahead == 1), counts.argmax(axis=0), NONE)


def log_odds_weights(right: npt.ArrayLike, n: npt.ArrayLike, chance: float) -> FloatArray:
    """The weights of judges that were right so many times of n.

    p is (right + 1/2) / (n + 1), so that no weight is infinite.

    Args:
        right: shape (judges,).
        n: shape (judges,).
        chance: the accuracy of guesses, between 0 and 1.

    Returns:
        Shape (judges,), not negative; without any answer, 0.

    Raises:
        ValueError: if chance is not between 0 and 1.

    >>> log_odds_weights([75, 50, 20], [100, 100, 100], 0.5).round(2).tolist()
    [1.09, 0.0, 0.0]
    """
    if not 0 < chance < 1:
        raise ValueError(f"chance must be between 0 and 1, got {chance}")
    hits, total = np.asarray(right, dtype=np.float64), np.asarray(n, dtype=np.float64)
    odds = np.log((hits + 0.5) / (total - hits + 0.5)) - np.log(chance / (1 - chance))
    return np.where(total > 0, np.maximum(odds, 0.0), 0.0)


def cross_fitted_votes(
    choices: npt.ArrayLike,
    right: npt.ArrayLike,
    folds: npt.ArrayLike,
    chance: float,
) -> tuple[IntArray, FloatArray]:
    """A weighted vote in which no question is decided with weights that it helped to fit.

    Args:
        choices: shape (judges, questions), as in `vote`.
        right: shape (judges, questions); 1 or 0, NaN where there is no truth or no usable vote.
        folds: shape (questions,); weights for a fold are fitted in all others.
        chance: the accuracy of guesses.

    Returns:
        The decisions, shape (questions,), and the weights, shape (folds, judges).
    """
    said, hits = np.asarray(choices, dtype=np.int64), np.asarray(right, dtype=np.float64)
    numbers = np.asarray(folds)
    decided = np.full(said.shape[1], NONE)
    fitted = []
    for fold in np.unique(numbers):
        inside = numbers == fold
        known = hits[:, ~inside]
        count = (~np.isnan(known)).sum(axis=1)
        weights = log_odds_weights(np.nansum(known, axis=1), count, chance)
        decided[inside] = vote(said[:, inside], weights)
        fitted.append(weights)
    return decided, np.array(fitted)


def folds_of(clusters: Sequence[Hashable], n_folds: int = FOLDS) -> IntArray:
    """Which fold each question is in: clusters are whole, folds as even as can be.

    It depends on the names of the clusters alone, not on their order.

    Args:
        clusters: of each question.
        n_folds: how many folds; fewer where there are fewer clusters.

    >>> sorted(folds_of(["a", "b", "a", "c"], 2).tolist())[0]
    0
    """
    names = sorted(set(clusters), key=lambda name: (stable_hash(0, "fold", repr(name)), repr(name)))
    place = {name: number % min(n_folds, len(names)) for number, name in enumerate(names)}
    return np.array([place[name] for name in clusters], dtype=np.int64)
