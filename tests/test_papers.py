"""The tables of each paper's tables and figures: none is missing, and each line says enough."""

import re

import pytest

from tests.conftest import REPOSITORY

PAPERS = REPOSITORY.parent / "shared" / "papers"
FILES = {"subtlebench": "vlm_subtlebench"}  # a paper's file, where it is not its benchmark's name
BENCHMARKS = ("cast", "pairbench", "subtlebench", "viescore", "vl_rewardbench")
SUMMARY = REPOSITORY / "docs" / "papers.md"
# "Tables 3, 4, 3, 4, 5", "Figures 8 to 10", "Fig. 10"; not "Figure 6)12".
_NAMED = r"\b(Table|Figure|Fig)s?\.?[ ~]?((?:\d+|,|and|to|-|–|[ab]\b| )+)"
_LISTED = r"\b(Table|Figure)s? ((?:\d+[ab]?(?:, | to |-)?)+)"


def lines(benchmark):
    """The lines of a page's table: where, what, and the command or why there is none."""
    page = REPOSITORY / "lmms_eval_tasks" / benchmark / "README.md"
    [table] = re.findall(
        r"^\| where \| what \| command, or why not \|\n\| --- .*\n((?:\|.*\n)+)",
        page.read_text(encoding="utf-8"),
        re.M,
    )
    return [
        [one.strip() for one in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()
    ]


def numbers(text):
    """The numbers that a list means: `3, 5 to 7` is 3, 5, 6, 7."""
    found = set()
    for first, last in re.findall(r"(\d+)(?:[ab]?\s*(?:-|–|to)\s*(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def named(text, pattern):
    """Tables and figures that a text names, such as ("Table", 3)."""
    return {
        ("Figure" if kind == "Fig" else kind, number)
        for kind, rest in re.findall(pattern, text)
        for number in numbers(rest)
    }


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_table_and_figure_of_a_paper_is_in_its_table(benchmark):
    paper = PAPERS / f"{FILES.get(benchmark, benchmark)}.txt"
    if not paper.is_file():
        pytest.skip("the papers are not beside the repository (../shared/papers)")
    printed = named(paper.read_text(encoding="utf-8"), _NAMED)
    listed = named(" ; ".join(where for where, *_ in lines(benchmark)), _LISTED)
    assert listed
    assert listed == printed


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_each_line_has_a_command_or_says_why_not(benchmark):
    for where, what, how in lines(benchmark):
        assert what, where
        assert re.search(r"`[^`]+`|\]\(#", how) or how.startswith(("no: ", "not numbers")), where


def test_the_summary_says_what_cannot_be_made():
    rows = re.findall(
        r"^\| .* \| \[all\]\(\.\./lmms_eval_tasks/(\w+)/README.md#\S+\) \| (.*) \|$",
        SUMMARY.read_text(encoding="utf-8"),
        re.M,
    )
    assert sorted(benchmark for benchmark, _ in rows) == sorted(BENCHMARKS)
    for benchmark, said in rows:
        cannot = [where for where, _, how in lines(benchmark) if how.startswith("no: ")]
        assert said == (", ".join(cannot) or "-")


def test_lists_are_read():
    text = "Tables 3, 4, 3 and 7; Fig. 5b, Figures 8 to 10, 12-14. A figure 99"
    assert named(text, _NAMED) == {
        *(("Table", k) for k in (3, 4, 7)),
        *(("Figure", k) for k in (5, 8, 9, 10, 12, 13, 14)),
    }
