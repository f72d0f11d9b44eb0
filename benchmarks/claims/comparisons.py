"""Claims of two judges, or models, that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
from lmms_eval.api.metrics import paired_ttest
from scipy.stats import norm

from benchmarks.claims.measured import ALPHA, Array, Generator, Measured, holds, of_level, rejected
from benchmarks.coverage import ratings, statistic
from pairbench_ext.runs.comparisons import Comparison
from pairbench_ext.runs.gate import headline_verdict
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import ClusteredCorrelation, fisher_mean
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.multiple import holm, holm_behind_gates
from pairbench_ext.statistics.power import margin_items
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.statistics.relation import permutation_p, relations
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_of_clusters


def baseline(repetitions: int) -> Iterator[Measured]:
    """Two equal judges by lmms-eval's paired test, with a score for each trial and each cluster."""
    for case, trials, noise in (
        ("K = 5 votes", 5, 0.6),
        ("both orders", 2, 0.6),
        ("12 ratings", 12, 1.0),
    ):
        rng = generator(0, "baseline", case)
        p = []
        for _ in range(repetitions):
            ease = rng.normal(size=(2, 100, 1))  # of an item for a judge
            latent = ease + noise * rng.normal(size=(2, 100, trials))
            one, other = norm.cdf(latent) if trials == 12 else (latent > -0.5).astype(float)
            clusters = one.mean(axis=1), other.mean(axis=1)
            p.append([_paired(one.ravel(), other.ravel()), _paired(*clusters)])
        by_trial, by_cluster = zip(*p, strict=True)
        yield rejected(f"{case}, equal judges, a score for each trial", by_trial, 1.0)
        yield rejected(f"{case}, equal judges, a score for each cluster", by_cluster)


def _paired(one: Array, other: Array) -> float:
    return float(paired_ttest(one.tolist(), other.tolist())["p_value"])


def unlike_judges(repetitions: int) -> Iterator[Measured]:
    """Equal judges by accuracy: one is greedy, one is sampled ten times."""
    for items in (16, 30, 50):
        for accuracy in (0.8, 0.95, 0.98):
            rng = generator(0, "unlike judges", items, str(accuracy))
            made = [
                _compared(_votes(rng, items, accuracy, whole=whole) for whole in (True, False))
                for _ in range(repetitions)
            ]
            yield from _held(f"accuracy {accuracy:g}, {items} items", made, 0.0)


def unlike_rows(repetitions: int) -> Iterator[Measured]:
    """Equal judges by MMScore: one errs, or is unreadable, in whole rows, one in any rating."""
    for error in ("random", "unusable"):
        for items in (16, 30, 50):
            rng = generator(0, "unlike errors", error, items)
            judges = (resampled_mmscore(rng, 20_000, error, w).estimate for w in (True, False))
            truth = next(judges) - next(judges)
            made = [
                _compared(resampled_mmscore(rng, items, error, whole) for whole in (True, False))
                for _ in range(repetitions)
            ]
            yield from _held(f"{error} errors, {items} rows", made, truth)


def _votes(rng: Generator, items: int, accuracy: float, *, whole: bool) -> Resampled:
    """A judge by ten votes on each item: all of them alike, or each by itself."""
    right = rng.random((items, 1 if whole else 10)) < accuracy
    return _share(right.mean(axis=1))


def _share(values: Array, cluster: Array | None = None) -> Resampled:
    """A judge by its share of right votes, each a cluster of its own if they have none."""
    own = np.arange(len(values)) if cluster is None else cluster
    return Resampled(mean_of_clusters(values.astype(float), own))


def _compared(judges: Iterable[Resampled]) -> Difference:
    first, second = judges
    return difference([first], [second])


def resampled_mmscore(
    rng: Generator, rows: int, error: str, whole: bool, rate: float = 0.1
) -> Resampled:
    """MMScore of a judge whose ratings, or whole rows, are wrong at a rate."""
    sample = ratings(rng, rows, rate, error=error, whole=whole)
    return Resampled(Clustered(tuple(range(rows)), statistic(sample)))


def _held(case: str, made: list[Difference], truth: float) -> Iterator[Measured]:
    yield rejected(case, (d.p for d in made))
    yield holds(case, (d.interval for d in made), truth)


def single_votes(repetitions: int) -> Iterator[Measured]:
    """Two judges asked once: p and interval, and what a difference of ten points needs."""
    for items in (30, 100, 400):
        for gap in (0.0, 0.1):
            rng = generator(0, "single votes", items, str(gap))
            made = []
            for _ in range(repetitions):
                ease = 0.8 * rng.normal(size=items)
                means = 1.28 * norm.ppf((0.8 + gap, 0.8))
                made.append(
                    _compared(_share(norm.cdf(ease + m) > rng.random(items)) for m in means)
                )
            contradict = [(d.p <= ALPHA) == (d.interval.low < 0 < d.interval.high) for d in made]
            case = f"{items} items, {gap:.0%} apart"
            yield Measured(case, "p and interval contradict", np.mean(contradict), most=0)
            yield rejected(case, (d.p for d in made), 1.0 if gap else None)


