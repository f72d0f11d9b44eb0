"""The pairs of a PairBench data set that people are asked to rate (Appendix D.2).

Also how many pairs a study of people needs, and what its pairs suffice for: a ground truth, or the
test whether a judge may replace a person (the alternative annotator test, `pairbench people`),
which is of each task (a split of a config) and condition, over source rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.entry import entry_of, locate
from lmms_eval_tasks.pairbench.pairs import Pair
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, HIGHEST
from lmms_eval_tasks.pairbench.trials import PairTrials
from lmms_eval_tasks.people.pairs.study import Key, Stratum
from lmms_eval_tasks.people.study import Datum, Question
from pairbench_ext.core import sources
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics.alternative_annotator import LEAST

if TYPE_CHECKING:
    from PIL import Image

# What a difference in a transformation is called to people.
_DIFFERENCE = {
    "colorjitter": "colours",
    "rotate": "rotation",
    "gaussianblur": "blur",
    "elastic": "elastic distortion",
    "spatial": "the positions of the objects",
}
_EFFECT = {"sens": "DECREASES", "inv": "DOES NOT decrease"}


class _Words(NamedTuple):
    """The words that raters are told, as in Figure 16; `{condition}` is one or several."""

    task: str
    otherwise: str
    note: str
    ends: tuple[str, str]


_OF_IMAGES = _Words(
    "Score the similarity of the two images on a scale of 1 (least similar) to 10 (completely "
    "similar), given the {condition}.",
    "If the images are different, decrease the score regardless.",
    "Identical images that do not meet the {condition} should score higher than irrelevant images.",
    ("least similar", "completely similar"),
)
_OF_TEXT = _Words(
    "Score how well the text describes the image on a scale of 1 (no match) to 10 (perfect match), "
    "given the {condition}.",
    "If the text is about other objects, decrease the score regardless.",
    "A text that fits except for the {condition} should score higher than an irrelevant text.",
    ("no match", "perfect match"),
)


class PairPool:
    """The pairs of some splits, for people to rate; each pair is loaded when it is shown.

    Raises:
        SourceError: if a split is missing, not in PairBench's form, or has no condition to rate by.
    """

    def __init__(self, leaves: Sequence[dict[str, Any]]) -> None:
        self._trials = {(leaf["config"], leaf["split"]): PairTrials(leaf) for leaf in leaves}
        for trials in self._trials.values():
            for condition in CONDITIONS:  # found missing before anybody rates
                trials.prompts.render(0, trials.entry.features, condition)

    @cached_property
    def cells(self) -> tuple[Stratum, ...]:
        """Return the study's cells: the groups of pairs that differ only in their data row."""
        return tuple(
            Stratum(config, split, pair.name, condition, pair.kind, len(trials.table))
            for (config, split), trials in self._trials.items()
            for pair in trials.pairs
            for condition in trials.conditions_of(pair)
        )

    def question(self, key: Key) -> Question:
        """Return the question about a pair: its texts, the task, the scale and the conditions.

        The page is told the `condition`, the `task` (what to score, on which scale), `conditions`
        (what to mind, as a model is told, one text per feature), a `summary` of them, a `note` (how
        pairs compare that miss the conditions) and `ends` (what the extreme scores mean).

        Raises:
            SourceError: if its text cannot be read.
        """
        trials, pair = self._pair(key)
        features = trials.entry.features
        columns = pair.first, pair.second
        if trials.entry.image_text:
            words = _OF_TEXT
            first, second = (
                Datum("Image")
                if column in trials.images.columns
                else Datum("Text", trials.text(key.row, column))
                for column in columns
            )
        else:
            words, first, second = _OF_IMAGES, Datum("Image 1"), Datum("Image 2")
        condition = "condition" if len(features) == 1 else "conditions"
        texts = [trials.prompts.conditions[name][key.condition] for name in features]
        differences = [
            f"A difference in {_DIFFERENCE.get(name, name)} {_EFFECT[key.condition]} the score."
            for name in features
        ]
        shown = {
            "condition": key.condition,
            "task": words.task.format(condition=condition),
            "conditions": [text.lstrip("- ") for text in texts],
            "summary": [*differences, words.otherwise],
            "note": words.note.format(condition=condition),
            "ends": words.ends,
        }
        facts = {"kind": pair.kind, "features": list(features)}
        return Question((first, second), shown, HIGHEST, facts)

    def image(self, key: Key, side: int) -> Image.Image:
        """Return the first (0) or second (1) image of a pair.

        Raises:
            SourceError: if it cannot be read.
        """
        trials, pair = self._pair(key)
        return trials.images.get(key.row, (pair.first, pair.second)[side])

    def _pair(self, key: Key) -> tuple[PairTrials, Pair]:
        trials = self._trials[key.config, key.split]
        return trials, next(pair for pair in trials.pairs if pair.name == key.pair)


