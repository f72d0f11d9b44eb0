"""Connect the benchmarks to lmms-eval: plugin, documents, hooks, rounds, task files.

Other rooms use:

    hooks                    the functions that task files name
    plugin, on_import        the entry point; functions that run when lmms-eval is imported
    task_files               the folder of task files, and writing them
    documents                trials as documents; documents of logged samples
    rounds, llm_judge        requests in rounds; a language model as judge
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairbench_ext.core.benchmark import Benchmark


def task_functions(*benchmarks: Benchmark) -> Callable[[str], Any]:
    """Return a `__getattr__` for a benchmark's module, so that task files find its functions.

    The hooks are imported when the harness asks for one of them, and by no command that reads logs.
    """

    @cache
    def named() -> dict[str, Any]:
        hooks: Any = import_module(f"{__name__}.hooks")
        functions: dict[str, Any] = hooks.named_functions(*benchmarks)
        return functions

    def attribute(name: str) -> Any:
        if name.endswith(("docs", "metric_list")) and name in named():
            return named()[name]
        raise AttributeError(f"{benchmarks[0].name} has no {name!r}")

    return attribute
