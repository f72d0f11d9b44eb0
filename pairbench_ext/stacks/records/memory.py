"""Read rows of a table in memory in the same way as rows of a file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.nested import flat_rows
from pairbench_ext.stacks.records.tables import Row
from pairbench_ext.stacks.records.tools import as_known
from pairbench_ext.stacks.records.totals import rows_of_data


class InMemory(NamedTuple):
    """Rows of a table in memory, for use in place of the rows of a file.

    Attributes:
        table: the rows, each a mapping.
        path: the folder where images that they name may be.
    """

    table: Sequence[Mapping[str, Any]]
    path: Path = Path()

    def rows(self) -> Iterator[Row]:
        """Return all rows of the table, with nested values flattened."""
        named = ({_text(key): _plain(cell) for key, cell in row.items()} for row in self.table)
        placed = as_known((f"row {n}", row) for n, row in enumerate(named, start=1))
        return rows_of_data(Record(place, flat) for place, row in placed for flat in flat_rows(row))


def _plain(cell: Any) -> Any:
    """Return the list of an array, which has no truth value."""
    return cell.tolist() if hasattr(cell, "tolist") else cell


def _text(name: Any) -> str:
    """Return the name of a column: of several levels, those that are not empty."""
    parts = name if isinstance(name, tuple) else (name,)
    return ".".join(str(part) for part in parts if part != "")


def rows_of_table(data: Any) -> Sequence[Mapping[str, Any]]:
    """Return a table's rows as mappings; named levels of a pandas index become columns."""
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        return data
    import narwhals as nw

    if hasattr(data, "columns") and hasattr(data, "index"):
        levels = [name for name in data.index.names if name is not None]
        data = data.reset_index(level=[name for name in levels if name not in data.columns])
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as error:
        kind = type(data).__name__
        raise RecordError(
            f"data is a {kind}, but must be a pandas or polars frame, an Arrow table, or a list "
            "of dicts"
        ) from error
    return list(frame.iter_rows(named=True))
