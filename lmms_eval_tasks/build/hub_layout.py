"""A data set repository as the hub has them: parquet files, and a README that says where they are.

`datasets.load_dataset` reads such a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lmms_eval_tasks.build.photos import credit_table
from pairbench_ext.core.files import appearing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import datasets

    from lmms_eval_tasks.build.photos import Source

ROWS_PER_GROUP = 100  # readers fetch single images: small groups keep that cheap


def shard_name(split: str) -> str:
    """File name of a split that is one parquet file.

    >>> shard_name("rotate")
    'rotate-00000-of-00001.parquet'
    """
    return f"{split}-00000-of-00001.parquet"


def write_parquet(dataset: datasets.Dataset, path: Path) -> None:
    """Write `dataset` to the file `path`, complete or not at all; its folder is made if needed."""
    import pyarrow.parquet as pq

    with appearing(path) as file:
        pq.write_table(dataset.with_format("arrow")[:], file, row_group_size=ROWS_PER_GROUP)


def card(
    title: str, text: str, config: str, files: Mapping[str, str], sources: Iterable[Source]
) -> str:
    """README of a data set repository: what `datasets.load_dataset` reads, and the credits.

    Args:
        title: heading of the page.
        text: what the data are and how they were made; one paragraph or more of Markdown.
        config: name of the only config.
        files: split name -> path of its parquet file in the repository.
        sources: the photographs that are credited, one line each; none, if it has none of ours.
    """
    credited = list(sources)
    shards = "".join(f"  - split: {split}\n    path: {path}\n" for split, path in files.items())
    return (
        f"---\nconfigs:\n- config_name: {config}\n  data_files:\n{shards}---\n\n"
        f"# {title}\n\n{text}\n"
    ) + (f"\n{credit_table(credited)}" if credited else "")
