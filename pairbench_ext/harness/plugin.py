"""Entry point of group `lmms_eval.models`: registers our models and makes our tasks known.

The harness finds tasks under its own `tasks` folder and `--include_path` only. It loads this entry
point when its models are imported, before it lists tasks, so from here `TaskManager` is taught to
index our folder too, once the harness imports it: no flag, no fork, and no import of ours that the
harness would not do itself.
"""

from __future__ import annotations

import functools
import re
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from loguru import logger

import pairbench_ext
from pairbench_ext.harness.baseline import log_scores_by_cluster
from pairbench_ext.harness.flags import explain_flags
from pairbench_ext.harness.on_import import around, on_import
from pairbench_ext.harness.text_only import remember_models
from pairbench_ext.resumable import remember

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from lmms_eval.models.registry_v2 import ModelManifest

Made = TypeVar("Made")

# Our judges, which are simple backends. `resumable` is as the model is that it wraps.
JUDGES = {
    "blind_judge": "blind_judge.BlindJudge",
    "pair_encoder": "pair_encoder.PairEncoder",
    "pixel_judge": "pixel_judge.PixelJudge",
}


def tasks_dir() -> Path:
    """The folder of our task files, for `--include_path`."""
    return Path(str(files("task_yamls")))


def register() -> list[ModelManifest]:
    """Make our tasks known and return our models; the harness calls this once.

    The tasks become known when the harness imports its task manager, which is slow (torch) and not
    for us to do. Never raises: the harness would lose the plugins that it loads after this one, or
    not start.
    """
    try:
        from lmms_eval.models.registry_v2 import ModelManifest

        on_import("lmms_eval.tasks", _index_our_tasks)
        on_import("lmms_eval.api.model", remember_models)
        on_import("lmms_eval.api.task", explain_flags)
        on_import("lmms_eval.evaluator_utils", log_scores_by_cluster)
    except Exception as error:  # noqa: BLE001  (see above: whatever it is, others go on)
        _report(error, "Its tasks and models are not available")
        return []
    judges = [
        ModelManifest(model_id=name, simple_class_path=f"pairbench_ext.judges.{path}")
        for name, path in JUDGES.items()
    ]
    return [
        *judges,
        ModelManifest(
            model_id="resumable",
            simple_class_path="pairbench_ext.resumable.model.ResumableSimple",
            chat_class_path="pairbench_ext.resumable.model.Resumable",
        ),
    ]


def task_index() -> dict[str, dict[str, Any]]:
    """Our tasks and groups as the harness's task index has them, by name.

    A file is named after its task, so none is parsed: every start of the harness waits for this.
    """
    local = local_tasks_dir()
    return _index(tasks_dir()) | (_index(local) if local is not None else {})


def local_tasks_dir() -> Path | None:
    """The folder of task files that are not kept in `task_yamls`; None if there are none.

    They are those of benchmarks in packages that are not ours, and those for the user's own data: a
    benchmark whose tasks depend on where the data are has a module `local_tasks` with a function of
    that name, which gives them and whose they are. The files are kept in the user's cache, in a
    folder named by their content. What fails costs a warning, and never a start of the harness.
    """
    from pairbench_ext.core.user_cache import build_once, fingerprint
    from pairbench_ext.harness import task_files

    files = _or_warning(task_files.elsewhere, "no tasks of benchmarks in packages of your own")
    files |= _or_warning(_of_own_data, "no tasks for your own data")
    if not files:
        return None

    def written() -> dict[str, Path]:
        digest = fingerprint(sorted(files.items()), libraries=())
        return {"": build_once("tasks", digest, functools.partial(_write, files))}

    return _or_warning(written, "only the tasks that come with pairbench-ext").get("")


def _of_own_data() -> dict[str, str]:
    from pairbench_ext.core import registry
    from pairbench_ext.harness import task_files

    files: dict[str, str] = {}
    for module in registry.modules("local_tasks").values():
        own: dict[str, list[Any]] = {}
        for benchmark, task in module.local_tasks():
            own.setdefault(benchmark.name, [benchmark]).append(task)
        for name, (benchmark, *tasks) in own.items():
            rendered = task_files.files_elsewhere(benchmark, tasks)
            files |= {f"{name}/{path}": text for path, text in rendered.items()}
    return files


def _or_warning(make: Callable[[], dict[str, Made]], effect: str) -> dict[str, Made]:
    try:
        return make()
    except Exception as error:  # noqa: BLE001  (whatever it is, the harness starts)
        logger.warning(f"{effect}: {error}")
        return {}


def _write(files: dict[str, str], folder: Path) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _index(folder: Path) -> dict[str, dict[str, Any]]:
    index: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.rglob("*.yaml")):
        entry: dict[str, Any] = {"type": "task", "yaml_path": str(file)}
        if re.search(r"^group:", file.read_text(encoding="utf-8"), re.MULTILINE):
            entry |= {"type": "group", "task": -1}  # -1: the list is read when the group is run
        index[file.stem] = entry
    return index


def _report(error: Exception, effect: str) -> None:
    logger.error(
        f"pairbench-ext {pairbench_ext.__version__} does not work with lmms-eval "
        f"{version('lmms_eval')} ({error!r}). {effect}. Try: pip install -U lmms-eval"
    )


def _index_our_tasks(tasks: ModuleType) -> None:
    """Let `TaskManager` of the imported module `lmms_eval.tasks` know our tasks; never raises."""
    try:

        @around(tasks.TaskManager, "initialize_tasks")
        def initialize_tasks(
            original: Callable[..., dict[str, Any]],
            self: Any,
            include_path: str | list[str] | None = None,
            include_defaults: bool = True,
        ) -> dict[str, Any]:
            remember(self)
            index = original(self, include_path=include_path, include_defaults=include_defaults)
            # The harness's own tasks, and the user's, win over ours.
            return {**task_index(), **index} if include_defaults else index
    except Exception as error:  # noqa: BLE001  (the harness's import would fail)
        _report(error, "Its tasks are not available")
