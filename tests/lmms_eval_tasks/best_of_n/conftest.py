"""Three questions with four, three and two candidates, over small images."""

import pytest

from tests.conftest import picture
from tests.files import write_lines

# A judge that sees RIGHT and WRONG knows; word counts are 5, 2, 3, 1 and 4, 2, 1 and 6, 3.
QUESTIONS = (
    {
        "id": "colour",
        "query": "Which colour? {braces}",
        "image": "images/0.png",
        "candidates": ["WRONG, I am quite sure.", "RIGHT, red.", "WRONG, not red.", "WRONG."],
        "correct": [False, True, False, False],
    },
    {
        "id": 2,
        "query": "What differs?",
        "image": ["images/1.png", "images/0.png"],
        "candidates": ["RIGHT: the small mug.", "WRONG: nothing.", "RIGHT."],
        "correct": [1, 0, 1.0],
    },
    {
        "id": "choice",
        "query": "A or B?",
        "image": "images/2.png",
        "candidates": ["Answer: (A) WRONG, and at length", "**Answer:** (B) RIGHT"],
        "reference": "B",
    },
)


def write_questions(folder, rows):
    """A file of candidates and its images."""
    (folder / "images").mkdir(exist_ok=True)
    for number in range(3):
        picture(number, 1).save(folder / "images" / f"{number}.png")
    return write_lines(folder / "candidates.jsonl", rows)


@pytest.fixture
def written(tmp_path):
    """Writes a file of other candidates."""
    return lambda rows: write_questions(tmp_path, rows)


@pytest.fixture
def candidates(written):
    return written(QUESTIONS)
