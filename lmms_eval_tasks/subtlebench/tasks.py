"""Declare VLM-SubtleBench's tasks: ways to ask, parts of the data, synthetic scenes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lmms_eval_tasks.subtlebench.choices import (
    CAMERA_HINT,
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
# The other four of Figure 20: tasks of a group of their own.
COLOURS = ("hue_brightness", "hue_size", "hue_count", "hue_translation")
# "synthetic" is the name of the task whose scenes are drawn here.
_DOMAINS = ("natural", "game", "industrial", "medical", "aerial")
_SCENES_TO_CAPTION = 290  # a tenth of the mix, as of the benchmark's pairs (Section 3.3)
_SINGLE = 20  # pairs per cell where only one image is shown
_TOKENS = 1024
_SAMPLED = Decoding(
    "sampled",
    _TOKENS,
    0.5,
    repetition_penalty=1.0,
    why="The paper's decoding (Appendix B.1). The paper names no top-p, so the backend's "
    "default is used.",
)
_GREEDY = Decoding("greedy", _TOKENS)
_AS_AUTHORS = Decoding(
    "authors",
    8192,
    0.5,
    why="The smallest token limit in the authors' code, which sends no repetition penalty.",
)
#: Strategy of one request -> in words, and the figure that prints its prompt.
ONE_STEP: Mapping[str, str] = {
    STANDARD: "standard prompt, Figure 8",
    REASONING: "first reasons, then the answer (Figure 9)",
    "grid": "both images under a grid, Figure 11",
    "concat": "both images side by side in a single image, Figure 12",
    "highlight": "with the regions of change in green boxes, Figure 13",
    "overlap": "with the blend of both images, Figure 14",
    "subtract": "with the difference map, Figure 15",
    CAMERA_HINT: "standard prompt with the authors' sentence about camera movement",
}
_SEVERAL_STEPS: Mapping[str, str] = {
    TWO_STEP: "first the differences, then the answer (Figure 10)",
    LANGUAGE_ONLY: "first describes each image, then answers without seeing them (Appendix C.2)",
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
_THEIRS = "with the prompt of the authors' code"


def _strategies() -> Iterator[Task]:
    for name, words in ONE_STEP.items():
        task = NAME if name == STANDARD else f"{NAME}_{name}"
        yield Task(task, {"strategy": name}, f"what differs between two images; {words}", _SAMPLED)
    for name, words in _SEVERAL_STEPS.items():
        entry: dict[str, Any] = {"strategy": name}
        if name == LANGUAGE_ONLY:
            entry["category"] = _OF_TABLE_9
        one_by_one = f"{words}; any backend, one request at a time"
        yield Task(f"{NAME}_{name}", entry, one_by_one, _SAMPLED, "one_by_one")
        in_batches = f"{words}; in batches, with --model resumable"
        yield Task(f"{NAME}_{name}_rounds", entry, in_batches, _SAMPLED, "conversation")
    for theirs, name in AUTHORS.items():
        task = f"{NAME}_authors" if theirs == "standard" else f"{NAME}_authors_{theirs}"
        entry = {"strategy": name, "variant": "authors"}
        yield Task(task, entry, f"{_THEIRS}, prompt type {theirs}", _AS_AUTHORS)
    yield Task(f"{NAME}_greedy", {"greedy": True}, "the standard prompt, greedy", _GREEDY)
    swapped = "questions with two options, in both orders, greedy: is the answer the same?"
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
    about = "standard prompt, scenes drawn by the authors"
    yield Task(f"{NAME}_synthetic_hub", {"domain": [SYNTHETIC]}, about, _SAMPLED)


def _scenes() -> Iterator[Task | Group]:
    """Yield scenes that are drawn here, all of one version: no download."""
    about = "scenes of rising difficulty, {}: 100 pairs per combination of values, no download"
    together = f"the {len(CONTROLS)} sets of rising difficulty: mean accuracy"
    yield from _controlled(f"{NAME}_control", about, together)
    about = f"as {NAME}_control_{{}}, but shows one of the two images, which should not be enough"
    together = (
        f"the {len(CONTROLS)} sets with only one of the two images: accuracy should be at chance"
    )
    yield from _controlled(f"{NAME}_control_single", about, together, n=_SINGLE, shows="one")
    about = "scenes in five colours, {}: 100 pairs per combination of values, no download"
    together = "Figure 20: five colours by Delta E, brightness, size, count and translation"
    yield from _controlled(f"{NAME}_colours", about, together, names=COLOURS)
    scenes = {"data": SYNTHETIC}
    yield Task(
        f"{NAME}_synthetic",
        scenes,
        "drawn scenes of all types of difference, mixed as in the benchmark, no download",
        _SAMPLED,
    )
    demo = {**scenes, "set": "control_existence", "n": 12, "greedy": True}
    about = "12 pairs of scenes for each kind of existence question, no download"
    yield Task(f"{NAME}_demo", demo, about, _GREEDY)


def _controlled(
    start: str, about: str, together: str, names: Sequence[str] = CONTROLS, **others: Any
) -> Iterator[Task | Group]:
    """Yield a task for each controlled set, and their group; that of colours has the hues, too."""
    first = [f"{NAME}_control_hue"] if names is COLOURS else []
    stem = f"{NAME}_control" if names is COLOURS else start
    for name in names:
        entry = {"data": SYNTHETIC, "set": f"control_{name}", **others}
        yield Task(f"{stem}_{name}", entry, about.format(name.replace("hue_", "")), _SAMPLED)
    yield Group(start, (*first, *(f"{stem}_{name}" for name in names)), together)


def _captions() -> Iterator[Task]:
    name = f"{NAME}_caption"
    yield Task(name, {"split": "test"}, f"{_CAPTION}: CSS, LLM-as-a-judge", _SAMPLED)
    yield Task(f"{name}_greedy", {"greedy": True}, f"{_CAPTION}, greedy", _GREEDY)
    for end, prompt, which in (("", "standard", ""), ("_simple", "simple", ", prompt type simple")):
        entry = {"split": "test", "prompt": prompt}
        about = f"captions of the differences, {_THEIRS}{which}"
        yield Task(f"{name}_authors{end}", entry, about, _AS_AUTHORS)
    scenes = {"data": SYNTHETIC, "n": _SCENES_TO_CAPTION}
    about, version = f"{_CAPTION} in drawn scenes, no download", f"{VERSION}.0"
    yield Task(f"{NAME}_synthetic_caption", scenes, about, _SAMPLED, version=version)


CHOICE_TASKS = (
    *_strategies(),
    *_selections(),
    *(task._replace(version=f"{VERSION}.0") for task in _scenes()),
)
CAPTION_TASKS = tuple(_captions())
