"""The wrapper `resumable`: what it adds to a request, and what batches are worth in rounds.

The models answer by rule, at once or after a fixed time per batch. Requests are objects of the
harness, put to the model as its evaluator does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import datasets
from lmms_eval.evaluator import _run_generate_until_agentic as run_one_by_one

from benchmarks import data
from benchmarks.answering import PixelReader, request, show_image, wrapped
from benchmarks.common import (
    Line,
    as_time,
    best_seconds,
    compared,
    require,
    two_digits,
    undisturbed,
)
from pairbench_ext.resumable.model import Resumable

OVERHEAD_TARGET = 0.2e-3
ROUNDS_TARGET = 10.0
_PICTURES = 100  # different ones
_DOCUMENTS = 64  # of the task in two rounds
_BATCH = 16  # requests that a model answers at once


def run(folder: Path, requests: int = 1_000, seconds: float = 0.02, rounds: int = 3) -> list[Line]:
    """Lines on the overhead per request, and on a task in two rounds.

    Args:
        folder: for pictures and journals.
        requests: each shows one of a hundred pictures.
        seconds: that the model of the task in two rounds takes for a batch.
        rounds: of measuring, of which the best counts.
    """
    # Models collect garbage at the end: let them look at their own only.
    with undisturbed("pairbench_ext"):
        return [
            *_overhead(folder, requests, rounds),
            _in_rounds(folder, seconds, rounds),
        ]


def _overhead(folder: Path, n: int, rounds: int) -> list[Line]:
    stored = data.table(data.leaf(folder, _PICTURES // len(data.COLUMNS)))
    pictures = [row[column] for row in stored for column in data.COLUMNS]
    decoded = [{"image": pictures[k % len(pictures)]} for k in range(n)]
    some = stored.select_columns([data.COLUMNS[0]]).rename_column(data.COLUMNS[0], "image")
    encoded = datasets.concatenate_datasets([some] * -(-n // len(some)))
    return [
        *_compare(folder, n, rounds, "at once; pictures are not looked at", decoded, False),
        *_compare(
            folder, n, rounds, "at once; pictures are decoded for each request", encoded, True
        ),
    ]


def _compare(
    folder: Path, n: int, rounds: int, what: str, docs: Any, looks: bool
) -> Iterator[Line]:
    """The bare model, the wrapped one, and the wrapped one when everything has been answered."""
    base = PixelReader(_BATCH)
    base.looks = looks
    base.task_dict = {"task": {"test": docs}}
    requests = [request(f"Question {k}?", k, show_image) for k in range(n)]
    numbers = count()
    done = folder / f"resumable-{looks}"
    expected = base.generate_until(requests)
    require(wrapped(base, done, requests) == expected, "the answers of the wrapped model")
    require(wrapped(base, done, requests) == expected, "the answers from the journal")
    sides: dict[str, Callable[[], object]] = {
        "bare": lambda: (base.generate_until(requests), base.clean()),  # as the harness does
        "new": lambda: wrapped(base, folder / f"resumable-{looks}-{next(numbers)}", requests),
        "again": partial(wrapped, base, done, requests),
    }
    best = best_seconds(f"resumable: {what}", sides, rounds)
    each = {side: seconds / n for side, seconds in best.items()}
    for side, where in (("new", ""), ("again", ", from the journal")):
        yield compared(
            f"a request, answered {what}{where}",
            each[side],
            each["bare"],
            as_time,
            "the model without the wrapper",
            "" if looks else "at most 0.2 ms more",
            None if looks else each[side] - each["bare"] <= OVERHEAD_TARGET,
        )


def _in_rounds(folder: Path, seconds: float, rounds: int) -> Line:
    """Two questions to each document: in batches, and as the harness does it for every model."""
    base = PixelReader(_BATCH, seconds)
    base.looks = False
    base.task_dict = {"task": {"test": [{"image": None}] * _DOCUMENTS}}
    numbers = count()

    def ours() -> list[Any]:
        model = Resumable(base, folder / f"resumable-rounds-{next(numbers)}", arguments={})
        answers = model.generate_until_multi_round(_conversations("multi_round"))
        model.clean()
        return [answer.text[-1] for answer in answers]

    def otherwise() -> list[Any]:
        last: list[Any] = run_one_by_one(base, _conversations("agentic"))
        base.clean()
        return last

    require(ours() == otherwise(), "the answers of the second round")
    best = best_seconds("resumable: two rounds", {"ours": ours, "otherwise": otherwise}, rounds)
    return compared(
        f"two rounds, a model that takes {as_time(seconds)} for up to {_BATCH} requests",
        best["ours"],
        best["otherwise"],
        lambda took: f"{two_digits(2 * _DOCUMENTS / took)} requests/s",
        "generate_until_agentic",
        f"at least {ROUNDS_TARGET:g}x",
        best["otherwise"] >= ROUNDS_TARGET * best["ours"],
    )


def _conversations(kind: str) -> list[Any]:
    return [
        request(f"Question {k}?", k, lambda _: [], _next_question, kind=f"generate_until_{kind}")
        for k in range(_DOCUMENTS)
    ]


def _next_question(
    doc: Any,  # noqa: ARG001  (this, and the last, belong to the harness's signature)
    previous_output: list[str],
    round_idx: int,
    previous_round_info: Any = None,  # noqa: ARG001
) -> tuple[list[Any], str, bool, list[str], None]:
    return [], f"You said {previous_output[-1]}. Sure?", round_idx == 2, previous_output, None
