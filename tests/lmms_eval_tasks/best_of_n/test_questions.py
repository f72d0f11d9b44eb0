import json

import pytest

from lmms_eval_tasks.best_of_n.benchmark import BENCHMARK
from lmms_eval_tasks.best_of_n.questions import read_questions
from pairbench_ext.core.records import RecordError
from tests.conftest import picture
from tests.files import score_file, write_lines

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
    file = write(GOOD, {**GOOD, "id": 7, "image": ["a.png", "sub/../sub/b.png"]})
    first, second = read_questions(file)
    assert first.name == "a"
    assert first.query == "What?"
    assert first.images == (file.parent / "a.png",)
    assert first.candidates == ("one", "two", "three")
    assert first.worth == (1, 0, 0.5)
    assert second.name == "7"
    assert second.images == (file.parent / "a.png", file.parent / "sub" / "b.png")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "b"}, "line 2: an earlier row has the same id, 'b'"),
        ({"query": ...}, "line 2: no field 'query', only"),
        ({"candidates": ["one"]}, "field 'candidates' .* at least 2 items"),
        ({"correct": [1, 0]}, "'correct' must have one value for each of the 3 candidates, not 2"),
        ({"correct": [1, 0, 2]}, "line 2: field 'correct' must be "),
        ({"correct": [1, 0, float("nan")]}, "line 2: .* not JSON compliant"),
        ({"correct": ...}, "line 2: no field 'correct' or 'reference'"),
        ({"image": "c.png"}, "line 2: the file named in field 'image' does not exist: '.*/c.png'"),
        ({"image": "../outside.png"}, "field 'image' leads outside .*/data: '../outside.png'"),
        ({"image": "/etc/passwd"}, "leads outside .*/data: '/etc/passwd'"),
    ],
    ids=lambda value: value if isinstance(value, str) else json.dumps(value, default=str),
)
def test_mistakes_name_file_line_and_field(change, message, write):
    row = {key: value for key, value in {**GOOD, **change}.items() if value is not ...}
    with pytest.raises(RecordError, match=message) as raised:
        read_questions(write({**GOOD, "id": "b"}, row))
    assert "candidates.jsonl, line 2" in str(raised.value)


def test_a_pair_of_candidates_that_a_question_does_not_have(tmp_path):
    row = {"question": "q", "worth": [0, 1, 0], "order": "fwd", "repeat": 0, "response": "[[1]]"}
    rows = write_lines(tmp_path / "rows.jsonl", [{**row, "pair": p} for p in ([0, 1], [0, 5])])
    with pytest.raises(RecordError, match=r"line 2: question 'q' has 3 candidates, so .* \[0, 5\]"):
        score_file(BENCHMARK, rows)
