"""What exported tasks share: documents of rows, images, outcomes on their way to an aggregation.

The harness gathers from its processes what `process_results` returns, pickled; and a class of a
task's module cannot be pickled, since nobody can import that module by its name. So outcomes travel
as dicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from datasets import Dataset, concatenate_datasets
from PIL import Image, ImageOps


def repeated(dataset: Dataset, columns: Sequence[Mapping[str, Sequence[Any]]]) -> Dataset:
    """Every row several times in a row, each time with further columns.

    Images are not copied.

    Args:
        dataset: the rows.
        columns: for each time, what is added, by name: a value for each row.
    """
    copies = [concatenate_datasets([dataset, Dataset.from_dict(dict(c))], axis=1) for c in columns]
    n = len(dataset)
    return concatenate_datasets(copies).select(
        [time * n + row for row in range(n) for time in range(len(copies))]
    )


def decoded(cell: Mapping[str, Any]) -> Image.Image:
    """The RGB image of a cell of `Image(decode=False)`, upright."""
    with Image.open(BytesIO(cell["bytes"]) if cell["bytes"] else cell["path"]) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


def for_every(metrics: Iterable[str], outcome: Any) -> dict[str, dict[str, Any]]:
    """What `process_results` returns: the fields of an outcome, for every metric."""
    given = outcome._asdict() if hasattr(outcome, "_asdict") else vars(outcome)
    return {metric: dict(given) for metric in metrics}


def gathered(kind: Callable[..., Any], records: Iterable[Mapping[str, Any]]) -> list[Any]:
    """The outcomes again."""
    return [kind(**record) for record in records]
