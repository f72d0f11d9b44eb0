"""`python -m benchmarks.gpu [--device cuda] [--minutes 12] [--out FILE]`."""

from __future__ import annotations

import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmarks.common import say, silent, two_digits, use_caches_in, write_tables

if TYPE_CHECKING:
    from benchmarks.gpu.results import Results
    from benchmarks.gpu.sides import Bench

_BATCHES, _TINY_BATCHES = (8, 16, 32, 64, 128), (2, 4)
_PROMPTS, _TINY_PROMPTS = 256, 16
_TOKENS, _TINY_TOKENS = 32, 3
_FASTER = 1.03  # a larger batch that gains less ends the search


def main(
    device: Annotated[str, typer.Option(help="Of torch: cuda, cuda:1, cpu.")] = "cuda",
    tiny: Annotated[bool, typer.Option("--tiny", help="A tiny model: try the code.")] = False,
    minutes: Annotated[float, typer.Option(help="Begin nothing that would end later.")] = 12.0,
    out: Annotated[Path, typer.Option(help="Results; continued if there.")] = Path("gpu.json"),
) -> None:
    """Measure how fast a judge answers on a device, and what the device waits for."""
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="pairbench-gpu-") as scratch, silent("lmms_eval_tasks"):
        use_caches_in(Path(scratch))
        from benchmarks.gpu import models, prompts
        from benchmarks.gpu.results import Results
        from benchmarks.gpu.sides import Bench

        count = _TINY_PROMPTS if tiny else _PROMPTS
        results = Results.load(out, _settings(device, tiny, count))
        sizes = prompts.TINY_SIZES if tiny else prompts.SIZES
        root = prompts.leaf(Path(scratch) / "pairs", count, sizes)
        say("building the model")
        backend = models.judge(Path(scratch) / "model", device, tiny=tiny)
        bench = Bench(backend, root, count, _TINY_TOKENS if tiny else _TOKENS)
        _measure(bench, results, device, deadline, out, _TINY_BATCHES if tiny else _BATCHES)
    write_tables(results.lines(), None)
    for goal in results.goals():
        print(goal)
    if tiny or not device.startswith("cuda"):
        print("A tiny model or a CPU: these numbers show that the code works, and nothing else.")


def _settings(device: str, tiny: bool, prompts: int) -> dict[str, Any]:
    import torch

    on_gpu = device.startswith("cuda")
    return {
        "device name": torch.cuda.get_device_name(device) if on_gpu else device,
        "tiny": tiny,
        "prompts": prompts,
        **{name: version(name) for name in ("torch", "transformers", "lmms_eval")},
    }


def _measure(
    bench: Bench,
    results: Results,
    device: str,
    deadline: float,
    out: Path,
    batches: tuple[int, ...],
) -> None:
    """All sides in turn, each round beginning with another one; what is in `results` is done."""
    from benchmarks.gpu.results import ROUNDS, flop_per_prompt
    from benchmarks.gpu.sides import SIDES, STOCK

    if not results.batch:
        _find_batch(bench, results, device, batches)
        results.save(out)
    bench.batch = results.batch
    warm: set[str] = set()
    for number in range(ROUNDS):
        order = [*SIDES][number:] + [*SIDES][:number]
        for side in order:
            earlier = results.of(side)
            if any(each.round == number for each in earlier):
                continue
            left = deadline - time.monotonic()
            if left < 1.2 * max((each.seconds for each in earlier), default=0):
                say(f"{side}, round {number + 1}: not in the {left:.0f} s that are left")
                continue
            if side not in warm:
                _ask(bench, side, number, device, bench.batch)
                warm.add(side)
            measured = _ask(bench, side, number, device)
            results.measured.append(measured)
            if side == STOCK:
                results.flop = flop_per_prompt(bench.backend.model, measured)
            results.save(out)
            rate = two_digits(measured.prompts / measured.seconds)
            say(f"{side}, round {number + 1}: {rate} prompts/s, {measured.seconds:.1f} s")


def _find_batch(bench: Bench, results: Results, device: str, batches: tuple[int, ...]) -> None:
    """The batch that the stock backend is fastest with, on two batches each."""
    import torch

    from benchmarks.gpu.sides import STOCK

    best = 0.0
    for batch in batches:
        bench.batch = batch
        try:
            _ask(bench, STOCK, 0, device, batch)
            took = _ask(bench, STOCK, 0, device, 2 * batch)
        except torch.cuda.OutOfMemoryError:
            say(f"batch {batch}: out of the device's memory")
            break
        rate = results.tried[str(batch)] = took.prompts / took.seconds
        say(f"batch {batch}: {two_digits(rate)} prompts/s")
        if rate > best:
            results.batch = batch
        if rate < _FASTER * best:
            break
        best = max(best, rate)


def _ask(bench: Bench, side: str, number: int, device: str, most: int | None = None) -> Any:
    from benchmarks.gpu.clock import watched
    from benchmarks.gpu.results import Measurement
    from benchmarks.gpu.sides import SIDES

    ask, prepare = SIDES[side]
    asked: Any = bench.requests()[:most]
    if prepare is not None:
        asked = prepare(bench, asked)
    with watched(bench.backend, device) as clock:
        ask(bench, asked)
    return Measurement.of(side, number, clock)


if __name__ == "__main__":
    typer.run(main)
