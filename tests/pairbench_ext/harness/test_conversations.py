"""A backend that holds no conversation says what to do; a judge says that a task is not for it."""

import pytest
from loguru import logger

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Task
from pairbench_ext.harness.conversations import explain_conversations, single_task
from pairbench_ext.judges.blind_judge import BlindJudge
from pairbench_ext.judges.pair_encoder import PairEncoder
from pairbench_ext.runs.scoring import score_file
from tests.pairbench_ext.runs.test_compare import ratings, write


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
    said = str(raised.value)
    assert "The model blind_judge holds no conversations, as cast_rounds asks for" in said
    assert "--model resumable --model_args base=blind_judge,..." in said
    assert said.endswith("--tasks cast")


def test_a_backend_that_holds_conversations_is_left_alone():
    model = BlindJudge()
    model.generate_until_multi_round = lambda requests: [len(requests)]
    explain_conversations(model)
    assert model.generate_until_multi_round([1, 2]) == [2]


def test_every_task_in_conversation_has_one_for_any_backend():
    for benchmark in registry.every_benchmark():
        tasks = {task.name: task for task in benchmark.tasks if isinstance(task, Task)}
        for name, task in tasks.items():
            if task.rounds == "conversation":
                assert tasks[single_task(name)].rounds != "conversation"


def test_a_judge_says_at_once_and_once_which_tasks_are_not_for_it(warned):
    asked = [Asked("pairbench_coco", "How alike are they?") for _ in range(40)]
    options = "Which is it?\n\nA. a cat\nB. a dog\n\nAnswer with the letter."
    replies = BlindJudge(policy="first").generate_until([*asked, Asked("other", options)])
    assert len(replies) == 41
    [line] = [line for line in warned if "pairbench_coco" in line]
    assert line.startswith("blind_judge cannot answer pairbench_coco: This judge compares two ans")
    assert "coverage is 0" in line


def test_pictures_that_are_not_there_are_said(warned):
    judge = PairEncoder(encoder="classical")
    judge.task_dict = {"t": {"test": [{}]}}
    judge.generate_until([Asked("t")])
    assert (
        "pair_encoder cannot answer t: This judge compares two images; it was shown 0."
        in (warned[0])
    )


def test_replies_of_which_none_can_be_read_are_remarked(tmp_path):
    rows = [{**row, "filtered_resps": "No comment."} for row in ratings(0, 0, rows=2)]
    file = tmp_path / "1_samples_pairbench_coco_rotate.jsonl"
    write(file, rows)
    [pairbench] = registry.benchmarks()["pairbench"]
    first, *_ = score_file(pairbench, file).remarks()
    assert first.startswith("no reply could be read (")
    assert first.endswith(
        ": 24 of 24): the other numbers mean nothing; can this judge do this task?"
    )
    rows[0]["filtered_resps"] = "Score: 7"
    write(file, rows)
    assert not [one for one in score_file(pairbench, file).remarks() if "no reply" in one]
