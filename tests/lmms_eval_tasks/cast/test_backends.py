"""The two protocols, on a real architecture and on two processes."""

import collections
import json
import os

import pytest

from pairbench_ext.harness.plugin import tasks_dir
from pairbench_ext.harness.text_only import QUESTION
from pairbench_ext.replies.yesno import words
from pairbench_ext.resumable.model import Resumable
from tests.asked_models import fingerprint
from tests.checkpoints import make_qwen2_5_vl
from tests.commands import lmms_eval
from tests.judges import SightedJudge, evaluate, numbers, same
from tests.lmms_eval_tasks.cast import similarity_judge

OWN_TASK = """
include: {folder}/cast/{base}
task: {name}
dataset_kwargs: {{data_files: {{test: sources.json}}, field: mine}}
metadata: {{version: 1.0}}
"""


def by_document(samples):
    return {sample["doc_id"]: sample["trial"] for sample in samples}


def test_two_processes_find_what_one_finds_in_both_protocols(
    cast_data, tmp_path, task_manager, monkeypatch
):
    """One process asks one by one, two in rounds and in batches of 16."""
    monkeypatch.setenv("CAST_DATA", str(cast_data))
    one = evaluate(SightedJudge(similarity_judge.answer), "cast", task_manager)
    plugins = similarity_judge.install(tmp_path / "plugins")
    tasks = ("cast", "cast_rounds")
    two, samples = lmms_eval(
        [
            *("--model", "resumable", "--model_args", f"base={similarity_judge.NAME}"),
            *("--tasks", ",".join(tasks)),
        ],
        tmp_path,
        ranks=2,
        CAST_DATA=str(cast_data),
        PYTHONPATH=os.pathsep.join(filter(None, [str(plugins), os.environ.get("PYTHONPATH")])),
    )
    expected = numbers(one, "cast")
    assert 0 < expected["swapped_rate"] < 1
    assert 0 < expected["coverage"] < 1
    for task in tasks:
        order = [sample["doc_id"] for sample in samples[task]]
        assert order == [*range(0, 24, 2), *range(1, 24, 2)]  # or this test would show nothing
        assert by_document(samples[task]) == by_document(one["samples"]["cast"])
        found = numbers(two, task)
        assert all(same(found[name], value) for name, value in expected.items())


@pytest.fixture
def own_tasks(tmp_path, cast_data):
    """Tasks of a user's own, as the page describes them: one statement of each list."""
    from lmms_eval.tasks import TaskManager

    entry = {"statements": 1, "data": str(cast_data)}
    (tmp_path / "sources.json").write_text(json.dumps({"mine": [entry]}))
    ways = {"mine": "one_by_one", "mine_rounds": "conversation"}
    for name, base in ((name, f"_cast_greedy_{way}") for name, way in ways.items()):
        text = OWN_TASK.format(folder=tasks_dir(), base=base, name=name)
        (tmp_path / f"{name}.yaml").write_text(text)
    return TaskManager(include_defaults=False, include_path=str(tmp_path))


def test_a_real_architecture_answers_the_same_in_both_protocols(tmp_path, own_tasks):
    """Its gibberish is made a list, or a word that is asked for, so that all rounds are reached."""
    from lmms_eval.models.simple.qwen2_5_vl import Qwen2_5_VL

    asked = []

    class Talker(Qwen2_5_VL):
        def generate_until(self, requests):
            replies = super().generate_until(requests)
            return [self._speak(*both) for both in zip(requests, replies, strict=True)]

        def _speak(self, request, reply):
            prompt, _, doc_to_visual, doc_id, task, split = request.args
            images = doc_to_visual(self.task_dict[task][split][doc_id])
            gibberish = getattr(reply, "text", reply)
            if prompt == QUESTION:
                return gibberish
            asked.append(fingerprint([prompt, images, gibberish]))
            if "numbered list" in prompt:
                return f"1. Both {gibberish}"
            return f"{words(similarity_judge.labels(prompt))[ord(gibberish[-1]) % 2]}: {gibberish}"

    checkpoint = make_qwen2_5_vl(tmp_path / "qwen2_5_vl")
    outcomes = []
    for task, wrapper in (("mine", None), ("mine_rounds", Resumable)):
        model = Talker(
            pretrained=str(checkpoint), device="cpu", device_map="cpu", min_pixels=784, batch_size=1
        )
        options = {"limit": 6, "gen_kwargs": "max_new_tokens=4"}
        results = evaluate(wrapper(model) if wrapper else model, task, own_tasks, **options)
        found = {name: repr(value) for name, value in numbers(results, task).items()}
        outcomes.append((found, by_document(results["samples"][task]), collections.Counter(asked)))
        asked.clear()
    found, trials, requests = outcomes[0]
    assert outcomes[1] == outcomes[0]
    assert requests.total() == 6 * 10
    replies = [row["response"] for trial in trials.values() for row in trial["rows"][1:]]
    assert len(set(replies)) > 10
    assert 0 < float(found["same_modality"]) < 1
