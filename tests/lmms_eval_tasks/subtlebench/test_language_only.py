"""Appendix C.2 through the harness: each image is described alone, and the answer sees no image."""

import pytest

from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.runs.scoring import score_file
from tests.files import write_lines
from tests.judges import SightedJudge, SightedRoundsJudge, evaluate, numbers, same
from tests.lmms_eval_tasks.subtlebench.conftest import (
    colour,
    options,
    row,
    two,
    write_data,
)

ONE_BY_ONE, IN_BATCHES = "subtlebench_language_only", "subtlebench_language_only_rounds"
ROWS = (
    two("emotion", "natural", "coco", "1", "second image"),
    row("existence", "aerial", "levir-mci", "2", "a house", ["none", "a road"]),
    two("quality", "natural", "yt8m", "3", "first image"),
    two("state", "natural", "changeit", "4", "first image"),  # not of Table 9
)
FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] It is red."


@pytest.fixture(autouse=True)
def _data(tmp_path, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(write_data(tmp_path / "data", ROWS)))


def from_texts(prompt, images):
    """Describes an image by its colour; answers from two such descriptions alone."""
    if images:
        [image] = images
        return f"<think>{{x}}</think>It is {image.getpixel((0, 0))} {{y}}."
    first, second = (prompt.split(f"of the {n} image: ")[1] for n in ("first", "second"))
    said = [text.split("\n")[0] for text in (first, second)]
    [right] = [
        each["answer"]
        for each in ROWS
        if said == [f"It is {colour(each, k)} {{y}}." for k in (0, 1)]
    ]
    return next(letter for letter, text in options(prompt).items() if text == right)


class MessagesJudge(SightedJudge):
    """A chat backend: a system message counts as the start of the prompt."""

    is_simple = False

    def _simple(self, _, doc_to_messages, __, doc_id, task, split):
        parts = [
            part
            for message in doc_to_messages(self.task_dict[task][split][doc_id])
            for part in message["content"]
        ]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        return "\n\n".join(texts), [part["url"] for part in parts if part["type"] == "image"]


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        (ONE_BY_ONE, SightedJudge),
        (IN_BATCHES, SightedRoundsJudge),
        (IN_BATCHES, lambda answer: Resumable(SightedJudge(answer))),
        (IN_BATCHES, lambda answer: Resumable(MessagesJudge(answer))),
    ],
    ids=["one by one", "rounds", "resumable", "resumable chat"],
)
def test_the_answer_follows_from_two_descriptions(task, kind, task_manager, tmp_path):
    judge = kind(from_texts)
    results = evaluate(judge, task, task_manager)
    found, samples = numbers(results, task), results["samples"][task]
    assert (found["accuracy"], found["coverage"], found["items"]) == (1, 1, 3)
    shown = getattr(judge, "base", judge).shown
    for sample in samples:
        trial = sample["trial"]
        each, steps = ROWS[trial["row"]], trial["exchanges"]
        assert [step["step"] for step in steps] == ["describe_first", "describe_second", "choose"]
        assert [step["response"] for step in steps[:2]] == [
            f"It is {colour(each, side)} {{y}}." for side in (0, 1)
        ]
        assert (trial["category"], trial["strategy"]) == (each["category"], "language_only")
    asked_of_one = [prompt for prompt, *images in shown if images]
    assert sorted(asked_of_one) == sorted(2 * list(prompts.ONE_IMAGE.values()))
    assert len([prompt for prompt, *images in shown if not images]) == 3
    log = tmp_path / f"1_samples_{task}.jsonl"
    write_lines(log, samples)
    scored = score_file(CHOICES, log)
    assert all(same(scored.numbers[name], value) for name, value in found.items())


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_failed_step_is_the_end_and_a_wrong_answer(step, task_manager):
    judge = SightedJudge(lambda *shown: FAILED if len(judge.shown) == step else from_texts(*shown))
    results = evaluate(judge, ONE_BY_ONE, task_manager, limit=1)
    [sample] = results["samples"][ONE_BY_ONE]
    assert len(judge.shown) == step
    assert sample["trial"]["unusable"] == "the request failed"
    assert numbers(results, ONE_BY_ONE)["accuracy"] == 0
