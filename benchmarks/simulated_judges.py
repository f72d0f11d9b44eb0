"""Four judges of known quality, to see what `pairbench compare`, `report` and `card` say of them.

    python -m benchmarks.simulated_judges out
    pairbench compare out/*

`sharp` is the best; `first` says "first" too often; `wordy` is often unreadable and prefers the
longer answer; `habits` has a little of all: it says "first" in a fifth of its answers whatever it
is shown (ten points more than a half), often names the longer one, and is unreadable in a fifth. No
model is asked: the logs are written as the harness writes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairbench_ext.statistics.seeds import generator

ITEMS = 200
_RATED = {"identical": (10, 10), "transformed": (6, 10), "different": (1, 1)}


@dataclass(frozen=True)
class Simulated:
    """A judge, by the shares of what it does wrong, and its ratings' standard deviation."""

    wrong: float = 0.1
    first: float = 0.0
    longer: float = 0.0
    unread: float = 0.0
    noise: float = 1.0

    def vote(self, rng: Any, better: int, longer: int) -> str:
        """Its reply, where the better and the longer answer stand first (1) or second (2)."""
        draw, said = rng.random(4), better
        if draw[0] < self.wrong:
            said = int(rng.integers(1, 3))
        if draw[1] < self.longer:
            said = longer
        if draw[2] < self.first:
            said = 1
        if draw[3] < self.unread:
            return "Both answers have merits, and much can be said of each of them."
        return f"Overall Judgment: Answer {said} is better."

    def rating(self, rng: Any, truth: int) -> str:
        """Its reply, where `truth` is right."""
        if rng.random() < self.unread:
            return "The two images are alike in some ways."
        return f"Score: {min(10, max(1, round(truth + rng.normal(0, self.noise))))}"


JUDGES = {
    "sharp": Simulated(),
    "first": Simulated(wrong=0.15, first=0.4, noise=1.5),
    "wordy": Simulated(wrong=0.15, longer=0.5, unread=0.25, noise=2.0),
    "habits": Simulated(wrong=0.15, first=0.2, longer=0.3, unread=0.2, noise=1.5),
}


def votes(judge: Simulated, name: str) -> Iterator[Mapping[str, Any]]:
    """Logged votes on pairs of answers in both orders, as of `vl_rewardbench_both`."""
    pairs, rng = generator(0, "pairs"), generator(0, name)
    for item in range(ITEMS):
        better, longer = pairs.integers(2, size=2).tolist()
        for order in ("fwd", "rev"):
            shown = [1, 2] if order == "fwd" else [2, 1]
            trial = {
                "benchmark": "vl_rewardbench", "item": f"i{item}", "source": "povid",
                "repeats": [0], "order": order, "truth": better, "longer": longer,
            }  # fmt: skip
            reply = judge.vote(rng, shown[better], shown[longer])
            yield {"trial": trial, "filtered_resps": reply}


def ratings(judge: Simulated, name: str, task: str) -> Iterator[Mapping[str, Any]]:
    """Logged ratings of pairs of images, as of PairBench."""
    rng = generator(0, name, task)
    for row in range(ITEMS // 4):
        for pair, truths in _RATED.items():
            for condition, truth in zip(("sens", "inv"), truths, strict=True):
                for order in ("fwd", "rev"):
                    trial = {
                        "benchmark": "pairbench", "row": row, "pair": pair, "condition": condition,
                        "order": order, "truth": truth, "template": 0,
                    }  # fmt: skip
                    yield {"trial": trial, "filtered_resps": judge.rating(rng, truth)}


def write(folder: Path) -> None:
    """Write a folder of logs for each judge."""
    for name, judge in JUDGES.items():
        logs = {"vl_rewardbench_both": votes(judge, name)}
        for split in ("rotate", "colorjitter", "elastic", "gaussianblur", "perspective"):
            task = f"pairbench_coco_{split}"
            logs[task] = ratings(judge, name, task)
        (folder / name).mkdir(parents=True, exist_ok=True)
        for task, samples in logs.items():
            lines = "".join(json.dumps(sample) + "\n" for sample in samples)
            (folder / name / f"1_samples_{task}.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
