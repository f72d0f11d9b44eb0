"""How long a device waits for the harness's backend to prepare a batch: stock, and patched.

`pairbench export lmms-eval-prefetch` changes the harness, so it is measured on a copy of the
installed one. Each runs in a process of its own, with a real processor on pictures of COCO's size.
The model takes a fixed time for a batch, token by token, and needs no processor, as one on a GPU.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import Row, as_time, best_seconds, require, two_digits
from benchmarks.gpu import backends, pairs
from benchmarks.gpu.models import MODELS, checkpoint
from benchmarks.gpu.workers import Answered, Workers
from pairbench_ext.upstream.changes import PREFETCH, change

STOCK, PATCHED = "stock", "patched"


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        batches: that are asked.
        batch: how many requests the model answers at once; each shows two pictures.
        tokens: of every reply.
        seconds: that the model takes for a batch, in several settings.
        rounds: of measuring, of which the best counts.
        sizes: of pictures, in pixels.
    """

    batches: int = 6
    batch: int = 16
    tokens: int = 32
    seconds: tuple[float, ...] = (0.5, 1.0, 2.0)
    rounds: int = 2
    sizes: tuple[tuple[int, int], ...] = pairs.SIZES


FULL = Size()


def patched_harness(folder: Path) -> Path:
    """A copy of the installed harness with the change, in a folder for the path of imports."""
    found = find_spec("lmms_eval")
    assert found is not None
    assert found.origin is not None
    shutil.copytree(Path(found.origin).parent, folder / "lmms_eval")
    change(folder, PREFETCH)
    return folder


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """The share of its time in which a device waits, stock and patched."""
    harness = patched_harness(folder / "patched")
    path = checkpoint(MODELS["qwen2.5-vl-7b"], folder, "cpu", tiny=True)
    requests = size.batches * size.batch
    asked = -(-requests // pairs.PER_PAIR)
    load = backends.Load(
        name="qwen2_5_vl",
        arguments={"pretrained": str(path), "device": "cpu", "device_map": "cpu"},
        root=str(pairs.leaf(folder, asked, size.sizes)),
        pairs=asked,
        tokens=size.tokens,
        batch=size.batch,
        sleeps=True,
    )
    with ExitStack() as stack:
        sides = {
            name: stack.enter_context(Workers([replace(load, harness=copied)])).ask
            for name, copied in ((STOCK, ""), (PATCHED, str(harness)))
        }
        return [row for each in size.seconds for row in rows(sides, each, size)]


def rows(
    sides: Mapping[str, Callable[[float], list[Answered]]], seconds: float, size: Size
) -> Iterator[Row]:
    """What is found of a model that sleeps so long for a batch.

    Args:
        sides: each asks, when it is told so, and says what it found.
        seconds: that the model sleeps for a batch.
        size: how much to measure.

    Raises:
        DisagreementError: if an answer differs.
    """
    found: dict[str, list[Answered]] = {name: [] for name in sides}

    def ask(name: str) -> None:
        found[name] += sides[name](seconds)

    best_seconds("prefetch", {name: partial(ask, name) for name in sides}, size.rounds)
    answers = [one.answers for each in found.values() for one in each]
    require(all(one == answers[0] for one in answers), "the answers")
    about = f"a model that sleeps {as_time(seconds)} for a batch of {size.batch}"
    least = {name: min(1 - one.busy / one.between for one in each) for name, each in found.items()}
    yield Row(
        f"{about} waits, from its first batch on",
        f"{two_digits(100 * least[PATCHED])}% of the time, harness patched",
        f"{two_digits(100 * least[STOCK])}%, stock",
        least[STOCK] / least[PATCHED],
    )
    rates = {
        name: len(answers[0]) / min(one.seconds for one in each) for name, each in found.items()
    }
    yield Row(
        f"{about}: prompts per second, in all",
        f"{two_digits(rates[PATCHED])}, harness patched",
        f"{two_digits(rates[STOCK])}, stock",
        rates[PATCHED] / rates[STOCK],
    )
