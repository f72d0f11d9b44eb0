"""PairBench's tasks as the harness reads them: leaves, groups, variants, prompts, ranks."""

import copy
import json

import pytest

from lmms_eval_tasks.pairbench.tasks import NAMES, PAPER_SETS, TASKS, VARIANTS
from pairbench_ext.core.benchmark import Group, Task
from tests.conftest import REPOSITORY

GOLDEN = REPOSITORY / "tests" / "goldens" / "pairbench_prompts.json"


def test_the_papers_24_leaves_and_groups_are_there(task_manager):
    groups = {task.name: task.members for task in TASKS if isinstance(task, Group)}
    for suffix in ("", "_all_prompts", "_authors"):
        sets = groups[f"pairbench{suffix}"]
        assert sets == tuple(f"pairbench_{name}{suffix}" for name in PAPER_SETS)
        assert [len(groups[name]) for name in sets] == [5, 5, 12, 2]
    assert set(groups) <= set(task_manager.all_groups)
    leaves = {task.name for task in TASKS if isinstance(task, Task)}
    found = {name for name in task_manager.all_subtasks if name.startswith("pairbench")}
    assert found == leaves
    # And what pairbench_custom says; the demos have no variants.
    assert len(found) == len(VARIANTS) * (24 + 1) + 11
    assert len(NAMES) == len(TASKS)


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("pairbench_coco_rotate", 24),
        ("pairbench_coco_rotate_all_prompts", 120),
        ("pairbench_wu_ii_b_sp_elastic", 24),
        ("pairbench_wu_it_a", 24),
        ("pairbench_coco_rotate_authors", 24),
        ("pairbench_wu_it_a_authors", 24),
    ],
)
def test_a_chat_and_a_simple_task_build_the_same_requests(
    name, n, task_manager, pairbench_data, monkeypatch
):
    """The harness's own checks of a task, for both kinds of backend."""
    from lmms_eval.tasks import get_task_dict

    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    requests = {}
    for kind in ("simple", "chat"):
        task = get_task_dict([name], copy.copy(task_manager), kind)[name]
        task.set_config("num_fewshot", 0)
        task.build_all_requests(rank=0, world_size=1)
        assert [instance.doc_id for instance in task.instances] == list(range(n))
        assert {i.request_type for i in task.instances} == {"generate_until"}
        assert {i.args[-1] for i in task.instances} == {"test"}
        requests[kind] = [instance.args for instance in task.instances]
        json.dumps(task.dump_config(), default=str)
    assert [args[0] for args in requests["simple"]] == [args[0] for args in requests["chat"]]


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
