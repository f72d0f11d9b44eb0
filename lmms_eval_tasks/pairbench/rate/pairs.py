"""The pairs of a PairBench data set, as people are asked about them (Appendix D.2, Figure 16)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.entry import locate
from lmms_eval_tasks.pairbench.pairs import TRUTH, Pair
from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from lmms_eval_tasks.pairbench.splits import features_of
from lmms_eval_tasks.pairbench.trials import PairTrials
from lmms_eval_tasks.people.study import Datum, digest_of, of_image, of_text
from pairbench_ext.core import sources
from pairbench_ext.core.sources import SourceError

if TYPE_CHECKING:
    from PIL import Image

_SPATIAL = "spatial"
KINDS = tuple(TRUTH)
_TEXTS = ("string", "large_string")
# What a difference in a transformation is called to people.
_DIFFERENCE = {
    "colorjitter": "colours",
    "rotate": "rotation",
    "gaussianblur": "blur",
    "perspective": "perspective",
    "elastic": "elastic distortion",
    _SPATIAL: "the positions of the objects",
}
_EFFECT = {"sens": "DECREASES", "inv": "DOES NOT decrease"}


class Key(NamedTuple):
    """Which pair of a data set, under which condition.

    Attributes:
        config: config of the data set.
        split: its split.
        row: number of the source row.
        pair: the pair's name in that row ("transformed2").
        condition: "sens" or "inv".
    """

    config: str
    split: str
    row: int
    pair: str
    condition: str


class Cell(NamedTuple):
    """Pairs that differ in their row alone.

    Attributes:
        config: config of the data set.
        split: its split.
        pair: the pair's name.
        condition: "sens" or "inv".
        kind: what kind of pair it is, of `KINDS`.
        rows: number of source rows.
    """

    config: str
    split: str
    pair: str
    condition: str
    kind: str
    rows: int


class Question(NamedTuple):
    """One pair as a rater is asked about it; its images are the pool's.

    Attributes:
        kind: of `KINDS`; never shown.
        features: the transformations that its split has.
        data: what the two are called ("Image 1"), and their texts.
        task: what to score, on which scale.
        conditions: what to mind, as a model is told, one text per feature.
        summary: the same in a few words.
        note: how pairs compare that miss the conditions.
        ends: what the lowest and the highest score mean.
    """

    kind: str
    features: tuple[str, ...]
    data: tuple[Datum, Datum]
    task: str
    conditions: tuple[str, ...]
    summary: tuple[str, ...]
    note: str
    ends: tuple[str, str]


class _Words(NamedTuple):
    """What raters are told, as in Figure 16; `{condition}` is one or several."""

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
    "A text that fits but for the {condition} should score higher than an irrelevant text.",
    ("no match", "perfect match"),
)


class PairPool:
    """The pairs of some splits; what they show is read when it is asked for.

    Args:
        leaves: entries as of `sources.json`, each with its split.

    Raises:
        SourceError: if a split is missing, not in PairBench's form, or has no condition to rate by.
    """

    def __init__(self, leaves: Sequence[dict[str, Any]]) -> None:
        self._trials = {(leaf["config"], leaf["split"]): PairTrials(leaf) for leaf in leaves}
        for trials in self._trials.values():
            for condition in CONDITIONS:  # found missing before anybody rates
                trials.prompts.render(0, trials.entry.features, condition)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """What there is, every pair in one cell."""
        return tuple(
            Cell(config, split, pair.name, condition, pair.kind, len(trials.table))
            for (config, split), trials in self._trials.items()
            for pair in trials.pairs
            for condition in CONDITIONS
        )

    def question(self, key: Key) -> Question:
        """All that is shown with a pair but its images.

        Raises:
            SourceError: if its text cannot be read.
        """
        trials, pair = self._find(key)
        features = trials.entry.features
        words = _OF_TEXT if trials.entry.image_text else _OF_IMAGES
        condition = "condition" if len(features) == 1 else "conditions"
        texts = [self._text(key, column) for column in (pair.first, pair.second)]
        conditions = [trials.prompts.conditions[name][key.condition] for name in features]
        differences = [_DIFFERENCE.get(name, name) for name in features]
        effect = f"{_EFFECT[key.condition]} the score."
        return Question(
            kind=pair.kind,
            features=features,
            data=_data(*texts),
            task=words.task.format(condition=condition),
            conditions=tuple(text.lstrip("- ") for text in conditions),
            summary=(
                *(f"A difference in {what} {effect}" for what in differences),
                words.otherwise,
            ),
            note=words.note.format(condition=condition),
            ends=words.ends,
        )

    def image(self, key: Key, side: int) -> Image.Image:
        """The first (0) or second (1) datum of a pair, which is an image.

        Raises:
            SourceError: if it cannot be read.
        """
        trials, pair = self._find(key)
        return trials.images.get(key.row, (pair.first, pair.second)[side])

    def _find(self, key: Key) -> tuple[PairTrials, Pair]:
        trials = self._trials[key.config, key.split]
        return trials, next(pair for pair in trials.pairs if pair.name == key.pair)

    def _text(self, key: Key, column: str) -> str | None:
        trials, _ = self._find(key)
        if column in trials.images.columns:
            return None
        return trials.text(key.row, column)


def _data(first: str | None, second: str | None) -> tuple[Datum, Datum]:
    if first is second is None:
        return Datum("Image 1"), Datum("Image 2")
    return Datum(_label(first), first), Datum(_label(second), second)


def _label(text: str | None) -> str:
    return "Image" if text is None else "Text"


def content(pool: PairPool, key: Key) -> str:
    """Return a digest of what is shown of a pair: pixels or text, and the conditions.

    Raises:
        SourceError: if it cannot be read.
    """
    question = pool.question(key)
    parts: list[bytes] = []
    for side, datum in enumerate(question.data):
        shown = datum.text
        parts += of_image(pool.image(key, side)) if shown is None else (b"text", of_text(shown))
    return digest_of([*parts, *map(of_text, question.conditions)])


def find_leaves(
    data: str, configs: Sequence[str] = (), splits: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Entries, as of `sources.json`, for the splits of a data set.

    Args:
        data: folder, hub repository or "demo".
        configs: those to use; of a folder, all by default.
        splits: names of the splits to use; all by default.

    Raises:
        SourceError: if there is none of such a name.
    """
    place = locate(data)
    if not configs and not sources.is_local(place):
        raise SourceError(f"name the config of {place!r} that is rated, such as --config coco")
    found = [
        (config, split)
        for config in configs or sources.local_configs(place)
        if config != promptset.CONFIG
        for split in sources.split_names(place, config)
        if not splits or split in splits
    ]
    missing = sorted(set(splits) - {split for _, split in found})
    if missing or not found:
        what = f"split {missing[0]!r}" if missing else "config with pairs"
        raise SourceError(f"{place} has no {what} to rate")
    return [_entry(data, place, config, split) for config, split in found]


def _entry(data: str, place: str, config: str, split: str) -> dict[str, Any]:
    features = features_of(split) or (split,)
    if config.startswith("wu_") and _SPATIAL not in features:
        features = (_SPATIAL, *features)  # every pair of WhatsUp has it, said or not
    columns = sources.open_split(place, config, split).features.items()
    texts = [name for name, kind in columns if getattr(kind, "dtype", None) in _TEXTS]
    return {
        "config": config,
        "split": split,
        "features": list(features),
        "image_text": any(re.fullmatch(r"img\d+", name) for name in texts),
        "data": data,
    }
