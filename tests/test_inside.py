"""docs/inside.md: its recipes, carried out on a copy of the packages."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "inside.md").read_text(encoding="utf-8")
EDITS = re.findall(
    r"^In `([\w./]+)`, below `([^`]+)`:\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
FILES = re.findall(
    r"^New file \*\*([\w./]+)\*\*:\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
VOTES = [("fwd", "A", 0), ("rev", "A", 0), ("fwd", "B", 1), ("rev", "[?]", 1)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The packages with all changes of the page, and a file of plain rows to score."""
    folder = tmp_path_factory.mktemp("copy")
    for package in ("pairbench_ext", "lmms_eval_tasks", "task_yamls"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / package, folder / package, ignore=ignore)
    for name, content in FILES:
        (folder / name).write_text(content, encoding="utf-8")
    for name, anchor, lines in EDITS:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.count(f"{anchor}\n") == 1
        (folder / name).write_text(text.replace(f"{anchor}\n", f"{anchor}\n{lines}"))
    rows = [
        {"item": f"q{place // 2}", "source": "vqa", "repeat": 0, "order": order, "truth": truth,
         "response": f"[[{said}]]"}
        for place, (order, said, truth) in enumerate(VOTES)
    ]  # fmt: skip
    (folder / "judge.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def run(copy, *arguments):
    """What the command of the copy prints as JSON."""
    start = "from pairbench_ext.show.cli.main import app; app()"
    done = subprocess.run(
        [sys.executable, "-c", start, *arguments, "judge.jsonl", "--json"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_recipe_of_a_number_gives_it_to_score(copy):
    assert len(EDITS) == 3
    printed = run(copy, "score", "multimodal_rewardbench")
    assert printed["runs"][0]["numbers"]["last_position"] == pytest.approx(1 / 3)


def test_the_recipe_of_a_command_prints_a_finding(copy):
    assert len(FILES) == 1
    [table] = run(copy, "replies", "--benchmark", "multimodal_rewardbench")["tables"]
    cells = table["rows"][0]["cells"]
    assert [cells["replies"]["value"], cells["unreadable"]["value"]] == [4, 1]
