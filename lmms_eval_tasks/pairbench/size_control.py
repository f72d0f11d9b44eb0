"""Compute the MMScores of judges that look only at image sizes, or only at brightness.

They are computed from a data set's own files, and named in the card of a built set. In balanced
pairs sizes tell nothing, but brightness still tells a little: no choice of pairs removes that.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import ImageStat

from lmms_eval_tasks.build.balanced import SUFFIX
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.entry import entry_of
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, FIELDS, HIGHEST, LOWEST, rating
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Outcome
from pairbench_ext.core.records import Record
from pairbench_ext.core.texts import decimal
from pairbench_ext.synthetic.transforms import IDENTICAL_SCALE

COPY, EQUAL, OTHER = 10, 6, 1
_SKEW = 8  # power of a rank: of the brightest eighth, the sum is more than all others'
_Size = tuple[int, int]


def rating_by_sizes(first: _Size, second: _Size) -> int:
    """Return a rating by image sizes alone: are they equal, is one 95% of the other, or neither?"""
    if first == second:
        return EQUAL
    larger, smaller = sorted((first, second), reverse=True)
    is_copy = all(abs(IDENTICAL_SCALE * a - b) <= 1 for a, b in zip(larger, smaller, strict=True))
    return COPY if is_copy else OTHER


def outcomes_by_sizes(trials: PairTrials) -> Iterator[Outcome]:
    """Yield the ratings of a judge that looks only at image sizes."""
    for trial in trials:
        sizes = [trials.images.size(trial["row"], trial[side]) for side in ("first", "second")]
        yield rating(FIELDS.read(Record("", trial)), rating_by_sizes(*sizes))


def of_sizes(folder: Path, config: str) -> dict[str, float]:
    """Return the MMScore of a judge that looks only at image sizes, keyed by split."""
    data, scores = str(folder), {}
    for split in sources.split_names(data, config):
        trials = PairTrials({**entry_of(data, config, split), "data": data})
        table = BENCHMARK.table(outcomes_by_sizes(trials))
        scores[split] = float(BENCHMARK.number("mmscore").of(table))
    return scores


def _brightness_ranks(trials: PairTrials, shown: list[dict[str, Any]]) -> dict[str, float]:
    """Return the rank of each picture's brightness, from 0 to 1, by its name."""
    levels: dict[str, float] = {}
    for row, columns in enumerate(shown):
        for column, side in columns.items():
            if not column.startswith("img") or side.get("transformed"):
                continue
            if side["name"] not in levels:
                levels[side["name"]] = ImageStat.Stat(trials.images.get(row, column)).mean[0]
    ordered = sorted(levels, key=lambda name: levels[name])
    return {name: rank / len(levels) for rank, name in enumerate(ordered)}


def of_brightness(folder: Path, config: str) -> dict[str, tuple[float, float]]:
    """Return two MMScores (sensitive, invariant) of each judge that looks only at brightness.

    "lower" rates a pair by the darker of its pictures, "sum" by both, where the brightest count
    most. Brightness is that of a picture before it is transformed, by its rank.
    """
    data = str(folder)
    split = sources.split_names(data, config)[0]
    trials = PairTrials({**entry_of(data, config, split), "data": data})
    shown = [json.loads(params) for params in trials.texts["params"]]
    ranks = _brightness_ranks(trials, shown)
    judges: dict[str, Callable[[float, float], float]] = {
        "lower": min,
        "sum": lambda first, second: (first**_SKEW + second**_SKEW) / 2,
    }
    found = {}
    for judge, rate in judges.items():
        outcomes = []
        for trial in trials:
            sides = (shown[trial["row"]][trial[place]]["name"] for place in ("first", "second"))
            value = LOWEST + (HIGHEST - LOWEST) * rate(*(ranks.get(name, 0.0) for name in sides))
            outcomes.append(rating(FIELDS.read(Record("", trial)), value))
        table = BENCHMARK.table(outcomes)
        sens, inv = (float(BENCHMARK.number(f"mmscore_{c}").of(table)) for c in CONDITIONS)
        sign = math.copysign(1, sens + inv)  # else the judge that rates the other way round
        found[judge] = (sign * sens, sign * inv)
    return found


def describe_brightness(scores: dict[str, tuple[float, float]]) -> str:
    """Return a README section on the MMScores of judges that look only at brightness."""
    lines = {"lower": "the darker of the two pictures", "sum": "how bright both pictures are"}
    rows = "\n".join(
        f"| {lines[judge]} | {decimal(sens, 2)} | {decimal(inv, 2)} |"
        for judge, (sens, inv) in scores.items()
    )
    return (
        "## MMScore from brightness alone\n\nJudges that do not compare the pictures, but rate a "
        "pair by how bright each picture is, get this MMScore. Compare a judge's score with it.\n\n"
        f"| rates by | sensitive | invariant |\n| --- | --- | --- |\n{rows}\n"
    )


def describe(scores: dict[str, float]) -> str:
    """Return a README section on the MMScore of a judge that looks only at image sizes."""
    defined = {split: score for split, score in scores.items() if not math.isnan(score)}
    if not defined:
        return (
            "## MMScore from sizes alone\n\nNone: all pictures of a pair have one size, so a judge "
            "that looks at sizes alone rates every pair the same.\n"
        )
    listed = ", ".join(f"{split} {decimal(score, 2)}" for split, score in defined.items())
    return (
        "## MMScore from sizes alone\n\nA judge that looks at nothing but the sizes of the two "
        f"pictures gets this MMScore: {listed}. It rates a pair with {COPY} if one picture has 95% "
        f"of the other's size, with {EQUAL} if the sizes are equal, and otherwise with {OTHER}. "
        "Build with one size for all pictures (`--size 512x512`) to prevent this.\n"
    )


def add_to_card(folder: Path, configs: Sequence[str]) -> None:
    """Add to a data set's README the MMScore of a judge that looks only at image sizes."""
    card = (folder / "README.md").open("a", encoding="utf-8")
    with sources.without_noise(), card:
        for config in configs:
            card.write(f"\n{describe(of_sizes(folder, config))}")
            if config.endswith(SUFFIX):
                card.write(f"\n{describe_brightness(of_brightness(folder, config))}")
