"""What every benchmark shares: tables, timing, memory, and numbers for people."""

from __future__ import annotations

import gc
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from loguru import logger
from rich.console import Console

#: A line of a table: what stands in each of its columns.
Line: TypeAlias = dict[str, str]
_PACKAGES = ("lmms_eval", "datasets", "pyarrow", "pillow", "numpy", "scipy")

#: Tells on standard error what is being done now.
say = Console(stderr=True, markup=False, highlight=False, soft_wrap=True).print


@contextmanager
def undisturbed(*packages: str) -> Iterator[None]:
    """Packages log nothing, and garbage is looked for among new objects only."""
    gc.collect()
    gc.freeze()
    for package in packages:
        logger.disable(package)
    try:
        yield
    finally:
        gc.unfreeze()
        for package in packages:
            logger.enable(package)


class DisagreementError(RuntimeError):
    """The two sides of a comparison do not give the same result, so their times mean nothing."""


def compared(
    what: str,
    ours: float,
    otherwise: float,
    unit: Callable[[float], str],
    how: str,
    target: str = "",
    met: bool = False,
    least: float = 0.0,
) -> Line:
    """The line of a comparison; its ratio is `otherwise / ours`, above 1 where ours is better."""
    ratio = otherwise / ours if ours else math.inf
    if least:
        target, met = f"at least {least:g}x", ratio >= least
    return {
        "what": what,
        "ours": unit(ours),
        "otherwise": f"{unit(otherwise)}, {how}",
        "ratio": two_digits(ratio) + "x" * (ratio < math.inf),
        "target": target,
        "met": ("yes" if met else "no") if target else "",
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


def require(same: bool, what: str) -> None:
    """Check that both sides gave the same result.

    Raises:
        DisagreementError: if they did not.
    """
    if not same:
        raise DisagreementError(f"the two sides differ in {what}; fix that before timing them")


def best_seconds(
    name: str,
    sides: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
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


def two_digits(value: float) -> str:
    """Two significant digits, never an exponent.

    >>> two_digits(1234.5), two_digits(0.0567), two_digits(0), two_digits(math.inf)
    ('1,200', '0.057', '0', '∞')
    """
    if value == math.inf:
        return "∞"
    return f"{Decimal(f'{value:#.2g}'):,f}" if value else "0"


def with_unit(units: Mapping[str, float], value: float) -> str:
    """A number in the largest unit that it reaches, or in the last one."""
    unit = next((unit for unit, size in units.items() if value >= size), [*units][-1])
    return f"{two_digits(value / units[unit])} {unit}"


as_time = partial(with_unit, {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9})
as_size = partial(with_unit, {"GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1.0})
