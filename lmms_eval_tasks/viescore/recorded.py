"""Read recorded judgments or metrics of images: a folder per judge, with a folder per task.

Two layouts, each file plain (`.json`) or compressed (`.json.gz`):

- `<task>/<image model>.json`: {uid: {"SC": [8, 7], "SC_reasoning": "...", "PQ": ...}}, and for
  metrics {uid: {"LPIPS": 0.1}};
- `<task>/<image model>/SC.json` and `PQ.json`, the authors' own: {uid: {"score": [8, 7],
  "reasoning": "..."}}.

They are read as in the authors' notebook, but without its truncation to integers: the score is the
smallest sub-score, however many there are, clipped to [0, 10]. A single number is a list of one,
and texts are converted to numbers.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from lmms_eval_tasks.viescore.scores import (
    GUESS,
    HIGHEST,
    JUDGED,
    Judged,
    Key,
    Scores,
    aspect_score,
)
from pairbench_ext.core.foreign import UnreadableError, json_in
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.table import OutcomeTable

# The authors' mark of a random number in the place of a reply that their code could not parse.
GUESS_MARK = "guess_if_cannot_parse |"
LOWER_IS_BETTER = ("LPIPS",)  # distances; their sign is inverted, as in Table 9


class _Entry(NamedTuple):
    """The record of one image; its aspect is None if the file does not name one."""

    path: Path
    key: Key
    aspect: Judged | None
    sample: str
    content: Mapping[str, Any]


def read_judgments(folder: Path) -> OutcomeTable:
    """Return one judge's recorded judgments of images.

    A recorded random number is an unusable reply whose measurement `GUESS` has the score; the
    measurement `outside` says whether a sub-score is outside 0-10.

    Raises:
        RecordError: naming the file, and the entry where it can be said, of what cannot be read.
    """
    outcomes = []
    for entry in _entries(folder):
        for aspect in [entry.aspect] if entry.aspect else JUDGED:
            score, why = ("score", "reasoning") if entry.aspect else (aspect, f"{aspect}_reasoning")
            if score in entry.content:
                outcomes.append(_judgment(entry, aspect, score, why))
    if not outcomes:
        raise RecordError(
            f"{folder}: the folder has no judgments (SC, PQ); name a metric with --metric"
        )
    return OutcomeTable(outcomes)


def _judgment(entry: _Entry, aspect: Judged, score: str, why: str) -> Outcome:
    numbers, reasoning = _numbers(entry.content[score]), entry.content.get(why)
    value = aspect_score(numbers) if numbers else None
    measured: dict[str, Any] = {"outside": any(not 0 <= n <= HIGHEST for n in numbers)}
    if value is not None and isinstance(reasoning, str) and reasoning.startswith(GUESS_MARK):
        measured |= {"kind": "guess", GUESS: value}
        value = None
    item = (*entry.key, entry.sample)
    return Outcome("rated", item, value, variant={"aspect": aspect}, measured=measured)


def read_metric(folder: Path, metric: str) -> dict[Key, Scores]:
    """Return one recorded metric as scores of images; a higher score is better.

    Raises:
        RecordError: naming the file, and the entry where it can be said, of what cannot be read, or
            the metrics that there are.
    """
    sign = -1 if metric in LOWER_IS_BETTER else 1
    by_key: dict[Key, dict[str, float]] = {}
    metrics: set[str] = set()
    for entry in _entries(folder):
        metrics.update(entry.content)
        if metric in entry.content:
            numbers = _numbers(entry.content[metric])
            if len(numbers) != 1:
                raise RecordError(f"{entry.path}, {entry.sample!r}: {metric} must be one number")
            by_key.setdefault(entry.key, {})[entry.sample] = sign * numbers[0]
    if not by_key:
        raise RecordError(f"{folder}: the folder has no metric {metric!r}, only {sorted(metrics)}")
    return {
        key: Scores(tuple(sorted(values)), np.array([[v] * 3 for _, v in sorted(values.items())]))
        for key, values in by_key.items()
    }


def _entries(folder: Path) -> Iterator[_Entry]:
    paths = sorted([*folder.glob("*/*.json*"), *folder.glob("*/*/*.json*")])
    if not paths:
        raise RecordError(
            f"{folder}: the folder of one judge must hold files <task>/<image model>.json[.gz] or "
            "<task>/<image model>/SC.json"
        )
    for path in paths:
        task, *models = path.relative_to(folder).parts
        name = models.pop().removesuffix(".gz").removesuffix(".json")
        if not path.name.endswith((".json", ".json.gz")) or (models and name not in JUDGED):
            continue
        aspect = cast("Judged", name) if models else None
        key = Key(task, models[0] if models else name)
        for sample, content in _content(path).items():
            if not isinstance(content, dict):
                raise RecordError(f"{path}, {sample!r}: an object is expected, not {content!r:.60}")
            yield _Entry(path, key, aspect, sample, content)


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json_in(path)
    except UnreadableError as error:
        raise RecordError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise RecordError(f"{path}: one JSON object is expected, not {type(content).__name__}")
    return content


def _numbers(score: Any) -> list[float]:
    """Return the numbers in a recorded score; empty if a part of it is no number."""
    try:
        numbers = [float(number) for number in (score if isinstance(score, list) else [score])]
    except (TypeError, ValueError, OverflowError):
        return []
    return numbers if all(map(math.isfinite, numbers)) else []
