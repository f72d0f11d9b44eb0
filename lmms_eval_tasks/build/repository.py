"""Write a data set repository as the Hugging Face hub expects it: data files and a README.

`datasets.load_dataset` reads such a folder. It appears complete or not at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml

from lmms_eval_tasks.build.photos import Source, credit_table
from pairbench_ext.core.files import appearing, check_new_folder
from pairbench_ext.core.sources import PLAIN


@contextmanager
def new_repository(out: Path, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """Yield an empty temporary folder; it becomes `out` when the `with` block ends.

    Raises:
        OutputError: if `out` is a file, holds something, or is what the build reads.
        WriteError: if it cannot be written.
    """
    check_new_folder(out, inputs)
    if out.exists():
        out.rmdir()
    with appearing(out) as folder:
        folder.mkdir()
        yield folder


def split_file(folder: str, split: str) -> str:
    """Return the path of the file with a split's rows; the pictures lie in the same folder.

    >>> split_file("birds", "rotate")
    'birds/rotate/metadata.jsonl'
    """
    return f"{folder}/{split}/{PLAIN}"


def write_card(
    out: Path,
    title: str,
    text: str,
    files: Mapping[str, Mapping[str, str]],
    sources: Sequence[Source] = (),
    licence: str | None = None,
) -> None:
    """Write a repository's README, with credits and the settings for `datasets.load_dataset`."""
    configs = [
        {
            "config_name": config,
            "data_files": [
                {"split": split, "path": path.replace(PLAIN, "*")}  # with the pictures
                for split, path in splits.items()
            ],
        }
        for config, splits in files.items()
    ]
    header = ({"license": licence} if licence else {}) | {"configs": configs}
    credit = f"\n{credit_table(sources)}" if sources else ""
    page = f"---\n{yaml.safe_dump(header, sort_keys=False)}---\n\n# {title}\n\n{text}\n{credit}"
    (out / "README.md").write_text(page, encoding="utf-8")
