"""The files of phrases: every section is a pattern, and a phrase is added as a line."""

import re

import pytest

from pairbench_ext.replies import phrases

FILES = sorted(file.stem for file in phrases.FOLDER.glob("*.txt"))
GIVEN = dict.fromkeys(
    (
        "number",
        "top",
        "over",
        "value",
        "spelled",
        "numeral",
        "places",
        "names",
        "bare",
        "fill",
        "known",
        "said",
        "letters",
        "called",
    ),
    "0",
)


@pytest.mark.parametrize("file", FILES)
def test_every_section_is_a_pattern(file):
    phrases.of(file, **GIVEN).compile_all()


@pytest.fixture
def said(tmp_path, monkeypatch):
    monkeypatch.setattr(phrases, "FOLDER", tmp_path)
    text = "# A remark.\n## good (words)\ngood\nvery good\n\n## says (lines)\n^it is {word good}\n"
    (tmp_path / "mine.txt").write_text(text, encoding="utf-8")
    phrases._sections.cache_clear()
    yield phrases.Phrases("mine", {})
    phrases._sections.cache_clear()


def test_a_section_is_any_of_its_phrases(said):
    assert said["good"].search("a VERY GOOD one")[0] == "VERY GOOD"
    assert not said["good"].search("goodness")
    assert said["says"].search("so\nit is good")
    assert said.all("good") == ("good", "very good")


def test_an_unknown_section_is_an_error(said):
    with pytest.raises(KeyError, match="bad"):
        said["bad"]
    assert isinstance(said["good"], re.Pattern)
