import json
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


def test_an_interrupted_build_continues(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        build_repository(tmp_path, RECIPE, Build(tmp_path, stop=True))
    begun = tmp_path / "c" / ".building-xyz" / "two"  # as a killed process leaves it
    write_atomically(begun, "half of")
    build = Build(tmp_path)
    build_repository(tmp_path, RECIPE, build)
    assert build.made == ["c/two"]
    build_repository(tmp_path, RECIPE, build)
    assert build.made == ["c/two"]
    assert names(tmp_path) == ["build.json", "c", "c/one", "c/two"]
    recipe = json.loads((tmp_path / "build.json").read_text())
    assert recipe["seed"] == 0
    assert "torch" in recipe["versions"]


def test_another_recipe_is_refused(tmp_path):
    with suppress(KeyboardInterrupt):
        build_repository(tmp_path, RECIPE, Build(tmp_path, stop=True))
    before = names(tmp_path)
    with pytest.raises(BuildError, match=r"begun with seed 0, not 1: choose another folder"):
        build_repository(tmp_path, {**RECIPE, "seed": 1}, Build(tmp_path))
    assert names(tmp_path) == before


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("dear")
    with pytest.raises(OutputError, match=r"something else, such as 'thesis.tex'"):
        build_repository(tmp_path, RECIPE, Build(tmp_path))
    assert names(tmp_path) == ["thesis.tex"]
