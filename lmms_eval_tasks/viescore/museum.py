"""Read images from a local folder that is laid out like ImagenHub's museum of images.

<museum>/<task>/dataset_lookup.json     {uid: {"instruction": "..."}}: the prompts
<museum>/<task>/input/<uid>             what the image was made from, as the task needs it:
<museum>/<task>/token/<uid>               input, token, control, or token1 and token2
<museum>/<task>/<image model>/<uid>     the images to judge; any other folder is a model's
<museum>/<task>/*rater1.tsv, ...        human ratings (`ratings`); optional

A uid is a file name (`sample_0.jpg`); a file with another suffix (`sample_0.png`) is found, too. A
uid is looked up in the list of a folder's files, so it cannot name a file elsewhere.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.viescore.ratings import rater_files, read_ratings
from lmms_eval_tasks.viescore.tasks import OTHER_FOLDERS, Condition, Task
from pairbench_ext.core.foreign import UnreadableError, json_in, picture_size
from pairbench_ext.core.sources import EVERYTHING_USABLE, LeftOut, SourceError, named

LOOKUP = "dataset_lookup.json"
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".avif", ".bmp", ".gif", ".tif", ".tiff")
_SHOWN = 3  # names that a message lists

# Each rater's (SC, PQ).
Ratings = tuple[tuple[float, float], ...]


class Image(NamedTuple):
    """A generated or edited image that a model rates.

    Attributes:
        image_model: the model that made it.
        sample: the uid of what it was made from.
        text: the prompt, instruction or subject.
        conditions: the files of what it was made from, as the prompt names them; several files of
            one condition are to be put side by side.
        file: its own.
        ratings: each rater's (SC, PQ); empty if nobody rated it.
    """

    image_model: str
    sample: str
    text: str
    conditions: tuple[tuple[Path, ...], ...]
    file: Path
    ratings: Ratings

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the files of the input images, then the image's own file."""
        return (*(part for parts in self.conditions for part in parts), self.file)


@dataclass(frozen=True)
class Museum:
    """The images of one task, in a folder laid out like ImagenHub's museum."""

    folder: Path
    images: tuple[Image, ...]
    missing: tuple[str, ...]


def read_museum(
    root: Path,
    task: Task,
    image_models: Sequence[str] | None = None,
    left_out: LeftOut = EVERYTHING_USABLE,
) -> Museum:
    """Read the images of one task from a folder laid out like ImagenHub's museum.

    Args:
        root: the museum.
        task: which task.
        image_models: which image models; None for all.
        left_out: takes uids without a prompt, images without what they were made from, files that
            are no images, and human ratings that cannot be used; they are raised by default.

    Raises:
        SourceError: if the folder, the prompts or an image model's images are not there, or no
            image is left.
        RecordError: if human ratings cannot be read.
    """
    folder = find_folder(root, task)
    prompts = read_prompts(folder, task, left_out)
    models = {name: listing(folder / name) for name in _image_models(folder, image_models)}
    places = [_place(folder, condition) for condition in task.conditions]
    inputs = {name: listing(folder / name) for names in places for name in names}
    ratings = _ratings(_rated_folder(root, task), left_out)
    missing = _missing(folder, prompts, models)

    def images_of(uid: str, text: str) -> Iterator[Image]:
        makers = [name for name in models if stem(uid) in models[name]]
        if makers and not _lacks_inputs(folder, uid, inputs, left_out):
            conditions = tuple(tuple(inputs[part][stem(uid)] for part in parts) for parts in places)
            for name in makers:
                rated = ratings.get((name, stem(uid)), ())
                yield Image(name, uid, text, conditions, models[name][stem(uid)], rated)

    images = [image for uid, text in prompts.items() for image in images_of(uid, text)]
    broken = _broken({file for image in images for file in image.files}, left_out)
    images = [image for image in images if broken.isdisjoint(image.files)]
    if not images:
        raise SourceError(f"{folder}: all images were left out: {named(left_out)}")
    return Museum(folder, tuple(images), missing)


def _lacks_inputs(
    folder: Path, uid: str, inputs: Mapping[str, Mapping[str, Path]], left_out: LeftOut
) -> bool:
    """Return whether an input image of a uid is missing; note which."""
    lacking = [name for name in inputs if stem(uid) not in inputs[name]]
    left_out.extend(f"{folder / name} has no image for {uid!r}" for name in lacking)
    return bool(lacking)


def find_folder(root: Path, task: Task) -> Path:
    """Return the task's folder in a museum; the folder may have any of the task's names.

    Raises:
        SourceError: naming the folder that is expected, and those that are there.
    """
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder; `pairbench build viescore` makes one")
    for name in task.folder_names:
        if (root / name).is_dir():
            return Path(os.path.normpath((root / name).absolute()))
    folders = listed(sorted(child.name for child in root.iterdir() if child.is_dir()))
    raise SourceError(f"{root} has no folder {task.folder!r} (task {task.name}); it has {folders}")


def _rated_folder(root: Path, task: Task) -> Path:
    """Return the folder with the raters' files of a task."""
    folders = (root / name for name in task.folder_names)
    return next((folder for folder in folders if rater_files(folder)), find_folder(root, task))


