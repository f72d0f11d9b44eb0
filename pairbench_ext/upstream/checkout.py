"""A checkout of the harness, as far as benchmarks are added to it."""

from __future__ import annotations

import re
from pathlib import Path

from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import OutputError, check_file
from pairbench_ext.upstream.export import Export

TASKS = Path("lmms_eval", "tasks")
LIST = Path("docs", "advanced", "current_tasks.md")
_NAMED = re.compile(r"^(?:task|group|tag): *[\"']?([^\s\"'\[\]]+)", re.MULTILINE)


def add(export: Export, checkout: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a benchmark's files, and its lines into the list of tasks.

    Args:
        export: the benchmark.
        checkout: the root of the harness's repository.
        overwrite: whether its files may replace others of the same names.

    Returns:
        What was written or changed, below the checkout.

    Raises:
        OutputError: if this is no checkout, if a name is taken there, or if a file is there and may
            not be replaced. Nothing is written then.
    """
    if not (checkout / TASKS).is_dir() or not (checkout / LIST).is_file():
        raise OutputError(f"{checkout} is no checkout of lmms-eval: it has no {TASKS} with {LIST}")
    _check_names(export, checkout)
    made = export.files
    for name in made:
        check_file(checkout / name, overwrite=overwrite)
    written = []
    for name, text in {**made, str(LIST): _listing(export, checkout)}.items():
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
        written.append(Path(name))
    return written


def _check_names(export: Export, checkout: Path) -> None:
    for path in sorted((checkout / TASKS).rglob("*.yaml")):
        if path.parent.name == export.name and path.parent.parent == checkout / TASKS:
            continue
        taken = set(_NAMED.findall(path.read_text(encoding="utf-8"))) & set(export.names)
        if taken:
            raise OutputError(f"{path} has a task {min(taken)!r} already: nothing is written")


def _listing(export: Export, checkout: Path) -> str:
    """The list of tasks with the benchmark in its section, by the alphabet, once."""
    text = (checkout / LIST).read_text(encoding="utf-8")
    if export.listed[0] in text.splitlines():
        return text
    lines = text.splitlines()
    heads = (n for n, line in enumerate(lines) if line.startswith("#") and export.section in line)
    start = next(heads, None)
    if start is None:
        raise OutputError(f"{checkout / LIST} has no section {export.section!r}")
    end = next((n for n in range(start + 1, len(lines)) if lines[n][:1] == "#"), len(lines))
    entries = [n for n in range(start, end) if lines[n].startswith("- ")]
    after = (n for n in entries if lines[n].lower() > export.listed[0].lower())
    last = max((n for n in range(start, end) if lines[n].lstrip()[:2] == "- "), default=start + 1)
    place = next(after, last + 1)
    return "\n".join([*lines[:place], *export.listed, *lines[place:]]) + "\n"
