"""What exported tasks share: documents from rows, and outcomes on their way to an aggregation.

The harness gathers from its processes what `process_results` returns, pickled; and a class of a
task's module cannot be pickled, since nobody can import that module by its name. So outcomes travel
as dicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from datasets import Dataset, concatenate_datasets

Outcome = TypeVar("Outcome")


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


def for_every(metrics: Iterable[str], outcome: Any) -> dict[str, dict[str, Any]]:
    """What `process_results` returns: the fields of an outcome, for every metric."""
    fields = outcome._asdict() if isinstance(outcome, tuple) else vars(outcome)
    return dict.fromkeys(metrics, fields)


def gathered(kind: Callable[..., Outcome], records: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """The outcomes again."""
    return [kind(**record) for record in records]
