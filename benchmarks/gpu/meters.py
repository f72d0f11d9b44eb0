"""What a piece of work takes from the machine: time, the device, pictures decoded, memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import mean
from typing import Any, NamedTuple

from PIL import ImageFile

_EVERY = 0.1  # seconds between two looks
_LAG = 1.0  # NVML says how busy a device was in the past, up to a second


class Measured(NamedTuple):
    """What a piece of work took.

    Attributes:
        seconds: wall-clock time.
        busy: share of the time in which the device worked, 0 to 1, but for the first second, of
            which NVML tells too late; None where that is not known.
        decoded: pictures that were decoded in this process.
        memory: most bytes of RAM that this process and its children held (RSS).
    """

    seconds: float
    busy: float | None
    decoded: int
    memory: int


def measure(work: Callable[[], object], device: str) -> Measured:
    """Time, device, pictures and memory of `work`."""
    synchronize(device)
    with _sampled(device) as looks, counted() as decoded:
        begun = time.perf_counter()
        work()
        synchronize(device)
        seconds = time.perf_counter() - begun
    busy = [look.busy for look in looks if look.busy is not None and look.at > begun + _LAG]
    memory = max(look.memory for look in looks)
    return Measured(seconds, mean(busy) if busy else None, decoded[0], memory)


def synchronize(device: str) -> None:
    """Wait until a CUDA device has done what it was given."""
    if device.startswith("cuda"):
        import torch

        torch.cuda.synchronize(device)


class _Look(NamedTuple):
    at: float
    busy: float | None
    memory: int


@contextmanager
def _sampled(device: str) -> Iterator[list[_Look]]:
    """Looks at the machine every tenth of a second, the first at once."""
    import psutil

    process = psutil.Process()
    looks: list[_Look] = []
    over = threading.Event()

    def resident(one: Any) -> int:
        try:
            return int(one.memory_info().rss)
        except psutil.Error:  # it has ended
            return 0

    def look() -> None:
        family = [process, *process.children(recursive=True)]
        looks.append(_Look(time.perf_counter(), _busy(device), sum(map(resident, family))))

    def watch() -> None:
        while not over.wait(_EVERY):
            look()

    look()
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield looks
    finally:
        over.set()
        thread.join()
        look()


def _busy(device: str) -> float | None:
    """What NVML says now; None where it cannot, whatever the reason: no time is lost for that.

    PyTorch finds NVML's number of a device from CUDA_VISIBLE_DEVICES, numbers or UUIDs.
    """
    if not device.startswith("cuda"):
        return None
    import torch

    try:
        return float(torch.cuda.utilization(torch.device(device))) / 100
    except Exception:  # noqa: BLE001  (not there, a slice of a GPU, a driver that does not tell)
        return None


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
