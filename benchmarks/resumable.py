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

from benchmarks import common, data
from benchmarks.answering import PixelReader, request, show_image, wrapped
from benchmarks.common import Line, as_time, compared, require
from pairbench_ext.resumable.model import Resumable

OVERHEAD_TARGET = 0.2e-3
ROUNDS_TARGET = 10.0
_PICTURES = 100  # different ones
_DOCUMENTS = 64  # of the task in two rounds
_BATCH = 16  # requests that a model answers at once


def run(folder: Path, requests: int = 1_000, seconds: float = 0.02, rounds: int = 3) -> list[Line]:
    """Lines on the overhead per request, and on a task in two rounds."""
    stored = data.table(data.leaf(folder, _PICTURES // len(data.COLUMNS)))
    pictures = [row[column] for row in stored for column in data.COLUMNS]
    decoded = [{"image": pictures[k % len(pictures)]} for k in range(requests)]
    some = stored.select_columns([data.COLUMNS[0]]).rename_column(data.COLUMNS[0], "image")
    encoded = datasets.concatenate_datasets([some] * -(-requests // len(some)))
    # Models collect garbage at the end: let them look at their own only.
    with common.undisturbed("pairbench_ext"):
        return [
            *_overhead(folder / "seen", requests, rounds, decoded, False),
            *_overhead(folder / "decoded", requests, rounds, encoded, True),
            _in_rounds(folder, seconds, rounds),
        ]


def _overhead(folder: Path, n: int, rounds: int, docs: Any, looks: bool) -> Iterator[Line]:
    """The bare model, the wrapped one, and the wrapped one when everything has been answered."""
    base = PixelReader(_BATCH)
    base.looks = looks
    base.task_dict = {"task": {"test": docs}}
    requests = [request(f"Question {k}?", k, show_image) for k in range(n)]
    numbers = count()
    expected = base.generate_until(requests)
    for answers in ("the answers of the wrapped model", "the answers from the journal"):
        require(wrapped(base, folder, requests) == expected, answers)
    sides: dict[str, Callable[[], object]] = {
        "": lambda: wrapped(base, folder / str(next(numbers)), requests),
        ", from the journal": partial(wrapped, base, folder, requests),
        "bare": lambda: (base.generate_until(requests), base.clean()),  # as the harness does
    }
    pictures = "decoded for each request" if looks else "not looked at"
    what = f"a request, answered at once; pictures are {pictures}"
    best = common.best_seconds(what, sides, rounds)
    *ours, bare = (seconds / n for seconds in best.values())
    target = "" if looks else "at most 0.2 ms more"
    for where, each in zip(sides, ours, strict=False):
        met = each - bare <= OVERHEAD_TARGET
        how = "the model without the wrapper"
        yield compared(f"{what}{where}", each, bare, as_time, how, target, met)


def _in_rounds(folder: Path, seconds: float, rounds: int) -> Line:
    """Two questions to each document: in batches, and as the harness does it for every model."""
    base = PixelReader(_BATCH, seconds)
    base.looks = False
    base.task_dict = {"task": {"test": [{"image": None}] * _DOCUMENTS}}
    numbers = count()

    def ours() -> list[Any]:
        model = Resumable(base, folder / f"rounds-{next(numbers)}", arguments={})
        answers = model.generate_until_multi_round(_conversations("multi_round"))
        model.clean()
        return [answer.text[-1] for answer in answers]

    def otherwise() -> list[Any]:
        last: list[Any] = run_one_by_one(base, _conversations("agentic"))
        base.clean()
        return last

    require(ours() == otherwise(), "the answers of the second round")
    what = f"two rounds, a model that takes {as_time(seconds)} for up to {_BATCH} requests"
    sides = {"ours": ours, "otherwise": otherwise}
    took_ours, took_otherwise = common.best_seconds(what, sides, rounds).values()

    def rate(took: float) -> str:
        return f"{common.two_digits(2 * _DOCUMENTS / took)} requests/s"

    how = "generate_until_agentic"
    return compared(what, took_ours, took_otherwise, rate, how, least=ROUNDS_TARGET)


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