def find_leaves(data: str, configs: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the settings of one task for each split of a data set.

    Args:
        data: folder, hub repository or "demo".
        configs: those to use; of a folder, all by default.

    Raises:
        SourceError: if there is none of such a name.
    """
    place = locate(data)
    if not configs and not sources.is_local(place):
        raise SourceError(
            f"several configs of {place!r} can be rated; name one, such as --config coco"
        )
    leaves = [
        {**entry_of(place, config, split), "data": data}
        for config in configs or sources.local_configs(place)
        if config != promptset.CONFIG
        for split in sources.split_names(place, config)
    ]
    if not leaves:
        raise SourceError(f"{place} has no config with pairs to rate")
    return leaves


PAIRS = 30  # of a round, where nothing else is asked for
RATERS = 3  # as many as the alternative annotator test assumes
# Pairs of a task and condition. Of simulated judges that are as good as a rater, 7 to 9 of 10 pass
# then, if ratings spread as in Table 10 and half of the variance within a kind is the pair's.
_OF_TASK = 60
_OF_CONFIG = 168  # pairs: 28 transformed ones under "sens", whose mean 3 raters give to 0.5
_SPREAD = 2.3  # largest standard deviation of transformed pairs under "sens" in Table 10


class Purpose(str, Enum):
    """What people's ratings are for: to test judges, or to find the ground truth."""

    people = "people"
    truth = "truth"


def pairs_for(purpose: Purpose | None, cells: Iterable[Stratum]) -> int:
    """Return how many pairs each rater should rate for a purpose; 30 without a purpose.

    For people: 60 of each task and condition. For the truth: 168 of each config.
    """
    cells = list(cells)
    if purpose is Purpose.people:
        needed = _OF_TASK * len({(cell.config, cell.split, cell.condition) for cell in cells})
    elif purpose is Purpose.truth:
        needed = _OF_CONFIG * len({cell.config for cell in cells})
    else:
        return PAIRS
    return min(needed, sum(cell.rows for cell in cells))


def sufficient_for(
    purpose: Purpose | None, cells: Iterable[Stratum], drawn: Sequence[Key], raters: int
) -> Iterator[str]:
    """Yield one sentence per purpose: are there enough pairs and raters for it?"""
    cells = list(cells)
    if purpose in (None, Purpose.people):
        tasks = {(cell.config, cell.split, cell.condition) for cell in cells}
        rows = {(key.config, key.split, key.condition, key.row) for key in drawn}
        yield _for_people(min(sum(row[:3] == task for row in rows) for task in tasks), raters)
    if purpose in (None, Purpose.truth):
        transformed = {cell.pair for cell in cells if cell.kind == "transformed"}
        shown = [key.config for key in drawn if key.pair in transformed and key.condition == "sens"]
        yield _for_truth(raters * min(shown.count(cell.config) for cell in cells))


def _for_people(rows: int, raters: int) -> str:
    if rows < LEAST or raters < 2:
        return (
            f"not enough for `pairbench people` (see --for people): it needs {RATERS} raters, and "
            f"{LEAST} rows of data for each task and condition. This round has {raters} raters "
            f"and {rows} rows"
        )
    few = "" if raters >= RATERS else f". Its test assumes {RATERS} raters or more"
    return (
        f"enough for `pairbench people`: {rows} rows of data for each task and condition, "
        f"{raters} raters{few}"
    )


def _for_truth(ratings: int) -> str:
    if not ratings:
        return (
            "not enough to estimate the ground truth (see --for truth): this round has no "
            "transformed pair under the sensitive condition"
        )
    half = 1.96 * _SPREAD / math.sqrt(ratings)
    return (
        f"enough to estimate the ground truth: {ratings} ratings of transformed pairs under the "
        f"sensitive condition. Their mean is known to ± {half:.1f} (95%), if ratings vary as in "
        "the paper's Table 10"
    )
