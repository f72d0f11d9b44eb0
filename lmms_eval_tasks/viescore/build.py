"""`pairbench build viescore`: put your own images into the folders that VIEScore's tasks read.

A file belongs to a prompt if its name without suffix is the prompt's uid; else if both end in the
same number (`0007.png` and `sample_7`) and no other file or prompt has that number. All files of a
folder are matched in the same way: by name, or by number if that matches more files.
"""

import filecmp
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

from lmms_eval_tasks.viescore.museum import (
    LOOKUP,
    find_folder,
    is_image,
    listed,
    listing,
    read_museum,
    read_prompts,
    stem,
)
from lmms_eval_tasks.viescore.tasks import OTHER_FOLDERS, TASKS, Name, Task
from lmms_eval_tasks.viescore.trials import DATA_VARIABLE
from pairbench_ext.core.files import check_folder, check_unused, write_atomically
from pairbench_ext.core.foreign_tables import text_rows
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import option

Owner = TypeVar("Owner")
_UID_COLUMNS = ("uid", "id", "name", "file")


def build(
    out: Annotated[Path, option("Folder to create, or an existing one to which images are added.")],
    outputs: Annotated[list[str], option("Folder of one model's images: NAME=FOLDER; repeatable.")],
    prompts: Annotated[
        Path | None, option("CSV file with columns uid and prompt, needed if the folder is new.")
    ] = None,
    input_folder: Annotated[
        Path | None, option("Folder of the input images that the models edited.", "--input")
    ] = None,
    token: Annotated[
        list[Path] | None,
        option("Folder of images of the subject to show; give the option twice for two concepts."),
    ] = None,
    control: Annotated[Path | None, option("The guidance images.")] = None,
    task: Annotated[Name, option("Task for which the images were made.")] = "t2i",
) -> None:
    """Lay out images to rate, and list what is missing.

    To make a new folder: --outputs my_model=DIR --prompts prompts.csv --out MUSEUM. To add images
    to one: --outputs my_model=DIR --task tie --out MUSEUM.
    """
    folders = {"input": input_folder, "control": control}
    for number, folder in enumerate(token or [], start=1):
        folders[f"token{number}" if token and len(token) > 1 else "token"] = folder
    kind = TASKS[task]
    with fail_on(SourceError, RecordError, ValueError):
        placed = {**{n: f for n, f in folders.items() if f}, **dict(map(_named, outputs))}
        check_folder(out, placed.values())
        target = _begun(out, kind, prompts) if prompts else find_folder(out, kind)
        texts = read_prompts(target, kind)
        for name, folder in placed.items():
            _place(name, folder, texts, target)
        museum = read_museum(out, kind)
    for sentence in museum.missing:
        console.print(sentence)
    if not any(image.ratings for image in museum.images):
        console.print("there are no human ratings, so only mean scores will be reported")
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks viescore_{task}")


def _begun(out: Path, kind: Task, prompts: Path) -> Path:
    """Write the prompts of a task of a museum; return the task's folder."""
    present = {path.name for path in out.iterdir()} if out.is_dir() else set()
    check_unused(out, sorted(present - {task.folder for task in TASKS.values()}))
    target = out / kind.folder
    _write_prompts(read_prompt_table(prompts, kind), kind, target / LOOKUP)
    return target


def _named(output: str) -> tuple[str, Path]:
    name, _, folder = output.partition("=")
    if not folder or name in OTHER_FOLDERS | {""} or name[0] in "._" or set(name) & set("/\\"):
        raise SourceError(
            f"--outputs {output!r} must be NAME=FOLDER, with a name for the image model, not "
            f"{', '.join(sorted(OTHER_FOLDERS))}"
        )
    return name, Path(folder).expanduser()


def _write_prompts(prompts: Mapping[str, str], task: Task, file: Path) -> None:
    entries = {uid: {task.fields[0]: text} for uid, text in prompts.items()}
    text = json.dumps(entries, indent=1, ensure_ascii=False)
    if file.exists() and file.read_bytes() != text.encode():
        raise SourceError(f"{file} already exists, with other prompts; choose another folder")
    write_atomically(file, text)


def read_prompt_table(file: Path, task: Task) -> dict[str, str]:
    """Return the prompts in a CSV file, keyed by uid.

    It needs a column of text (`prompt`, or the field of the task), and a column of uids (`uid`,
    `id`, `name`, `file`) unless files are named by the number of their row, from 0.

    Raises:
        RecordError: naming file and row of what is missing or twice there.
    """
    prompts: dict[str, str] = {}
    for number, (_, row) in enumerate(text_rows(file)):
        fields = {name.lower(): value for name, value in row.items()}
        text = next((fields[name] for name in task.fields if fields.get(name)), "")
        uid = next((fields[name] for name in _UID_COLUMNS if name in fields), number)
        name = Path(str(uid).strip()).name
        where = f"{file}, row {number + 1}"
        if not text or not name:
            columns = f"{task.fields[0]!r}; the columns are {sorted(fields)}"
            raise RecordError(f"{where}: the row has no uid, or no text in column {columns}")
        if name in prompts:
            raise RecordError(f"{where}: an earlier row has the same uid, {name!r}")
        prompts[name] = text
    return prompts


def _place(name: str, folder: Path, prompts: Mapping[str, str], target: Path) -> None:
    """Copy a folder's images, called by their uids, and print what was matched."""
    how, files = match(folder, prompts)
    for uid, file in files.items():
        if not is_image(file):
            raise SourceError(f"{file} cannot be read as an image: replace or remove it")
        copy = target / name / f"{stem(uid)}{file.suffix.lower()}"
        if copy.exists() and not filecmp.cmp(file, copy, shallow=False):
            raise SourceError(f"{copy} already exists and differs from {file}; remove one of them")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    console.print(f"{name}: {len(files)} of {len(prompts)} prompts have an image{how} ({folder})")
    used = set(files.values())
    if without := [file.name for file in listing(folder).values() if file not in used]:
        console.print(f"  images without a prompt are left out: {listed(without)}")


def match(folder: Path, prompts: Mapping[str, str]) -> tuple[str, dict[str, Path]]:
    """Return a folder's image files, keyed by the prompt's uid, and how they were matched.

    Raises:
        SourceError: if the folder does not exist or holds no image.
    """
    files = list(listing(folder).values()) if folder.is_dir() else []
    if not files:
        raise SourceError(f"{folder}: the folder does not exist, or holds no image")
    best: tuple[str, dict[str, Path]] = ("", {})
    for how, key_of in _WAYS.items():
        by_key = _unique({file: key_of(stem(file.name)) for file in files})
        uids = _unique({uid: key_of(stem(uid)) for uid in prompts})
        matched = {uid: by_key[key] for key, uid in uids.items() if key in by_key}
        if len(matched) > len(best[1]):
            best = (how, matched)
    return best


def _unique(keys: Mapping[Owner, str]) -> dict[str, Owner]:
    """Return the owner of each key, without keys of several owners."""
    counts = Counter(keys.values())
    return {key: owner for owner, key in keys.items() if key and counts[key] == 1}


def _number(name: str) -> str:
    digits = re.search(r"(\d+)\D*$", name)
    return str(int(digits[1])) if digits else ""


_WAYS: Mapping[str, Callable[[str], str]] = {
    " by name": lambda name: name,
    " matched by the number at the end of their names": _number,
}
