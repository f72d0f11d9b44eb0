"""All ways of asking in turn, three times: pairs in both orders and conditions, in COCO's sizes.

A round is never without one of the sides: where time is short, rounds have fewer prompts. The first
is made in any case.
"""

from __future__ import annotations

import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks import data
from benchmarks.common import say, two_digits
from benchmarks.gpu import models
from benchmarks.gpu.clock import Measurement, watched
from benchmarks.gpu.results import ROUNDS, Results, flop_per_prompt
from benchmarks.gpu.sides import SIDES, STOCK, Bench

# The longer side of nearly all of COCO's pictures has 640 pixels, the shorter mostly 480 or 427.
_SIZES = ((640, 480), (640, 427), (480, 640), (640, 480), (427, 640), (640, 427), (500, 375))
_TINY_SIZES = ((64, 48), (48, 64))
_BATCHES, _TINY_BATCHES = (8, 16, 32, 64, 128), (2, 4)
_PROMPTS, _TINY_PROMPTS = 256, 16
_TOKENS, _TINY_TOKENS = 32, 3


def measure(scratch: Path, device: str, out: Path, deadline: float, *, tiny: bool) -> Results:
    """Measure all sides, each round beginning with another one.

    Args:
        scratch: folder for pictures and the checkpoint.
        device: of torch.
        out: file of the results, written after every measurement.
        deadline: by `time.monotonic`; rounds are as large as three of them end before it.
        tiny: try the code with a tiny model, pictures and few prompts.
    """
    prompts = _TINY_PROMPTS if tiny else _PROMPTS
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else device
    versions = {name: version(name) for name in ("torch", "transformers", "lmms_eval")}
    results = Results({"device name": name, "tiny": tiny, "prompts": prompts, **versions})
    root = scratch / "pairs"
    data.write_leaf(root, data.noise(4 * -(-prompts // 12), _TINY_SIZES if tiny else _SIZES))
    say("building the model")
    backend = models.judge(scratch / "model", device, tiny=tiny)
    bench = Bench(backend, root, prompts, _TINY_TOKENS if tiny else _TOKENS)
    _find_batch(bench, results, _TINY_BATCHES if tiny else _BATCHES, deadline)
    bench.batch = results.batch
    warm = sum(_ask(bench, side, bench.batch).seconds for side in SIDES)
    batches = int((deadline - time.monotonic()) / (1.2 * ROUNDS * warm))
    bench.prompts = results.prompts = min(prompts, max(2, batches) * bench.batch)
    begun = time.monotonic()
    for number in range(ROUNDS):
        left = deadline - time.monotonic()
        if number and left < 1.2 * (time.monotonic() - begun) / number:
            say(f"round {number + 1}: not in the {left:.0f} s that are left")
            break
        for side in [*SIDES][number:] + [*SIDES][:number]:
            measured = _ask(bench, side)
            results.measured[side].append(measured)
            if side == STOCK:
                results.flop = flop_per_prompt(bench.backend.model, measured)
            results.save(out)
            say(f"{side}, round {number + 1}: {two_digits(measured.rate)} prompts/s")
    return results


def _find_batch(bench: Bench, results: Results, batches: tuple[int, ...], deadline: float) -> None:
    """The batch that the stock backend is fastest with, two of each, in a quarter of the time."""
    begun = time.monotonic()
    for batch in batches:
        if results.tried and time.monotonic() - begun > (deadline - begun) / 4:
            say(f"batch {batch}: not in the time that there is")
            break
        bench.batch = batch
        try:
            _ask(bench, STOCK, batch)
            took = _ask(bench, STOCK, 2 * batch)
        except torch.cuda.OutOfMemoryError:
            say(f"batch {batch}: out of the device's memory")
            break
        results.tried[batch] = took.rate
        say(f"batch {batch}: {two_digits(results.tried[batch])} prompts/s")
    results.batch = max(results.tried, key=results.tried.__getitem__)


def _ask(bench: Bench, side: str, most: int | None = None) -> Measurement:
    ask, prepare = SIDES[side]
    asked: Any = bench.requests()[:most]
    if prepare is not None:
        asked = list(prepare(bench, asked))
    with watched(bench.backend) as measured:
        ask(bench, asked)
    return measured
