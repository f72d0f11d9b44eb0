"""`python -m benchmarks.gpu [--device cuda] [--minutes 12] [--out FILE]`."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from benchmarks.common import scratch_folder, undisturbed, write_tables


def main(
    device: str = "cuda", tiny: bool = False, minutes: float = 12.0, out: Path = Path("gpu.json")
) -> None:
    """Measure how fast a judge answers on a device of torch, and what the device waits for.

    --tiny tries the code with a tiny model; rounds are as large as --minutes allow; --out gets all
    measurements, each when it is made.
    """
    deadline = time.monotonic() + 60 * minutes
    with scratch_folder() as scratch, undisturbed("lmms_eval_tasks"):
        from benchmarks.gpu.rounds import measure

        results = measure(scratch, device, out, deadline, tiny=tiny)
    write_tables(results.lines())
    print(results.bound(), *results.goals(), sep="\n")
    if tiny or not device.startswith("cuda"):
        print("A tiny model or a CPU: these numbers show that the code works, and nothing else.")


if __name__ == "__main__":
    typer.run(main)
