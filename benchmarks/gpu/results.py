"""What was measured, in one JSON file that is written after every measurement, and its table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import TypeAdapter

from benchmarks.common import Line, two_digits
from benchmarks.gpu.clock import IDLE, MODEL, OURS, Clock
from benchmarks.gpu.sides import AUTHORS, BARE, RESUMABLE, SIDES

ROUNDS = 3
UTILISATION = 0.4
TIMES_AUTHORS, MOST_IDLE, OF_BARE = 10.0, 0.05, 0.95
# Dense bfloat16 with float32 accumulation, FLOP per second, of NVIDIA's data sheets (SXM).
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}


@dataclass(frozen=True)
class Measurement:
    """One measurement of one side.

    Attributes:
        side: way of asking.
        round: of all sides, from 0.
        prompts: that were answered.
        seconds: wall time.
        parts: seconds inside the model, and of idle time by what it went to.
        prompt_tokens, patches, reply_tokens: of all prompts; patches of the vision tower.
    """

    side: str
    round: int
    prompts: int
    seconds: float
    parts: Mapping[str, float]
    prompt_tokens: int
    patches: int
    reply_tokens: int

    @property
    def rate(self) -> float:
        """Prompts per second."""
        return self.prompts / self.seconds

    @classmethod
    def of(cls, side: str, number: int, clock: Clock) -> Measurement:
        """What a clock has counted."""
        parts = {part: clock.seconds[part] for part in (MODEL, *IDLE)}
        counts = (clock.prompt_tokens, clock.patches, clock.reply_tokens)
        return cls(side, number, clock.prompts, sum(parts.values()), parts, *counts)


@dataclass
class Results:
    """All measurements of one device and size.

    Attributes:
        settings: of the run; a file of other settings is not continued.
        batch: of all sides but the authors' loop; 0 while it is not known.
        prompts: of a round; 0 while that is not known.
        tried: prompts per second by batch.
        flop: floating point operations per prompt, of prefill (with the vision tower) and decode.
        measured: one by one.
    """

    settings: dict[str, Any]
    batch: int = 0
    prompts: int = 0
    tried: dict[int, float] = field(default_factory=dict)
    flop: dict[str, float] = field(default_factory=dict)
    measured: list[Measurement] = field(default_factory=list)

    @classmethod
    def load(cls, file: Path, settings: dict[str, Any]) -> Results:
        """Those in the file, or none yet.

        Raises:
            ValueError: if the file is of another device or size.
        """
        if not file.is_file():
            return cls(settings)
        results = TypeAdapter(cls).validate_json(file.read_bytes())
        if results.settings != settings:
            raise ValueError(f"{file} was measured with {results.settings}: choose another file")
        return results

    def save(self, file: Path) -> None:
        """Replace the file at once: a run that is killed leaves the last or the new one."""
        unfinished = file.with_name(f"{file.name}.tmp")
        unfinished.write_bytes(TypeAdapter(Results).dump_json(self, indent=1))
        unfinished.replace(file)

    def of(self, side: str) -> list[Measurement]:
        """The measurements of a side."""
        return [each for each in self.measured if each.side == side]

    def rate(self, side: str) -> float:
        """Median of prompts per second; nan before the first measurement."""
        return _median([each.rate for each in self.of(side)])

    def share(self, side: str, part: str) -> float:
        """Median share of a part in wall time, 0 to 1; nan before the first measurement."""
        return _median([each.parts[part] / each.seconds for each in self.of(side)])

    def lines(self) -> Iterator[Line]:
        """The table, in the order of the sides."""
        for side in SIDES:
            measured = self.of(side)
            if not measured:
                continue
            rates = [each.rate for each in measured]
            spread = f"{two_digits(min(rates))} to {two_digits(max(rates))}, {len(rates)} times"
            tokens = (
                f"{count / measured[-1].prompts:.0f}"
                for count in (measured[-1].prompt_tokens, measured[-1].reply_tokens)
            )
            yield {
                "side": side if side == AUTHORS else f"{side}, batch {self.batch}",
                "prompts/s": two_digits(self.rate(side)),
                "spread": spread,
                "idle": f"{1 - self.share(side, MODEL):.1%}",
                **{part: f"{self.share(side, part):.1%}" for part in IDLE},
                "tokens a prompt + reply": " + ".join(tokens),
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
        yield _goal(
            f"{TIMES_AUTHORS:.0f} times the {AUTHORS}", f"{ratio:.1f}", ratio >= TIMES_AUTHORS
        )
        yield _goal(f"our idle share below {MOST_IDLE:.0%}", f"{ours:.1%}", ours < MOST_IDLE)
        yield _goal(f"{OF_BARE:.0%} of {BARE}", f"{of_bare:.1%}", of_bare >= OF_BARE)


def _median(values: Sequence[float]) -> float:
    return median(values) if values else math.nan


def _goal(what: str, measured: str, met: bool) -> str:
    return f"goal: {what}: {measured}, {'met' if met else 'not met'}"


def flop_per_prompt(model: Any, measurement: Measurement) -> dict[str, float]:
    """Multiplications and additions of a mean prompt: linear layers and the text's attention.

    The vision tower's attention is left out: a few percent of its linear layers.
    """
    text = model.config.text_config
    tokens, patches, replies = (
        count / measurement.prompts
        for count in (
            measurement.prompt_tokens, measurement.patches, measurement.reply_tokens,
        )
    )  # fmt: skip
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
