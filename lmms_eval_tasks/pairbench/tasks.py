"""The tasks of PairBench, one per split, and groups of them; each comes in three variants."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks.build.balanced import SUFFIX
from lmms_eval_tasks.pairbench.entry import CUSTOM, DATA_VARIABLE, DEMO, DEMO_BALANCED, DEMO_SCENES
from pairbench_ext.core.benchmark import Decoding, Group, Task

Entry = Mapping[str, Any]

# 512 tokens are room for the reason after a score.
GREEDY = Decoding("greedy", 512, why="The paper decodes open models greedily (Section 3.1).")
_NOTEBOOK = Decoding("authors", 256, why="The settings of the authors' notebook.")


class Variant(NamedTuple):
    """A way to ask about a task's pairs: orders, prompt templates and decoding."""

    suffix: str
    entry: Entry
    about: str
    decoding: Decoding = GREEDY


VARIANTS = (
    Variant("", {}, "both orders, one random template per pair"),
    Variant("_all_prompts", {"templates": "all"}, "both orders, each with all five templates"),
    Variant(
        "_authors",
        {"asking": "authors"},
        "both orders, images before the prompt, as in the authors' notebook",
        _NOTEBOOK,
    ),
)
SUFFIXES = tuple(variant.suffix for variant in VARIANTS if variant.suffix)  # no other ends so

_TRANSFORMS = ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")


class _Set(NamedTuple):
    """A group of tasks: what they show, and the settings of each task by the end of its name."""

    about: str
    leaves: Mapping[str, Entry]


def _photographs(config: str, **more: str) -> dict[str, Entry]:
    return {name: {"config": config, "features": [name], **more} for name in _TRANSFORMS}


def _positions(transforms: Sequence[str], **more: str) -> dict[str, Entry]:
    """WhatsUp, image-image pairs: the position changes, alone or with a transformation."""
    return {
        "_".join([subset, "sp", *name]): {
            "config": "wu_img_img",
            "subset": subset,
            "features": ["spatial", *name],
            **more,
        }
        for subset in ("a", "b")
        for name in ([], *([transform] for transform in transforms))
    }


def _captions(**more: str) -> dict[str, Entry]:
    """WhatsUp, image-text pairs."""
    shared = {"config": "wu_img_text", "features": ["spatial"], "image_text": True, **more}
    return {subset: {**shared, "subset": subset} for subset in ("a", "b")}


SETS = {
    "coco": _Set("photographs of MS-COCO", _photographs("coco")),
    "in100": _Set("photographs of ImageNet-100", _photographs("in100")),
    "wu_ii": _Set("WhatsUp, image-image pairs", _positions(_TRANSFORMS)),
    "wu_it": _Set("WhatsUp, image-text pairs", _captions()),
    # The demos are not of the paper's data sets, so they are not in `pairbench`.
    "demo": _Set("the package's photographs", _photographs("demo", data=DEMO)),
    "demo_balanced": _Set(
        "the package's photographs, balanced pairs",
        _photographs("demo_balanced", data=DEMO_BALANCED),
    ),
    "demo_wu_ii": _Set(
        "rendered scenes, image-image pairs", _positions(["rotate"], data=DEMO_SCENES)
    ),
    "demo_wu_it": _Set("rendered scenes, image-text pairs", _captions(data=DEMO_SCENES)),
}
PAPER_SETS = ("coco", "in100", "wu_ii", "wu_it")
CUSTOM_TASK = "pairbench_custom"


def design(task: str) -> str:
    """Return how a task's pairs were built: as in the paper, or balanced."""
    return "balanced" if re.search(rf"{SUFFIX}(_|$)", task) else "paper"


def leaf(
    name: str,
    entry: Entry,
    about: str,
    variants: Sequence[Variant] = VARIANTS,
    *,
    folders: bool = False,
) -> Iterator[Task]:
    """Yield one task for each way to ask about its pairs."""
    for suffix, more, setting, decoding in variants:
        folder = f"leaves{suffix}" if folders else ""
        asked = {**entry, **more}
        yield Task(f"{name}{suffix}", asked, f"{about}; {setting}", decoding, folder=folder)


def group(
    name: str, members: Sequence[str], about: str, variants: Sequence[Variant] = VARIANTS
) -> Iterator[Group]:
    """Yield one group of tasks for each way to ask about pairs."""
    for suffix, _, setting, *_ in variants:
        listed = tuple(f"{member}{suffix}" for member in members)
        yield Group(f"{name}{suffix}", listed, f"{about}; {setting}")


def _all() -> Iterator[Task | Group]:
    for name, (about, leaves) in SETS.items():
        names = [f"pairbench_{name}_{end}" for end in leaves]
        # A demo needs no variants.
        variants = VARIANTS if name in PAPER_SETS else VARIANTS[:1]
        for end, entry in leaves.items():
            what = f"{about}, {end.replace('_', ' ')}"
            yield from leaf(f"pairbench_{name}_{end}", entry, what, variants, folders=True)
        mean = f"{about}: mean over {len(names)} tasks"
        yield from group(f"pairbench_{name}", names, mean, variants)
    sets = [f"pairbench_{name}" for name in PAPER_SETS]
    yield from group("pairbench", sets, "the paper's four data sets: mean over 24 tasks")
    # `local_tasks` replaces it where a user has data; without data, it says what to do.
    entry = {"config": CUSTOM, "features": [CUSTOM], "data": CUSTOM}
    yield from leaf(CUSTOM_TASK, entry, f"your own data, in the folder {DATA_VARIABLE}")


TASKS = tuple(_all())
NAMES = frozenset(task.name for task in TASKS)
