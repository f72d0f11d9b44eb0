"""The files of a museum: a task's folder, its prompts, the images in a folder.

A uid is a file name (`sample_0.jpg`); a file of another suffix (`sample_0.png`) is found too. A uid
is only ever looked up in the list of a folder, so none leads out of it. Of an image that is to be
shown only the header is read: a file that is none must not end a run when its turn comes.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import PIL.Image

from lmms_eval_tasks.viescore.tasks import Task
from pairbench_ext.core.left_out import EVERYTHING_USABLE, LeftOut, named
from pairbench_ext.core.media import read_image
from pairbench_ext.core.sources import SourceError

LOOKUP = "dataset_lookup.json"
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".avif", ".bmp", ".gif", ".tif", ".tiff")
_SHOWN = 3  # names that a message lists


def find_folder(root: Path, task: Task) -> Path:
    """The task's folder in a museum, by any of its names.

    Raises:
        SourceError: naming the folder that is expected, and those that are there.
    """
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder; a museum of images is expected")
    for name in task.folder_names:
        if (root / name).is_dir():
            return Path(os.path.normpath((root / name).absolute()))
    there = listed(sorted(child.name for child in root.iterdir() if child.is_dir()))
    raise SourceError(f"{root} has no folder {task.folder!r} (task {task.name}); it has {there}")


def read_prompts(folder: Path, task: Task, left_out: LeftOut = EVERYTHING_USABLE) -> dict[str, str]:
    """The texts of a task by uid, in the order of the file, with the white space around them.

    Uids without a text may be left out.

    Raises:
        SourceError: naming the file, if it or all of its entries cannot be used.
    """
    file = folder / LOOKUP
    try:
        entries = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(
            f"{file}: cannot be read ({error.strerror or error}); prompts by uid are expected, "
            f'such as {{"sample_0.jpg": {{"{task.fields[0]}": "..."}}}}'
        ) from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{file}: not JSON ({error})") from error
    if not isinstance(entries, dict) or not entries:
        raise SourceError(f"{file}: one JSON object with prompts by uid is expected")
    prompts: dict[str, str] = {}
    stems: set[str] = set()
    for uid, entry in entries.items():
        with left_out.unless_usable(f"{file}, {uid!r}"):
            text = _text(entry, task, f"{file}, {uid!r}")
            if stem(uid) in stems:
                raise SourceError(f"{file}: two uids are {stem(uid)!r} but for their suffix")
            stems.add(stem(uid))
            prompts[uid] = text
    if not prompts:
        raise SourceError(named(left_out))
    return prompts


def _text(entry: Any, task: Task, where: str) -> str:
    given = entry if isinstance(entry, dict) else {}
    for name in task.fields:
        if isinstance(given.get(name), str) and given[name].strip():
            return task.clean(given[name])
    raise SourceError(f"{where}: no text in field {task.fields[0]!r}, got {entry!r:.60}")


def stem(name: str) -> str:
    """A file name without an image's suffix.

    >>> stem("sample_0.jpg"), stem("v1.5")
    ('sample_0', 'v1.5')
    """
    found = next((s for s in SUFFIXES if name.lower().endswith(s)), "")
    return name[: len(name) - len(found)]


def listing(folder: Path) -> dict[str, Path]:
    """The image files of a folder by their names without suffix.

    Raises:
        SourceError: if two differ in their suffix only.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in SUFFIXES and not path.name.startswith("."):
            known = found.setdefault(stem(path.name), path)
            if known != path:
                raise SourceError(f"{known} and {path} are images of the same uid: keep one")
    return found


def broken_images(files: Iterable[Path], left_out: LeftOut) -> frozenset[Path]:
    """Those of some files that are no images; they are left out."""
    broken = frozenset(file for file in files if not _is_image(file))
    left_out.extend(f"{file} is no readable image" for file in sorted(broken))
    return broken


def _is_image(file: Path) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a large one is large
            with PIL.Image.open(file):
                return True
    except (OSError, SyntaxError, ValueError, PIL.Image.DecompressionBombError):
        return False


def opened(file: Path) -> PIL.Image.Image:
    """The RGB image of a file, as tasks show it.

    Raises:
        SourceError: if it is none.
    """
    return read_image(file, str(file))


def listed(names: Sequence[str]) -> str:
    """How many names, and the first.

    >>> listed(["a", "b", "c", "d"])
    '4 (a, b, c, ...)'
    """
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names)} ({', '.join(names[:_SHOWN])}{more})" if names else "none"
