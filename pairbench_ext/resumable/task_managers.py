"""Make tasks choose their prompts for the wrapped model, not for the wrapper.

About 150 of the harness's tasks have prompts of their own for some models, chosen by the name that
the task manager was given on the command line. It is made before the model is, so the plugin
remembers each one, and a wrapper tells them the name of what it wraps.
"""

from typing import Any
from weakref import WeakSet

_managers: WeakSet[Any] = WeakSet()


def remember(manager: Any) -> None:
    """Keep a weak reference to a `TaskManager`."""
    _managers.add(manager)


def rename_model(wrapper: str, wrapped: str) -> None:
    """Choose the prompts for model `wrapped` where they would be chosen for `wrapper`."""
    for manager in _managers:
        if manager.model_name == wrapper:
            manager.model_name = wrapped
