"""PairBench's tasks as the harness reads them: leaves, groups, variants, prompts, ranks."""

import copy
import json

from lmms_eval_tasks.pairbench.tasks import TASKS
from pairbench_ext.core.benchmark import Task
from tests.conftest import REPOSITORY

GOLDEN = REPOSITORY / "tests" / "goldens" / "pairbench_prompts.json"


def rendered_prompts(task_manager):
    """Prompt of every template, kind of pair and condition, read through the task files."""
    from lmms_eval.tasks import get_task_dict

    leaves = [
        task.name
        for task in TASKS
        if isinstance(task, Task)
        and (task.entry.get("templates") == "all" or task.entry.get("asking") == "authors")
        and task.name.startswith(("pairbench_coco_", "pairbench_wu_ii_a_", "pairbench_wu_it_a"))
    ]
    tasks = get_task_dict(leaves, copy.copy(task_manager), "chat")
    prompts = {}
    for name, task in tasks.items():
        for doc in task.eval_docs:
            if (doc["row"], doc["order"], doc["pair"]) == (0, "fwd", "identical"):
                [message] = task.doc_to_messages(doc)
                prompts[f"{name} {doc['condition']} V{doc['template'] + 1}"] = "|".join(
                    item.get("text", "<image>") for item in message["content"]
                )
    return prompts


def test_prompts_are_the_golden_ones(task_manager, pairbench_data, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    assert rendered_prompts(task_manager) == json.loads(GOLDEN.read_text(encoding="utf-8"))
