"""docs/new_benchmark.md: its files, installed as a package of somebody else's, and its commands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.evaluations import write_fast_start

PAGE = (REPOSITORY / "docs" / "new_benchmark.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
CONSOLES = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
INSTALL = "pip install -e ."
# Without the package index, and beside the environment instead of in it.
PIP = f"{sys.executable} -m pip install --no-deps --no-build-isolation --target site ."


def commands():
    """The commands of the page, in their order, with the output that it shows."""
    return [
        (shown[0], shown[1:])
        for console in CONSOLES
        for shown in (part.splitlines() for part in re.split(r"^\$ ", console, flags=re.M)[1:])
    ]


def words(line):
    """What stands in a line, whatever the widths of its columns."""
    return " ".join(re.split(r"[\s|]+", line.strip(" |\n")))


def assert_shows(expected, printed):
    """Every expected line is printed, in this order; only `...` stands for lines left out."""
    lines = [words(line) for line in printed.splitlines() if words(line)]
    gap, at = False, 0
    for line in map(words, expected):
        if line == "...":
            gap = True
            continue
        found = lines.index(line, at) if line in lines[at:] else None
        assert found is not None, f"{line!r} is not printed after line {at}:\n{printed}"
        assert gap or found == at, f"{lines[at]!r} is printed before {line!r}"
        gap, at = False, found + 1
    assert gap or at == len(lines), lines[at:]


@pytest.fixture
def folder(tmp_path):
    """The reader's folder as the page says it is, before the first command."""
    tree = re.search(r"^```\nmy_benchmarks/\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
    for line in tree.splitlines():
        file = tmp_path / line.split()[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("" if line.endswith(" empty") else FILES.pop(line.split()[0]))
    assert not FILES
    return tmp_path


@pytest.mark.timeout(600)  # an evaluation by the command line is slow to start
def test_the_page_prints_what_its_commands_print(folder):
    bin_folder = Path(sys.executable).parent
    paths = [str(folder / "site"), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    environment.pop("COLUMNS", None)
    write_fast_start(folder / "site")
    assert [command for command, _ in commands()].count(INSTALL) == 1
    for command, expected in commands():
        done = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", PIP if command == INSTALL else command],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert_shows(expected, done.stdout)
