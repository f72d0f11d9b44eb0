"""The pairs of a PairBench data set, as people are asked about them (Appendix D.2, Figure 16)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.entry import entry_of, locate
from lmms_eval_tasks.pairbench.pairs import Pair
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, HIGHEST
from lmms_eval_tasks.pairbench.trials import PairTrials
from lmms_eval_tasks.people.pairs.study import Cell, Key
from lmms_eval_tasks.people.study import Datum, Question
from pairbench_ext.core import sources
from pairbench_ext.core.sources import SourceError

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
    "A text that fits but for the {condition} should score higher than an irrelevant text.",
    ("no match", "perfect match"),
)


class PairPool:
    """The pairs of some splits; what they show is read when it is asked for.

    Args:
        leaves: tasks' entries, each with its split.

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
        """All cells; every pair is in one."""
        return tuple(
            Cell(config, split, pair.name, condition, pair.kind, len(trials.table))
            for (config, split), trials in self._trials.items()
            for pair in trials.pairs
            for condition in CONDITIONS
        )

    def question(self, key: Key) -> Question:
        """Return all that is shown with a pair but its images.

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
        """Return the first (0) or second (1) datum of a pair, which is an image.

        Raises:
            SourceError: if it cannot be read.
        """
        trials, pair = self._pair(key)
        return trials.images.get(key.row, (pair.first, pair.second)[side])

    def _pair(self, key: Key) -> tuple[PairTrials, Pair]:
        trials = self._trials[key.config, key.split]
        return trials, next(pair for pair in trials.pairs if pair.name == key.pair)


def find_leaves(data: str, configs: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return tasks' entries for all splits of a data set.

    Args:
        data: folder, hub repository or "demo".
        configs: those to use; of a folder, all by default.

    Raises:
        SourceError: if there is none of such a name.
    """
    place = locate(data)
    if not configs and not sources.is_local(place):
        raise SourceError(f"name the config of {place!r} that is rated, such as --config coco")
    leaves = [
        {**entry_of(place, config, split), "data": data}
        for config in configs or sources.local_configs(place)
        if config != promptset.CONFIG
        for split in sources.split_names(place, config)
    ]
    if not leaves:
        raise SourceError(f"{place} has no config with pairs to rate")
    return leaves
