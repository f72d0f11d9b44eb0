"""One rule for all that commands write: never onto an input, never over what is the user's."""

import os
from pathlib import Path

import pytest
from PIL import Image

from tests.files import pairbench, write_lines

VOTE = {"item": "a", "source": "povid", "repeat": 0, "order": "fwd", "truth": 0}
VOTE |= {"benchmark": "vl_rewardbench"}  # several benchmarks have such rows
# How the input is named again: by links, by another way to the same file.
NAMES = {
    "relative": lambda file: Path(os.path.relpath(file)),
    "symlink": lambda file: linked(file, Path.symlink_to),
    "hard link": lambda file: linked(file, Path.hardlink_to),
}
COMMANDS = {
    "score": ["score", "vl_rewardbench", "{input}", "--plot", "{out}"],
    "report": ["report", "{input}", "--images", "none", "--out", "{out}"],
}


def linked(file, link):
    other = file.with_name("other.jsonl")
    link(other, file)
    return other


@pytest.fixture
def logged(tmp_path):
    return write_lines(tmp_path / "votes/x.jsonl", [VOTE | {"response": "Answer 2 is better."}])


def run(command, file, out, *more, status=None):
    return pairbench(
        *(word.format(input=file, out=out) for word in COMMANDS[command]), *more, status=status
    )


@pytest.mark.parametrize("again", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_onto_what_it_reads(command, again, logged):
    before = logged.read_bytes()
    done = run(command, logged, NAMES[again](logged), "--overwrite", status=1)
    assert "is an input of this command" in done.stderr
    assert logged.read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_there_is_replaced_on_demand_only(command, logged, tmp_path):
    out = tmp_path / "mine.png"
    out.write_text("dear")
    done = run(command, logged, out, status=1)
    assert "mine.png is there already" in done.stderr
    assert "--overwrite" in done.stderr
    assert out.read_text() == "dear"
    done = run(command, logged, out, "--overwrite", status=0)
    assert out.read_bytes() != b"dear"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["mine.png"]


def test_a_report_replaces_that_of_its_own_judges_only(logged, tmp_path):
    other = write_lines(tmp_path / "votes/y.jsonl", [VOTE | {"response": "Answer 1 is better."}])
    elsewhere = write_lines(tmp_path / "else/x.jsonl", [VOTE | {"response": "Answer 1 is better."}])
    out = tmp_path / "report.html"
    both = ["report", logged, other, "--images", "none", "--out", out]
    assert run("report", logged, out).exit_code == 0
    assert run("report", logged, out).exit_code == 0  # the same judge
    for stranger in (other, elsewhere):  # of the same name, too
        before = out.read_bytes()
        done = run("report", stranger, out)
        assert (done.exit_code, "--overwrite" in done.stderr) == (1, True), done.output
        assert out.read_bytes() == before
    assert pairbench(*both).exit_code == 0  # nobody is lost
    assert run("report", logged, out).exit_code == 1
    assert run("report", logged, out, "--overwrite").exit_code == 0


BUILDS = {
    "viescore": ["--outputs", "m=scenes", "--prompts", "prompts.csv"],
    "images": ["--images", "scenes", "--name", "x", "--splits", "rotate"],
    "subtle": ["--type", "mix", "--n", "1"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The user's: photographs with a page of their own, and what builds read."""
    for name in ("photos", "scenes"):
        (tmp_path / name).mkdir()
        for number in range(3):
            colour = (80 * number, 40, 200 - 60 * number)
            Image.new("RGB", (64, 48), colour).save(tmp_path / name / f"{number}.png")
    (tmp_path / "photos/README.md").write_text("my holidays")
    rows = [f"{number}.png,{'A long text. ' * 40}{number}" for number in range(3)]
    (tmp_path / "scenes/descriptions.csv").write_text("\n".join(["image,description", *rows]))
    (tmp_path / "prompts.csv").write_text("uid,prompt\n0,A\n1,B\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("name", "out", "says"),
    [
        *((name, "photos", "photos is not empty, it holds") for name in BUILDS),
        ("images", "scenes", "is an input of this command"),
        ("images", "link", "is an input of this command"),
    ],
)
def test_no_build_writes_into_a_folder_of_the_users(name, out, says, folder):
    (folder / "link").symlink_to("scenes")
    before = contents(folder)
    assert says in pairbench("build", name, *BUILDS[name], "--out", out, status=1).stderr
    assert contents(folder) == before


def test_a_build_is_not_written_over_by_another(folder):
    assert pairbench("build", "subtle", *BUILDS["subtle"], "--out", "out").exit_code == 0
    before = contents(folder)
    for name, more in (("images", []), ("subtle", ["--seed", "1"])):
        done = pairbench("build", name, *BUILDS[name], *more, "--out", "out", status=1)
        assert "out is not empty, it holds" in done.stderr
    assert contents(folder) == before
