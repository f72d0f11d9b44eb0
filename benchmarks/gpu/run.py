"""One model, one machine, side after side; what is measured is kept as it comes."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import Line, as_time, say, silent
from benchmarks.gpu import processes
from benchmarks.gpu.bench import Bench, Size
from benchmarks.gpu.record import Record
from benchmarks.gpu.sides import SIDES
from benchmarks.gpu.speed import Speed


def run(scratch: Path, folder: Path, size: Size, record: Record | None = None) -> list[Line]:
    """All that was asked for, side by side; each line is in the record once it is measured.

    A side that fails, for whatever reason, has a line that says why, and the others go on.

    Args:
        scratch: a folder for pairs and journals, thrown away.
        folder: where models are kept.
        size: how much, on what.
        record: what earlier runs have measured; a new one by default.
    """
    record = Record() if record is None else record
    bench = Bench(scratch, folder, size, record)
    with silent("lmms_eval_tasks"):  # that the prompts are the built-in ones
        for name in (name for name in SIDES if not size.sides or name in size.sides):
            begun = time.perf_counter()
            for line in _told(name, SIDES[name](bench)):
                record.add(name, line)
            # After a failure what is left of the model may be broken, or fill the memory.
            if name in record.failed and not bench.drop():
                say(f"{name} broke {size.device} for this process: run the rest with --only")
                break
            say(f"{name}: {as_time(time.perf_counter() - begun)} in all")
    return record.lines()


def _told(name: str, lines: Iterator[Line]) -> Iterator[Line]:
    """Lines as they come, and one that says so if there is an error."""
    try:
        for line in lines:
            say(" · ".join(filter(None, line.cells())))
            yield line
    except Exception as error:  # noqa: BLE001  (whatever it is, the others are worth knowing)
        say(traceback.format_exc())
        reason = processes.why(error)
    else:
        return
    yield Speed(name, 0, None, reason)  # the error is gone here, and what it held of the device
