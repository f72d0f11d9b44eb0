"""`pairbench build viescore`: a museum from a download, or from the user's own images.

A file of one's own belongs to a prompt if its name without suffix is the prompt's uid; else if both
end in the same number (`0007.png` and `sample_7`) and no other file or prompt has that number; else
if it is the prompt itself, words joined by underscores or hyphens. One way is used for a whole
folder: the one by which most files match, of equals the first.
"""

from __future__ import annotations

import csv
import filecmp
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

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
from lmms_eval_tasks.viescore.ratings import rater_files
from lmms_eval_tasks.viescore.tasks import OTHER_FOLDERS, TASKS, Task, find_task
from lmms_eval_tasks.viescore.trials import DATA_VARIABLE
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_folder
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, fail_on, print_table, table

_UID_COLUMNS = ("uid", "id", "name", "file", "filename", "image")
Owner = TypeVar("Owner")
_NUMBER = re.compile(r"(\d+)\D*$")


def build(
    out: Annotated[Path, typer.Option(help="The folder to make, or to add to.")],
    museum: Annotated[
        Path | None, typer.Option(help="A downloaded museum: the folder of the tasks' folders.")
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(help="Human ratings: a folder of tasks' folders.")
    ] = None,
    outputs: Annotated[
        list[str] | None, typer.Option(help="NAME=FOLDER, your own images; may be repeated.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="Their prompts (.csv, .tsv, .jsonl): uid, prompt.")
    ] = None,
    input_folder: Annotated[
        Path | None, typer.Option("--input", help="With --prompts: the images that were edited.")
    ] = None,
    token: Annotated[
        list[Path] | None,
        typer.Option(help="With --prompts: images of the subjects; twice for two concepts."),
    ] = None,
    control: Annotated[
        Path | None, typer.Option(help="With --prompts: the guidance images.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help=f"{', '.join(TASKS)}; all of a download by default, or t2i.")
    ] = None,
    image_models: Annotated[
        str | None, typer.Option(help="The download's image models to copy, with commas.")
    ] = None,
) -> None:
    """Lay out images to rate, and list what is missing.

    Your own images: --outputs my_model=DIR --prompts prompts.csv --out MUSEUM. On the prompts of a
    museum: --museum instead of --prompts. A download: --museum DIR --ratings DIR --out MUSEUM.
    """
    tokens = token or []
    names = ["token"] if len(tokens) == 1 else [f"token{n}" for n in range(1, len(tokens) + 1)]
    folders = {"input": input_folder, "control": control, **dict(zip(names, tokens, strict=True))}
    models = image_models.split(",") if image_models else [] if outputs else None
    with fail_on(SourceError, RecordError, ValueError, OSError):
        own = {**{n: f for n, f in folders.items() if f}, **_named(outputs or [])}
        if bool(museum) == bool(prompts) or (prompts and not outputs):
            raise SourceError(
                "give a museum (--museum DIR), or your own images (--outputs NAME=DIR) with their "
                "prompts (--prompts FILE) or those of a museum"
            )
        check_folder(out, [path for path in (museum, ratings, *own.values()) if path])
        if museum:
            tasks = _tasks(museum, task or ("t2i" if outputs else None))
            for kind in tasks:
                _copy_task(find_folder(museum, kind), out / kind.folder, models)
                if ratings:
                    _copy(rater_files(find_folder(ratings, kind)), out / kind.folder)
        else:
            assert prompts is not None
            tasks = [find_task(task or "t2i")]
            _write_prompts(read_prompt_table(prompts, tasks[0]), tasks[0], out / tasks[0].folder)
        for name, folder in own.items():
            _place(name, folder, read_prompts(out / tasks[0].folder, tasks[0]), out, tasks[0])
        _report(out, tasks)


def _named(outputs: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for output in outputs:
        name, _, folder = output.partition("=")
        if not folder or name in OTHER_FOLDERS | {""} or name[0] in "._" or set(name) & set("/\\"):
            raise SourceError(
                f"--outputs {output!r} must be NAME=FOLDER, with a name for the image model, "
                f"not {', '.join(sorted(OTHER_FOLDERS))}"
            )
        found[name] = Path(folder).expanduser()
    return found


def _tasks(museum: Path, name: str | None) -> list[Task]:
    if name:
        return [find_task(name)]
    there = {child.name for child in museum.iterdir() if (child / LOOKUP).is_file()}
    tasks = [task for task in TASKS.values() if there & set(task.folder_names)]
    if not tasks:
        raise SourceError(
            f"{museum}: no task's folder with {LOOKUP} in it, such as {TASKS['t2i'].folder}"
        )
    return tasks


def _copy_task(source: Path, target: Path, models: Sequence[str] | None) -> None:
    """Copy prompts, ratings, what images were made from, and image models; all for None."""
    folders = {child.name: child for child in sorted(source.iterdir()) if child.is_dir()}
    unknown = sorted(set(models or ()) - set(folders))
    if unknown:
        raise SourceError(f"{source} has no image model {unknown[0]!r}, only {sorted(folders)}")
    _copy([source / LOOKUP, *rater_files(source)], target)
    for name, folder in folders.items():
        if models is None or name in OTHER_FOLDERS or name in models:
            _copy(listing(folder).values(), target / name)


def _copy(files: Iterable[Path], target: Path) -> None:
    for file in files:
        _copy_file(file, target / file.name)


def _copy_file(file: Path, target: Path) -> None:
    """Copy a file.

    Raises:
        SourceError: if another file is there.
    """
    if target.exists() and not filecmp.cmp(file, target, shallow=False):
        raise SourceError(f"{target} is there already and is not {file}; remove one of them")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def _write_prompts(prompts: Mapping[str, str], task: Task, target: Path) -> None:
    entries = {uid: {task.fields[0]: text} for uid, text in prompts.items()}
    text = json.dumps(entries, indent=1, ensure_ascii=False)
    file = target / LOOKUP
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise SourceError(f"{file} is there already, with other prompts; choose another folder")
    write_atomically(file, text)


def read_prompt_table(file: Path, task: Task) -> dict[str, str]:
    """Return prompts by uid from a table: CSV, TSV or JSON lines.

    A column of text is needed (`prompt`, or the field of the task); a column of uids (`uid`, `id`,
    `name`, `file`, ...) if files are called otherwise than by the number of their row, from 0.

    Raises:
        RecordError: naming file and row of what is missing or twice there.
    """
    if file.suffix == ".jsonl":
        rows = [dict(record.fields) for record in read_jsonl(file)]
    else:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t" if file.suffix == ".tsv" else ","))
    prompts: dict[str, str] = {}
    for number, row in enumerate(rows):
        fields = {str(name).strip().lower(): value for name, value in row.items()}
        text = next((fields[name] for name in (*task.fields, "text") if fields.get(name)), None)
        uid = next((fields[name] for name in _UID_COLUMNS if name in fields), number)
        name = Path(str(uid).strip()).name
        if not isinstance(text, str) or not text.strip() or not name:
            raise RecordError(
                f"{file}, row {number + 1}: no uid, or no text in column {task.fields[0]!r}; the "
                f"columns are {sorted(fields)}"
            )
        if name in prompts:
            raise RecordError(f"{file}, row {number + 1}: the uid {name!r} is of an earlier row")
        prompts[name] = text.strip()
    return prompts


def _place(name: str, folder: Path, prompts: Mapping[str, str], out: Path, task: Task) -> None:
    """Copy a folder's images, called by their uids, and print what was matched."""
    how, files = match(folder, prompts)
    for uid, file in files.items():
        if not is_image(file):
            raise SourceError(f"{file} is no readable image: mend or remove it")
        _copy_file(file, out / task.folder / name / f"{stem(uid)}{file.suffix.lower()}")
    console.print(f"{name}: {len(files)} of {len(prompts)} prompts have an image{how} ({folder})")
    used = set(files.values())
    without = [file.name for file in listing(folder).values() if file not in used]
    if without:
        console.print(f"  images without a prompt, left out: {listed(without)}")


def match(folder: Path, prompts: Mapping[str, str]) -> tuple[str, dict[str, Path]]:
    """Return by what the files of a folder belong to prompts, and the files by uid.

    Raises:
        SourceError: if the folder does not exist or holds no image.
    """
    files = list(listing(folder).values()) if folder.is_dir() else []
    if not files:
        raise SourceError(f"{folder}: no such folder, or no image in it")
    best: tuple[str, dict[str, Path]] = ("", {})
    for how, key_of_file, key_of_prompt in _WAYS:
        by_key = _unique({file: key_of_file(stem(file.name)) for file in files})
        uids = _unique({uid: key_of_prompt(stem(uid), text) for uid, text in prompts.items()})
        found = {uid: by_key[key] for key, uid in uids.items() if key in by_key}
        if len(found) > len(best[1]):
            best = (how, found)
    return best


def _unique(keys: Mapping[Owner, str]) -> dict[str, Owner]:
    """The owner of each key, without keys of several owners."""
    counts = Counter(keys.values())
    return {key: owner for owner, key in keys.items() if key and counts[key] == 1}


def _number(name: str) -> str:
    digits = _NUMBER.search(name)
    return str(int(digits[1])) if digits else ""


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


_WAYS: Sequence[tuple[str, Callable[[str], str], Callable[[str, str], str]]] = (
    (" by name", lambda name: name, lambda uid, _: uid),
    (" by the number at the end of their names", _number, lambda uid, _: _number(uid)),
    (" by the prompt in their names", _slug, lambda _, text: _slug(text)),
)


def _report(out: Path, tasks: Sequence[Task]) -> None:
    """Print what each task has and lacks."""
    shown = table(("task",), ("prompts", "image models", "images", "with human ratings"))
    museums = [read_museum(out, task) for task in tasks]
    for museum in museums:
        models = {image.image_model for image in museum.images}
        rated = sum(bool(image.ratings) for image in museum.images)
        counts = (len(museum.prompts), len(models), len(museum.images), rated)
        shown.add_row(museum.task.name, *map(str, counts))
    print_table(shown)
    for museum in museums:
        for sentence in museum.missing:
            console.print(f"{museum.task.name}: {sentence}")
        if not any(image.ratings for image in museum.images):
            console.print(f"{museum.task.name}: no human ratings; mean scores will be reported")
    names = ",".join(f"viescore_{task.name}" for task in tasks)
    console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks {names}")
