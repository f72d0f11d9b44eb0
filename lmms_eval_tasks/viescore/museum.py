"""A museum: synthetic images of one or several tasks, in a local folder laid out as ImagenHub's.

<museum>/<task>/dataset_lookup.json     {uid: {"instruction": "..."}}: the prompts
<museum>/<task>/input/<uid>             what the image was made from, as the task needs it:
<museum>/<task>/token/<uid>               input, token, control, or token1 and token2
<museum>/<task>/<image model>/<uid>     the images to judge; any other folder is a model's
<museum>/<task>/*rater1.tsv, ...        human ratings (`human`); optional
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lmms_eval_tasks.viescore.human import read_task_ratings
from lmms_eval_tasks.viescore.judgments import HumanRatings
from lmms_eval_tasks.viescore.museum_files import (
    LOOKUP,
    broken_images,
    find_folder,
    listed,
    listing,
    read_prompts,
    stem,
)
from lmms_eval_tasks.viescore.tasks import OTHER_FOLDERS, Condition, Task
from pairbench_ext.core.left_out import EVERYTHING_USABLE, LeftOut, named
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError


class Image(NamedTuple):
    """A synthetic image.

    Attributes:
        image_model: what made it.
        sample: the uid of what it was made from.
        text: the prompt, instruction or subject.
        conditions: the files of what it was made from, as the prompt names them; several files of
            one condition are to be put side by side.
        file: its own.
    """

    image_model: str
    sample: str
    text: str
    conditions: tuple[tuple[Path, ...], ...]
    file: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """What it was made from, then its own."""
        return (*(part for parts in self.conditions for part in parts), self.file)


@dataclass(frozen=True)
class Missing:
    """What a museum lacks, or has too much.

    Attributes:
        images: by image model, the uids without an image.
        conditions: by folder, the uids without an image there.
        unmatched: by folder, the files that belong to no uid.
        unrated: by image model, the uids with an image but without human ratings, where others of
            the task have some.
    """

    images: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conditions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unmatched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unrated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """What is missing, a sentence each, with counts."""
        kinds = (
            (self.images, "has no image for"),
            (self.conditions, "has no image for"),
            (self.unmatched, "has files that belong to no uid:"),
            (self.unrated, "has images without human ratings:"),
        )
        return [
            f"{name} {what} {listed(uids)}"
            for by_name, what in kinds
            for name, uids in by_name.items()
            if uids
        ]


@dataclass(frozen=True)
class Museum:
    """One task of a museum.

    Attributes:
        task: which.
        folder: where.
        prompts: texts by uid.
        images: those that can be judged, sample by sample, in the order of the prompts.
        ratings: by image model.
        missing: what is not there.
    """

    task: Task
    folder: Path
    prompts: Mapping[str, str]
    images: tuple[Image, ...]
    ratings: Mapping[str, HumanRatings]
    missing: Missing

    @property
    def image_models(self) -> tuple[str, ...]:
        """The image models that have images, sorted."""
        return tuple(sorted({image.image_model for image in self.images}))


def read_museum(
    root: Path,
    task: Task,
    image_models: Sequence[str] | None = None,
    left_out: LeftOut = EVERYTHING_USABLE,
) -> Museum:
    """Read one task of a museum. What is broken or lacks something may be left out.

    Args:
        root: the museum.
        task: which task.
        image_models: which image models; None for all.
        left_out: takes uids without a prompt, images without what they were made from, files that
            are no images, and human ratings that cannot be used; they are raised by default.

    Raises:
        SourceError: if the folder, the prompts or an image model's images are not there: all that
            is missing, in one message with counts; or if no image is left.
        RecordError: if human ratings cannot be read, or rate one image twice.
    """
    folder = find_folder(root, task)
    prompts = read_prompts(folder, task, left_out)
    models = _image_models(folder, image_models)
    files_of = {name: listing(folder / name) for name in models}
    places = {condition: _place(folder, condition) for condition in task.conditions}
    conditions = {name: listing(folder / name) for names in places.values() for name in names or ()}
    ratings = {
        name: r
        for name, r in read_task_ratings(folder, left_out).items()
        if name in models and _is_usable(folder, r, left_out)
    }
    missing = _missing(prompts, files_of, conditions, ratings)
    _check(folder, places, files_of, missing)
    lacking = {uid for uids in missing.conditions.values() for uid in uids}
    left_out.extend(
        f"{folder / name} has no image for {uid!r}"
        for name, uids in missing.conditions.items()
        for uid in uids
    )
    complete = [
        Image(
            name,
            uid,
            text,
            tuple(
                tuple(conditions[part][stem(uid)] for part in places[condition] or ())
                for condition in task.conditions
            ),
            files_of[name][stem(uid)],
        )
        for uid, text in prompts.items()
        for name in models
        if stem(uid) in files_of[name] and uid not in lacking
    ]
    shown = dict.fromkeys(file for image in complete for file in image.files)
    broken = broken_images(shown, left_out)
    images = [image for image in complete if broken.isdisjoint(image.files)]
    if not images:
        raise SourceError(f"{folder}: no image is left: {named(left_out)}")
    return Museum(task, folder, prompts, tuple(images), ratings, missing)


def _image_models(folder: Path, wanted: Sequence[str] | None) -> list[str]:
    there = sorted(
        child.name
        for child in folder.iterdir()
        if child.is_dir() and child.name not in OTHER_FOLDERS and child.name[0] not in "._"
    )
    unknown = sorted(set(wanted or ()) - set(there))
    if unknown or not there:
        what = f"image model {unknown[0]!r}" if unknown else "folder of an image model"
        raise SourceError(f"{folder} has no {what}, only {listed(there)}")
    return there if wanted is None else list(dict.fromkeys(wanted))


def _place(folder: Path, condition: Condition) -> tuple[str, ...] | None:
    """The folders that hold a condition; None if there are none."""
    for names in condition.folders:
        if all((folder / name).is_dir() for name in names):
            return names
    return None


def _missing(
    prompts: Iterable[str],
    files_of: Mapping[str, Mapping[str, Path]],
    conditions: Mapping[str, Mapping[str, Path]],
    ratings: Mapping[str, HumanRatings],
) -> Missing:
    uids = {stem(uid): uid for uid in prompts}
    # A condition is needed for a uid only if a model has an image for it.
    judged = [
        uid for name, uid in uids.items() if any(name in files for files in files_of.values())
    ]
    rated = {name: {stem(uid) for uid in r.samples} for name, r in ratings.items()}
    return Missing(
        images={n: tuple(u for s, u in uids.items() if s not in f) for n, f in files_of.items()},
        conditions={n: tuple(u for u in judged if stem(u) not in f) for n, f in conditions.items()},
        unmatched={
            name: tuple(path.name for s, path in files.items() if s not in uids)
            for name, files in files_of.items()
        },
        unrated={
            name: tuple(u for s, u in uids.items() if s in files and s not in rated.get(name, ()))
            for name, files in files_of.items()
            if rated
        },
    )


def _check(
    folder: Path,
    places: Mapping[Condition, tuple[str, ...] | None],
    files_of: Mapping[str, Mapping[str, Path]],
    missing: Missing,
) -> None:
    """Raise one error about all that keeps images from being judged."""
    problems = [
        f"no folder {' or '.join(' and '.join(names) for names in condition.folders)} "
        f"with {condition.what}"
        for condition, names in places.items()
        if names is None
    ]
    for name, files in files_of.items():
        unmatched = missing.unmatched[name]
        if len(unmatched) == len(files):
            what = f"only {listed(unmatched)}" if files else "no image at all"
            problems.append(f"{name} has no image of a uid in {LOOKUP}, {what}")
    if problems:
        raise SourceError(f"{folder}: {'; '.join(problems)}")


def _is_usable(folder: Path, ratings: HumanRatings, left_out: LeftOut) -> bool:
    """Whether no image is rated twice."""
    twice = [name for name, count in Counter(map(stem, ratings.samples)).items() if count > 1]
    with left_out.unless_usable():
        if twice:
            raise RecordError(f"{folder}: raters have two rows of {twice[0]!r} but for its suffix")
    return not twice
