"""The validation split as training data in a chat format (Section 4.5, Appendix B.5).

The paper fine-tunes Qwen2.5-VL-7B on the validation split and does not say in which form. Here a
row is the standard prompt (Figure 8), as the tasks ask it, with the letter of the right option as
the reply; options are in the order that the tasks show them in.

    llava      {"id", "image": [path, path], "conversations": [{"from": "human", "value"}, {"from":
               "gpt", "value"}]}: LLaVA's layout, which Qwen-VL's fine-tuning code reads, too. It
               has no system prompts: that stands before the question.
    messages   {"id", "images": [path, path], "messages": [{"role", "content"}, ...]}: system, user
               and assistant, as LLaMA-Factory, ms-swift and others read.

In both, `<image>` stands where an image is, images first, and paths are relative to the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials
from lmms_eval_tasks.subtlebench.pairs import FilePairs
from lmms_eval_tasks.subtlebench.strategy import STANDARD
from pairbench_ext.core.files import appearing_together
from pairbench_ext.core.records import RecordError

if TYPE_CHECKING:
    from pathlib import Path

    from lmms_eval_tasks.subtlebench.repository import HubFile
    from pairbench_ext.core.trials import Trials

Layout: TypeAlias = Literal["llava", "messages"]
FILE = "training.jsonl"
IMAGES = "images"
_IMAGE = "<image>\n"


def write_training(entry: Mapping[str, Any], layout: Layout, out: Path) -> int:
    """Write `training.jsonl` and the images that it names, all or nothing.

    Args:
        entry: which questions, as of a task.
        layout: of a row.
        out: the folder.

    Returns:
        How many rows there are.

    Raises:
        SourceError, RecordError: if the data are missing or not as described.
        WriteError: if it cannot be written.
    """
    trials = ChoiceTrials(entry)
    requests = trials.requests  # before anything is made: the data may not be there
    with appearing_together(out) as scratch:
        lines = [
            json.dumps(row, ensure_ascii=False) for row in _rows(trials, requests, layout, scratch)
        ]
        (scratch / FILE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(lines)


def _rows(
    trials: ChoiceTrials, requests: Trials, layout: Layout, folder: Path
) -> Iterator[dict[str, Any]]:
    pairs = trials.pairs
    assert isinstance(pairs, FilePairs)
    written: dict[str, HubFile] = {}
    for trial in map(trials.describe, requests):
        item, files = pairs.items[trial["row"]], pairs.files(trial["row"])
        paths = [f"{IMAGES}/{one.path.removeprefix(f'{IMAGES}/')}" for one in item.images]
        for path, image, file in zip(paths, item.images, files, strict=True):
            if written.setdefault(path, image) != image:
                raise RecordError(f"{item.where}: {image.path} is a file of two repositories")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(file.read_bytes())
        prompt = prompts.render(STANDARD, item.question, trial["options"])
        yield _row(item.name, paths, prompt, trial["truth"], layout)


def _row(
    name: str, images: Sequence[str], prompt: prompts.Prompt, reply: str, layout: Layout
) -> dict[str, Any]:
    shown = _IMAGE * len(images)
    if layout == "llava":
        asked = f"{shown}{prompt.system}\n\n{prompt.user}"
        turns = [{"from": "human", "value": asked}, {"from": "gpt", "value": reply}]
        return {"id": name, "image": list(images), "conversations": turns}
    said = (("system", prompt.system), ("user", shown + prompt.user), ("assistant", reply))
    messages = [{"role": role, "content": content} for role, content in said]
    return {"id": name, "images": list(images), "messages": messages}
