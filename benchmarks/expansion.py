"""Expanding a leaf twelvefold: trials looked up when asked for, against tables that hold them.

Memory and written bytes are those of a fresh process per side, from the opened source table to the
last document read.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import data
from benchmarks.common import Line, as_size, as_time, compared, require, say
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from pairbench_ext.harness import hooks
from pairbench_ext.harness.documents import TrialDoc, TrialDocs

_MEMORY_TARGET = 1.05
_IMAGES_COMPARED = 25


def run(folder: Path, rows: int = 500, rounds: int = 2) -> list[Line]:
    """Lines for expanding a leaf of so many source rows; the best of so many rounds counts."""
    root = data.leaf(folder, rows)
    data.table(root)  # the Arrow cache is written once, outside of every measurement
    ours, theirs = _best_usages(root, rounds)
    what, target = f"expand {rows:,} rows x 4 images x 12", f"at most {_MEMORY_TARGET - 1:+.0%}"
    within = ours.peak <= _MEMORY_TARGET * ours.resident
    memory = f"{what}: peak memory of the process"
    written = f"{what}: written to disk"
    return [
        compared(f"{what}: time", ours.seconds, theirs.seconds, as_time, SELECT),
        compared(memory, ours.peak, theirs.peak, as_size, SELECT, target, within)
        | {"ours": _as_memory(ours), "otherwise": f"{_as_memory(theirs)}, {SELECT}"},
        compared(written, ours.written, theirs.written, as_size, SELECT, "0 B", ours.written == 0),
    ]


def select_and_add_columns(table: Any, trials: Any) -> Any:
    """The harness's usual `process_docs`: repeat the rows, add a column for each factor."""
    expanded = table.select([trial["row"] for trial in trials])
    for column in trials[0]:
        expanded = expanded.add_column(column, [trial[column] for trial in trials])
    return expanded


OURS, SELECT = "TrialDocs", "select + add_column"
SIDES: dict[str, Callable[[Any, Any], Sequence[Any]]] = {
    OURS: lambda _, trials: TrialDocs(BENCHMARK, trials),  # what `process_docs` gives the harness
    SELECT: select_and_add_columns,
}


def read_scalars(docs: Any) -> Any:
    """Every document without its images, as the harness reads them to build its requests."""
    images = [name for name in data.COLUMNS if name in docs.features]
    return docs.remove_columns(images) if images else docs


def digest(docs: Any) -> str:
    """A hash of all scalars of all documents, and of the images that some of them show."""
    total = hashlib.sha256()
    for doc in read_scalars(docs):
        scalars = {name: doc[name] for name in sorted(doc) if name not in data.COLUMNS}
        total.update(json.dumps(scalars).encode())
    for index in range(0, len(docs), max(1, len(docs) // _IMAGES_COMPARED)):
        for image in _shown(docs[index]):
            total.update(image.tobytes())
    return total.hexdigest()


def _shown(doc: Any) -> list[Any]:
    if isinstance(doc, TrialDoc):
        return hooks.doc_to_visual(doc)
    return [doc[doc[slot]].convert("RGB") for slot in ("first", "second")]


class Usage(NamedTuple):
    """What a side took from the machine."""

    seconds: float
    peak: int
    written: int
    resident: int


def _of_process(file: str, field: str) -> int:
    """A number that Linux counts of this process, in /proc."""
    return int(Path("/proc/self", file).read_text().split(f"{field}:")[1].split()[0])


def _measured(side: str, root: Path) -> tuple[Usage, str]:
    table, trials = data.table(root), data.docs(root).trials
    _ = table[0], trials[0]  # what opening them takes is not expansion
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts here
    resident, written = _of_process("status", "VmRSS"), _of_process("io", "wchar")
    start = time.perf_counter()
    made = SIDES[side](table, trials)
    for _ in read_scalars(made):
        pass
    seconds = time.perf_counter() - start
    peak, written = _of_process("status", "VmHWM"), _of_process("io", "wchar") - written
    return Usage(seconds, 1024 * peak, written, 1024 * resident), digest(made)


def _best_usages(root: Path, rounds: int) -> Iterator[Usage]:
    """The best of each quantity of each side: the machine's other work only ever adds."""
    expected = digest(data.docs(root))
    measured: dict[str, list[Usage]] = {side: [] for side in SIDES}
    for number in range(1, rounds + 1):
        for side, usages in measured.items():
            say(f"expansion by {side}: round {number} of {rounds}")
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                usage, documents = pool.submit(_measured, side, root).result()
            require(documents == expected, f"the documents of {side}")
            usages.append(usage)
            # What `select + add_column` wrote must not be found, and reused, by the next round.
            for cache in data.table(root).cache_files:
                for file in Path(cache["filename"]).parent.glob("cache-*.arrow"):
                    file.unlink()
    for usages in measured.values():
        yield Usage(*map(min, zip(*usages, strict=True)))


def _as_memory(usage: Usage) -> str:
    return f"{as_size(usage.peak)} ({max(0, usage.peak / usage.resident - 1):+.1%})"
