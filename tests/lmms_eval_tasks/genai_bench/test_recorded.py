"""`pairbench import genai-bench`, and the leaderboard of the authors' repository from its replies.

Their repository is not part of ours: `git clone https://github.com/TIGER-AI-Lab/GenAI-Bench` beside
this one, or name a copy in GENAI_BENCH_AUTHORS. Without one the leaderboard is not checked.
"""

import os
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.files import json_of, pairbench, write_lines

COPY = Path(os.environ.get("GENAI_BENCH_AUTHORS") or REPOSITORY.parent / "GenAI-Bench")
PARTS = ("image_generation", "image_edition", "video_generation")


def recorded(folder, judge, replies, part="image_edition"):
    votes = ("leftvote", "rightvote", "tievote", "bothbad_vote")
    rows = [
        {"idx": number, "instruct_prompt": "Edit.", "response": reply, "human_vote": vote}
        for number, (reply, vote) in enumerate(zip(replies, votes, strict=True))
    ]
    file = folder / "results" / part / judge / "pairwise.jsonl"
    file.parent.mkdir(parents=True)
    write_lines(file, rows)


def accuracies(folder, *options):
    """Accuracy of each judge by part."""
    runs = json_of("score", "genai_bench", folder, *options)["runs"]
    return {
        (file.parent.name, file.stem.removeprefix("samples_genai_bench_authors_")): accuracy
        for file, accuracy in [(Path(run["file"]), run["numbers"]["accuracy"]) for run in runs]
    }


def test_recorded_judges_become_logs(tmp_path):
    labels = ("[[A>B]]", "[[B>A]]", "[[A=B=Good]]", "[[A=B=Bad]]")
    recorded(tmp_path, "good", labels)
    recorded(tmp_path, "bare", [label.strip("[]") for label in labels])
    out = tmp_path / "logs"
    assert "good" in pairbench("import", "genai-bench", tmp_path, "--out", out).stdout
    part = "image_edition"
    assert accuracies(out) == {("good", part): 1, ("bare", part): 1}
    assert accuracies(out, "--rule", "authors") == {("good", part): 1, ("bare", part): 0}


def test_nothing_to_import(tmp_path):
    done = pairbench("import", "genai-bench", tmp_path, "--out", tmp_path / "logs")
    assert done.exit_code
    assert "the folder has no file of records like results/" in " ".join(done.output.split())


@pytest.mark.skipif(
    not (COPY / "results").is_dir(),
    reason=f"no copy of github.com/TIGER-AI-Lab/GenAI-Bench in {COPY}: clone it there, or set "
    "GENAI_BENCH_AUTHORS",
)
def test_the_leaderboard(tmp_path):
    """All 48 cells that their README prints, to the last digit."""
    table = (COPY / "README.md").read_text(encoding="utf-8").partition("Leaderboard")[2]
    lines = [line.strip("|").split("|") for line in table.splitlines() if "| pairwise |" in line]
    printed = {
        (name.strip(), part): float(value)
        for name, _, *values, _ in lines
        for part, value in zip(PARTS, values, strict=True)
    }
    pairbench("import", "genai-bench", COPY, "--out", tmp_path)
    accuracy = accuracies(tmp_path, "--rule", "authors")
    assert len(printed) == 48
    assert {cell: round(100 * accuracy[cell], 2) for cell in printed} == printed
