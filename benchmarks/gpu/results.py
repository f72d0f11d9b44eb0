"""What was measured, in one JSON file that is written after every measurement, and its table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.common import Line, two_digits
from benchmarks.gpu.clock import IDLE, MODEL, OURS, Measurement
from benchmarks.gpu.sides import AUTHORS, BARE, RESUMABLE, SIDES

ROUNDS = 3
UTILISATION = 0.4
TIMES_AUTHORS, MOST_IDLE, OF_BARE = 10.0, 0.05, 0.95
# Dense bfloat16 with float32 accumulation, FLOP per second, of NVIDIA's data sheets (SXM).
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}


@dataclass
class Results:
    """All measurements of one device and size.

    Attributes:
        settings: of the run.
        batch: of all sides but the authors' loop.
        prompts: of a round.
        tried: prompts per second by batch.
        flop: floating point operations per prompt, of prefill (with the vision tower) and decode.
        measured: each side's, one of each round.
    """

    settings: dict[str, Any]
    batch: int = 0
    prompts: int = 0
    tried: dict[int, float] = field(default_factory=dict)
    flop: dict[str, float] = field(default_factory=dict)
    measured: dict[str, list[Measurement]] = field(default_factory=lambda: {s: [] for s in SIDES})

    def save(self, file: Path) -> None:
        """Write all there is so far."""
        file.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    def rate(self, side: str) -> float:
        """Median of prompts per second."""
        return median(each.rate for each in self.measured[side])

    def share(self, side: str, part: str) -> float:
        """Median share of a part in wall time, 0 to 1."""
        return median(each.parts[part] / each.seconds for each in self.measured[side])

    def lines(self) -> Iterator[Line]:
        """The table, in the order of the sides."""
        for side, measured in self.measured.items():
            rates, last = [each.rate for each in measured], measured[-1]
            tokens = (last.prompt_tokens / last.prompts, last.reply_tokens / last.prompts)
            yield {
                "side": side if side == AUTHORS else f"{side}, batch {self.batch}",
                "prompts/s": two_digits(self.rate(side)),
                "spread": f"{two_digits(min(rates))} to {two_digits(max(rates))}, "
                f"{len(rates)} times",
                "idle": f"{1 - self.share(side, MODEL):.1%}",
                **{part: f"{self.share(side, part):.1%}" for part in IDLE},
                "tokens a prompt + reply": " + ".join(f"{count:.0f}" for count in tokens),
            }

    def bound(self) -> str:
        """The bound on prompts per second, and the peak that it comes from."""
        name = self.settings["device name"]
        peak = next((flops for part, flops in PEAKS.items() if part in name), None)
        if peak is None or not self.flop:
            return f"bound: no peak is known of {name}"
        work = " + ".join(f"{part} {flop / 1e12:.3g}" for part, flop in self.flop.items())
        rate = two_digits(UTILISATION * peak / sum(self.flop.values()))
        return (
            f"bound: {rate} prompts/s at {UTILISATION:.0%} of the peak, {peak / 1e12:.0f} TFLOP/s; "
            f"{work} TFLOP a prompt"
        )

    def goals(self) -> Iterator[str]:
        """What the goals ask and what was measured."""
        ratio = self.rate(RESUMABLE) / self.rate(AUTHORS)
        ours = self.share(RESUMABLE, OURS)
        of_bare = self.rate(RESUMABLE) / self.rate(BARE)
        for goal, measured, met in (
            (f"{TIMES_AUTHORS:.0f} times the {AUTHORS}", f"{ratio:.1f}", ratio >= TIMES_AUTHORS),
            (f"our idle share below {MOST_IDLE:.0%}", f"{ours:.1%}", ours < MOST_IDLE),
            (f"{OF_BARE:.0%} of {BARE}", f"{of_bare:.1%}", of_bare >= OF_BARE),
        ):
            yield f"goal: {goal}: {measured}, {'met' if met else 'not met'}"


def flop_per_prompt(model: Any, measurement: Measurement) -> dict[str, float]:
    """Multiplications and additions of a mean prompt: linear layers and the text's attention.

    The vision tower's attention is left out: a few percent of its linear layers.
    """
    text = model.config.text_config
    tokens = measurement.prompt_tokens / measurement.prompts
    patches = measurement.patches / measurement.prompts
    replies = measurement.reply_tokens / measurement.prompts
    layers = 2 * _weights(model.model.language_model.layers)
    attention = 4 * text.num_hidden_layers * text.hidden_size  # by token and token attended to
    head = 2 * text.vocab_size * text.hidden_size
    tower = 2 * _weights(model.model.visual) * patches
    return {
        "prefill": tower + layers * tokens + attention * tokens**2 / 2 + head,
        "decode": (replies - 1) * (layers + attention * (tokens + replies / 2) + head),
    }


def _weights(module: Any) -> int:
    return sum(weights.numel() for weights in module.parameters() if weights.ndim > 1)
