"""How long a model waits for its pictures, and how many are decoded: bare, and in `resumable`.

The model takes a fixed time for a batch, in which it needs no processor, as one on a GPU. All else
is time in which that GPU would be idle because of the harness, the task or the wrapper.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

from PIL import ImageFile

from benchmarks import common, data
from benchmarks.answering import PixelReader, trial_requests, wrapped
from benchmarks.common import Line, as_time, compared, two_digits
from pairbench_ext.core.media import fewer_images_kept

_BARE, _OURS = "without the wrapper", "wrapped"
_SIDES = (_BARE, _OURS)
_BATCH = 16  # requests that the model answers at once
_KEPT = 20_000_000  # bytes of decoded pictures that the process keeps; a real task has more


def run(folder: Path, requests: int = 384, seconds: float = 0.32, rounds: int = 3) -> list[Line]:
    """The share of its time in which the model waits."""
    root = data.leaf(folder, -(-requests // 12))
    numbers = count()
    measured: dict[str, list[tuple[float, float, float]]] = {name: [] for name in _SIDES}

    def side(name: str) -> list[Any]:
        base = PixelReader(_BATCH, seconds)
        docs = data.docs(root)  # anew: no picture is decoded
        base.task_dict = {"task": {"test": docs}}
        asked = trial_requests(docs, requests)
        with counted() as loads, fewer_images_kept(_KEPT):
            begun = time.perf_counter()
            if name == _BARE:
                answers = base.generate_until(asked)
            else:
                answers = wrapped(base, folder / f"waiting-{next(numbers)}", asked)
            in_all = time.perf_counter() - begun
        worked = sum(end - start for start, end in base.busy)
        between = base.busy[-1][1] - base.busy[0][0]
        measured[name].append((1 - worked / in_all, 1 - worked / between, len(loads) / requests))
        return answers

    with common.undisturbed("pairbench_ext", "lmms_eval_tasks"):
        common.require(side(_OURS) == side(_BARE), "the answers")
        common.best_seconds("waiting", {name: partial(side, name) for name in _SIDES}, rounds)
    model = f"a model that takes {as_time(seconds)} for {_BATCH} requests waits"
    pictures = f"pictures decoded per request, which shows two of {4 * -(-requests // 12)}"
    ours, bare = ([*map(min, zip(*measured[name], strict=True))] for name in (_OURS, _BARE))
    return [
        compared(f"{model}, in all", ours[0], bare[0], _as_share, _BARE),
        compared(f"{model}, from its first batch on", ours[1], bare[1], _as_share, _BARE),
        compared(pictures, ours[2], bare[2], two_digits, _BARE),
    ]


def _as_share(share: float) -> str:
    return f"{two_digits(100 * share)}% of the time"


@contextmanager
def counted() -> Iterator[list[None]]:
    """As many elements as Pillow decodes pictures, whoever asks it."""
    decoded: list[None] = []
    load = ImageFile.ImageFile.load

    def counting(self: Any) -> Any:
        if self.tile:  # not decoded yet
            decoded.append(None)
        return load(self)

    with mock.patch.object(ImageFile.ImageFile, "load", counting):
        yield decoded
