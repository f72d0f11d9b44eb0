"""Run benchmarks without lmms-eval, on any function that answers chat messages.

    from pairbench_ext.stacks.plain import open_task

    task = open_task("pairbench_demo_rotate")
    print(task.score([my_model(trial.messages) for trial in task]).numbers)

What is shown, how replies are read and what is counted are the harness's tasks themselves, so the
rows that `write` makes are scored, compared and shown like the harness's own logs.
"""

from pairbench_ext.stacks.plain.messages import (
    TokenReply,
    openai_messages,
    pil_messages,
    token_reply,
)
from pairbench_ext.stacks.plain.tasks import FAILED, PlainTask, PlainTrial, open_task, task_names

__all__ = [
    "FAILED",
    "PlainTask",
    "PlainTrial",
    "TokenReply",
    "open_task",
    "openai_messages",
    "pil_messages",
    "task_names",
    "token_reply",
]
