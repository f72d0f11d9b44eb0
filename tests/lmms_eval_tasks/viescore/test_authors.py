"""As the authors' code asks: prompts, order of parts, retries and rated examples."""

import hashlib
import json

import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.prompts import authors_prompt
from lmms_eval_tasks.viescore.tasks import TASKS
from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.benchmark import Task
from pairbench_ext.resumable.model import Resumable
from tests.judges import (
    CannedChatJudge,
    PromptChatJudge,
    evaluate,
    numbers,
)
from tests.museums import RATED, rated_name, write_museum, write_rated, write_task

SLOTS = {"mie": "<instruction>", "tie": "<instruction>", "sdie": "<subject>"}
TASK_NAMES = {task.name: task for task in BENCHMARK.tasks if isinstance(task, Task)}

# SHA-256 of files of github.com/TIGER-AI-Lab/VIEScore at 2cbea4e, paper_implementation/_questions,
# joined by line breaks as `run.py` does: `context.txt`, the rules and the scale for SC of a task,
# or `rule_PQ.txt`; by shots.
PRINTED = {
    (0, "t2i"): "7d96dea915aa1fe5287d8f63ae4693b8ea0ef69c8cb31814963cd279ea2979be",
    (0, "PQ"): "3b6e5bb932a1490d2cdd4b6c300841059c59e071a470350b84695d82dc70901d",
    (0, "mie"): "766ca4f81bd6da70b005e13b42786cf1f109a721734c6407ba7c4e1a2b9cfd2c",
    (0, "tie"): "50cd216f52c1c714f7bf7a5de52818a3dfb56b1185124bead7468090197d4be5",
    (0, "sdig"): "6fb2c9584d998e3c5acf690469f083ffb77f3f9d42d5e6c5fc1e79c5ff0c4edd",
    (0, "sdie"): "6549e7e891815f6ef3876f732f854cceb2f292391f56b9e7a32d6ebf21c7682f",
    (0, "mcic"): "7d89068b2a8f0d1e6cf661109d3858a2c338350da47f11f3be69bdb2cb67959e",
    (0, "cig"): "42c3e2fe4a97483721128a74b9ede61ae8f7a670f51c5251a49d253daa6cb0be",
    (1, "t2i"): "0fa8fb25a216f764b4eac83be909e7417f86cdf88f62c36ac3c92dd13820c8ce",
    (1, "PQ"): "a89adc4ba48a2c7a5567ac6a8db4318fb6971e0c7963ee8a48abdd43126a7ea8",
    (1, "mie"): "8f24b666a69a7d54b7fedce50d76e49d660b8d47f3dd800880ac64de175a414f",
    (1, "tie"): "8f24b666a69a7d54b7fedce50d76e49d660b8d47f3dd800880ac64de175a414f",
    (1, "sdig"): "70602746b8b49496e21575ca3d09209decbb104ee12c56e5ccfdeb2f377d08b3",
    (1, "sdie"): "cccce7a4bc294248eca1d3f97f77afac9233f8ac7c9c5e728e352ec43ee8813a",
    (1, "mcic"): "a2c0061c10c823d93dec8dcf6de9647395d3e5a4fd1510498656678fd236e3a1",
    (1, "cig"): "5185cf4b4410f4d557b43be4131a7bb575117f371bb567852424012408e88d96",
}


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("aspect", ["SC", "PQ"])
@pytest.mark.parametrize("shots", [0, 1])
def test_prompts_are_the_repositorys_to_the_letter(shots, aspect, task):
    slot = SLOTS.get(task, "<prompt>")
    prompt = authors_prompt(TASKS[task], aspect, slot, shots=shots)
    assert sha(prompt) == PRINTED[shots, task if aspect == "SC" else "PQ"]


def test_texts_are_sent_as_the_museum_has_them(tmp_path):
    """44 of its prompts end in a space; the authors' code does not take it away."""
    folder = write_task(tmp_path, "t2i", samples=1)
    (folder / "dataset_lookup.json").write_text(json.dumps({"sample_0.jpg": {"prompt": "a ufo "}}))
    for asking, end in (("authors", "Text Prompt: a ufo \n"), ("paper", "Text Prompt: a ufo")):
        trials = JudgmentTrials({"task": "t2i", "data": str(tmp_path), "asking": asking})
        assert trials.ask(trials[0]).texts[0].endswith(end)


def reply(scores):
    return json.dumps({"score": scores, "reasoning": "as I see it"})


@pytest.fixture(scope="module")
def rated_museum(tmp_path_factory):
    """All tasks, and the authors' rated examples below `_examples`."""
    root = write_museum(tmp_path_factory.mktemp("rated"))
    write_rated(root / "_examples")
    return root


@pytest.fixture
def rated(rated_museum, monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", str(rated_museum))
    return rated_museum


EXAMPLES = {
    "t2i": RATED[:1],
    "mie": RATED[1:3],
    "tie": RATED[1:3],
    "cig": RATED[4:6],
    "sdig": RATED[6:8],
    "sdie": RATED[8:11],
    "mcic": RATED[11:],
}


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_comes_first_then_the_images(task, rated, task_manager):
    canned = CannedChatJudge(lambda doc: reply([5] * doc["n"]))
    evaluate(canned, f"viescore_{task}_1shot_authors", task_manager, limit=2)
    trials = JudgmentTrials(TASK_NAMES[f"viescore_{task}"].entry)
    for aspect, trial, [message] in zip(("SC", "PQ"), trials, canned.shown, strict=False):
        text, *images = (item.get("text", item.get("url")) for item in message["content"])
        source = trials.museum.images[0].text
        assert text == authors_prompt(TASKS[task], aspect, source, shots=1)
        examples = EXAMPLES[task] if aspect == "SC" else RATED[3:4]
        shown = [rated_name(image) for image in images]
        expected = trials.ask(trial).images()  # as the paper asks: those of the sample
        own = [None] * len(expected)
        assert shown == [*examples, *own]
        assert [i.tobytes() for i in images[-len(own) :]] == [i.tobytes() for i in expected]


class Stubborn(PromptChatJudge):
    """Gives a score at the n-th time that it is asked the same: never, at once, ..."""

    def __init__(self, at):
        super().__init__(self.say)
        self.at = at
        self.times = {}

    def say(self, prompt):
        times = self.times[prompt] = self.times.get(prompt, 0) + 1
        sub_scores = 1 if "output score = [score]." in prompt else 2
        return reply([4] * sub_scores) if times == self.at else f"Let me think, {times}."


@pytest.mark.parametrize(("at", "asked"), [(2, 2), (4, 3)])
def test_an_unreadable_reply_is_asked_for_again(at, asked, rated, task_manager):
    judge = Stubborn(at)
    name = "viescore_t2i_authors_rounds"
    # One image: prompts of SC and PQ are different ones.
    results = evaluate(Resumable(judge), name, task_manager, limit=2)
    found = numbers(results, name)
    assert found["coverage"] == (1 if asked == at else 0)
    assert sorted(judge.times.values()) == [asked] * 2
    texts = {message["content"][0]["text"] for [message] in judge.shown}
    assert len(texts) == 2  # the same request each time
    trials = [sample["trial"] for sample in results["samples"][name]]
    for trial in trials:
        assert [row["try"] for row in trial["exchanges"]] == list(range(1, asked + 1))
        assert [row["response"] for row in trial["exchanges"][:-1]] == [
            f"Let me think, {number}." for number in range(1, asked)
        ]
