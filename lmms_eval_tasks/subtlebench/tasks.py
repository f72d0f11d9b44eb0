"""VLM-SubtleBench's tasks: the strategies, parts of the data, scenes that are drawn here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lmms_eval_tasks.subtlebench.choice_trials import (
    CAMERA_HINT,
    IN_STEPS,
    LANGUAGE_ONLY,
    REASONING,
    STANDARD,
    TWO_STEP,
)
from lmms_eval_tasks.subtlebench.items import SYNTHETIC, TYPES
from lmms_eval_tasks.subtlebench.scenes import VERSION
from pairbench_ext.core.benchmark import Decoding, Group, Task

NAME = "subtlebench"
CONTROLS = ("color", "size", "spatial", "existence", "quantity", "viewpoint", "hue")
# "synthetic" is the name of the task whose scenes are drawn here.
_DOMAINS = ("natural", "game", "industrial", "medical", "aerial")
_SCENES_TO_CAPTION = 290  # a tenth of the mix, as of the benchmark's pairs (Section 3.3)
_SINGLE = 20  # pairs per cell, of each of which one image is shown
_TOKENS = 1024
_SAMPLED = Decoding(
    "sampled",
    _TOKENS,
    0.5,
    repetition_penalty=1.0,
    why="The paper's decoding (Appendix B.1). It names no top-p: that is the backend's.",
)
_GREEDY = Decoding("greedy", _TOKENS)
_AS_AUTHORS = Decoding(
    "authors",
    8192,
    0.5,
    why="The smallest limit that the authors' code sends; it sends no repetition penalty.",
)
#: Strategy of one request -> in words, and the figure that prints its prompt.
ONE_STEP: Mapping[str, str] = {
    STANDARD: "standard prompt, Figure 8",
    REASONING: "reasons, then answers, Figure 9",
    "grid": "both images under a grid, Figure 11",
    "concat": "both images side by side in one, Figure 12",
    "highlight": "with the regions of change in green boxes, Figure 13",
    "overlap": "with the blend of both images, Figure 14",
    "subtract": "with the difference map, Figure 15",
    CAMERA_HINT: "standard prompt with the authors' line on camera movement",
}
_SEVERAL_STEPS: Mapping[str, str] = {
    TWO_STEP: "describes the differences, then answers, Figure 10",
    LANGUAGE_ONLY: "describes each image, then answers without them, Appendix C.2",
}
_OF_TABLE_9 = ["emotion", "existence", "quality"]
#: Prompt type of the authors' code -> strategy. Their `no_reasoning` is our `subtlebench`.
AUTHORS: Mapping[str, str] = {
    "standard": REASONING,
    "camera_augmented": CAMERA_HINT,
    "concatenated": "concat",
    "grid": f"{REASONING}+grid",
    "overlapped": "overlap",
    "substract": "subtract",
}
_CAPTION = "captions of the differences, Figure 16"
_THEIRS = "asked as the authors' code does"


def _ways_of_asking(task: str, entry: Mapping[str, Any], about: str) -> Iterator[Task]:
    """A task for what is asked once; for what is asked in steps, one by one and one in batches.

    Args:
        task: its name; that of the one in batches ends in `_rounds`.
        entry: with the strategy.
        about: in words.
    """
    if entry["strategy"] not in IN_STEPS:
        yield Task(task, entry, about, _SAMPLED)
        return
    yield Task(task, entry, f"{about}; any backend, one by one", _SAMPLED, "one_by_one")
    in_batches = f"{about}; in batches, with --model resumable"
    yield Task(f"{task}_rounds", entry, in_batches, _SAMPLED, "conversation")


def _strategies() -> Iterator[Task]:
    for name, words in ONE_STEP.items():
        task = NAME if name == STANDARD else f"{NAME}_{name}"
        about = f"what differs between two images; {words}"
        yield from _ways_of_asking(task, {"strategy": name}, about)
    for name, words in _SEVERAL_STEPS.items():
        own = {"category": _OF_TABLE_9} if name == LANGUAGE_ONLY else {}
        yield from _ways_of_asking(f"{NAME}_{name}", {"strategy": name, **own}, words)
    for theirs, name in AUTHORS.items():
        task = f"{NAME}_authors" if theirs == "standard" else f"{NAME}_authors_{theirs}"
        entry = {"strategy": name, "variant": "authors"}
        yield Task(task, entry, f"{_THEIRS}, prompt type {theirs}", _AS_AUTHORS)
    yield Task(f"{NAME}_greedy", {"greedy": True}, "the standard prompt, greedy", _GREEDY)
    swapped = "questions with two options, in both orders, greedy: consistency"
    yield Task(f"{NAME}_swapped", {"orders": "both", "greedy": True}, swapped, _GREEDY)


def _selections() -> Iterator[Task]:
    yield Task(f"{NAME}_val", {"split": "val"}, "standard prompt, the validation split", _SAMPLED)
    for name in TYPES:
        about = f"standard prompt, {name} differences"
        yield Task(f"{NAME}_{name}", {"category": [name]}, about, _SAMPLED)
    for name in _DOMAINS:
        yield Task(
            f"{NAME}_{name}", {"domain": [name]}, f"standard prompt, {name} images", _SAMPLED
        )
    about = "standard prompt, the authors' scenes"
    yield Task(f"{NAME}_synthetic_hub", {"domain": [SYNTHETIC]}, about, _SAMPLED)


def _scenes() -> Iterator[Task | Group]:
    """Scenes that are drawn here, all of one version: no download."""
    return (task._replace(version=f"{VERSION}.0") for task in _of_scenes())


def _of_scenes() -> Iterator[Task | Group]:
    scenes = {"data": SYNTHETIC}
    for name in CONTROLS:
        about = f"scenes of rising difficulty, {name}: 100 pairs per cell, no download"
        entry = {**scenes, "set": f"control_{name}"}
        yield Task(f"{NAME}_control_{name}", entry, about, _SAMPLED)
    controls = tuple(f"{NAME}_control_{name}" for name in CONTROLS)
    about = f"the {len(CONTROLS)} sets of rising difficulty: mean accuracy"
    yield Group(f"{NAME}_control", controls, about)
    for name in CONTROLS:
        about = f"as {NAME}_control_{name}, with one of the two images: is it enough?"
        single = {**scenes, "set": f"control_{name}", "n": _SINGLE, "shows": "one"}
        yield Task(f"{NAME}_control_single_{name}", single, about, _SAMPLED)
    singles = tuple(f"{NAME}_control_single_{name}" for name in CONTROLS)
    about = f"the {len(CONTROLS)} sets with one of the two images: mean accuracy, to be at chance"
    yield Group(f"{NAME}_control_single", singles, about)
    yield Task(f"{NAME}_synthetic", scenes, "the benchmark's mix of scenes, no download", _SAMPLED)
    demo = {**scenes, "set": "control_existence", "n": 12, "greedy": True}
    about = "12 pairs of scenes per cell of existence, no download"
    yield Task(f"{NAME}_demo", demo, about, _GREEDY)


CHOICE_TASKS = (*_strategies(), *_selections(), *_scenes())
CAPTION_TASKS = (
    Task(f"{NAME}_caption", {"split": "test"}, f"{_CAPTION}: CSS, LLM-as-a-judge", _SAMPLED),
    Task(f"{NAME}_caption_greedy", {"greedy": True}, f"{_CAPTION}, greedy", _GREEDY),
    Task(
        f"{NAME}_caption_authors",
        {"split": "test", "prompt": "standard"},
        f"captions of the differences, {_THEIRS}",
        _AS_AUTHORS,
    ),
    Task(
        f"{NAME}_caption_authors_simple",
        {"split": "test", "prompt": "simple"},
        f"captions of the differences, {_THEIRS}, prompt type simple",
        _AS_AUTHORS,
    ),
    Task(
        f"{NAME}_synthetic_caption",
        {"data": SYNTHETIC, "n": _SCENES_TO_CAPTION},
        f"{_CAPTION}, of scenes: no download of data",
        _SAMPLED,
        version=f"{VERSION}.0",
    ),
)
