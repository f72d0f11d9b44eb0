"""Best-of-N numbers from replies that are already there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import cast

from lmms_eval_tasks.best_of_n.samples import Judged, read_sample
from lmms_eval_tasks.logged import task_name
from pairbench_ext.metrics import best_of_n
from pairbench_ext.metrics.best_of_n import KNOCKOUT, METHODS, Contests
from pairbench_ext.records import RecordError, read_jsonl

Scores = Mapping[str, float]


@dataclass(frozen=True)
class FileScores:
    """One file's numbers.

    Attributes:
        file: the file.
        name: the task, or the file's own name.
        scores: the numbers.
        failed: how many requests failed.
    """

    file: Path
    name: str
    scores: Scores
    failed: int


def scores_of(judged: Iterable[Judged]) -> Scores:
    """All numbers of a run by name.

    Raises:
        ValueError: if samples contradict each other.
    """
    samples = list(judged)
    worth: dict[str, tuple[float, ...]] = {}
    for sample in samples:
        if worth.setdefault(sample.question, sample.worth) != sample.worth:
            raise ValueError(
                f"the candidates of question {sample.question!r} are worth "
                f"{list(worth[sample.question])} and {list(sample.worth)}"
            )
    comparisons = chain.from_iterable(sample.comparisons for sample in samples)
    methods = (KNOCKOUT,) if any(sample.adaptive for sample in samples) else METHODS
    contests = Contests.from_comparisons(worth, comparisons)
    return cast(Scores, best_of_n.score(contests, methods))


def score_file(file: Path, *, parser: str = "strict") -> FileScores:
    """Read one file of logged samples or plain rows and score it.

    Under another parser than the run's, a knockout may need comparisons that it did not ask: such
    questions are left out, and counted.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    samples = [read_sample(record, parser) for record in read_jsonl(file)]
    if not samples:
        raise RecordError(f"{file}: no samples in it")
    try:
        scores = scores_of(samples)
    except ValueError as error:
        raise RecordError(f"{file}: {error}") from error
    return FileScores(file, task_name(file), scores, sum(sample.failed for sample in samples))
