"""Writes PairBench's task files from `sources.json`: `python -m lmms_eval_tasks.pairbench.leaves`.

Leaf files say only which source they read and which variant they are; groups list their leaves. A
test compares the files with what this module renders.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lmms_eval_tasks.plugin import tasks_dir

GROUPS = {
    "coco": "photographs of MS-COCO",
    "in100": "photographs of ImageNet-100",
    "wu_ii": "WhatsUp, image and image",
    "wu_it": "WhatsUp, image and text",
    "demo": "embedded photographs",
}
# The demo is not one of the paper's data sets, so it is not in `pairbench`.
PAPER_GROUPS = [group for group in GROUPS if group != "demo"]
VARIANTS = {
    "": "both orders, a template drawn per pair",
    "_all_prompts": "both orders, all five templates",
    "_fwd": "one order only, half the cost",
}
VERSION = "1.0"
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
    for variant, setting in VARIANTS.items():
        for name in names:
            files[f"leaves{variant}/pairbench_{name}{variant}.yaml"] = _leaf(name, variant, setting)
        for group, what in GROUPS.items():
            leaves = [f"pairbench_{n}{variant}" for n in names if n.startswith(f"{group}_")]
            about = f"{what}: mean over {len(leaves)} leaves; {setting}"
            title = f"pairbench_{group}{variant}"
            files[f"{title}.yaml"] = _group(title, leaves, variant, about)
        groups = [f"pairbench_{group}{variant}" for group in PAPER_GROUPS]
        about = f"the paper's four data sets: mean over 24 leaves; {setting}"
        files[f"pairbench{variant}.yaml"] = _group(f"pairbench{variant}", groups, variant, about)
    return files


def _leaf(name: str, variant: str, setting: str) -> str:
    group = next(group for group in GROUPS if name.startswith(f"{group}_"))
    what = f"{GROUPS[group]}, {name.removeprefix(f'{group}_').replace('_', ' ')}"
    return (
        f"{_HEADER}include: ../_leaf{variant}\n"
        f"task: pairbench_{name}{variant}\n"
        f"dataset_kwargs: {{data_files: {{test: ../sources.json}}, field: {name}}}\n"
        f'metadata: {{version: {VERSION}, about: "{what}; {setting}"}}\n'
    )


def _group(title: str, tasks: Iterable[str], variant: str, about: str) -> str:
    listed = "".join(f"  - {task}\n" for task in tasks)
    metadata = f'metadata: {{version: {VERSION}, about: "{about}"}}\n'
    base = "_group_fwd" if variant == "_fwd" else "_group"  # one order has no RelaxSym
    return f"{_HEADER}include: {base}\ngroup: {title}\ntask:\n{listed}{metadata}"


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
