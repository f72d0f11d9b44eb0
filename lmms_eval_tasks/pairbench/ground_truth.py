"""Read people's ratings of PairBench's pairs, and derive the ground truth from them.

A rating is a `score`, a whole number from 1 to 10, for the pair `config`, `split`, `row`, `pair`,
of `kind`, under `condition`. Ratings from elsewhere need no more than `rater`, these six fields and
`score`. Ours also have `features`; `content`, a digest of what was shown; `study`, `round` and
`time`.

They give a ground truth, which can be written into a data set. The paper (Appendix D.2) set the
truth of transformed pairs under "sens" to 6 because of what people said (means of 5.5, 6.89 and
6.31 for three transformations), and found the rest confirmed: identical pairs "the highest scores",
irrelevant ones "the lowest".
"""

import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from annotated_types import Interval

from lmms_eval_tasks.pairbench.pairs import KINDS, Kind
from lmms_eval_tasks.pairbench.promptset import CONFIG, is_row_of
from lmms_eval_tasks.pairbench.rating_pool import PairPool, find_leaves
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, HIGHEST, LOWEST, Condition
from lmms_eval_tasks.people.events import Reader
from lmms_eval_tasks.people.pairs.ratings import Rating, collect, spreads
from lmms_eval_tasks.people.pairs.study import Key, PairStudy
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import RatersOf
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import Record, from_record, read_jsonl
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics.means import mean_of


@dataclass(frozen=True)
class _Line:
    """The fields of a line of ratings, apart from the pair."""

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
    """Return a function that looks up people's ratings of an outcome's pair, keyed by rater.

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


Truth: TypeAlias = dict[str, dict[str, float]]  # by kind and condition


class TruthError(ValueError):
    """Raised if ratings give no ground truth; the message says what is missing."""


class Settled(NamedTuple):
    """A ground truth, with the mean ratings and the numbers of raters and ratings behind it."""

    truth: Truth
    means: Truth
    raters: int
    ratings: int


def settle(ratings: Sequence[Rating]) -> Settled:
    """Return the ground truth that people's ratings imply, with the mean ratings.

    Raises:
        TruthError: as `truth_of`.
    """
    means = means_of(ratings)
    return Settled(truth_of(means), means, len({rating.rater for rating in ratings}), len(ratings))


def means_of(ratings: Iterable[Rating]) -> Truth:
    """Return the mean rating for each kind of pair and condition, averaged over transformations.

    So every feature counts alike, however many ratings it has. Cells without ratings are NaN.
    """
    by_cell: dict[tuple[str, str], list[float]] = {}
    for cell, of_feature in spreads(ratings, KINDS, CONDITIONS).items():
        by_cell.setdefault((cell.kind, cell.condition), []).append(of_feature.mean)
    return {
        kind: {condition: mean_of(by_cell.get((kind, condition), ())) for condition in CONDITIONS}
        for kind in KINDS
    }


def truth_of(means: Truth) -> Truth:
    """Return the ground truth that people's mean ratings imply, by the paper's rules.

    Identical pairs have 10, irrelevant ones 1, transformed ones 10 under "inv" and the mean,
    rounded to a whole number, under "sens".

    Raises:
        TruthError: if a cell has no ratings, or the means of two kinds of pairs are not in the
            order of their truths.
    """
    for kind in KINDS:
        for condition in CONDITIONS:
            if math.isnan(means[kind][condition]):
                raise TruthError(
                    f"nobody rated {kind} pairs under the condition {condition!r}; rate some first"
                )
    truth: Truth = {
        "identical": dict.fromkeys(CONDITIONS, HIGHEST),
        "transformed": {"sens": math.floor(means["transformed"]["sens"] + 0.5), "inv": HIGHEST},
        "irrelevant": dict.fromkeys(CONDITIONS, LOWEST),
    }
    for condition in CONDITIONS:
        for higher, lower in permutations(KINDS, 2):
            expected = truth[higher][condition] > truth[lower][condition]
            if expected and means[higher][condition] <= means[lower][condition]:
                raise TruthError(
                    f"under {condition!r}, {higher} pairs have a mean rating of "
                    f"{means[higher][condition]:.2f}, and {lower} pairs one of "
                    f"{means[lower][condition]:.2f}. In the paper's ground truth, "
                    f"{higher} pairs score higher; check the ratings"
                )
    return truth


def write_truth(folder: Path, settled: Mapping[str, Settled]) -> list[Path]:
    """Write the ground truth of configs into their rows of `templates`; return the changed files.

    A file appears complete or not at all. Models are scored against the new truth from then on.

    Raises:
        SourceError: if there is no row for a config in a `templates` table.
        OSError: if a file cannot be read or written.
    """
    changed = {file: _changed(file, settled) for file in sources.table_files(folder / CONFIG)}
    missing = sorted(set(settled).difference(*(configs for _, configs in changed.values())))
    if missing:
        raise SourceError(
            f"{folder / CONFIG} has no row for config {missing[0]!r}, so its ground truth cannot "
            "be stored there. Only data made by `pairbench build` have such rows"
        )
    written = [file for file, (_, configs) in sorted(changed.items()) if configs]
    for file in written:
        write_atomically(file, changed[file][0])
    for cached in (sources.split_names, sources.open_split):
        cached.cache_clear()
    return written


def _changed(file: Path, settled: Mapping[str, Settled]) -> tuple[bytes, set[str]]:
    """Return the rewritten file, and the configs that it has rows for."""
    table = None if file.name == sources.PLAIN else sources.open_file(file)
    rows = [record.fields for record in read_jsonl(file)] if table is None else [*table]
    # The split is in the file's name, or in its folder's.
    splits = (re.sub(r"[-.]\d{5}-of-\d{5}$", "", file.stem), file.parent.name)
    cells: list[str | None] = []
    configs: set[str] = set()
    for row in rows:
        config = next((c for c in settled if any(is_row_of(c, row, s) for s in splits)), None)
        cells.append(row["logistics"])
        if config is not None:
            configs.add(config)
            origin = settled[config]._asdict()
            truth = {"truth": origin.pop("truth"), "truth-from": origin}
            cells[-1] = json.dumps({**json.loads(row["logistics"] or "{}"), **truth})
    changed = [{**row, "logistics": cell} for row, cell in zip(rows, cells, strict=True)]
    if table is None:
        return "".join(json.dumps(row) + "\n" for row in changed).encode(), configs
    sink = io.BytesIO()
    type(table).from_list(changed, features=table.features).to_parquet(sink)
    return sink.getvalue(), configs


def check_rated(folder: Path, ratings: Iterable[Rating]) -> None:
    """Check that the pairs that people rated are in this data set, with unchanged content.

    Raises:
        SourceError: naming the line of a rating that is of something else.
    """
    pool = PairPool(find_leaves(str(folder)))
    study = PairStudy(pool, 1)
    rows = {(c.config, c.split, c.pair, c.condition): c.rows for c in pool.cells}
    for rating in ratings:
        key = rating.key
        exists = key.row < rows.get((key.config, key.split, key.pair, key.condition), 0)
        if not exists or rating.content not in ("", study.content(key)):
            raise SourceError(
                f"{rating.where}: the rating belongs to other data than {folder} (config "
                f"{key.config!r}, split {key.split!r}, row {key.row}). Give the folder that was "
                "rated, or leave these ratings out"
            )
