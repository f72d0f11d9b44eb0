"""Make tasks choose the prompts meant for the wrapped model, not for `resumable`.

About 150 of the harness's tasks have prompts of their own for some models, chosen by the name that
the task manager was given on the command line. It is made before the model is, so the plugin
remembers each one, and a wrapper tells them the name of what it wraps.
"""

from typing import Any
from weakref import WeakSet

_managers: WeakSet[Any] = WeakSet()


def remember(manager: Any) -> None:
    """Keep a weak reference to a `TaskManager`, for `rename_model`."""
    _managers.add(manager)


def rename_model(wrapper: str, wrapped: str) -> None:
    """Make task managers choose prompts for model `wrapped` instead of for model `wrapper`."""
    for manager in _managers:
        if manager.model_name == wrapper:
            manager.model_name = wrapped
