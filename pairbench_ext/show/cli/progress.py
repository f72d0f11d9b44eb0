"""Show how far a command has come: a bar on a terminal, lines elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from pairbench_ext.core.progress import Work, under_way

PATIENCE = 2.0  # seconds that nobody minds
LINE_EVERY = 10.0  # seconds, where no terminal shows a bar
_REFRESH = 0.2

_running = threading.Lock()


@contextmanager
def signs_of_life(console: Console) -> Iterator[Callable[[str], None]]:
    """Show progress while the block runs, if it takes longer than `PATIENCE`.

    On a terminal that is a bar for each work, with its share and the time that is left, which is
    gone at the end; elsewhere a line every `LINE_EVERY` seconds. Of blocks in each other the outer
    one shows it.

    Yields:
        A function that is told what is being done, where nothing is counted.
    """
    told = [""]

    def say(text: str) -> None:
        told[0] = text

    if not _running.acquire(blocking=False):
        yield say
        return
    ended = threading.Event()
    show = _bars if console.is_terminal else _lines
    thread = threading.Thread(target=show, args=(console, told, ended), daemon=True)
    thread.start()
    try:
        yield say
    finally:
        ended.set()
        thread.join()
        _running.release()


def line_of(works: tuple[Work, ...], text: str, seconds: float) -> str:
    """Return a line that describes the work in progress; empty if no work is in progress."""
    parts = [text] if text else []
    for work in works:
        share = "" if work.share is None else f" {work.share:.0%}"
        count = f" {work.done:,.0f}" if work.total is None and work.done else ""
        parts.append(f"{work.what}{share}{count}")
    left = next((work.left for work in works if work.left is not None), None)
    rest = "" if left is None else f", about {_spoken(left)} left"
    return f"{', '.join(parts)} ({_spoken(seconds)} so far{rest})" if parts else ""


def _spoken(seconds: float) -> str:
    """Return a length of time as people say it.

    >>> _spoken(3.2), _spoken(200)
    ('3 s', '3 min')
    """
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _lines(console: Console, told: list[str], ended: threading.Event) -> None:
    began = time.monotonic()
    while not ended.wait(LINE_EVERY):
        if line := line_of(under_way(), told[0], time.monotonic() - began):
            console.print(line)


def _bars(console: Console, told: list[str], ended: threading.Event) -> None:
    from rich.progress import Progress

    if ended.wait(PATIENCE):
        return
    with Progress(console=console, transient=True) as progress:
        bars: dict[Work, Any] = {}
        general = progress.add_task("", total=None, visible=False)
        while not ended.wait(_REFRESH):
            works = under_way()
            for work in [work for work in bars if work not in works]:
                progress.remove_task(bars.pop(work))
            for work in works:
                if work not in bars:
                    bars[work] = progress.add_task(work.what, total=work.total)
                progress.update(bars[work], completed=work.done)
            progress.update(general, description=told[0], visible=bool(told[0]) and not works)
