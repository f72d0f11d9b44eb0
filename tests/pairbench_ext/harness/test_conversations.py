"""A backend that holds no conversation says what to do; a judge says that a task is not for it."""

import pytest
from loguru import logger

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Task
from pairbench_ext.harness.conversations import explain_conversations
from pairbench_ext.judges.blind_judge import BlindJudge


class Asked:
    """What a judge reads of a request."""

    def __init__(self, task, text="", images=()):
        self.task_name = task
        self.args = (text, {}, lambda _: list(images), 0, task, "test")


@pytest.fixture
def warned():
    lines = []
    sink = logger.add(lambda message: lines.append(message.record["message"]), level="WARNING")
    yield lines
    logger.remove(sink)


def test_a_bare_backend_explains_itself():
    model = BlindJudge()
    explain_conversations(model)
    with pytest.raises(NotImplementedError) as raised:
        model.generate_until_multi_round([Asked("cast_rounds"), Asked("cast_rounds")])
    message = str(raised.value)
    assert "The model blind_judge holds no conversations, as cast_rounds asks for" in message
    assert "--model resumable --model_args base=blind_judge,..." in message
    assert message.endswith("--tasks cast")


def test_every_task_in_conversation_has_one_for_any_backend():
    for benchmark in registry.every_benchmark():
        tasks = {task.name: task for task in benchmark.tasks if isinstance(task, Task)}
        for name, task in tasks.items():
            if task.rounds == "conversation":
                assert tasks[name.replace("_rounds", "")].rounds != "conversation"


def test_a_judge_says_at_once_and_once_which_tasks_are_not_for_it(warned):
    asked = [Asked("pairbench_coco", "How alike are they?") for _ in range(40)]
    options = "Which is it?\n\nA. a cat\nB. a dog\n\nAnswer with the letter."
    replies = BlindJudge(policy="first").generate_until([*asked, Asked("other", options)])
    assert len(replies) == 41
    [line] = [line for line in warned if "pairbench_coco" in line]
    assert line.startswith("blind_judge cannot answer pairbench_coco: This judge compares two ans")
    assert "coverage is 0" in line
