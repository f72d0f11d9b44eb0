"""A picture of missed edits, as Figure 5: inputs in the first row, edited images in the second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from lmms_eval_tasks.viescore.missed_edits import Edit
from lmms_eval_tasks.viescore.museum import Image, read_museum
from lmms_eval_tasks.viescore.museum_files import opened
from lmms_eval_tasks.viescore.tasks import find_task
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.figures.contact_sheet import SheetRow, contact_sheet, save_sheet

_WORDS = 150  # letters of a rationale


def save_missed(root: Path, edits: Sequence[Edit], path: Path) -> None:
    """Draw missed edits, a column each.

    Args:
        root: the museum.
        edits: one or more.
        path: the picture.

    Raises:
        SourceError: if the museum lacks one of the images.
        WriteError: if the picture cannot be written.
    """
    found = {
        (task, image.image_model, image.sample): image
        for task in dict.fromkeys(edit.task for edit in edits)
        for image in read_museum(root, find_task(task)).images
    }
    images = [_of(found, edit, root) for edit in edits]
    rows = (
        SheetRow("input", [opened(one.conditions[0][0]) for one in images]),
        SheetRow("edited", [opened(one.file) for one in images]),
        SheetRow(
            "asked for; people's mean SC of 1, the judge's sub-scores of 10, and why",
            [_words(image, edit) for image, edit in zip(images, edits, strict=True)],
        ),
    )
    columns = [edit.image_model for edit in edits]
    title = "Edits that people see and the judge takes for the input"
    save_sheet(contact_sheet(title, columns, rows, subtitle="VIEScore, Figure 5"), path)


def _words(image: Image, edit: Edit) -> str:
    scores = ", ".join(f"{score:g}" for score in edit.sub_scores)
    said = shorten(edit.rationale, _WORDS, placeholder=" ...")
    return f"{image.text} | people {edit.people:.2f} | judge {scores}: {said}"


def _of(found: dict[tuple[str, str, str], Image], edit: Edit, root: Path) -> Image:
    image = found.get((edit.task, edit.image_model, edit.sample))
    if image is None:
        raise SourceError(
            f"{root} has no image {edit.sample!r} of {edit.image_model} for {edit.task}: name the "
            "museum that was judged"
        )
    return image
