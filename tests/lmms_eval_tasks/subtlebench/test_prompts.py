"""The prompts: line by line as they are, and word by word as the paper prints them."""

import json
import re

import pytest

from lmms_eval_tasks.subtlebench import prompts
from tests.conftest import REPOSITORY, SHARED

GOLDEN = REPOSITORY / "tests" / "goldens" / "subtlebench_prompts.json"
PAPER = SHARED / "papers" / "vlm_subtlebench.txt"
QUESTION, OPTIONS = "Which {one}?", ("first {image}", "second image")

# Figure that prints a prompt -> system prompts and user prompts in its order.
FIGURES = {
    8: [prompts.ONE_STEP["standard"]],
    9: [prompts.ONE_STEP["reasoning"]],
    10: [prompts.DESCRIBE, prompts.CHOOSE],
    11: [prompts.ONE_STEP["grid"]],
    12: [prompts.ONE_STEP["concat"]],
    13: [prompts.ONE_STEP["highlight"]],
    14: [prompts.ONE_STEP["overlap"]],
    15: [prompts.ONE_STEP["subtract"]],
    16: [prompts.CAPTION],
}


def rendered():
    """Every prompt, filled in; the two steps of one strategy apart."""
    found = {name: prompts.render(name, QUESTION, OPTIONS) for name in prompts.STRATEGIES}
    found["two_step, second"] = prompts.render("two_step", QUESTION, OPTIONS, "{None}.")
    return {name: prompt._asdict() for name, prompt in found.items()}


def test_prompts_are_the_golden_ones():
    assert rendered() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def words(text):
    """Words and signs; markup that the extraction of the paper lost, or added, left out."""
    text = text.replace("****only****", "**only**").replace("###", "")
    text = text.replace("question_text", "question").replace("options_text", "options")
    return text.replace("diff_description", "description").split()


@pytest.mark.parametrize("figure", FIGURES)
def test_every_word_is_the_papers(figure):
    if not PAPER.is_file():
        pytest.skip("the paper is not beside the repository (../shared/papers)")
    text = PAPER.read_text(encoding="utf-8")
    appendix = text[text.index("B.1 PROMPT DESIGN FOR EVALUATION TASKS") :]
    end = appendix.index(f"Figure {figure}: ")
    before = re.findall(r"Figure \d+: .*\n", appendix[:end])
    printed = appendix[:end].split(before[-1])[-1] if before else appendix[:end]
    _, *parts = re.split(r"^(?:System|User) Prompt.*\n", printed, flags=re.MULTILINE)
    ours = [text for prompt in FIGURES[figure] for text in prompt]
    assert [words(part) for part in parts] == [words(text) for text in ours]


def test_the_judge_of_captions_is_asked_in_the_papers_words():
    if not PAPER.is_file():
        pytest.skip("the paper is not beside the repository (../shared/papers)")
    text = PAPER.read_text(encoding="utf-8")
    printed = text[text.index("*Reference caption:*") : text.index(" We treat the ground-truth")]
    printed = printed.replace("*", "").replace("\u201c", '"').replace("\u201d", '"')
    assert prompts.render_judge("{reference}", "{candidate}") == printed


def test_captions_with_braces_are_texts():
    assert '"{candidate}"' in prompts.render_judge("{candidate}", "{0}")
