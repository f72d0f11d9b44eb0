"""How long a model waits for its pictures, and how many are decoded: bare, and in `resumable`.

The model takes a fixed time for a batch, in which it needs no processor, as one on a GPU. All else
is time in which that GPU would be idle because of the harness, the task or the wrapper.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval.utils import Collator
from PIL import ImageFile

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
from pairbench_ext.core.media import fewer_images_kept
from pairbench_ext.harness import hooks
from pairbench_ext.resumable.model import Resumable

_BARE, _OURS = "without the wrapper", "wrapped"
_SIDES = (_BARE, _OURS)


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        image: pixels of the pictures.
        requests: each shows two of them; twelve in a row share four.
        batch: how many requests the model answers at once.
        seconds: that it takes for a batch.
        rounds: of measuring, of which the best counts.
        kept: bytes of decoded pictures that the process keeps; a real task has more.
    """

    image: tuple[int, int] = data.SIZE
    requests: int = 384
    batch: int = 16
    seconds: float = 0.32
    rounds: int = 3
    kept: int = 20_000_000


FULL = Size()


class Busy(Answering):
    """Looks at a batch, which it makes as the harness's backends do, then is busy for a while."""

    def __init__(self, batch_size: int, seconds: float) -> None:
        super().__init__()
        self.batch_size = batch_size
        self.seconds = seconds
        self.busy: list[tuple[float, float]] = []

    def generate_until(self, requests: Sequence[Any]) -> list[str]:
        """An answer to each, from what is shown."""
        order = Collator([one.args for one in requests], lambda one: (-len(one[0]), one[0]))
        answers = []
        for batch in order.get_batched(n=self.batch_size):
            answers += [self._look(*one) for one in batch]
            begun = time.perf_counter()
            time.sleep(self.seconds)
            self.busy.append((begun, time.perf_counter()))
        original: list[str] = order.get_original(answers)
        return original

    def _look(
        self,
        text: str,
        settings: Any,  # noqa: ARG002  (the harness's order)
        show: Callable[[Any], Any],
        doc: int,
        task: str,
        split: str,
    ) -> str:
        images = show(self.task_dict[task][split][doc])
        return f"{[image.getpixel((1, 1)) for image in images]} {text}"


def run(folder: Path, size: Size = FULL) -> list[Line]:
    """The share of its time in which the model waits."""
    with silent("pairbench_ext", "lmms_eval_tasks"):
        root = data.leaf(folder, -(-size.requests // 12), size.image)
        with frozen():
            return list(_rows(folder, root, size))


class Waited(NamedTuple):
    """The shares of its time in which a model waits.

    Attributes:
        in_all: of the whole call.
        between: from its first batch to its last.
        decoded: pictures.
    """

    in_all: float
    between: float
    decoded: int


def _rows(folder: Path, root: Path, size: Size) -> Iterator[Line]:
    numbers = count()
    waited: dict[str, list[Waited]] = {name: [] for name in _SIDES}

    def side(name: str) -> list[Any]:
        base = Busy(size.batch, size.seconds)
        docs = data.docs(root)  # anew: no picture is decoded
        base.task_dict = {"task": {"test": docs}}
        asked = [
            request(str(hooks.doc_to_text(docs[k])), k, hooks.doc_to_visual)
            for k in range(size.requests)
        ]
        with counted() as decoded, fewer_images_kept(size.kept):
            begun = time.perf_counter()
            if name == _BARE:
                answers = base.generate_until(asked)
            else:
                model = Resumable(base, folder / f"waiting-{next(numbers)}", arguments={})
                with redirect_stderr(io.StringIO()):  # its progress bar
                    answers = model.generate_until(asked)
                model.clean()
            ended = time.perf_counter()
        waited[name].append(_waited(base.busy, begun, ended, decoded[0]))
        return answers

    answers = [side(name) for name in _SIDES]
    require(all(one == answers[0] for one in answers), "the answers")
    best_seconds("waiting", {name: partial(side, name) for name in _SIDES}, size.rounds)
    model = f"a model that takes {as_time(size.seconds)} for {size.batch} requests waits"
    for what, place in (("in all", 0), ("from its first batch on", 1)):
        best = {name: min(one[place] for one in each) for name, each in waited.items()}
        yield compared(
            f"{model}, {what}",
            best[_OURS],
            best[_BARE],
            lambda share: f"{two_digits(100 * share)}% of the time",
            _BARE,
        )
    each = {name: waited[name][0].decoded / size.requests for name in _SIDES}
    yield compared(
        f"pictures decoded per request, which shows two of {4 * -(-size.requests // 12)}",
        each[_OURS],
        each[_BARE],
        two_digits,
        _BARE,
    )


def _waited(
    busy: Sequence[tuple[float, float]], begun: float, ended: float, decoded: int
) -> Waited:
    worked = sum(end - start for start, end in busy)
    return Waited(1 - worked / (ended - begun), 1 - worked / (busy[-1][1] - busy[0][0]), decoded)


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many pictures Pillow decodes, whoever asks it."""
    counts, lock = [0], threading.Lock()
    load = ImageFile.ImageFile.load

    def counting(self: Any) -> Any:
        if self.tile:  # not decoded yet
            with lock:
                counts[0] += 1
        return load(self)

    ImageFile.ImageFile.load = counting  # type: ignore[method-assign]
    try:
        yield counts
    finally:
        ImageFile.ImageFile.load = load  # type: ignore[method-assign]
