"""`pairbench build viescore`: a museum of a download, or of one's own images; what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.build.common.repository import build_repository
from lmms_eval_tasks.viescore.layout import (
    copy_task,
    merge,
    place_examples,
    place_matched,
    place_ratings,
    rating_folders,
    task_folders,
    write_prompts,
)
from lmms_eval_tasks.viescore.museum import Museum, read_museum
from lmms_eval_tasks.viescore.museum_files import broken_images, read_prompts
from lmms_eval_tasks.viescore.outputs import Matched, match, read_prompt_table
from lmms_eval_tasks.viescore.tasks import OTHER_FOLDERS, TASKS, Task, find_task
from lmms_eval_tasks.viescore.trials import DATA_VARIABLE
from pairbench_ext.core.left_out import LeftOut, named
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, errors, fail_on, print_table, table

_WAYS = {
    "name": "by name",
    "number": "by the number at the end of their names",
    "prompt": "by the prompt in their names",
}
_NEEDS = "your own images need --out FOLDER and at most one --task"
_SHOWN = 5  # names that a line lists


@dataclass(frozen=True)
class _Own:
    """A user's own images.

    Attributes:
        outputs: folders of image models by name.
        prompts: table of prompts; None to take a museum's.
        conditions: folders of what the images were made from, by their names in a museum.
    """

    outputs: Mapping[str, Path]
    prompts: Path | None
    conditions: Mapping[str, Path] = field(default_factory=dict)

    @property
    def folders(self) -> dict[str, Path]:
        """All folders by their names in a museum."""
        return {**self.conditions, **self.outputs}


@dataclass(frozen=True)
class _Download:
    """A museum that was downloaded.

    Attributes:
        museum: the folder.
        image_models: which image models; None for all.
        ratings: folder with human ratings; None for those in the museum.
    """

    museum: Path | None
    image_models: Sequence[str] | None
    ratings: Path | None


def build(
    museum: Annotated[
        Path | None, typer.Option(help="A downloaded museum; without --out it is only checked.")
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(help="Human ratings: a clone of ImagenHub or of VIEScore.")
    ] = None,
    outputs: Annotated[
        list[str] | None, typer.Option(help="NAME=FOLDER, your own images; may be repeated.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="Their prompts (.csv, .tsv, .json, .jsonl): uid, prompt.")
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
        list[str] | None,
        typer.Option(help=f"{', '.join(TASKS)}; your own images are t2i unless said otherwise."),
    ] = None,
    image_models: Annotated[
        str | None, typer.Option(help="Which of the museum's image models, with commas.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder to make.")] = None,
    link: Annotated[bool, typer.Option("--link", help="Links instead of copies.")] = False,
) -> None:
    """Lay out images to rate, check them, and say what is missing.

    Your own images: --outputs my_model=DIR --prompts prompts.csv --out MUSEUM. On the prompts of a
    museum: --museum instead of --prompts. A download: --museum DIR --ratings DIR --out MUSEUM.
    """
    conditions = {
        **({"input": input_folder} if input_folder else {}),
        **({"control": control} if control else {}),
        **_tokens(token or []),
    }
    models = None if image_models is None else [name for name in image_models.split(",") if name]
    with fail_on(SourceError, RecordError, ValueError, OSError):
        tasks = [find_task(name) for name in task or ()]
        download = _Download(museum, models, ratings)
        own = _Own(_named(outputs or []), prompts, conditions) if outputs or prompts else None
        if out is None:
            made = _found(own, download, tasks)
        else:
            read = (museum, ratings, prompts, *(own.folders.values() if own else ()))
            inputs = [path for path in read if path is not None]
            made = _build(own, download, tasks, out, link, inputs)
    if not _report(made):
        raise typer.Exit(1)
    if out is not None:
        names = ",".join(f"viescore_{one.name}" for one in made)
        console.print(f"Next: {DATA_VARIABLE}={out} lmms-eval --model ... --tasks {names}")


def _tokens(folders: Sequence[Path]) -> dict[str, Path]:
    if len(folders) == 1:
        return {"token": folders[0]}
    return {f"token{number}": folder for number, folder in enumerate(folders, start=1)}


def _named(outputs: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for output in outputs:
        name, equals, folder = output.partition("=")
        is_name = name and equals and folder and name[0] not in "._" and not set(name) & set("/\\")
        if not is_name or name in OTHER_FOLDERS or name in found:
            raise SourceError(
                f"--outputs {output!r} must be NAME=FOLDER, with a name of its own for each image "
                f"model and none of {', '.join(sorted(OTHER_FOLDERS))}"
            )
        found[name] = Path(folder).expanduser()
    if not found:
        raise SourceError("--prompts are of no images: add --outputs NAME=FOLDER")
    return found


def _found(own: _Own | None, download: _Download, tasks: Sequence[Task]) -> dict[Task, Path]:
    """Museum of each task of a download, where it is."""
    if own is not None:
        raise SourceError(_NEEDS)
    folders = _task_folders(download, tasks)
    return {task: folder.parent for task, folder in folders.items()}


def _build(
    own: _Own | None,
    download: _Download,
    tasks: Sequence[Task],
    out: Path,
    link: bool,
    inputs: Sequence[Path],
) -> dict[Task, Path]:
    """Make a museum, or add to one that this command made; the museum of each task."""
    made: list[Task] = []

    def build(scratch: Path) -> None:
        laid_out = scratch / "museum"
        shutil.rmtree(laid_out, ignore_errors=True)
        laid_out.mkdir()
        if own is None:
            made.extend(_lay_out_download(download, tasks, laid_out, link))
        else:
            made.append(_lay_out_own(own, download, tasks, laid_out, link))
        for task in made:
            problem = _read(laid_out, task)
            if isinstance(problem, str) and not (out / task.folder).exists():
                raise SourceError(problem.replace(str(laid_out), str(out)))
        merge(laid_out, out)

    recipe = {"command": "build viescore", "tasks": [task.name for task in tasks]}
    build_repository(out, recipe, build, inputs=inputs, grows=True)
    return dict.fromkeys(made, out)


def _lay_out_own(
    own: _Own, download: _Download, tasks: Sequence[Task], out: Path, link: bool
) -> Task:
    if len(tasks) > 1:
        raise SourceError(_NEEDS)
    task = tasks[0] if tasks else find_task("t2i")
    target = out / task.folder
    if own.prompts is not None:
        prompts = read_prompt_table(own.prompts, task)
        write_prompts(prompts, task, target)
    elif download.museum is not None:
        source = task_folders(download.museum, [task])[task]
        copy_task(task, source, out, download.image_models or [], link=link)
        place_examples(task, source, out, link=link)
        prompts = read_prompts(target, task)
    else:
        raise SourceError("your images need --prompts FILE, or a museum's prompts (--museum DIR)")
    for name, folder in own.folders.items():
        matched = match(folder, prompts)
        _require_images(matched.files.values())
        place_matched(name, matched, target, link=link)
        _say(name, folder, matched, len(prompts))
    return task


def _require_images(files: Iterable[Path]) -> None:
    """Name those files that are no images, by the names that the user knows."""
    broken = LeftOut()
    if broken_images(files, broken):
        raise SourceError(f"{named(broken)}: mend or remove what is broken")


def _say(name: str, folder: Path, matched: Matched, prompts: int) -> None:
    """What of a folder was matched, and what was not."""
    how = f" {_WAYS[matched.how]}" if matched.how else ""
    console.print(
        f"{name}: {len(matched.files)} of {prompts} prompts have an image{how} ({folder})"
    )
    if matched.without_file:
        console.print(f"  prompts without an image: {_names(matched.without_file)}")
    if matched.without_prompt:
        names = [file.name for file in matched.without_prompt]
        console.print(f"  images without a prompt, left out: {_names(names)}")


def _names(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names)} ({', '.join(names[:_SHOWN])}{more})"


def _task_folders(download: _Download, tasks: Sequence[Task]) -> dict[Task, Path]:
    """The tasks of a download that are wanted and there; says which are not."""
    if download.museum is None:
        raise SourceError("name a download (--museum DIR) or your own images (--outputs NAME=DIR)")
    wanted = list(tasks or TASKS.values())
    found = task_folders(download.museum, wanted)
    absent = [task.name for task in wanted if task not in found]
    if absent:
        console.print(f"not in {download.museum}: {', '.join(absent)}")
    return found


def _lay_out_download(
    download: _Download, tasks: Sequence[Task], out: Path, link: bool
) -> list[Task]:
    found = _task_folders(download, tasks)
    rated = rating_folders(download.ratings, list(found)) if download.ratings else {}
    for task, folder in found.items():
        copy_task(task, folder, out, download.image_models, link=link)
        if task in rated:
            place_ratings(rated[task], out / task.folder, link=link)
    for task, folder in found.items():
        place_examples(task, folder, out, link=link)
    return list(found)


def _report(made: Mapping[Task, Path]) -> bool:
    """Print what each task has and lacks; whether every task can be run."""
    titles = ("prompts", "image models", "images", "missing", "with human ratings")
    shown = table(("task",), titles)
    read = [_read(root, task) for task, root in made.items()]
    museums = [museum for museum in read if isinstance(museum, Museum)]
    for museum in museums:
        missing = sum(map(len, museum.missing.images.values()))
        counts = (museum.prompts, museum.image_models, museum.images)
        cells = [*map(len, counts), missing, len(museum.ratings)]
        shown.add_row(museum.task.name, *map(str, cells))
    if museums:
        print_table(shown)
    for museum in museums:
        for sentence in museum.missing.sentences():
            console.print(f"{museum.task.name}: {sentence}")
        if not museum.ratings:
            console.print(f"{museum.task.name}: no human ratings; mean scores will be reported")
    for problem in read:
        if isinstance(problem, str):
            errors.print(f"error: {problem}")
    return len(museums) == len(read)


def _read(root: Path, task: Task) -> Museum | str:
    """A task of a museum, or what keeps it from being used."""
    try:
        return read_museum(root, task)
    except (SourceError, RecordError) as error:
        return f"{task.name}: {error}"
