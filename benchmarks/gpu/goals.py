"""What a GPU was to reach, beside what was measured on it."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.common import Row, two_digits
from benchmarks.gpu.speed import Speed

NOTEBOOK = 10.0  # times the prompts per second of the notebook's loop, at least
BARE = 0.95  # of those of the model's own `generate` at the same batch, at least
IDLE = 0.05  # of the time, more than while `generate` is called alone, at most


def goals(
    ours: Speed | None, notebook: Speed | None, bare: Speed | None, stock: Speed | None
) -> Iterator[Row]:
    """A line for each goal of which both sides were measured.

    What a device is idle while the model's own `generate` gets inputs that are ready is none of
    ours. All else is counted, also what the harness's backend does between two batches; how idle
    the device is in the stock backend without us is said beside it.

    Args:
        ours: the backend in `resumable`.
        notebook: the notebook's loop.
        bare: the model's own `generate`.
        stock: the backend alone.
    """
    if ours is None:
        return
    if notebook is not None:
        yield _faster(ours, notebook, "the notebook's loop", NOTEBOOK)
    if bare is None:
        return
    if bare.batch != ours.batch:
        return  # of another piece, whose best batch was another
    yield _faster(ours, bare, "generate alone", BARE)
    if ours.took is None or bare.took is None or None in (ours.took.busy, bare.took.busy):
        return
    idle, least = _idle(ours), _idle(bare)
    beside = f"{least:.1%}, generate alone"
    if stock is not None and stock.took is not None and stock.took.busy is not None:
        beside += f"; {_idle(stock):.1%}, stock backend"
    yield Row(
        "goal: the device is idle around the model",
        f"{idle:.1%} of the time",
        beside,
        least / idle if idle else 1.0,
        f"at most {IDLE:.0%} more than generate alone",
        idle - least <= IDLE,
    )


def _faster(ours: Speed, other: Speed, name: str, least: float) -> Row:
    ratio = ours.rate / other.rate
    return Row(
        f"goal: prompts/s in resumable, to {name}",
        two_digits(ours.rate),
        f"{two_digits(other.rate)}, {name}",
        ratio,
        f"at least {least:g}x",
        ratio >= least,
    )


def _idle(line: Speed) -> float:
    assert line.took is not None
    assert line.took.busy is not None
    return 1 - line.took.busy
