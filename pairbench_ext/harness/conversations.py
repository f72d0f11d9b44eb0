"""An explanation where a backend holds no conversation, as most of the harness's do not.

Tasks that end in `_rounds` ask in rounds of all documents. A bare backend mostly raises a
`NotImplementedError` without a word; here it gets one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pairbench_ext.harness.on_import import around

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms


def explain_conversations(model: lmms) -> None:
    """Have a model say which tasks it cannot be asked, and which model or tasks to take instead."""

    @around(model, "generate_until_multi_round")
    def answers(original: Callable[..., Any], requests: Sequence[Any]) -> Any:
        try:
            return original(requests)
        except NotImplementedError as error:
            raise NotImplementedError(_explanation(model, requests, str(error))) from error


def _explanation(model: lmms, requests: Sequence[Any], error: str) -> str:
    name = type(model).__module__.rpartition(".")[2]
    tasks = ",".join(dict.fromkeys(request.task_name for request in requests))
    return (
        f"{error}. The model {name} holds no conversations, as {tasks} asks for; use "
        f"--model resumable --model_args base={name},... or ask one request at a time: "
        f"--tasks {tasks.replace('_rounds', '')}"
    )
