"""Read rows of a table in memory like rows of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.nested import flat_rows
from pairbench_ext.stacks.records.tables import Row
from pairbench_ext.stacks.records.tools import as_known


class InMemory(NamedTuple):
    """Rows in memory, instead of a file.

    Attributes:
        made: the rows, each a mapping.
        folder: where images that they name may be.
    """

    made: Sequence[Mapping[str, Any]]
    folder: Path = Path()

    def rows(self) -> Iterator[Row]:
        """Yield all rows, with nested values flattened."""
        placed = ((f"row {n}", dict(row)) for n, row in enumerate(self.made, start=1))
        for place, row in as_known(placed):
            yield from (Record(place, flat) for flat in flat_rows(row))


def rows_of_table(data: Any) -> Sequence[Mapping[str, Any]]:
    """Return the rows of a table as mappings."""
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        return data
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as error:
        kind = type(data).__name__
        raise RecordError(
            f"data is a {kind}, but must be a pandas or polars frame, an Arrow table, or a list "
            "of dicts"
        ) from error
    return list(frame.iter_rows(named=True))
