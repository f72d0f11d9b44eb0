"""One rule for all that commands write: never onto an input, never over what is the user's."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pairbench_ext.core.outputs import OutputError, check_file
from tests.files import pairbench

VOTE = {"item": "a", "source": "povid", "repeat": 0, "order": "fwd", "truth": 0}
ROWS = {
    "vote": VOTE | {"response": "Therefore, Answer 2 is better."},
}
# How the input is named again: as it is, by links, by another way to the same file.
NAMES = {
    "itself": lambda file: file,
    "relative": lambda file: Path(os.path.relpath(file)),
    "by its folder": lambda file: file.parent / ".." / file.parent.name / file.name,
    "symlink": lambda file: linked(file, Path.symlink_to),
    "hard link": lambda file: linked(file, Path.hardlink_to),
}


def linked(file, link):
    other = file.with_name("other.jsonl")
    link(other, file)
    return other


@pytest.fixture
def logged(tmp_path):
    """A file of each kind of rows."""
    files = {}
    for kind, row in ROWS.items():
        files[kind] = tmp_path / kind / "x.jsonl"
        files[kind].parent.mkdir()
        files[kind].write_text(json.dumps(row) + "\n")
    return files


COMMANDS = {
    "score": ("vote", ["score", "vl_rewardbench", "{input}", "--plot", "{out}"]),
    "report": ("vote", ["report", "{input}", "--images", "none", "--out", "{out}"]),
}


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("again", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_onto_what_it_reads(command, again, overwrite, logged):
    kind, arguments = COMMANDS[command]
    file = logged[kind]
    file.with_name("x.jsonl.2").write_bytes(file.read_bytes())
    before = file.read_bytes()
    out = NAMES[again](file)
    given = [one.format(input=file, out=out) for one in arguments]
    done = pairbench(*given, *(["--overwrite"] if overwrite else []))
    assert done.exit_code == 1, done.output
    assert "is what this command reads" in done.stderr
    assert file.read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_there_is_replaced_on_demand_only(command, logged, tmp_path):
    kind, arguments = COMMANDS[command]
    out = tmp_path / "mine.png"
    out.write_text("dear")
    given = [one.format(input=logged[kind], out=out) for one in arguments]
    done = pairbench(*given)
    assert done.exit_code == 1
    assert "mine.png is there already" in done.stderr
    assert "--overwrite" in done.stderr
    assert out.read_text() == "dear"
    done = pairbench(*given, "--overwrite")
    assert done.exit_code == 0, done.output
    assert out.read_bytes() != b"dear"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["mine.png"]


@given(st.lists(st.sampled_from(["file", "link", "twin", "free", "folder", "empty"]), max_size=4))
def test_an_input_is_never_what_may_be_written(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("rule")
    (folder / "file").write_text("x")
    (folder / "link").symlink_to(folder / "file")
    (folder / "twin").hardlink_to(folder / "file")
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    inputs = [folder / name for name in names]
    same = {"file", "link", "twin"}
    for out in (*same, "free", "folder", "empty"):
        read = bool(same & set(names)) if out in same else out in names
        allowed = out in ("free", "empty") and not (read and out == "empty")
        try:
            check_file(folder / out, inputs, overwrite=out in same and not read)
            assert allowed or (out in same and not read)
        except OutputError:
            assert not allowed


@pytest.fixture
def photos(tmp_path):
    """A folder of photographs with a page of the user's."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(3):
        colour = (80 * number, 40, 200 - 60 * number)
        Image.new("RGB", (64, 48), colour).save(folder / f"{number}.png")
    (folder / "README.md").write_text("my holidays")
    rows = [f"{number}.png,{'A long text. ' * 40}{number}" for number in range(3)]
    table = tmp_path / "scenes"
    table.mkdir()
    for file in folder.glob("*.png"):
        (table / file.name).write_bytes(file.read_bytes())
    (table / "descriptions.csv").write_text("\n".join(["image,description", *rows]))
    (tmp_path / "prompts.csv").write_text("uid,prompt\n0,A\n1,B\n")
    return folder


BUILDS = {
    "viescore": ["--outputs", "m=scenes", "--prompts", "prompts.csv"],
    "images": ["--images", "scenes", "--name", "x", "--splits", "rotate"],
    "subtle": ["--type", "mix", "--n", "1"],
}


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", BUILDS)
def test_no_build_writes_into_a_folder_of_the_users(name, photos, monkeypatch):
    monkeypatch.chdir(photos.parent)
    before = contents(photos)
    done = pairbench("build", name, *BUILDS[name], "--out", "photos")
    assert done.exit_code == 1, done.output
    assert "photos holds something else" in done.stderr
    assert contents(photos) == before
    assert sorted(path.name for path in photos.iterdir()) == sorted(map(str, before))


def test_a_build_is_not_written_over_by_another(photos, monkeypatch):
    monkeypatch.chdir(photos.parent)
    out = photos.parent / "out"
    assert pairbench("build", "subtle", *BUILDS["subtle"], "--out", "out").exit_code == 0
    before = contents(out)
    others = {**BUILDS, "subtle again": [*BUILDS["subtle"], "--seed", "1"]}
    for name in ("images", "subtle again"):
        done = pairbench("build", name.split()[0], *others[name], "--out", "out")
        assert done.exit_code == 1, done.output
        assert "out holds something else" in done.stderr
    assert contents(out) == before


@pytest.mark.parametrize("name", ["images"])
def test_what_a_build_reads_is_not_where_it_builds(name, photos, monkeypatch):
    monkeypatch.chdir(photos.parent)
    (photos.parent / "link").symlink_to("scenes")
    before = contents(photos.parent)
    for out in ("scenes", "link"):
        done = pairbench("build", name, *BUILDS[name], "--out", out)
        assert done.exit_code == 1
        assert "is what this command reads" in done.stderr
    assert contents(photos.parent) == before