def uneven_clusters(repetitions: int) -> Iterator[Measured]:
    """Equal judges on clusters of unlike size, whose answers depend on the cluster."""
    for case, sizes in (
        ("one cluster has half, 50 have one each", [50] + [1] * 50),
        ("one cluster has half, 20 have 5 each", [100] + [5] * 20),
        ("one has a fifth, 100 have one each", [25] + [1] * 100),
        ("two have a quarter each, 80 have one each", [40, 40] + [1] * 80),
        ("each has 0.8 of the one before", [int(60 * 0.8**k) + 1 for k in range(40)]),
    ):
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        for kind in ("both vary by cluster", "one greedy, one sampled"):
            rng = generator(0, "uneven clusters", case, kind)
            made = [
                _compared(_of_clusters(rng, cluster, greedy="greedy" in kind))
                for _ in range(repetitions)
            ]
            yield from _held(f"{case}; {kind}", made, 0.0)


def _of_clusters(rng: Generator, cluster: Array, *, greedy: bool) -> Iterator[Resampled]:
    """Two judges that are right in three of four."""
    n, values = cluster.max() + 1, len(cluster)
    if greedy:
        yield _share((rng.random(n) < 0.75)[cluster], cluster)
        yield _share(rng.random(values) < 0.75, cluster)
        return
    ease, mean = 0.7 * rng.normal(size=n), norm.ppf(0.75) * np.sqrt(1 + 0.49 + 1)
    for _ in range(2):
        latent = mean + (ease + rng.normal(size=n))[cluster] + rng.normal(size=values)
        yield _share(latent > 0, cluster)


def uneven_power(repetitions: int) -> Iterator[Measured]:
    """Judges right in 0.8 and 0.7, on clusters of unlike size: how often they are told apart.

    An answer is right by the sum of what both judges find easy in a cluster, of what one does, and
    of chance, whose standard deviation is 1.
    """
    drawn = generator(0, "uneven power").lognormal(1, 1.4, 200)
    for case, sizes in (
        ("one cluster has half, 50 have one each", [50] + [1] * 50),
        ("one cluster has half, 200 have one each", [200] + [1] * 200),
        ("one cluster has half, 100 have 5 each", [500] + [5] * 100),
        ("200 of lognormal size (1, 1.4)", np.maximum(1, drawn.round()).astype(int)),
    ):
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        for common, own in ((0.0, 0.0), (0.5, 0.0), (0.7, 1.0)):
            rng = generator(0, "uneven power", case, str(common))
            scale = np.sqrt(1 + common**2 + own**2)
            found = []
            for _ in range(repetitions):
                ease = common * rng.normal(size=len(sizes))
                judges = []
                for accuracy in (0.8, 0.7):
                    latent = ease + scale * norm.ppf(accuracy) + own * rng.normal(size=len(ease))
                    right = latent[cluster] + rng.normal(size=len(cluster)) > 0
                    judges.append(_share(right, cluster))
                found.append(_compared(judges).p)
            yield rejected(f"{case}; deviation of both {common:g}, of one {own:g}", found, 1.0)


def gates(repetitions: int) -> Iterator[Measured]:
    """A gate with a margin: as good as BASE, on few items and on those of `plan`; worse by it."""
    for items, margin, discordant in ((200, 0.02, 0.2), (200, 0.05, 0.2), (60, 0.02, 0.05)):
        planned = margin_items(discordant, margin)
        for n, worse in ((items, 0.0), (items, margin), (planned, 0.0)):
            rng = generator(0, "gates", n, str(discordant), str(margin), str(worse))
            said = [_gate(rng, n, discordant, worse, margin) for _ in range(repetitions)]
            failed, passed = (np.mean([x == y for x in said]) for y in ("failed", "passed"))
            case = f"margin {margin:g}, {discordant:g} of {n} items discordant"
            if worse:
                yield Measured(case, "worse by the margin: passed", passed, most=0.05)
            else:
                yield Measured(case, "equal: failed", failed, most=0.05)
                least = 0.75 if n == planned else 0.0
                yield Measured(case, "equal: passed", passed, least=least)


def _gate(rng: Generator, items: int, discordant: float, worse: float, margin: float) -> str:
    """The verdict on a judge that is alone right on fewer items than BASE is."""
    chances = (discordant - worse) / 2, (discordant + worse) / 2, 1 - discordant
    return _verdict(*rng.multinomial(items, chances).tolist(), margin)


