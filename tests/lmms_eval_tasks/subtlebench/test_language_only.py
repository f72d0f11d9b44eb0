"""Appendix C.2 through the harness: each image is described alone, and the answer sees no image."""

import pytest

from lmms_eval_tasks.subtlebench import prompts
from pairbench_ext.resumable.model import Resumable
from tests.judges import SightedJudge, run
from tests.lmms_eval_tasks.subtlebench.conftest import colour, options, row, two, write_data

ROWS = (
    two("emotion", "natural", "coco", "1", "second image"),
    row("existence", "aerial", "levir-mci", "2", "a house", ["none", "a road"]),
    two("quality", "natural", "yt8m", "3", "first image"),
    two("state", "natural", "changeit", "4", "first image"),  # not of Table 9
)


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


def test_the_answer_follows_from_two_descriptions(task_manager):
    judge = Resumable(SightedJudge(from_texts))
    found, trials = run(judge, "subtlebench_language_only_rounds", task_manager)
    assert (found["accuracy"], found["coverage"], found["items"]) == (1, 1, 3)
    shown = judge.shown
    for trial in trials:
        each, steps = ROWS[trial["row"]], trial["exchanges"]
        assert [step["step"] for step in steps] == ["describe_first", "describe_second", "choose"]
        assert [step["response"] for step in steps[:2]] == [
            f"It is {colour(each, side)} {{y}}." for side in (0, 1)
        ]
        assert (trial["category"], trial["strategy"]) == (each["category"], "language_only")
    asked_of_one = [prompt for prompt, *images in shown if images]
    assert sorted(asked_of_one) == sorted(2 * list(prompts.ONE_IMAGE.values()))
    assert len([prompt for prompt, *images in shown if not images]) == 3
