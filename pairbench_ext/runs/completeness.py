"""Find out how many of a task's samples a file holds, such as "36 of 192 samples".

The harness writes results beside the samples (`<date>_results.json`), which say how many samples a
task has (`n-samples`); else each logged trial says it (`trials`). A log may hold fewer: the run had
a `--limit`, or was killed, or the disk was full while the log was written.
"""

import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.core.foreign import UnreadableError, json_in
from pairbench_ext.core.records import Record
from pairbench_ext.core.texts import counted, printable
from pairbench_ext.runs.files import date_of, task_name
from pairbench_ext.runs.samples import TRIALS, trial_of

_SHORT = 40  # arguments that a judge is named by


class Results(NamedTuple):
    """The file of results that the harness wrote together with a file of samples.

    Attributes:
        file: where they are, or would be.
        content: empty where they are not there or cannot be read.
    """

    file: Path
    content: Mapping[str, Any]

    def at(self, *keys: str) -> Mapping[str, Any]:
        """Return the object under nested keys of the results; empty if there is none."""
        value: Any = self.content
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}


def results_of(samples: Path) -> Results:
    """Return the results of the run that wrote a file of samples; empty if they cannot be read."""
    file = samples.with_name(f"{date_of(samples)}_results.json")
    try:
        content = json_in(file)
    except UnreadableError:
        return Results(file, {})
    return Results(file, content if isinstance(content, dict) else {})


def judge_of(samples: Path) -> str:
    """Return the judge's name for a samples file: the results file's model, or the folder's name.

    Plain rows are called by their file's name.
    """
    if "samples_" not in samples.name:
        return printable(samples.stem)
    results = results_of(samples)
    name = str(results.content.get("model_name") or "")
    kind = str(results.at("config").get("model") or "")
    arguments = str(results.at("config").get("model_args") or "")
    if kind and name:
        kind = name.rstrip("/").rpartition("/")[2]
    elif kind and 0 < len(arguments) <= _SHORT:
        kind = f"{kind} ({arguments})"
    return printable(kind or Path(os.path.realpath(samples)).parent.name)


class Completeness(NamedTuple):
    """How many of a task's samples a file holds.

    Attributes:
        samples: how many there are.
        of: how many the task asks for; None where nothing says so.
        items: how many are complete; None where that is not known.
        of_items: how many the task asks about; None likewise.
        source: where the number of samples is from.
        limited: how many the run was limited to; None if it was not.
        cut: whether the file ends in the middle of a sample.
        part: that a part of the items was asked about (`limit_items`); empty where all were.
        repeated: how many further times samples are there, which count once.
    """

    samples: int
    of: int | None = None
    items: int | None = None
    of_items: int | None = None
    source: str = ""
    limited: int | None = None
    cut: bool = False
    part: str = ""
    repeated: int = 0

    @property
    def complete(self) -> bool:
        """Return whether the file is complete, as far as the program can know."""
        return not self.cut and (self.of is None or self.samples >= self.of)

    def describe(self) -> list[str]:
        """Return warnings about missing and repeated samples."""
        lines = []
        if self.of is not None and self.samples > self.of:
            lines.append(
                f"{counted(self.samples, 'sample')}, but {self.source} lists {self.of:,}: the "
                "file may belong to another run"
            )
        if self.repeated:
            lines.append(f"{counted(self.repeated, 'repeated line')}: each sample counts once")
        return lines if self.complete else [*lines, self._missing]

    @property
    def _missing(self) -> str:
        if self.of is None:
            return (
                f"only {counted(self.samples, 'sample')}: the file ends in the middle of "
                "another sample"
            )
        share = f"only {self.samples:,} of {counted(self.of, 'sample')}"
        if self.items is not None:
            share += f", {self.items:,} of {counted(self.of_items or 0, 'item')}"
        return f"{share} ({self.source}): {self._why}; the numbers use these samples only"

    @property
    def _why(self) -> str:
        if self.cut:
            return "the file ends in the middle of a sample"
        if self.limited is None:
            return "the log is cut short, or the run was limited or stopped"
        if self.samples < self.limited:
            return f"the run was limited to {self.limited}, and its log is cut short"
        return "the run was limited (--limit)"

    def to_dict(self) -> dict[str, Any]:
        """Return how many samples are present, missing or repeated, for JSON."""
        return {**self._asdict(), "complete": self.complete}


UNKNOWN = Completeness(0)


def completeness(
    path: Path, records: Sequence[Record], readings: Sequence[Reading], cut: bool = False
) -> Completeness:
    """Count the samples in a file and the samples that the complete task has.

    Args:
        path: of the file.
        records: in the file, each document once.
        readings: of the records, in the same order.
        cut: whether the file ends in the middle of a sample.
    """
    numbers = [record.fields.get("doc_id") for record in records]
    found = Completeness(len(records), cut=cut)
    if not all(type(number) is int for number in numbers):
        return found  # plain rows: no task asked for them
    results = results_of(path)
    counts = results.at("n-samples", task_name(path))
    of, limited = counts.get("original"), counts.get("effective")
    source = f"n-samples in {results.file.name}"
    if type(of) is not int or of < 1:
        of, limited, source = trial_of(records[0]).fields.get(TRIALS), None, "the log itself"
    if type(of) is not int or any(not reading.built for reading in readings):
        return found
    items, of_items = _items(readings, numbers, of) or (None, None)
    return found._replace(
        of=of,
        items=items,
        of_items=of_items,
        source=source,
        limited=limited if limited != of else None,
    )


def _items(readings: Sequence[Reading], numbers: Sequence[Any], of: int) -> tuple[int, int] | None:
    """Return how many items are complete, of how many.

    None where it is not known, because samples are about several items, or items have different
    numbers of samples. The first item is complete where another one follows: its samples are
    neighbours.
    """
    names: list[Any] = []
    for _, reading in sorted(zip(numbers, readings, strict=True), key=lambda pair: pair[0]):
        of_sample = {outcome.item for outcome in reading.outcomes}
        if len(of_sample) != 1:
            return None
        names += of_sample
    runs = [(name, len(list(same))) for name, same in groupby(names)]
    if len(runs) < 2 or len({name for name, _ in runs}) < len(runs) or min(numbers) != 0:
        return None
    size = runs[0][1]
    if of % size or any(count != size for _, count in runs[:-1]) or runs[-1][1] > size:
        return None
    return sum(count == size for _, count in runs), of // size
