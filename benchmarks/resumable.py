"""The wrapper `resumable`: what it adds to a request, and what batches are worth in rounds.

The models answer by rule, at once or after a fixed time per batch. Requests are objects of the
harness, put to the model as its evaluator does it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import datasets
from lmms_eval.evaluator import _run_generate_until_agentic as run_one_by_one

from benchmarks import data
from benchmarks.answering import Answering, request
from benchmarks.common import (
    Line,
    as_time,
    best_seconds,
    compared,
    frozen,
    require,
    silent,
    two_digits,
)
from pairbench_ext.resumable.model import Resumable

OVERHEAD_TARGET = 0.2e-3
ROUNDS_TARGET = 10.0


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        image: pixels of the pictures.
        pictures: different ones.
        requests: each shows one of them.
        documents: of the task in two rounds.
        batch: how many of its requests the model answers at once.
        seconds: that it takes for a batch.
        rounds: of measuring, of which the best counts.
    """

    image: tuple[int, int] = data.SIZE
    pictures: int = 100
    requests: int = 1_000
    documents: int = 64
    batch: int = 16
    seconds: float = 0.02
    rounds: int = 3


FULL = Size()


class Batched(Answering):
    """Answers with the picture's size and the prompt, after a fixed time per batch."""

    def __init__(self, looks: bool, batch_size: int = 16, seconds: float = 0.0) -> None:
        super().__init__()
        self.looks = looks
        self.batch_size = batch_size
        self.seconds = seconds

    def generate_until(self, requests: Sequence[Any]) -> list[str]:
        """An answer to each."""
        answers = []
        for number, asked in enumerate(requests):
            if self.seconds and number % self.batch_size == 0:
                time.sleep(self.seconds)
            text, _, show, doc, task, split = asked.args
            shown = show(self.task_dict[task][split][doc]) if self.looks else ()
            answers.append(f"{[image.getpixel((0, 0)) for image in shown]} {text}")
        return answers


def run(folder: Path, size: Size = FULL) -> list[Line]:
    """Rows on the overhead per request, and on a task in two rounds."""
    # Models collect garbage at the end: let them look at their own only.
    with silent("pairbench_ext"), frozen():
        return [*_overhead(folder, size), _in_rounds(folder, size)]


def _overhead(folder: Path, size: Size) -> list[Line]:
    stored = data.table(data.leaf(folder, -(-size.pictures // len(data.COLUMNS)), size.image))
    pictures = [row[column] for row in stored for column in data.COLUMNS][: size.pictures]
    decoded = [{"image": pictures[k % size.pictures]} for k in range(size.requests)]
    some = stored.select_columns([data.COLUMNS[0]]).rename_column(data.COLUMNS[0], "image")
    encoded = datasets.concatenate_datasets([some] * -(-size.requests // len(some)))
    cases = (
        ("at once and does not look", decoded, False),
        ("at once; pictures are decoded for each request", encoded, True),
    )
    return [row for what, docs, looks in cases for row in _compare(folder, size, what, docs, looks)]


def _compare(folder: Path, size: Size, what: str, docs: Any, looks: bool) -> list[Line]:
    """The bare model, the wrapped one, and the wrapped one when everything has been answered."""
    base = Batched(looks)
    base.task_dict = {"task": {"test": docs}}
    requests = [request(f"Question {k}?", k, _show) for k in range(size.requests)]
    numbers = count()
    done = folder / f"resumable-{looks}"
    expected = base.generate_until(requests)
    require(_wrapped(base, done, requests) == expected, "the answers of the wrapped model")
    require(_wrapped(base, done, requests) == expected, "the answers from the journal")
    sides: dict[str, Callable[[], object]] = {
        "bare": lambda: (base.generate_until(requests), base.clean()),  # as the harness does
        "new": lambda: _wrapped(base, folder / f"resumable-{looks}-{next(numbers)}", requests),
        "again": partial(_wrapped, base, done, requests),
    }
    best = best_seconds(f"resumable: {what}", sides, size.rounds)
    each = {side: seconds / size.requests for side, seconds in best.items()}
    bounded = not looks
    return [
        compared(
            f"a request, answered {what}{', from the journal' if side == 'again' else ''}",
            each[side],
            each["bare"],
            as_time,
            "the model without the wrapper",
            "at most 0.2 ms more" if bounded else "",
            each[side] - each["bare"] <= OVERHEAD_TARGET if bounded else None,
        )
        for side in ("new", "again")
    ]


def _wrapped(base: Any, journal: Path, requests: Sequence[Any]) -> list[Any]:
    model = Resumable(base, journal, arguments={})
    answers = model.generate_until(requests)
    model.clean()
    return answers


def _in_rounds(folder: Path, size: Size) -> Line:
    """Two questions to each document: in batches, and as the harness does it for every model."""
    base = Batched(looks=False, batch_size=size.batch, seconds=size.seconds)
    base.task_dict = {"task": {"test": [{"image": None}] * size.documents}}
    numbers = count()

    def ours() -> list[Any]:
        model = Resumable(base, folder / f"resumable-rounds-{next(numbers)}", arguments={})
        answers = model.generate_until_multi_round(_conversations(size, "multi_round"))
        model.clean()
        return [answer.text[-1] for answer in answers]

    def otherwise() -> list[Any]:
        last: list[Any] = run_one_by_one(base, _conversations(size, "agentic"))
        base.clean()
        return last

    require(ours() == otherwise(), "the answers of the second round")
    best = best_seconds(
        "resumable: two rounds", {"ours": ours, "otherwise": otherwise}, size.rounds
    )
    return compared(
        f"two rounds, a model that takes {as_time(size.seconds)} for up to {size.batch} requests",
        best["ours"],
        best["otherwise"],
        lambda seconds: f"{two_digits(2 * size.documents / seconds)} requests/s",
        "generate_until_agentic",
        f"at least {ROUNDS_TARGET:g}x",
        best["otherwise"] >= ROUNDS_TARGET * best["ours"],
    )


def _conversations(size: Size, kind: str) -> list[Any]:
    return [
        request(f"Question {k}?", k, lambda _: [], _next_question, kind=f"generate_until_{kind}")
        for k in range(size.documents)
    ]


def _show(doc: Any) -> list[Any]:
    return [doc["image"]]


def _next_question(
    doc: Any,  # noqa: ARG001  (this, and the last, belong to the harness's signature)
    previous_output: list[str],
    round_idx: int,
    previous_round_info: Any = None,  # noqa: ARG001
) -> tuple[list[Any], str, bool, list[str], None]:
    return [], f"You said {previous_output[-1]}. Sure?", round_idx == 2, previous_output, None
