"""What every benchmark shares: tables, timing, memory, and numbers for people."""

from __future__ import annotations

import gc
import math
import os
import platform
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias, TypeVar

from loguru import logger
from rich.console import Console

#: A line of a table: what stands in each of its columns.
Line: TypeAlias = dict[str, str]
_PACKAGES = ("lmms_eval", "datasets", "pyarrow", "pillow", "numpy", "scipy")

#: Tells on standard error what is being done now.
say = Console(stderr=True, markup=False, highlight=False, soft_wrap=True).print


@contextmanager
def silent(*packages: str) -> Iterator[None]:
    """Packages that log nothing, for as long as the context lasts."""
    for package in packages:
        logger.disable(package)
    try:
        yield
    finally:
        for package in packages:
            logger.enable(package)


@contextmanager
def undisturbed(*packages: str) -> Iterator[None]:
    """As `silent`; and what there is so far is no garbage: collections look only at new objects."""
    gc.collect()
    gc.freeze()
    try:
        with silent(*packages):
            yield
    finally:
        gc.unfreeze()


class DisagreementError(RuntimeError):
    """The two sides of a comparison do not give the same result, so their times mean nothing."""


def compared(
    what: str,
    ours: float,
    otherwise: float,
    unit: Callable[[float], str],
    how: str,
    target: str = "",
    met: bool | None = None,
) -> Line:
    """The line of a comparison; its ratio is `otherwise / ours`, above 1 where ours is better.

    Args:
        what: what was done.
        ours: what it cost us.
        otherwise: what it costs otherwise.
        unit: how costs are printed.
        how: what is done otherwise.
        target: what the project promises, if anything.
        met: whether the promise holds; None without one.
    """
    ratio = otherwise / ours if ours else math.inf
    return {
        "what": what,
        "ours": unit(ours),
        "otherwise": f"{unit(otherwise)}, {how}",
        "ratio": two_digits(ratio) + "x" * (ratio < math.inf),
        "target": target,
        "met": {True: "yes", False: "no", None: ""}[met],
    }


def markdown(lines: Iterable[Line]) -> Iterator[str]:
    """Tables as lines of Markdown; a new table begins where the columns change."""
    header: tuple[str, ...] = ()
    for line in lines:
        if tuple(line) != header:
            if header:
                yield ""
            header = tuple(line)
            yield f"| {' | '.join(header)} |"
            yield f"| {' | '.join('---' for _ in header)} |"
        yield f"| {' | '.join(line.values())} |"


def write_tables(lines: Iterable[Line], file: Path | None = None) -> None:
    """Print tables and the machine, and write them to the file if there is one."""
    text = "\n".join([*markdown(lines), "", f"{_machine()}.", ""])
    print(text, end="")
    if file is not None:
        file.write_text(text, encoding="utf-8")


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return (
        f"{os.cpu_count()} CPUs ({platform.machine()}), {platform.system()}, "
        f"Python {platform.python_version()}, {packages}"
    )


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the time being, also for the caches of libraries that are imported in it."""
    with TemporaryDirectory(prefix="pairbench-benchmarks-") as scratch:
        os.environ |= {
            "HF_DATASETS_CACHE": f"{scratch}/datasets",
            "LMMS_EVAL_DATASETS_CACHE": f"{scratch}/datasets",
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "TQDM_DISABLE": "1",
        }
        os.environ.setdefault("OPENAI_API_KEY", "unused")  # asked for when the harness is imported
        yield Path(scratch)


class Usage(NamedTuple):
    """What a piece of work took from the machine.

    Attributes:
        seconds: wall-clock time.
        resident: bytes in RAM before it (RSS, mapped files included).
        peak: most bytes in RAM during it (VmHWM).
        written: bytes passed to `write`.
    """

    seconds: float
    resident: int
    peak: int
    written: int


def require(same: bool, what: str) -> None:
    """Check that both sides gave the same result.

    Raises:
        DisagreementError: if they did not.
    """
    if not same:
        raise DisagreementError(f"the two sides differ in {what}; fix that before timing them")


Side = TypeVar("Side", bound=Hashable)
Made = TypeVar("Made")


def best_seconds(
    name: str,
    sides: Mapping[Side, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[Side, float]:
    """The best time of each side; sides take turns, so that load meets all of them.

    The clock is the wall's, or `time.process_time` for what a core is busy.
    """
    best = dict.fromkeys(sides, math.inf)
    for number in range(1, rounds + 1):
        say(f"{name}: round {number} of {rounds}")
        for side, work in sides.items():
            start = clock()
            work()
            best[side] = min(best[side], clock() - start)
    return best


def measure(work: Callable[[], Made]) -> tuple[Usage, Made]:
    """Time, memory and written bytes of `work`, and what it makes, in a process of its own.

    Raises:
        OSError: without Linux's /proc.
    """
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts here
    resident, written = _status("VmRSS"), _written()
    start = time.perf_counter()
    made = work()
    seconds = time.perf_counter() - start
    return Usage(seconds, resident, _status("VmHWM"), _written() - written), made


def _status(field: str) -> int:
    return int(Path("/proc/self/status").read_text().split(f"{field}:")[1].split()[0]) * 1024


def _written() -> int:
    return int(Path("/proc/self/io").read_text().split("wchar:")[1].split()[0])


def two_digits(value: float) -> str:
    """Two significant digits, never an exponent.

    >>> two_digits(1234.5), two_digits(0.0567), two_digits(math.inf)
    ('1,200', '0.057', '∞')
    """
    return "∞" if value == math.inf else f"{Decimal(f'{value:#.2g}'):,f}"


def as_time(seconds: float) -> str:
    """Seconds with a unit that suits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{two_digits(seconds / size)} {unit}"
    return f"{two_digits(seconds / 1e-9)} ns"


def as_size(size: float) -> str:
    """Bytes with a unit that suits."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{two_digits(size / scale)} {unit}"
    return f"{size:.0f} B"
