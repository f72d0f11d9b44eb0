"""The entry point of group `lmms_eval.models`: it registers our models and our tasks.

The harness finds tasks under its own `tasks` folder and `--include_path` only. It loads this entry
point when its models are imported, before it lists tasks, so from here `TaskManager` is taught to
index our folder too, once the harness imports it: no flag, no fork, and no import of ours that the
harness would not do itself.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from loguru import logger

from pairbench_ext.harness.evaluated import remember_models
from pairbench_ext.harness.flags import explain_flags, log_scores_by_cluster
from pairbench_ext.harness.on_import import after, on_import, report
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
    "reward_judge": "reward_judge.RewardJudge",
}


def register() -> list[ModelManifest]:
    """Register our tasks and return our models; the harness calls this once.

    The tasks become known when the harness imports its task manager, which is slow (torch) and not
    for us to do. Never raises: the harness would lose the plugins that it loads after this one, or
    not start.
    """
    unknown = "one task that the model cannot answer may end the whole run"
    _change("lmms_eval.tasks", _index_our_tasks, "tasks of pairbench-ext are missing")
    _change("lmms_eval.api.model", remember_models, unknown)
    _change("lmms_eval.api.task", explain_flags, unknown)
    _change(
        "lmms_eval.evaluator_utils",
        log_scores_by_cluster,
        "do not use --baseline: it ignores that some samples belong together",
    )
    try:
        return _our_models()
    except Exception as error:  # noqa: BLE001  (see above)
        report("lmms_eval.models.registry_v2", repr(error), "models of pairbench-ext are missing")
        return []


def _change(module: str, change: Callable[[ModuleType], None], lost: str) -> None:
    try:
        on_import(module, change)
    except ImportError as error:
        report(module, str(error), lost)


def _our_models() -> list[ModelManifest]:
    from lmms_eval.models.registry_v2 import ModelManifest

    resumable = "pairbench_ext.resumable.model.Resumable"
    return [
        *(
            ModelManifest(model_id=name, simple_class_path=f"pairbench_ext.judges.{path}")
            for name, path in JUDGES.items()
        ),
        ModelManifest("resumable", f"{resumable}Simple", resumable),
    ]


def task_index() -> dict[str, dict[str, Any]]:
    """Return the entries of our tasks and groups for the harness's task index, keyed by name.

    A file is named after its task, so none is parsed: every start of the harness waits for this.
    """
    from pairbench_ext.harness.task_files import tasks_dir

    local = local_tasks_dir()
    return _index(tasks_dir()) | (_index(local) if local is not None else {})


def local_tasks_dir() -> Path | None:
    """Return a folder with task files that are missing in `task_yamls`; None if none is missing.

    They are those of benchmarks in packages that are not ours, and those for the user's own data: a
    benchmark whose tasks depend on where the data are has a module `local_tasks` with a function of
    that name, which gives them and whose they are. The files are kept in the user's cache, in a
    folder named by their content. What fails costs a warning, and never a start of the harness.
    """
    from pairbench_ext.core.user_cache import build_once, fingerprint
    from pairbench_ext.harness import task_files

    files = _or_warning(
        task_files.elsewhere, "tasks of benchmarks in your own packages are missing"
    )
    files |= _or_warning(_of_own_data, "tasks for your own data are missing")
    if not files:
        return None

    def written() -> dict[str, Path]:
        digest = fingerprint(sorted(files.items()), libraries=())
        return {"": build_once("tasks", digest, functools.partial(_write, files))}

    return _or_warning(written, "only the tasks that come with pairbench-ext are known").get("")


def _of_own_data() -> dict[str, str]:
    from pairbench_ext.core import registry
    from pairbench_ext.harness import task_files

    files: dict[str, str] = {}
    for module in registry.modules("local_tasks").values():
        by_benchmark: dict[str, list[Any]] = {}
        for benchmark, task in module.local_tasks():
            by_benchmark.setdefault(benchmark.name, [benchmark]).append(task)
        for name, (benchmark, *tasks) in by_benchmark.items():
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


def _index_our_tasks(tasks: ModuleType) -> None:
    """Let `TaskManager` of the imported module `lmms_eval.tasks` know our tasks."""
    from pairbench_ext.harness.task_files import tasks_dir

    @after(tasks, "TaskManager.initialize_tasks", f"add: --include_path {tasks_dir()}")
    def initialize_tasks(
        index: dict[str, Any],
        manager: Any,
        include_path: Any = None,  # noqa: ARG001
        include_defaults: bool = True,
        **_: Any,
    ) -> dict[str, Any]:
        remember(manager)
        # The harness's own tasks, and the user's, win over ours.
        return {**task_index(), **index} if include_defaults else index
