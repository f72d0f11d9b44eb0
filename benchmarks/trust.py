"""How often promises of `pairbench trust` are broken, and how often one can be made.

    python -m benchmarks.trust [--repetitions 2000]

Labelled verdicts come in clusters of three levels of confidence. Two cases for each kind of
clusters: the share that agrees with people is just below the promised 80% at every level, so that
any promise is broken; or it is 97%, 90% and 60%, and the first two levels can be promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import typer

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.trust import promised_level, promises

Array: TypeAlias = npt.NDArray[Any]
AGREE, DELTA = 0.8, 0.1
JUST_BELOW, MIXED = (0.799, 0.799, 0.799), (0.97, 0.9, 0.6)


def sizes(rng: np.random.Generator, kind: str, clusters: int) -> Array:
    """The number of items of each cluster."""
    if kind == "unequal":
        return rng.integers(1, 16, clusters)
    return np.full(clusters, {"single": 1, "equal": 8}[kind])


def agreement(rng: np.random.Generator, share: Array, cluster: Array, correlation: float) -> Array:
    """Whether each item agrees: correlated within its cluster; as one where that is 1."""
    shared = rng.random(cluster.max() + 1)[cluster]  # one draw for a whole cluster, or each its own
    alike = (rng.random(cluster.max() + 1) < np.sqrt(correlation))[cluster]
    alike &= rng.random(len(cluster)) < np.sqrt(correlation)
    return (np.where(alike, shared, rng.random(len(cluster))) < share).astype(float)


def cases(repetitions: int) -> Iterator[tuple[str, float, float, float]]:
    """By kind of clusters: promises broken, promises made, and the share of items kept."""
    for clusters in (15, 60, 200):
        for kind in ("single", "equal", "unequal"):
            for correlation in (0.0,) if kind == "single" else (0.0, 0.3, 0.9, 1.0):
                rng = generator(0, "trust", kind, clusters, int(10 * correlation))
                broken, made, kept = 0, 0, 0.0
                for _ in range(repetitions):
                    of = sizes(rng, kind, clusters)
                    cluster = np.repeat(np.arange(clusters), of)
                    levels = rng.choice(3, len(cluster), p=(0.5, 0.3, 0.2))
                    below, mixed = (
                        promised_level(
                            promises(
                                levels,
                                agreement(rng, np.array(shares)[levels], cluster, correlation),
                                cluster,
                                agree=AGREE,
                                delta=DELTA,
                            )
                        )
                        for shares in (JUST_BELOW, MIXED)
                    )
                    broken += below is not None
                    made += mixed is not None
                    kept += 0 if mixed is None else (levels <= mixed).mean()
                name = f"{clusters} clusters, {kind}, correlation {correlation:g}"
                yield name, broken / repetitions, made / repetitions, kept / repetitions


def main(
    repetitions: Annotated[int, typer.Option(help="Simulated sets of labels of each kind.")] = 2000,
) -> None:
    """Print how often promises are broken and made, as Markdown."""
    print("| labelled verdicts | broken (goal: <= 10%) | promised | items kept |")
    print("| --- | --- | --- | --- |")
    for name, broken, made, kept in cases(repetitions):
        print(f"| {name} | {broken:.1%} | {made:.0%} | {kept:.0%} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
