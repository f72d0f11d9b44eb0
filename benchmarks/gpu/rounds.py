"""All ways of asking in turn, three times: pairs in both orders and conditions, in COCO's sizes."""

from __future__ import annotations

import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks import data
from benchmarks.common import say, two_digits
from benchmarks.gpu import models
from benchmarks.gpu.clock import watched
from benchmarks.gpu.results import ROUNDS, Measurement, Results, flop_per_prompt
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
        out: file of the results; what is in it is done.
        deadline: by `time.monotonic`; nothing begins that would end later.
        tiny: try the code with a tiny model, pictures and few prompts.
    """
    prompts = _TINY_PROMPTS if tiny else _PROMPTS
    results = Results.load(out, _settings(device, tiny, prompts))
    root = scratch / "pairs"
    data.write_leaf(root, data.noise(4 * -(-prompts // 12), _TINY_SIZES if tiny else _SIZES))
    say("building the model")
    backend = models.judge(scratch / "model", device, tiny=tiny)
    bench = Bench(backend, root, device, prompts, _TINY_TOKENS if tiny else _TOKENS)
    if not results.batch:
        _find_batch(bench, results, _TINY_BATCHES if tiny else _BATCHES)
        results.save(out)
    bench.batch = results.batch
    warm: set[str] = set()
    for number in range(ROUNDS):
        for side in [*SIDES][number:] + [*SIDES][:number]:
            earlier = results.of(side)
            if any(each.round == number for each in earlier):
                continue
            left = deadline - time.monotonic()
            if left < 1.2 * max((each.seconds for each in earlier), default=0):
                say(f"{side}, round {number + 1}: not in the {left:.0f} s that are left")
                continue
            if side not in warm:
                _ask(bench, side, number, bench.batch)
                warm.add(side)
            measured = _ask(bench, side, number)
            results.measured.append(measured)
            if side == STOCK:
                results.flop = flop_per_prompt(bench.backend.model, measured)
            results.save(out)
            say(f"{side}, round {number + 1}: {two_digits(measured.rate)} prompts/s")
    return results


def _settings(device: str, tiny: bool, prompts: int) -> dict[str, Any]:
    on_gpu = device.startswith("cuda")
    return {
        "device name": torch.cuda.get_device_name(device) if on_gpu else device,
        "tiny": tiny,
        "prompts": prompts,
        **{name: version(name) for name in ("torch", "transformers", "lmms_eval")},
    }


def _find_batch(bench: Bench, results: Results, batches: tuple[int, ...]) -> None:
    """The batch that the stock backend is fastest with, on two batches each."""
    for batch in batches:
        bench.batch = batch
        try:
            _ask(bench, STOCK, 0, batch)
            took = _ask(bench, STOCK, 0, 2 * batch)
        except torch.cuda.OutOfMemoryError:
            say(f"batch {batch}: out of the device's memory")
            break
        results.tried[batch] = took.rate
        say(f"batch {batch}: {two_digits(results.tried[batch])} prompts/s")
    results.batch = max(results.tried, key=results.tried.__getitem__)


def _ask(bench: Bench, side: str, number: int, most: int | None = None) -> Measurement:
    ask, prepare = SIDES[side]
    asked: Any = bench.requests()[:most]
    if prepare is not None:
        asked = list(prepare(bench, asked))
    with watched(bench.backend, bench.device) as clock:
        ask(bench, asked)
    return Measurement.of(side, number, clock)