def find_image(root: Path, task: Task, folder: str, sample: str) -> Path | None:
    """Return the file of a sample's image in a task's folder; None if it is missing."""
    files = (
        place / name / folder / f"{sample}{suffix}"
        for place in (root, root / "_examples")
        for name in task.folder_names
        for suffix in SUFFIXES
    )
    return next((file for file in files if file.is_file()), None)


def read_prompts(folder: Path, task: Task, left_out: LeftOut = EVERYTHING_USABLE) -> dict[str, str]:
    """Return a task's prompts, keyed by uid, in the order of the file.

    Uids without a text may be left out.

    Raises:
        SourceError: naming the file, if it or all of its entries cannot be used.
    """
    file = folder / LOOKUP
    try:
        entries = dict(json_in(file))
    except (TypeError, ValueError) as error:
        raise SourceError(
            f"{file}: expected a JSON object with prompts by uid, such as "
            f'{{"sample_0.jpg": {{"{task.fields[0]}": "..."}}}} ({error})'
        ) from error
    prompts: dict[str, str] = {}
    stems: set[str] = set()
    for uid, entry in entries.items():
        with left_out.unless_usable():
            prompt = _text(entry, task, f"{file}, {uid!r}")
            if stem(uid) in stems:
                raise SourceError(f"{file}: two uids, {stem(uid)!r}, differ only in their suffix")
            stems.add(stem(uid))
            prompts[uid] = prompt
    if not prompts:
        raise SourceError(named(left_out) or f"{file}: the file holds no prompts")
    return prompts


def _text(entry: Any, task: Task, where: str) -> str:
    fields = entry if isinstance(entry, dict) else {}
    for name in task.fields:
        if isinstance(fields.get(name), str) and fields[name].strip():
            return task.clean(fields[name])
    raise SourceError(f"{where}: no text in field {task.fields[0]!r}, got {entry!r:.60}")


def stem(name: str) -> str:
    """Return a file name without the suffix of an image, such as ".jpg".

    >>> stem("sample_0.jpg"), stem("v1.5")
    ('sample_0', 'v1.5')
    """
    suffix = next((s for s in SUFFIXES if name.lower().endswith(s)), "")
    return name[: len(name) - len(suffix)]


def listing(folder: Path) -> dict[str, Path]:
    """Return a folder's image files, keyed by file name without suffix.

    Raises:
        SourceError: if two differ in their suffix only.
    """
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in SUFFIXES and not path.name.startswith("."):
            first = files.setdefault(stem(path.name), path)
            if first != path:
                raise SourceError(f"{first} and {path} are images of the same uid: keep one")
    return files


def listed(names: Sequence[str]) -> str:
    """Return a text that gives the number of names and the first few of them.

    >>> listed(["a", "b", "c", "d"])
    '4 (a, b, c, ...)'
    """
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names)} ({', '.join(names[:_SHOWN])}{more})" if names else "none"


def is_image(file: Path) -> bool:
    """Return whether a file can be read as an image, judging by its header."""
    try:
        picture_size(file)
    except UnreadableError:
        return False
    return True


def _broken(files: set[Path], left_out: LeftOut) -> set[Path]:
    """Return the files that are not images."""
    broken = {file for file in files if not is_image(file)}
    left_out.extend(f"{file} is no readable image" for file in sorted(broken))
    return broken


def _image_models(folder: Path, wanted: Sequence[str] | None) -> list[str]:
    models = sorted(
        child.name
        for child in folder.iterdir()
        if child.is_dir() and child.name not in OTHER_FOLDERS and child.name[0] not in "._"
    )
    unknown = sorted(set(wanted or ()) - set(models))
    if unknown or not models:
        what = f"image model {unknown[0]!r}" if unknown else "folder of an image model"
        raise SourceError(f"{folder} has no {what}, only {listed(models)}")
    return models if wanted is None else list(dict.fromkeys(wanted))


def _place(folder: Path, condition: Condition) -> tuple[str, ...]:
    """Return the folders that hold a condition of the task."""
    for names in condition:
        if all((folder / name).is_dir() for name in names):
            return names
    wanted = " or ".join(" and ".join(names) for names in condition)
    raise SourceError(f"{folder}: no folder {wanted} with the input images")


def _ratings(folder: Path, left_out: LeftOut) -> dict[tuple[str, str], Ratings]:
    """Return each rater's (SC, PQ), by image model and the stem of the sample's uid."""
    return {
        (model, stem(sample)): tuple((float(sc), float(pq)) for sc, pq, _ in rated)
        for model, scores in read_ratings(folder, left_out).items()
        for sample, rated in zip(scores.samples, scores.values, strict=True)
    }


def _missing(
    folder: Path, prompts: Mapping[str, str], models: Mapping[str, Mapping[str, Path]]
) -> tuple[str, ...]:
    """Return sentences on what is missing.

    Raises:
        SourceError: if an image model has no image of a uid.
    """
    uids = {stem(uid): uid for uid in prompts}
    sentences = []
    for model, files in models.items():
        strangers = [path.name for name, path in files.items() if name not in uids]
        if len(strangers) == len(files):
            shown = f"only {listed(strangers)}" if files else "no image at all"
            raise SourceError(f"{folder}: {model} has no image for the uids in {LOOKUP}, {shown}")
        for problem, names in (
            ("has no image for", [uid for name, uid in uids.items() if name not in files]),
            ("has files that belong to no uid:", strangers),
        ):
            if names:
                sentences.append(f"{model} {problem} {listed(names)}")
    return tuple(sentences)
