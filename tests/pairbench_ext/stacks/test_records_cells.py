"""Rankings in cells and names of columns, as people write them."""

import re

import pytest

from pairbench_ext.stacks.records.cells import TABLE, ranking, spelled
from tests.files import json_of, pairbench, text_of


@pytest.mark.parametrize(
    ("cell", "letters"),
    [
        ("B>A>C", "BAC"),
        ("[[B]] > [[A]] > [[D]]", "BAD"),
        ("B>A>C=D", "BAC=D"),
        ("B > D = A > C", "BA=DC"),
        ("DCBA", "DCBA"),
        (["A", "C", "B"], "ACB"),
        ("['A', 'C', 'B']", "ACB"),
        ("FADE", None),  # a word
        (["A", "B", "A"], None),  # votes
        ("A>B", None),  # of two
        ("A>B>A", None),
        ([3, 1, 2], None),
    ],
)
def test_rankings_are_read(cell, letters):
    assert ranking(cell) == letters


def test_a_comma_is_a_point_between_semicolons(tmp_path):
    lines = [f"q{i};{i % 5},5;{i % 4},25" for i in range(10)]
    (tmp_path / "judge.csv").write_text("\n".join(["id;score;mos", *lines]))
    pairbench("import", "judgments", tmp_path / "judge.csv", "--out", tmp_path / "out", status=0)
    [run] = json_of("score", "judgments", tmp_path / "out")["runs"]
    assert (run["numbers"]["judgments"], run["numbers"]["rating"]) == (10, 2.5)


@pytest.mark.parametrize("section", ["words", "names"])
def test_each_line_of_names_is_a_pattern_of_its_own(section):
    for name, lines in TABLE[section].items():
        for line in lines:
            pattern = line if section == "words" else line[0]  # beside its weight
            assert re.compile(spelled(pattern)), name


def test_the_spread_of_ratings_is_no_rating(tmp_path):
    rows = [f"q{n},{n % 5 + 1},{n % 3 / 2 + 1}" for n in range(12)]
    (tmp_path / "judge.csv").write_text("\n".join(["id,overall,std", *rows]))
    assert "not used: `std`" in text_of(
        "import", "judgments", tmp_path / "judge.csv", "--out", tmp_path / "out"
    )


def test_each_unknown_value_beside_a_reply_is_counted(tmp_path):
    words = "Answer A is better, because it names the dog, the tree and all people in the picture."
    rows = [f"q{n},gpt,{['A', 'B', 'zzz'][n % 3]},{words!r} {n}" for n in range(60)]
    (tmp_path / "judge.csv").write_text(
        "\n".join(["id,judge,verdict,reply", *rows]).replace("'", '"')
    )
    given = "reply=reply,verdict=verdict,kind=pair"
    command = ("import", "judgments", tmp_path / "judge.csv", "--out", tmp_path / "out")
    asked = pairbench(*command, "--columns", given, status=2)
    assert "'zzz' (20 times)" in " ".join(asked.stderr.split())
