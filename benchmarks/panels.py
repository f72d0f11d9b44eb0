"""What panels of simulated judges show, and how often equal ones are called different.

    python -m benchmarks.panels [--families 600] [--seed 0]

Judges answer questions with two options, independently of each other. Equal judges are coins: their
votes together are coins, too, so that every call is wrong. Written to be run once, not with the
tests: they have a smaller version with other seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.panel import effective_votes
from pairbench_ext.statistics.sign_flip import sign_flip_test
from pairbench_ext.statistics.voting import NONE, fitted_votes, folds_of

BoolArray = npt.NDArray[np.bool_]


def judges(rates: Sequence[float], n: int, rng: np.random.Generator) -> BoolArray:
    """Shape (judges, n): which questions each judge has right."""
    return np.asarray(rng.random((len(rates), n)) < np.array(rates)[:, None])


def weighted(right: BoolArray, folds: npt.NDArray[np.int64], *, earlier: bool) -> BoolArray:
    """Shape (n,): which questions the weighted vote has right; ties fall at random."""
    # The right option is 1: votes are weighed alike, whatever it is called.
    decided, _ = fitted_votes(
        right.astype(np.int64), right.astype(np.float64), folds, 0.5, earlier=earlier
    )
    coins = np.random.default_rng(int(right.sum())).integers(0, 2, len(decided))
    return np.asarray(np.where(decided == NONE, coins, decided) == 1)


def p_values(one: BoolArray, others: BoolArray) -> list[float]:
    """Of the sign test of one judge with each of the others."""
    return [sign_flip_test(one.astype(float) - other).p for other in others]


def main(
    families: Annotated[int, typer.Option(help="Simulated families of equal judges.")] = 600,
    seed: int = 0,
) -> None:
    """Effective votes, false calls, and how far the best one in hindsight is flattered."""
    rng = np.random.default_rng(seed)
    for n_judges in (2, 3, 5, 9):
        right = judges([0.8] * n_judges, 20_000, rng)
        print(f"{n_judges} independent judges: {effective_votes(~right).votes:.2f} effective votes")
    same = np.repeat(judges([0.8], 2000, rng), 5, axis=0)
    print(f"5 copies of one judge: {effective_votes(~same).votes:.2f}")
    for n_judges, n in ((3, 60), (5, 60), (5, 300), (8, 60)):
        folds = folds_of(range(n))
        families_of = [judges([0.5] * n_judges, n, rng) for _ in range(families)]
        shares = []
        for ways in ((False,), (True,), (False, True)):
            p = [
                np.max([p_values(weighted(r, folds, earlier=way), r) for way in ways], axis=0)
                for r in families_of
            ]
            shares.append(np.mean([min(holm(list(own))) <= 0.05 for own in p]))
        best = np.mean([right.mean(axis=1).max() for right in families_of])
        print(
            f"{n_judges} coins, {n} questions: called unlike their weighted vote, weights cross-"
            f"fitted {shares[0]:.3f}, of earlier folds {shares[1]:.3f}, both {shares[2]:.3f}; "
            f"accuracy of the best in hindsight {best:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
