"""People's ratings of PairBench's pairs, from files: JSON lines as of `people.events`.

A rating is a `score`, a whole number from 1 to 10, for the pair `config`, `split`, `row`, `pair`,
of `kind`, under `condition`. Ratings from elsewhere need no more than `rater`, these six fields and
`score`. Ours also have `features`; `content`, a digest of what was shown; `study`, `round` and
`time`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Interval

from lmms_eval_tasks.pairbench.pairs import Kind
from lmms_eval_tasks.pairbench.ratings import HIGHEST, LOWEST, Condition
from lmms_eval_tasks.people.events import Reader
from lmms_eval_tasks.people.pairs.ratings import Rating, collect
from lmms_eval_tasks.people.pairs.study import Key
from pairbench_ext.core.benchmark import RatersOf
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import Record, from_record


@dataclass(frozen=True)
class _Line:
    """The fields of a line besides its pair."""

    rater: str
    score: Annotated[int, Interval(ge=LOWEST, le=HIGHEST)]
    kind: Kind
    condition: Condition
    features: tuple[str, ...] = ()
    content: str = ""


def _rating(record: Record) -> Rating:
    key, line = from_record(Key, record), from_record(_Line, record)
    features = line.features or (key.split,)
    return Rating(line.rater, key, line.score, line.content, record.where, line.kind, features)


READER = Reader(_rating, Key)


def raters_of(paths: Sequence[Path]) -> RatersOf:
    """Return a function from an outcome to the ratings of its pair, by rater.

    Raises:
        RecordError: as `collect`.
    """
    by_pair: dict[Key, dict[str, float]] = {}
    for rating in collect(paths, READER).ratings:
        by_pair.setdefault(rating.key, {})[rating.rater] = float(rating.score)

    def raters(outcome: Outcome) -> Mapping[str, float]:
        row, pair = item if isinstance(item := outcome.item, tuple) else (None, None)
        key = Key(outcome["config"], outcome["split"], row, pair, outcome["condition"])
        return by_pair.get(key, {})

    return raters
