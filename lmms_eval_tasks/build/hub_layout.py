"""A data set repository as the hub has them: parquet files, and a README that says where they are.

`datasets.load_dataset` reads such a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from lmms_eval_tasks.build.photos import credit_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lmms_eval_tasks.build.photos import Source


def shard_name(split: str) -> str:
    """Return the file name of a split that is one parquet file.

    >>> shard_name("rotate")
    'rotate-00000-of-00001.parquet'
    """
    return f"{split}-00000-of-00001.parquet"


def card(
    title: str,
    text: str,
    files: Mapping[str, Mapping[str, str]],
    sources: Sequence[Source] = (),
    licence: str | None = None,
) -> str:
    """Return the README of a repository: what `datasets.load_dataset` reads, and the credits.

    Args:
        title: heading of the page.
        text: Markdown: what the data are and how they were made.
        files: the path of each split's file, by config and split.
        sources: the embedded photographs that are credited.
        licence: identifier of the data's licence ("cc-by-4.0").
    """
    configs = [
        {
            "config_name": config,
            "data_files": [{"split": split, "path": path} for split, path in splits.items()],
        }
        for config, splits in files.items()
    ]
    header = ({"license": licence} if licence else {}) | {"configs": configs}
    credit = f"\n{credit_table(sources)}" if sources else ""
    return f"---\n{yaml.safe_dump(header, sort_keys=False)}---\n\n# {title}\n\n{text}\n{credit}"
