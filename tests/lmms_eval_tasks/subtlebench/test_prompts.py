"""The prompts: line by line as they are, and word by word as the paper prints them."""

import json
import re

import pytest

from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.captions import CaptionTrials
from lmms_eval_tasks.subtlebench.choices import ChoiceTrials
from lmms_eval_tasks.subtlebench.tasks import AUTHORS
from tests.conftest import REPOSITORY, SHARED

PAPER = SHARED / "papers" / "vlm_subtlebench.txt"
# What the authors' functions made of the question and the options below; None is an image.
THEIRS = json.loads(
    (REPOSITORY / "tests" / "goldens" / "subtlebench_authors.json").read_text(encoding="utf-8")
)
QUESTION, OPTIONS = "Which {one}?", ("first {image}", "second image")


@pytest.fixture
def asked(subtlebench_data):
    return lambda **entry: ChoiceTrials({"data": str(subtlebench_data), **entry})


# Figure that prints prompts -> their files, in its order.
FIGURES = {
    8: ["standard"],
    9: ["reasoning"],
    10: ["two_step_describe", "two_step_choose"],
    11: ["grid"],
    12: ["concat"],
    13: ["highlight"],
    14: ["overlap"],
    15: ["subtract"],
    16: ["caption"],
}


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
    ours = [text for name in FIGURES[figure] for text in prompts.template(name)]
    assert [words(part) for part in parts] == [words(text) for text in ours]


def test_what_is_asked_of_one_image_is_the_papers():
    if not PAPER.is_file():
        pytest.skip("the paper is not beside the repository (../shared/papers)")
    text = PAPER.read_text(encoding="utf-8")
    printed = re.findall(r"^- \*\*(\w+):\*\* \u201c(.*)\u201d$", text, re.MULTILINE)
    assert {name.lower(): asked for name, asked in printed} == dict(prompts.ONE_IMAGE)


@pytest.mark.parametrize("kind", AUTHORS)
def test_the_authors_variants_are_what_their_code_sends(kind, asked):
    golden = THEIRS["multiple_choice"][kind]
    request = sent(asked(strategy=AUTHORS[kind], variant="authors"), golden)
    assert request.system == golden["system"]
    texts = [part if isinstance(part, str) else None for part in request.content]
    assert [None] * len(request.images()) + texts[1:] == golden["content"]
    assert texts[0] is None


def sent(trials, golden):
    """The first request of a task, with the question and the options of the golden prompts."""
    text = golden["content"][-1]
    [item, *others] = trials.pairs.items
    trials.pairs.items[:] = [item._replace(question=QUESTION), *others]
    assert "Which {one}?" in text
    return trials.ask({**trials[0], "options": list(OPTIONS)})


@pytest.mark.parametrize("kind", THEIRS["captions"])
def test_the_authors_captions_are_what_their_code_sends(kind, subtlebench_data):
    golden = THEIRS["captions"][kind]
    trials = CaptionTrials({"data": str(subtlebench_data), "prompt": kind})
    text, images = trials.ask(trials[0]).content
    assert [text, *[None for _ in images()]] == golden["content"]
    assert trials.ask(trials[0]).system == golden["system"]


def test_the_judge_of_captions_is_asked_in_the_papers_words():
    if not PAPER.is_file():
        pytest.skip("the paper is not beside the repository (../shared/papers)")
    text = PAPER.read_text(encoding="utf-8")
    printed = text[text.index("*Reference caption:*") : text.index(" We treat the ground-truth")]
    printed = printed.replace("*", "").replace("\u201c", '"').replace("\u201d", '"')
    assert prompts.render_judge("{reference}", "{candidate}") == printed
