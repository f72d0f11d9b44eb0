import json
import subprocess
import sys
from contextlib import suppress

import pytest

from lmms_eval_tasks.build.repository import BuildError, build_repository
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import OutputError

RECIPE = {"seed": 0, "pictures": "abc"}


class Build:
    """Makes two files, unless they are there; may be interrupted between them."""

    def __init__(self, out, *, stop=False):
        self.out = out
        self.stop = stop
        self.made = []

    def __call__(self):
        for name in ("c/one", "c/two"):
            if not (self.out / name).exists():
                write_atomically(self.out / name, f"content of {name}")
                self.made.append(name)
            if self.stop:
                raise KeyboardInterrupt


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


COMPLETE = ["build.json", "c", "c/one", "c/two"]


def test_a_repository_is_built_and_then_complete(tmp_path):
    build = Build(tmp_path)
    assert build_repository(tmp_path, RECIPE, build) is True
    assert names(tmp_path) == COMPLETE
    assert build_repository(tmp_path, RECIPE, build) is False
    assert build.made == ["c/one", "c/two"]
    manifest = json.loads((tmp_path / "build.json").read_text())
    assert set(manifest["files"]) == {"c/one", "c/two"}
    assert manifest["recipe"]["seed"] == 0
    assert "torch" in manifest["recipe"]["versions"]


def test_an_interrupted_build_continues(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        build_repository(tmp_path, RECIPE, Build(tmp_path, stop=True))
    (tmp_path / "c" / ".building-xyz").mkdir()  # as a killed process leaves it
    build = Build(tmp_path)
    assert build_repository(tmp_path, RECIPE, build) is True
    assert build.made == ["c/two"]
    assert names(tmp_path) == COMPLETE


@pytest.mark.parametrize("stop", [False, True], ids=["complete", "begun"])
def test_another_recipe_is_refused(tmp_path, stop):
    with suppress(KeyboardInterrupt):
        build_repository(tmp_path, RECIPE, Build(tmp_path, stop=stop))
    before = names(tmp_path)
    with pytest.raises(BuildError, match=r"begun with seed 0, not 1: choose another folder"):
        build_repository(tmp_path, {**RECIPE, "seed": 1}, Build(tmp_path))
    assert [name for name in names(tmp_path) if "lock" not in name] == [
        name for name in before if "lock" not in name
    ]


def test_a_lost_file_is_made_again(tmp_path):
    build_repository(tmp_path, RECIPE, Build(tmp_path))
    before = (tmp_path / "build.json").read_bytes()
    (tmp_path / "c" / "two").unlink()
    build = Build(tmp_path)
    assert build_repository(tmp_path, RECIPE, build) is True
    assert build.made == ["c/two"]
    assert (tmp_path / "build.json").read_bytes() == before


def test_a_changed_file_is_refused(tmp_path):
    build_repository(tmp_path, RECIPE, Build(tmp_path))
    (tmp_path / "c" / "two").write_text("mine")
    with pytest.raises(BuildError, match=r"c/two was changed after it was built"):
        build_repository(tmp_path, RECIPE, Build(tmp_path))
    assert (tmp_path / "c" / "two").read_text() == "mine"


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("dear")
    with pytest.raises(OutputError, match=r"something else, such as 'thesis.tex'"):
        build_repository(tmp_path, RECIPE, Build(tmp_path))
    assert (tmp_path / "thesis.tex").read_text() == "dear"
    assert names(tmp_path) == ["thesis.tex"]


HOLD = """
import sys
from pathlib import Path
from pairbench_ext.core.locks import acquire
with acquire(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_builds_do_not_meet(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / ".building.lock")]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(BuildError, match="being built by another process"):
            build_repository(tmp_path, RECIPE, Build(tmp_path))
    finally:
        other.communicate("")
