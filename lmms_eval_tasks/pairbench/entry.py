"""The settings of a PairBench task, and where its data are found.

A task that is not ours is an entry in a JSON file; README.md shows one.
"""

import os
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Len
from loguru import logger

from lmms_eval_tasks.pairbench.pairs import Kind, Pairs, check_kinds, column_name
from lmms_eval_tasks.pairbench.splits import canonical_feature, features_of
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Asking
from pairbench_ext.core.items import ItemEntry, Source
from pairbench_ext.core.sources import SourceError

DATA_VARIABLE = "PAIRBENCH_DATA"
SOURCE = Source(variable=DATA_VARIABLE, hub="feiziaarash/pairbench")
DEMO = "demo"
DEMO_BALANCED = "demo_balanced"
DEMO_SCENES = "demo_scenes"
CUSTOM = "custom"


@dataclass(frozen=True, kw_only=True)
class PairEntry(ItemEntry):
    """The settings of a PairBench task: which data it uses, and how it asks about them.

    Attributes:
        config: config of the data set ("coco").
        features: transformations of the transformed image; they find the split and the conditions.
        subset: WhatsUp subset "a" or "b".
        split: the split's name, if it should not be found by features and subset.
        pairs: the pairs of columns to compare, if the data set does not say.
        kinds: what each of `pairs` is: "identical", "transformed" or "irrelevant".
        image_text: whether pairs are an image and a text.
        data: also "demo" (photographs), "demo_balanced" (the same in balanced pairs) or
            "demo_scenes" (rendered scenes of two objects).
        orders: "both", or only "fwd".
        templates: one "drawn" per row and pair, or "all".
        asking: as the paper prints it, prompt first; or as the authors' notebook sends it, images
            first, where a template is drawn per row, pair and condition.
    """

    config: str
    features: Annotated[tuple[str, ...], Len(1)]
    subset: str | None = None
    split: str | None = None
    pairs: Pairs | None = None
    kinds: tuple[Kind, ...] | None = None
    image_text: bool = False
    orders: Literal["both", "fwd"] = "both"
    templates: Literal["drawn", "all"] = "drawn"
    asking: Asking = "paper"

    def __post_init__(self) -> None:
        check_kinds(self.pairs, self.kinds)
        features = tuple(canonical_feature(name) or name for name in self.features)
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "subset", self.subset and self.subset.lower())


def locate(data: str | None) -> str:
    """Return the data's folder or hub repository: from the settings, `PAIRBENCH_DATA` or default.

    Raises:
        SourceError: if the variable names no folder, or the user has no data of their own.
    """
    from lmms_eval_tasks.pairbench import demos

    if data == DEMO:
        return str(demos.demo_photographs())
    if data == DEMO_BALANCED:
        return str(demos.demo_balanced())
    if data == DEMO_SCENES:
        return str(demos.demo_scenes())
    if data == CUSTOM:  # `local_tasks` replaces the task where the user has data of their own
        raise SourceError(_what_to_do())
    return SOURCE.locate(data)


def _what_to_do() -> str:
    """Return a message: why there are no tasks for the user's own data, and what to type."""
    data = os.environ.get(DATA_VARIABLE)
    why = f"the folder {DATA_VARIABLE}={data} has none" if data else f"{DATA_VARIABLE} is not set"
    return (
        f"pairbench_{CUSTOM} evaluates your own data, but {why}. Make data with `pairbench build "
        f"images`, then run again with {DATA_VARIABLE}=FOLDER"
    )


def entry_of(data: str, config: str, split: str) -> dict[str, Any]:
    """Return the settings of a task on one split, without the location of the data."""
    features = features_of(split) or (split,)
    if config.startswith("wu_") and "spatial" not in features:
        features = ("spatial", *features)  # every pair of WhatsUp has it, said or not
    try:
        texts = (
            sources.text_columns(data, config, split)  # reads no more than the file's header
            if sources.is_local(data)
            else frozenset(sources.texts_of(sources.open_split(data, config, split)))
        )
    except SourceError as error:  # the run will fail on it, if it gets there
        logger.warning(str(error))
        texts = frozenset()
    return {
        "config": config,
        "split": split,
        "features": list(features),
        "image_text": any(re.fullmatch(r"img\d+", column_name(name)) for name in texts),
    }
