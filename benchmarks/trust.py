"""How often promises of `pairbench trust` are broken, and how often one can be made.

    python -m benchmarks.trust [--repetitions 2000]
    python -m benchmarks.trust --judge RUN [--judge RUN ...] [--labels 200] [--repetitions 500]
    python -m benchmarks.trust --probabilities v2.csv.xz --probabilities v2_phi4.csv.xz ...

The first one simulates labelled verdicts, in clusters of three levels of confidence. Two cases for
each kind of clusters: the share that agrees with people is just below the promised 80% at every
level, so that any promise is broken; or it is 97%, 90% and 60%, and the first two levels can be
promised. The second one draws labels from what people say of all items of recorded judges, where
they decide; a promise is broken if the share of all trusted items is below it. The third one takes
recorded ratings from 1 to 5 with the log probability of each (`s2_lp1` ...), and says which tells
better whether a rating is people's: its probability, or how near other judges' ratings are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer
from scipy.stats import mannwhitneyu

from benchmarks.common import Line, markdown
from pairbench_ext.core.outcomes import TIE
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.people_labels import ItemLabels
from pairbench_ext.runs.promised import Trust
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.runs.trust import Items, promise
from pairbench_ext.runs.trusted_items import TrustedItem, trusted_items
from pairbench_ext.show.figures.panels import draw_trust
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.trust import promises

Array: TypeAlias = npt.NDArray[Any]
Shares: TypeAlias = tuple[float, float, float]
AGREE, DELTA, SHOWN = 0.8, 0.1, 0.75
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


def simulated(
    rng: np.random.Generator, levels: Array, cluster: Array, correlation: float, shares: Shares
) -> int | None:
    """The level that is promised, where these shares of the levels' items agree."""
    agrees = agreement(rng, np.array(shares)[levels], cluster, correlation)
    made = promises(levels, agrees, cluster, agree=AGREE, delta=DELTA, bounds=False)
    return max((place for place, level in enumerate(made) if level.promised), default=None)


def cases(repetitions: int) -> Iterator[Line]:
    """By kind of clusters: promises broken, promises made, and the share of items kept."""
    kinds = [("single", 0.0), *product(("equal", "unequal"), (0.0, 0.3, 0.9, 1.0))]
    for clusters, (kind, correlation) in product((15, 60, 200), kinds):
        rng = generator(0, "trust", kind, clusters, int(10 * correlation))
        broken, made, kept = 0, 0, 0.0
        for _ in range(repetitions):
            cluster = np.repeat(np.arange(clusters), sizes(rng, kind, clusters))
            levels = rng.choice(3, len(cluster), p=(0.5, 0.3, 0.2))
            below = simulated(rng, levels, cluster, correlation, JUST_BELOW)
            mixed = simulated(rng, levels, cluster, correlation, MIXED)
            broken += below is not None
            made += mixed is not None
            kept += 0 if mixed is None else (levels <= mixed).mean()
        yield {
            "labelled verdicts": f"{clusters} clusters, {kind}, correlation {correlation:g}",
            "broken (goal: <= 10%)": f"{broken / repetitions:.1%}",
            "promised": f"{made / repetitions:.0%}",
            "items kept": f"{kept / repetitions:.0%}",
        }


def splits(
    runs: list[Path], labels: int, repetitions: int, plot: Path | None = None
) -> Iterator[Line]:
    """Recorded judges, for each task and share to promise.

    Args:
        runs: of the judges.
        labels: that are drawn.
        repetitions: how often.
        plot: file for a figure of what the first draw of each task promises of 75%.
    """
    shown: list[Trust] = []
    for side in side_by_side(read_judges(judge_runs(runs))):

        def people(outcome: Any) -> ItemLabels:
            return ItemLabels({} if outcome.truth in (None, TIE) else {"truth": outcome.truth})

        items = [
            item
            for item in trusted_items([*side.judges.values()], people)
            if not math.isnan(item.confidence + item.agreement)
        ]
        confidence, right = np.array([(item.confidence, item.agreement) for item in items]).T
        for agree in (0.6, 0.7, SHOWN, 0.8):
            rng = generator(0, "trust", side.name, int(100 * agree))
            kept: list[float] = []
            broken = refused = 0
            for repetition in range(repetitions):
                drawn = set(rng.permutation(len(items))[:labels].tolist())
                asked = tuple(x if n in drawn else _unasked(x) for n, x in enumerate(items))
                [made] = promise([Items(side.name, side.names, "", asked)], agree, DELTA)
                refused += made.refused  # labels that look as if they were not drawn
                if made.levels and agree == SHOWN and not repetition:
                    shown.append(made)
                if made.promised is not None:
                    trusted = confidence >= made.threshold
                    kept.append(trusted.mean())
                    broken += right[trusted].mean() < agree
            yield {
                "task (items)": f"{side.name} ({len(items)})",
                "judges": ", ".join(side.names),
                "promise": f"{agree:.0%}",
                "broken": f"{broken / repetitions:.1%}",
                "promised": f"{len(kept) / repetitions:.0%}",
                "then kept": f"{np.mean(kept) if kept else 0:.0%}",
                "refused": f"{refused / repetitions:.1%}",
            }
    if plot is not None:
        draw_trust(shown, plot)


def _unasked(item: TrustedItem) -> TrustedItem:
    return item._replace(question=item.question._replace(labels=ItemLabels({})), agreement=math.nan)


def of_probabilities(files: list[Path]) -> Iterator[Line]:
    """Recorded log probabilities: the area under the ROC curve of each."""
    read = [pd.read_csv(file).set_index("sample_id") for file in files]
    items = sorted(set.intersection(*(set(frame.index) for frame in read)))
    frames = [frame.loc[items] for frame in read]
    ratings = np.array([frame.parsed_score for frame in frames])
    others = ratings.min(axis=0) - ratings.max(axis=0)
    for file, frame, rating in zip(files, frames, ratings, strict=True):
        shares = np.exp(frame[[f"s2_lp{n}" for n in range(1, 6)]].fillna(-np.inf).to_numpy())
        probability = shares.max(axis=1) / shares.sum(axis=1)
        for within in (0, 1):
            right = np.abs(rating - frame.gt_score.to_numpy()) <= within
            own_area, others_area = (
                mannwhitneyu(of[right], of[~right]).statistic / right.sum() / (~right).sum()
                for of in (probability, others)
            )
            yield {
                "judge (ratings)": f"{file.name.split('.')[0]} ({len(items):,})",
                "within": str(within),
                "right": f"{right.mean():.2f}",
                "mean probability": f"{probability.mean():.2f}",
                "its AUC": f"{own_area:.2f}",
                "other judges' AUC": f"{others_area:.2f}",
            }


def main(
    judge: list[Path] | None = None,
    probabilities: list[Path] | None = None,
    labels: int = 200,
    repetitions: int = 2000,
    plot: Path | None = None,
) -> None:
    """Print how often promises are broken and made, as Markdown; or of recorded judges' runs.

    --labels of the items are drawn --repetitions times; --plot draws the first of each task.
    --probabilities takes CSV files of log probabilities, one for each judge.
    """
    if probabilities:
        lines = of_probabilities(probabilities)
    else:
        lines = splits(judge, labels, repetitions, plot) if judge else cases(repetitions)
    for line in markdown(lines):
        print(line, flush=True)


if __name__ == "__main__":
    typer.run(main)
