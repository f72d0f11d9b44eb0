"""The harness's backend as it is, and in a copy that prepares the next batch in a thread.

The change is `pairbench export lmms-eval-prefetch`. Each side has a process of its own, one after
the other, because a process imports one harness.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import require
from benchmarks.gpu import backends, meters
from benchmarks.gpu.speed import Speed
from benchmarks.prefetch import Answered, Process, Side, patched_harness


def speeds(load: backends.Load, folder: Path, device: str) -> Iterator[Speed]:
    """A line for each, whose answers are the same.

    Args:
        load: the backend, and what it is asked.
        folder: for the copy of the harness; it is not there yet.
        device: of torch.

    Raises:
        DisagreementError: if an answer differs.
        RuntimeError: if a process ends before it is done.
    """
    found: list[Answered] = []
    for what, harness in (("stock", ""), ("harness patched", str(patched_harness(folder)))):
        with Process(Side(load, harness)) as process:
            took = meters.measure(lambda: found.append(process.ask()), device)
        require(found[-1].answers == found[0].answers, "the answers")
        yield Speed(
            f"in a process of its own, {what}, batch {load.batch}",
            len(found[-1].answers),
            took._replace(decoded=None),
            meters.why_not_busy(device),
        )
