"""What to do where a backend holds no conversation: most of the harness's do not.

Tasks that end in `_rounds` ask in rounds of all documents. A bare backend mostly raises a
`NotImplementedError` without a word; here it gets one.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

_ROUNDS = "_rounds"


def explain_conversations(model: lmms) -> None:
    """Have a model say which tasks it cannot be asked, and which model or tasks to take instead."""
    original = model.generate_until_multi_round

    @functools.wraps(original)
    def generate_until_multi_round(requests: Sequence[Any]) -> Any:
        try:
            return original(requests)
        except NotImplementedError as error:
            raise NotImplementedError(_explanation(model, requests, str(error))) from error

    model.generate_until_multi_round = generate_until_multi_round


def single_task(task: str) -> str:
    """The task that asks the same of any backend, one request at a time.

    >>> single_task("cast_rounds_demo")
    'cast_demo'
    """
    return task.replace(_ROUNDS, "")


def _explanation(model: lmms, requests: Sequence[Any], said: str) -> str:
    name = type(model).__module__.rpartition(".")[2]
    tasks = list(dict.fromkeys(request.task_name for request in requests))
    ours = [task for task in tasks if _ROUNDS in task]
    text = f"{said}. " if said else ""
    text += f"The model {name} holds no conversations, as {', '.join(tasks) or 'the task'} asks for"
    if ours:
        singles = ",".join(map(single_task, ours))
        text += (
            f"; put `resumable` around it (--model resumable --model_args base={name},...), which "
            f"does, or ask one request at a time: --tasks {singles}"
        )
    return text
