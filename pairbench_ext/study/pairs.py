"""Every two scores of the same models, and how they go together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import combinations
from typing import NamedTuple

from pairbench_ext.core.plurals import listed
from pairbench_ext.core.records import RecordError
from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.relation import LEAST, Relation, relations
from pairbench_ext.study.scores import Scores

MOST = 1000  # pairs
_NAMED = 5


class ScorePair(NamedTuple):
    """Two scores, and how they go together.

    Attributes:
        x: name of a score.
        y: name of the other.
        models: that have both.
        missing: models that lack one of them.
        relations: all correlations.
        p_holm: p-values of the correlations, in their order, by Holm's correction over all pairs.
        constant: which of the scores are the same for all of these models: nothing goes with them.
    """

    x: str
    y: str
    models: tuple[str, ...]
    missing: tuple[str, ...]
    relations: tuple[Relation, ...]
    p_holm: tuple[float, ...]
    constant: tuple[str, ...] = ()


def study(
    scores: Scores, of: Sequence[str] = (), progress: Callable[[str], object] = str
) -> list[ScorePair]:
    """All pairs of scores that at least `LEAST` models have.

    Args:
        scores: of the models.
        of: only pairs with one of these scores, by their names or by what these end in; all pairs
            by default.
        progress: called with each pair's names.

    Raises:
        RecordError: if there is no such score, no pair that enough models have, or more pairs than
            anybody can read.
    """
    wanted = {column for name in of for column in _columns(scores, name)} or set(scores.columns)
    asked = [two for two in combinations(scores.columns, 2) if wanted & set(two)]
    if len(asked) > MOST:
        raise RecordError(
            f"{len(asked):,} pairs of {len(scores.columns)} scores are more than {MOST:,}: choose "
            "some of the scores (--of, or --published BENCHMARK:TABLE:NUMBER)"
        )
    pairs = []
    for x, y in asked:
        if y in wanted and x not in wanted:
            x, y = y, x
        progress(f"{x}, {y}")
        models = _with_both(scores, x, y)
        if len(models) >= LEAST:
            pairs.append(_pair(scores, x, y, models))
    if not pairs:
        raise RecordError(_too_few(scores))
    return _corrected(pairs)


def unpaired(scores: Scores, pairs: Sequence[ScorePair]) -> dict[str, int]:
    """The scores that are in no pair, with the number of models that have each."""
    used = {column for pair in pairs for column in (pair.x, pair.y)}
    return {
        name: sum(not math.isnan(value) for value in column.values.values())
        for name, column in scores.columns.items()
        if name not in used
    }


def _columns(scores: Scores, name: str) -> list[str]:
    """The columns that a name means."""
    if name in scores.columns:
        return [name]
    wanted = name.casefold()
    ends = {column: f" {column}".casefold() for column in scores.columns}
    found = [column for column, end in ends.items() if wanted and end.endswith(f" {wanted}")]
    if not found:
        near = get_close_matches(name, scores.columns, n=_NAMED, cutoff=0)
        there = listed(near, _NAMED, len(scores.columns))
        raise RecordError(f"no score {name!r}; there are {there}")
    return found


def _too_few(scores: Scores) -> str:
    models = ", ".join(scores.models[:_NAMED]) + ", ..." * (len(scores.models) > _NAMED)
    return (
        f"no two scores that at least {LEAST} models have: there are {len(scores.columns)} scores "
        f"of {len(scores.models)} models ({models}); the same model must have the same name, or a "
        "run's folder the name of a checkpoint of it"
    )


def _with_both(scores: Scores, x: str, y: str) -> list[str]:
    both = ((model, scores.value(x, model), scores.value(y, model)) for model in scores.models)
    return [model for model, *values in both if not any(map(math.isnan, values))]


def _pair(scores: Scores, x: str, y: str, models: Sequence[str]) -> ScorePair:
    values = {name: [scores.value(name, model) for model in models] for name in (x, y)}
    found = relations(
        values[x],
        values[y],
        [scores.family(model) for model in models],
        [scores.size(model) for model in models],
    )
    missing = tuple(model for model in scores.models if model not in models)
    constant = tuple(name for name, own in values.items() if len(set(own)) == 1)
    return ScorePair(x, y, tuple(models), missing, tuple(found), (), constant)


def _corrected(pairs: Sequence[ScorePair]) -> list[ScorePair]:
    """The pairs with p-values that hold for all of them, for each kind of correlation."""
    columns = []
    for own in zip(*(pair.relations for pair in pairs), strict=True):
        defined = [k for k, one in enumerate(own) if not math.isnan(one.p)]
        column = [math.nan] * len(own)
        for k, p in zip(defined, holm([own[k].p for k in defined]), strict=True):
            column[k] = p
        columns.append(column)
    return [
        pair._replace(p_holm=p) for pair, p in zip(pairs, zip(*columns, strict=True), strict=True)
    ]
