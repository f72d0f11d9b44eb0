"""Recorded judgments and metrics of images: one judge's folder, a folder a task in it.

Two layouts, each file plain (`.json`) or compressed (`.json.gz`):

- `<task>/<image model>.json`: {uid: {"SC": [8, 7], "SC_reasoning": "...", "PQ": ...}}, and for
  metrics {uid: {"LPIPS": 0.1}};
- `<task>/<image model>/SC.json` and `PQ.json`, the authors' own: {uid: {"score": [8, 7],
  "reasoning": "..."}}.

They are read as the authors' notebook does, but for its truncation to integers: the smallest of
the sub-scores, however many there are, clipped to [0, 10]; a number is a list of one, text is
converted.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from lmms_eval_tasks.viescore.judgments import (
    HIGHEST,
    JUDGED,
    ImageScores,
    Judged,
    Judgment,
    JudgmentTable,
    Key,
    Kind,
    aspect_score,
)
from pairbench_ext.core.records import RecordError

# How the authors' code marks a random number in the place of a reply that it could not parse.
GUESS_MARK = "guess_if_cannot_parse |"
LOWER_IS_BETTER = ("LPIPS",)  # distances; their sign is inverted, as in Table 9

_SUFFIXES = (".json", ".json.gz")


@dataclass(frozen=True)
class Recorded:
    """One judge's recorded judgments.

    Attributes:
        table: the verdicts.
        outside: how many of them have a sub-score outside 0-10.
    """

    table: JudgmentTable
    outside: int


class _File(NamedTuple):
    """A file of answers: whose images, and of which aspect (None if of both)."""

    key: Key
    aspect: Judged | None
    path: Path


def read_judgments(folder: Path) -> Recorded:
    """The recorded judgments of one judge.

    Raises:
        RecordError: naming the file, and the entry where it can be said, of what cannot be read.
    """
    judgments = []
    outside = 0
    for file in _files(folder):
        for sample, entry in _entries(file.path):
            for aspect in [file.aspect] if file.aspect else JUDGED:
                names = ("score", "reasoning") if file.aspect else (aspect, f"{aspect}_reasoning")
                if names[0] not in entry:
                    continue
                numbers = _numbers(entry[names[0]])
                outside += any(not 0 <= number <= HIGHEST for number in numbers)
                value = aspect_score(numbers) if numbers else None
                kind = _kind(value, entry.get(names[1]))
                judgments.append(Judgment(*file.key, sample, aspect, value, kind))
    if not judgments:
        metrics = metric_names(folder)
        hint = f", but metrics: name one of {', '.join(metrics)} (--metric)" if metrics else ""
        raise RecordError(f"{folder}: no judgments (SC, PQ) in it{hint}")
    return Recorded(JudgmentTable(judgments), outside)


def recorded_rationales(folder: Path) -> Iterator[tuple[Key, str, list[float], str]]:
    """What a judge recorded of SC: whose image, its sample, the sub-scores and why.

    Random guesses, and what holds no numbers, are left out.

    Raises:
        RecordError: naming the file, and the entry where it can be said, of what cannot be read.
    """
    for file in _files(folder):
        if file.aspect not in (None, "SC"):
            continue
        for sample, entry in _entries(file.path):
            score, why = ("score", "reasoning") if file.aspect else ("SC", "SC_reasoning")
            numbers = _numbers(entry.get(score))
            said = entry.get(why)
            if numbers and _kind(aspect_score(numbers), said) == "judged":
                yield file.key, sample, numbers, said if isinstance(said, str) else ""


def metric_names(folder: Path) -> tuple[str, ...]:
    """The automatic metrics that are recorded in a folder, sorted.

    Raises:
        RecordError: naming the file that cannot be read.
    """
    names = {
        name
        for file in _files(folder)
        for _, entry in (_entries(file.path) if not file.aspect else ())
        for name in entry
    }
    return tuple(sorted(n for n in names if not n.startswith(JUDGED)))


def read_metric(folder: Path, metric: str) -> dict[Key, ImageScores]:
    """One recorded metric as scores that are higher for better images, alike in all aspects.

    Raises:
        RecordError: naming the file, and the entry where it can be said, of what cannot be read, or
            the metrics that there are.
    """
    sign = -1 if metric in LOWER_IS_BETTER else 1
    found = {}
    for file in _files(folder):
        values = {}
        for sample, entry in _entries(file.path):
            if metric in entry:
                numbers = _numbers(entry[metric])
                if len(numbers) != 1:
                    raise RecordError(f"{file.path}, {sample!r}: {metric} is not one number")
                values[sample] = sign * numbers[0]
        if values:
            samples = sorted(values)
            column = np.array([values[sample] for sample in samples], dtype=np.float64)
            found[file.key] = ImageScores.from_metric(samples, column)
    if not found:
        known = ", ".join(metric_names(folder)) or "no metrics"
        raise RecordError(f"{folder}: no metric {metric!r} in it, only {known}")
    return found


def _files(folder: Path) -> Iterator[_File]:
    if not folder.is_dir():
        raise RecordError(f"{folder}: no such folder of answers")
    seen: dict[tuple[Key, Judged | None], Path] = {}
    for path in sorted([*folder.glob("*/*.json*"), *folder.glob("*/*/*.json*")]):
        suffix = next((s for s in _SUFFIXES if path.name.endswith(s)), None)
        parts = path.relative_to(folder).parts
        if suffix is None:
            continue
        name = path.name.removesuffix(suffix)
        if len(parts) == 3 and name not in JUDGED:
            continue
        key = Key(parts[0], parts[1] if len(parts) == 3 else name)
        aspect = cast("Judged", name) if len(parts) == 3 else None
        if (key, aspect) in seen:
            raise RecordError(f"{seen[key, aspect]} and {path} are of the same answers: keep one")
        seen[key, aspect] = path
        yield _File(key, aspect, path)
    if not seen:
        raise RecordError(
            f"{folder}: neither <task>/<image model>.json[.gz] nor <task>/<image model>/SC.json in "
            "it; the folder of one judge is expected"
        )


def _entries(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        raw = path.read_bytes()
        read = json.loads(gzip.decompress(raw) if path.name.endswith(".gz") else raw)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: cannot be read ({error})") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: not JSON ({error})") from error
    if not isinstance(read, dict):
        raise RecordError(f"{path}: one JSON object is expected, not {type(read).__name__}")
    for sample, entry in read.items():
        if not isinstance(entry, dict):
            raise RecordError(f"{path}, {sample!r}: an object is expected, not {entry!r:.60}")
        yield sample, entry


def _numbers(score: object) -> list[float]:
    """The numbers of a recorded score; none if anything in it is no number."""
    numbers = []
    for item in score if isinstance(score, list) else [score]:
        if isinstance(item, bool) or not isinstance(item, (int, float, str)):
            return []
        try:
            numbers.append(float(item))
        except (ValueError, OverflowError):
            return []
    return numbers if all(map(math.isfinite, numbers)) else []


def _kind(value: float | None, reasoning: object) -> Kind:
    if value is None:
        return "unusable"
    is_guess = isinstance(reasoning, str) and reasoning.startswith(GUESS_MARK)
    return "guess" if is_guess else "judged"