@cache
def _verdict(new: int, base: int, same: int, margin: float) -> str:
    """The verdict by how often one judge alone is right; the same counts come often."""
    alone = np.repeat(range(3), (new, base, same))
    d = _compared((_share(alone != 1), _share(alone != 0)))
    names = "task", "number", "higher", "new", "base"
    return headline_verdict(Comparison(*names, d, len(alone), p_holm=d.p), "new", margin).verdict


def headlines_first(repetitions: int) -> Iterator[Measured]:
    """A group of five tasks, each with five near-copies of a number: one family, or gates."""
    tasks, copies = 5, 5
    leaves = [0 if k == 0 else 1 + t * copies for t in range(tasks) for k in range(copies)]
    gates = [None, *leaves]
    for case, effects in (
        ("equal judges", np.zeros(tasks)),
        ("judges apart in all tasks", np.full(tasks, 0.83)),
        ("judges apart in one task of five", np.array([9.0, 0, 0, 0, 0])),
    ):
        rng = generator(0, "headlines first", case)
        mean, false = [], []
        for _ in range(repetitions):
            common, own = rng.normal(size=(tasks, 1)), rng.normal(size=(tasks, copies))
            z = np.sqrt(0.95) * common + np.sqrt(0.05) * own + effects[:, None]
            every = np.append(z[:, 0].sum() / np.sqrt(tasks), z)
            p = (2 * norm.sf(np.abs(every))).tolist()
            null = np.append(not effects.any(), np.repeat(effects == 0, copies)).astype(bool)
            together, gated = (np.array(x) <= ALPHA for x in (holm(p), holm_behind_gates(p, gates)))
            mean.append([together[0], gated[0]])
            false.append((gated & null).any())
        if effects.all():
            before, after = np.mean(mean, axis=0)
            yield Measured(case, "the group's mean differs, all in one family", before)
            yield Measured(case, "the group's mean differs, tested first", after)
        else:
            yield Measured(case, "any false difference", np.mean(false), most=of_level(repetitions))


def few_models(repetitions: int) -> Iterator[Measured]:
    """Correlations of two scores of models, which come in families whose models are alike."""
    for sizes in ((4, 3, 2, 2, 1), (5, 4, 3, 2, 2, 1, 1)):
        rng = generator(0, "few models", *sizes)
        family = np.repeat(np.arange(len(sizes)), sizes)
        p = []
        for _ in range(repetitions):
            x, y = (_alike(rng, family, 0.8) for _ in "xy")
            alone = permutation_p("spearman", x, y)
            p.append([alone, relations(x, y, families=family.tolist())[1].p])
        case = f"{len(family)} models in {len(sizes)} families, unrelated scores"
        independent, in_families = zip(*p, strict=True)
        yield rejected(f"{case}, taken for independent", independent, 1.0)
        yield rejected(case, in_families)
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman's of normal scores with Pearson's 0.6
    for n in (6, 8, 12):
        rng = generator(0, "few models", n)
        scores = [rng.normal(size=(2, n)) for _ in range(repetitions)]
        intervals = [relations(x, 0.6 * x + 0.8 * noise)[1].ci95 for x, noise in scores]
        yield holds(f"{n} models, Spearman's", intervals, truth)


def viescore(repetitions: int) -> Iterator[Measured]:
    """VIEScore's mean of Spearman's correlations of three image models, with people's mean."""
    for noise in (0.3, 1.5):
        truth = _three_models(generator(0, "viescore", str(noise)), 8000, noise).estimate()
        for samples in (12, 30, 60):
            rng = generator(0, "viescore", str(noise), samples)
            judges = (_three_models(rng, samples, noise) for _ in range(repetitions))
            case = f"{samples} samples, correlation {truth:.2f}"
            yield holds(case, map(cluster_interval, judges), truth)


def _three_models(rng: Generator, samples: int, noise: float) -> Combination:
    """Scores from 0 to 10, and means of three people who say 0, 0.5 or 1."""
    names, models = tuple(range(samples)), []
    common = 0.4 * rng.normal(size=samples)  # of a sample, whichever model makes the image
    for _ in range(3):
        quality = common + np.sqrt(0.84) * rng.normal(size=samples)
        told = quality + 0.3 * rng.normal(size=(3, samples))
        people = (np.round(2 * np.clip(0.5 + 0.28 * told, 0, 1)) / 2).mean(axis=0)
        said = np.clip(np.round(5 + 3 * (quality + noise * rng.normal(size=samples))), 0, 10)
        own = ClusteredCorrelation(spearman, said, people, np.arange(samples), samples)
        models.append(Resampled(Clustered(names, own)))
    return Combination(models, mean=fisher_mean)


def _alike(rng: Generator, family: Array, share: float) -> Array:
    common = rng.normal(size=family.max() + 1)[family]
    scores: Array = np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=len(family))
    return scores
