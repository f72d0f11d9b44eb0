"""Correlate two benchmarks' scores of the same models: do both rank the models alike?"""

import math
from collections.abc import Collection, Mapping
from itertools import combinations
from typing import NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.runs.published import family
from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.relation import CORRELATIONS, LEAST, Relation, relations


class Correlation(NamedTuple):
    """The correlation between two scores, over the models that have both.

    Attributes:
        x, y: names of the scores.
        models: that have both.
        relation: its name, value, interval, p-value and value given size.
        p_holm: the p-value by Holm's correction over all pairs of scores.
    """

    x: str
    y: str
    models: tuple[str, ...]
    relation: Relation
    p_holm: float


def published_scores(benchmark: str, table: str) -> dict[str, dict[str, float]]:
    """Return the scores in one of a benchmark's published tables, keyed by metric, then by model.

    Args:
        benchmark: name of the benchmark, such as "subtlebench".
        table: name of the table, such as "Table 8". Where it has several settings or parts, their
            names come before the number's.

    Raises:
        KeyError: if there is no such benchmark, or it has no such table.
    """
    published = registry.benchmark_of(benchmark).published
    scores: dict[str, dict[str, float]] = {}
    if published is None:
        raise KeyError(f"{benchmark} has no published tables")
    for cell in published.cells:
        if cell.table == table and cell.model and cell.model not in published.not_models:
            number = ", ".join(filter(None, (cell.setting, cell.part, cell.number)))
            scores.setdefault(number, {})[cell.model] = cell.middle
    if not scores:
        raise KeyError(f"{benchmark} has no published table {table!r}")
    return scores


def correlations(
    scores: Mapping[str, Mapping[str, float]],
    of: Collection[str] = (),
    sizes: Mapping[str, float] | None = None,
    families: Mapping[str, str] | None = None,
) -> list[Correlation]:
    """Correlate each pair of scores that at least four models have in common.

    Args:
        scores: by the score's name, by the model's name.
        of: only pairs with one of these scores.
        sizes: of models, such as billions of parameters; correlations are then also given size.
        families: of models, where their names do not say it (`published.family`).

    Returns:
        Pearson's, Spearman's and Kendall's correlation of each pair, with 95% bootstrap intervals
        over families of models and p-values of a permutation test of the families' means.
    """
    pairs: list[tuple[str, str, tuple[str, ...], list[Relation]]] = []
    wanted = {*of} or {*scores}
    for x, y in combinations(scores, 2):
        models = tuple(model for model in scores[x] if model in scores[y])
        if len(models) >= LEAST and wanted & {x, y}:
            pairs.append((x, y, models, _related(scores[x], scores[y], models, sizes, families)))
    corrected = [holm([of_pair[k].p for *_, of_pair in pairs]) for k in range(len(CORRELATIONS))]
    return [
        Correlation(x, y, models, relation, corrected[kind][place])
        for place, (x, y, models, of_pair) in enumerate(pairs)
        for kind, relation in enumerate(of_pair)
    ]


def _related(
    x: Mapping[str, float],
    y: Mapping[str, float],
    models: Collection[str],
    sizes: Mapping[str, float] | None,
    families: Mapping[str, str] | None,
) -> list[Relation]:
    xs, ys = ([scores[model] for model in models] for scores in (x, y))
    size = [sizes.get(model, math.nan) for model in models] if sizes else None
    kin = [(families or {}).get(model) or family(model) for model in models]
    return relations(xs, ys, size, kin)
