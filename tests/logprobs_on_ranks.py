"""One evaluation with distributions, on as many ranks as there are: for `tests.evaluations`."""

import importlib
import json
import os
from pathlib import Path
from types import SimpleNamespace


def main(base, folder, out):
    """Evaluate a demo task; rank 0 writes the distributions of its documents.

    The backends of the harness put ranks on GPUs alone: here each is built as if it were the only
    one, on the CPU.
    """
    from lmms_eval.models import get_model
    from lmms_eval.tasks import TaskManager

    from pairbench_ext.harness.task_files import tasks_dir
    from pairbench_ext.resumable.model import Resumable
    from tests.judges import evaluate

    rank, ranks = (int(os.environ.get(name, n)) for name, n in (("RANK", 0), ("WORLD_SIZE", 1)))
    kind = get_model(base)
    alone = SimpleNamespace(num_processes=1, unwrap_model=lambda model: model)
    for owner in kind.__mro__[:2]:
        importlib.import_module(owner.__module__).Accelerator = lambda *_, **__: alone
    size = {"device": "cpu", "device_map": "cpu", "min_pixels": 784, "batch_size": 2}
    model = kind(pretrained=folder, **size)
    model._rank, model._world_size = rank, ranks
    judge = Resumable(model, distributions=True)
    manager = TaskManager(include_defaults=False, include_path=str(tasks_dir()))
    task = "pairbench_demo_rotate"
    options = {"limit": 7, "gen_kwargs": "max_new_tokens=1"}
    results = evaluate(judge, task, manager, distributed_executor_backend="torchrun", **options)
    if results is not None:
        samples = sorted(results["samples"][task], key=lambda sample: sample["doc_id"])
        found = [[s["doc_id"], s["trial"]["distribution"]] for s in samples]
        Path(out).write_text(json.dumps(found))
