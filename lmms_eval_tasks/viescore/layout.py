"""Lays out a museum: from a download as users get it, or from their own images.

A download of ImagenHub's museum is found by the names of its task folders, up to three folders
down: in a clone of the museum's site they are in `Museum` (those in `ImagenHub` and `Aquarium` are
others), in ImagenHub's `results` at the top. Ratings are found likewise: in a clone of ImagenHub
they are in `eval/human_ratings`, in one of VIEScore in `paper_implementation/_human_annotations`.
"""

from __future__ import annotations

import filecmp
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lmms_eval_tasks.viescore.authors_examples import FOLDER, rated_examples
from lmms_eval_tasks.viescore.human import rater_files
from lmms_eval_tasks.viescore.museum_files import LOOKUP, listing, stem
from lmms_eval_tasks.viescore.outputs import Matched
from lmms_eval_tasks.viescore.tasks import OTHER_FOLDERS, TASKS, Task, find_task
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.sources import SourceError

_DEPTH = 4


def task_folders(root: Path, tasks: Iterable[Task] = tuple(TASKS.values())) -> dict[Task, Path]:
    """The task folders of a download that hold prompts, the least deep of each task.

    Raises:
        SourceError: if there is no such folder, none in it, or a task has two equally deep ones.
    """
    found = _find(root, tasks, lambda folder: (folder / LOOKUP).is_file())
    if not found:
        expected = ", ".join(task.folder for task in tasks)
        raise SourceError(f"{root}: no task's folder with {LOOKUP} in it; looked for {expected}")
    return found


def rating_folders(root: Path, tasks: Iterable[Task]) -> dict[Task, Path]:
    """The folders that hold human ratings, the least deep of each task; none if there are none.

    Raises:
        SourceError: if there is no such folder, or a task has two equally deep ones.
    """
    return _find(root, tasks, lambda folder: bool(rater_files(folder)))


def _find(root: Path, tasks: Iterable[Task], fits: Callable[[Path], bool]) -> dict[Task, Path]:
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder")
    by_name = {name.lower(): task for task in tasks for name in task.folder_names}
    found: dict[Task, Path] = {}
    for folder in _folders(root):
        task = by_name.get(folder.name.lower())
        if task is None or not fits(folder):
            continue
        known = found.setdefault(task, folder)
        if known != folder and len(known.parts) == len(folder.parts):
            raise SourceError(f"{known} and {folder} are both of task {task.name}: name one above")
    return found


def _folders(root: Path) -> Iterator[Path]:
    """A folder and those in it, the least deep first."""
    level = [root]
    for _ in range(_DEPTH):
        yield from level
        level = sorted(
            Path(entry.path)
            for folder in level
            for entry in os.scandir(folder)
            if entry.is_dir() and entry.name[0] not in "._"
        )


def copy_task(
    task: Task,
    folder: Path,
    out: Path,
    image_models: Sequence[str] | None = None,
    *,
    link: bool = False,
) -> None:
    """Put a task of a download where `read_museum` finds it.

    Args:
        task: which.
        folder: the task's folder in the download.
        out: the museum.
        image_models: which image models; None for all.
        link: make links to the files instead of copies.

    Raises:
        SourceError: if an image model is not there, or a file is already.
    """
    folders = [child for child in sorted(folder.iterdir()) if child.is_dir()]
    models = {child.name for child in folders} - OTHER_FOLDERS
    unknown = sorted(set(image_models or ()) - models)
    if unknown:
        raise SourceError(f"{folder} has no image model {unknown[0]!r}, only {sorted(models)}")
    target = out / task.folder
    place(folder / LOOKUP, target / LOOKUP, link=link)
    for child in folders:
        is_wanted = image_models is None or child.name in image_models
        if child.name in OTHER_FOLDERS or is_wanted:
            for file in listing(child).values():
                place(file, target / child.name / file.name, link=link)
    place_ratings(folder, target, link=link)


def place_examples(task: Task, folder: Path, out: Path, *, link: bool = False) -> None:
    """Put the authors' rated examples for a task into a museum, where it lacks them.

    Args:
        task: which.
        folder: the task's folder in a download; the examples of others are beside it.
        out: the museum.
        link: make links to the files instead of copies.
    """
    for rated in rated_examples(task).values():
        beside = find_task(rated.task)
        there = zip(rated.folders, rated.files(folder.parent), rated.files(out), strict=True)
        for name, file, known in there:
            if file and not known:
                place(file, out / FOLDER / beside.folder / name / file.name, link=link)


def place_ratings(folder: Path, target: Path, *, link: bool = False) -> int:
    """Put the raters' files of a folder into a task's folder; how many there were."""
    files = rater_files(folder)
    for file in files:
        place(file, target / file.name, link=link)
    return len(files)


def place_matched(name: str, matched: Matched, target: Path, *, link: bool = False) -> None:
    """Put a folder's matched files into a folder of that name, called by their uids."""
    for uid, file in matched.files.items():
        place(file, target / name / f"{stem(uid)}{file.suffix.lower()}", link=link)


def write_prompts(prompts: Mapping[str, str], task: Task, target: Path) -> None:
    """Write the prompts of a task."""
    file = target / LOOKUP
    text = json.dumps(
        {uid: {task.fields[0]: text} for uid, text in prompts.items()}, indent=1, ensure_ascii=False
    )
    write_atomically(file, text)


def place(file: Path, target: Path, *, link: bool = False) -> None:
    """Copy a file, or link to it; one that is there already stays.

    Raises:
        SourceError: if a file of other content is there.
    """
    if target.exists():
        if not filecmp.cmp(file, target, shallow=False):
            raise SourceError(f"{target} is there already and is not {file}; remove one of them")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if link:
        target.symlink_to(file.resolve())
    else:
        shutil.copyfile(file, target)


def merge(laid_out: Path, museum: Path) -> None:
    """Move what was laid out into a museum: a folder that is new there appears at once, whole.

    Raises:
        SourceError: if the museum has a file of the same name and other content; then nothing is
            moved.
    """
    for file in sorted(path for path in laid_out.rglob("*") if not path.is_dir()):
        known = museum / file.relative_to(laid_out)
        if known.exists() and not filecmp.cmp(file, known, shallow=False):
            what = (
                ", with other prompts" if file.name == LOOKUP else " and is not the file to place"
            )
            raise SourceError(f"{known} is there already{what}; choose another folder")
    _move_missing(laid_out, museum)


def _move_missing(folder: Path, target: Path) -> None:
    for entry in sorted(folder.iterdir()):
        there = target / entry.name
        if not there.exists():
            entry.replace(there)
        elif entry.is_dir():
            _move_missing(entry, there)
