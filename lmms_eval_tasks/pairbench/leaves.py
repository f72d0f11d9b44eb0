"""Writes PairBench's task files from `sources.json`: `python -m lmms_eval_tasks.pairbench.leaves`.

Leaf files say only which source they read and which variant they are; groups list their leaves. A
test compares the files with what this module renders.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lmms_eval_tasks.plugin import tasks_dir

GROUPS = ("coco", "in100", "wu_ii", "wu_it", "demo")
# The demo is not one of the paper's data sets, so it is not in `pairbench`.
PAPER_GROUPS = GROUPS[:4]
VARIANTS = ("", "_all_prompts", "_fwd")
_HEADER = (
    "# Written by `python -m lmms_eval_tasks.pairbench.leaves`; change that or sources.json.\n"
)


def folder() -> Path:
    """Where PairBench's task files are."""
    return tasks_dir() / "pairbench"


def source_names() -> list[str]:
    """The entries of `sources.json`: one leaf task each, per variant."""
    return list(json.loads((folder() / "sources.json").read_text(encoding="utf-8")))


def render() -> dict[str, str]:
    """Path below the benchmark's folder -> text, for every generated file."""
    files: dict[str, str] = {}
    names = source_names()
    for variant in VARIANTS:
        for name in names:
            files[f"leaves{variant}/pairbench_{name}{variant}.yaml"] = _leaf(name, variant)
        for group in GROUPS:
            leaves = [f"pairbench_{n}{variant}" for n in names if n.startswith(f"{group}_")]
            title = f"pairbench_{group}{variant}"
            files[f"{title}.yaml"] = _group(title, leaves, variant)
        groups = [f"pairbench_{group}{variant}" for group in PAPER_GROUPS]
        files[f"pairbench{variant}.yaml"] = _group(f"pairbench{variant}", groups, variant)
    return files


def _leaf(name: str, variant: str) -> str:
    return (
        f"{_HEADER}include: ../_leaf{variant}\n"
        f"task: pairbench_{name}{variant}\n"
        f"dataset_kwargs: {{data_files: {{test: ../sources.json}}, field: {name}}}\n"
    )


def _group(title: str, tasks: Iterable[str], variant: str) -> str:
    listed = "".join(f"  - {task}\n" for task in tasks)
    return f"{_HEADER}include: _group{variant}\ngroup: {title}\ntask:\n{listed}"


def write() -> None:
    """Write every file and remove generated ones that are no longer rendered."""
    files = render()
    for stale in set(folder().rglob("*.yaml")) - {folder() / path for path in files}:
        stale.unlink()
    for path, text in files.items():
        target = folder() / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
