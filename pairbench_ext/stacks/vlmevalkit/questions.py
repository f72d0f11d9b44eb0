"""Trials as VLMEvalKit is shown them: rows of a table, and messages with pictures in files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from pairbench_ext.stacks.plain.messages import picture_file, shown_parts
from pairbench_ext.stacks.plain.tasks import PlainTask, PlainTrial, trial_key


def rows(task: PlainTask) -> list[dict[str, str]]:
    """The rows of a data set: `index`, the trial's key, and `question`, its texts.

    VLMEvalKit knows predictions by their index, also those of runs that it goes on with (`--reuse`
    and its checkpoints). A key changes with the prompt, so a prediction is never another prompt's.
    """
    return [
        {"index": trial_key(trial), "question": "".join(trial.first_request.texts)}
        for trial in task
    ]


def message(trial: PlainTrial, folder: Path) -> list[dict[str, str]]:
    """Return what is asked, in the trial's order of texts and pictures.

    A system prompt is the first text, as for lmms-eval's simple backends: VLMEvalKit's APIs keep
    one for all data sets that follow, and its local models take it for such a text anyway.

    Args:
        trial: of a task that asks once.
        folder: gets the pictures, as PNG files called by their content.
    """
    request = trial.first_request
    system = f"{request.system}\n\n" if request.system else ""
    return [
        {"type": "text", "value": _as_words(part)}
        if isinstance(part, str)
        else {"type": "image", "value": str(picture_file(part, folder))}
        for part in shown_parts(replace(request, content=(system, *request.content)))
    ]


def number_of(index: str) -> int:
    """The number of the trial that an index is of.

    Raises:
        ValueError: if it is not an index of ours.
    """
    return int(index.split(":")[-2]) if index.count(":") > 1 else int("")


def _as_words(text: str) -> str:
    """A text that VLMEvalKit takes for words: what is a file, or a URL, it would open."""
    taken = text.startswith("data:image/") or "://" in text or os.path.exists(text)  # noqa: PTH110
    return f"\n{text}" if taken and not text[:1].isspace() else text
