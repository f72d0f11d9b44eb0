"""Find out which model is being evaluated, which lmms-eval does not tell its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from pairbench_ext.harness.on_import import after

if TYPE_CHECKING:
    from types import ModuleType

    from lmms_eval.api.model import lmms

_models: list[ref[lmms]] = []


def remember_models(module: ModuleType) -> None:
    """Make lmms-eval remember each model that it builds, for `current_model`."""

    @after(module, "lmms.__init__", "one task that the model cannot answer may end the whole run")
    def init(_: None, model: lmms, *__: Any, **___: Any) -> None:
        _models.append(ref(model))


def current_model(docs: object = None) -> lmms | None:
    """Return the model that answers these documents; if no model does, the model built last."""
    alive = [model for reference in reversed(_models) if (model := reference()) is not None]
    if docs is not None:
        for model in alive:
            splits = (split for task in model.task_dict.values() for split in task.values())
            if any(split is docs for split in splits):
                return model
    return alive[0] if alive else None


def documents_of_the_run(docs: object) -> list[Any]:
    """Return the documents of all tasks in this evaluation, one collection per data split."""
    model = current_model(docs)
    together = [] if model is None else list(model.task_dict.values())
    documents = [split for task in together for split in task.values()]
    return documents if any(split is docs for split in documents) else [docs]
