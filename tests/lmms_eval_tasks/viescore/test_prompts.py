"""The prompts against the paper's text, and what is put together from it."""

import re
from pathlib import Path

import pytest

from lmms_eval_tasks.viescore.examples import Example
from lmms_eval_tasks.viescore.prompts import _PAPER, paper_prompt
from lmms_eval_tasks.viescore.tasks import TASKS
from tests.conftest import SHARED

CONTEXT = _PAPER["context"]
PAPER = SHARED / "papers" / "viescore.txt"
PRINTED = sorted(set(TASKS) - {"mcic"})


def words(text):
    """The words alone: the extraction breaks lines and misplaces a brace."""
    return re.findall(r"[\w']+|[\[\]().=,:;]", text)


@pytest.fixture(scope="module")
def appendix():
    if not PAPER.is_file():
        pytest.skip("the paper's text is not part of this repository")
    text = PAPER.read_text(encoding="utf-8")
    page_number = re.compile(r"^\d+$", re.MULTILINE)
    return " ".join(words(page_number.sub("", text[text.rindex("**Prompt Templates**") :])))


@pytest.mark.parametrize("aspect", ["SC", "PQ"])
@pytest.mark.parametrize("task", PRINTED)
def test_rules_are_the_papers_word_for_word(task, aspect, appendix):
    prompt = paper_prompt(TASKS[task], aspect, "@@")
    assert prompt.startswith(f"{CONTEXT}\n\nRULES:")
    assert " ".join(words(prompt.removeprefix(CONTEXT).split("@@")[0])) in appendix


def test_the_context_is_the_papers(appendix):
    sentence, _, _ = CONTEXT.partition("\n")
    assert " ".join(words(sentence)) in appendix
    assert CONTEXT.endswith(':\n{\n"score" : [...],\n"reasoning" : "..."\n}')


@pytest.mark.parametrize("task", TASKS)
def test_as_many_sub_scores_are_asked_for_as_are_read(task):
    for aspect in ("SC", "PQ"):
        asked = re.search(r"output score = \[(.*?)\]", paper_prompt(TASKS[task], aspect, ""))[1]
        assert len(asked.split(",")) == TASKS[task].sub_scores_of(aspect)


def test_one_shot_counts_images():
    example = Example((Path("a"), Path("b"), Path("c")), "cat", (5, 10.5), "Fine.")
    prompt = paper_prompt(TASKS["sdie"], "SC", "dog", example=example)
    assert "RULES for each set of images:" in prompt
    assert "1st, 2nd and 3rd images as a rating example.\nSubject: cat\n" in prompt
    assert '"score" : [5, 10.5],' in prompt
    assert prompt.endswith("Please evaluate the 4th, 5th and 6th images.\nSubject: dog")
