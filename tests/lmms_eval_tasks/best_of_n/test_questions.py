import json

import pytest

from lmms_eval_tasks.best_of_n.questions import read_questions
from pairbench_ext.core.records import RecordError
from tests.conftest import picture
from tests.files import write_lines

GOOD = {
    "id": "a",
    "query": "What?",
    "image": "a.png",
    "candidates": ["one", "two", "three"],
    "correct": [True, 0, 0.5],
}


@pytest.fixture
def write(tmp_path):
    def write(*rows):
        folder = tmp_path / "data"
        (folder / "sub").mkdir(parents=True)
        picture(0, 0).save(folder / "a.png")
        picture(0, 0).save(folder / "sub" / "b.png")
        picture(0, 0).save(tmp_path / "outside.png")
        return write_lines(folder / "candidates.jsonl", rows)

    return write


def test_what_a_line_says(write):
    images = ["a.png", "sub/../sub/b.png"]
    file = write(GOOD, {**GOOD, "id": 7, "image": images, "question": "Why?"})
    first, second = read_questions(file)
    assert first.name == "a"
    assert first.query == "What?"
    assert first.images == (file.parent / "a.png",)
    assert first.candidates == ("one", "two", "three")
    assert first.worth == (1, 0, 0.5)
    assert second.name == "7"
    assert second.images == (file.parent / "a.png", file.parent / "sub" / "b.png")


def test_a_reference_in_place_of_numbers(write):
    row = {**GOOD, "reference": " TWO!"}
    del row["correct"]
    [question] = read_questions(write(row))
    assert (question.worth, question.unread, question.alike) == ((0, 1, 0), 0, (0, 1, 2))


def test_candidates_without_an_answer_and_candidates_of_one_text(write):
    candidates = ["B. is wrong, so A", "A", "(B)", "A", "A mug\nand a desk"]
    [question] = read_questions(
        write({"id": 1, "query": "?", "image": "a.png", "candidates": candidates, "reference": "B"})
    )
    assert question.worth == (0, 0, 1, 0, 0)
    assert question.unread == 2
    assert question.alike == (0, 1, 2, 1, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, "line 2: field 'id' must be str or int, not None"),
        ({"id": "b"}, r"line 2: field 'id' is 'b' again, as in .*candidates.jsonl, line 1;"),
        ({"query": 3}, "line 2: field 'query' must be str, not 3"),
        ({"query": ...}, "line 2: no field 'query' or 'question', only"),
        ({"candidates": "one"}, "line 2: field 'candidates' must be list, not 'one'"),
        ({"candidates": ["one", 2]}, r"must be texts, but number 1 \(from 0\) is 2"),
        ({"candidates": ["one"]}, "field 'candidates' must be two texts or more, not 1"),
        ({"correct": [1, 0]}, "'correct' must have one value for each of the 3 candidates, not 2"),
        ({"correct": [1, 0, 2]}, r"numbers from 0 to 1, but number 2 \(from 0\) is 2"),
        ({"correct": [1, 0, float("nan")]}, r"but number 2 \(from 0\) is nan"),
        ({"correct": [1, "no", 0]}, r"but number 1 \(from 0\) is 'no'"),
        ({"correct": ...}, "line 2: no field 'correct' or 'reference', only"),
        ({"correct": ..., "reference": 4}, "field 'reference' must be str, not 4"),
        ({"correct": ..., "reference": " .. "}, "'reference' has no answer in it: ' .. '"),
        ({"image": ...}, "line 2: no field 'image', only"),
        ({"image": []}, r"line 2: field 'image' must be one path or more, not \[\]"),
        ({"image": ["a.png", 1]}, r"must be one path or more, not \['a.png', 1\]"),
        ({"image": "c.png"}, "line 2: field 'image' names no file: '.*/data/c.png'"),
        ({"image": "sub"}, "field 'image' names no file: '.*/data/sub'"),
        ({"image": "../outside.png"}, "field 'image' leads out of .*/data: '../outside.png'"),
        ({"image": "sub/../../data.png"}, "leads out of .*/data: 'sub/../../data.png'"),
        ({"image": "/etc/passwd"}, "leads out of .*/data: '/etc/passwd'"),
    ],
    ids=lambda value: value if isinstance(value, str) else json.dumps(value, default=str),
)
def test_mistakes_name_file_line_and_field(change, message, write):
    row = {key: value for key, value in {**GOOD, **change}.items() if value is not ...}
    with pytest.raises(RecordError, match=message) as raised:
        read_questions(write({**GOOD, "id": "b"}, row))
    assert "candidates.jsonl, line 2" in str(raised.value)
