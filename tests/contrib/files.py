"""Modules of contributed files, and the files of the installed harness that patches change."""

import importlib.util
import shutil
import sys
from pathlib import Path

import lmms_eval

from tests.conftest import REPOSITORY

INSTALLED = Path(lmms_eval.__file__).parent


def load(file, name, monkeypatch=None):
    """A module of that file, under a name until the test ends."""
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    if monkeypatch is not None:
        monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def copy_files(folder, name):
    """Copy the files that a patch changes from the installed harness; return the patch."""
    patch = REPOSITORY / f"contrib/lmms_eval/patches/{name}.patch"
    for line in patch.read_text().splitlines():
        if line.startswith("--- a/"):
            (folder / line[6:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(INSTALLED.parent / line[6:], folder / line[6:])
    return patch
