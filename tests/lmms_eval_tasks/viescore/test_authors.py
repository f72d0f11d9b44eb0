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
from tests.conftest import REPOSITORY
from tests.judges import CannedChatJudge, PromptChatJudge, evaluate, run
from tests.museums import RATED, rated_name, write_museum, write_rated, write_task

SLOTS = {"mie": "<instruction>", "tie": "<instruction>", "sdie": "<subject>"}
TASK_NAMES = {task.name: task for task in BENCHMARK.tasks if isinstance(task, Task)}

# SHA-256 of files of github.com/TIGER-AI-Lab/VIEScore at 2cbea4e, paper_implementation/_questions,
# joined by line breaks as `run.py` does: `context.txt`, the rules and the scale for SC of a task,
# or `rule_PQ.txt`; by shots.
PRINTED = json.loads((REPOSITORY / "tests/goldens/printed_prompts.json").read_text())["viescore"]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("aspect", ["SC", "PQ"])
@pytest.mark.parametrize("shots", [0, 1])
def test_prompts_are_the_repositorys_to_the_letter(shots, aspect, task):
    prompt = authors_prompt(TASKS[task], aspect, SLOTS.get(task, "<prompt>"), shots=shots)
    sha = hashlib.sha256(prompt.encode()).hexdigest()
    assert sha == PRINTED[f"{shots} {task if aspect == 'SC' else 'PQ'}"]


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
    "t2i": RATED[:1], "mie": RATED[1:3], "tie": RATED[1:3], "cig": RATED[4:6], "sdig": RATED[6:8],
    "sdie": RATED[8:11], "mcic": RATED[11:],
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_comes_first_then_the_images(task, rated, task_manager):
    canned = CannedChatJudge(lambda doc: reply([5] * doc["n"]))
    evaluate(canned, f"viescore_{task}_1shot_authors", task_manager, limit=2)
    trials = JudgmentTrials(TASK_NAMES[f"viescore_{task}"].entry)
    for aspect, trial, [message] in zip(("SC", "PQ"), trials, canned.shown, strict=False):
        text, *images = (item.get("text", item.get("url")) for item in message["content"])
        assert text == authors_prompt(TASKS[task], aspect, trials.museum.images[0].text, shots=1)
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
    # One image: prompts of SC and PQ are different ones.
    found, trials = run(Resumable(judge), "viescore_t2i_authors_rounds", task_manager, limit=2)
    assert found["coverage"] == (1 if asked == at else 0)
    assert sorted(judge.times.values()) == [asked] * 2
    texts = {message["content"][0]["text"] for [message] in judge.shown}
    assert len(texts) == 2  # the same request each time
    for trial in trials:
        assert [row["try"] for row in trial["exchanges"]] == list(range(1, asked + 1))
        assert [row["response"] for row in trial["exchanges"][:-1]] == [
            f"Let me think, {number}." for number in range(1, asked)
        ]
