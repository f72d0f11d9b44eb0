"""`python -m benchmarks.gpu [--device cuda] [--minutes 12] [--out FILE]`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common import scratch_folder, undisturbed, write_tables


def main(
    device: Annotated[str, typer.Option(help="Of torch: cuda, cuda:1, cpu.")] = "cuda",
    tiny: Annotated[bool, typer.Option("--tiny", help="A tiny model: try the code.")] = False,
    minutes: Annotated[float, typer.Option(help="Rounds are as large as that allows.")] = 12.0,
    out: Annotated[Path, typer.Option(help="Results; continued if there.")] = Path("gpu.json"),
) -> None:
    """Measure how fast a judge answers on a device, and what the device waits for."""
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
