"""What ratings say: on the card of a judge, among several judges, and beside a rating study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lmms_eval_tasks.pairbench.rate.questions import Key
from lmms_eval_tasks.pairbench.rate.ratings import collect
from lmms_eval_tasks.pairbench.ratings import ORDERS, Rating
from pairbench_ext.core.answers import RatersOf
from pairbench_ext.core.benchmark import Answers, People, Rated
from pairbench_ext.runs.card.model import READABLE
from pairbench_ext.runs.card.ratings import rating_evidence


def _answer(one: Rating) -> Rated:
    said, reverse = one.value if one.valid else None, one.order == ORDERS[1]
    return Rated(one.row, one.pair, said, one.truth, one.condition, reverse, one.template)


def _put(ratings: Sequence[Rating], value: float | None) -> Rating:
    shown = [one.order_shown for one in ratings]
    known = False if False in shown else None if None in shown else True
    return replace(ratings[0], value=value, order_shown=known)


def _of_files(paths: Sequence[Path]) -> RatersOf:
    """The ratings of studies, by pair.

    Raises:
        RecordError: as `collect`.
    """
    by_pair: dict[Key, dict[str, float]] = {}
    for one in collect(paths).ratings:
        by_pair.setdefault(one.key, {})[one.rater] = float(one.score)

    def raters(one: Rating) -> Mapping[str, float]:
        key = Key(one.config, one.split, one.row, one.pair, one.condition)  # type: ignore[arg-type]
        return by_pair.get(key, {})

    return raters


def _shown(run: Any) -> list[Rating]:
    """The ratings of a run; of orders that were not shown, those of the first one."""
    rows = run.table.table.rows
    return [one for one in rows if one.order_shown is not False or one.order == ORDERS[0]]


ANSWERS = Answers("rating", _answer, _put, numbers=("mmscore",))
PEOPLE = People(files=_of_files)
CARD = (
    READABLE,
    *rating_evidence(
        "mmscore",
        symmetry="relaxsym",
        smoothness="smoothness",
        control="controllability",
        outcomes=_shown,
    ),
)
