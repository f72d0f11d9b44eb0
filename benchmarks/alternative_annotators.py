"""The alternative annotator test on its authors' data, beside what their notebook prints.

git clone https://github.com/nitaytech/AltTest
python -m benchmarks.alternative_annotators AltTest
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from pairbench_ext.statistics.alternative_annotator import AltTest, alternative_annotator_test
from pairbench_ext.statistics.kappa import Scale

# The notebook's own epsilons; of numbers, those that it scores by the error.
LABELS = {"wax": 0.1, "lgbteen": 0.2, "mtbench": 0.2, "framing": 0.15, "cebab_aspects": 0.1}
NUMBERS = {"summeval": 0.2, "10k_prompts": 0.15, "cebab_stars": 0.1, "lesion": 0.15}
_PRINTED = re.compile(r"^(\S+ \S+) \[\w+\]:\tWinning Rate=(\S+)\tAdvantage Probability=(\S+)", re.M)


def printed(folder: Path) -> dict[str, tuple[str, ...]]:
    """Winning rate and advantage by data set and model, as the notebook prints them."""
    notebook = json.loads((folder / "alt_test_example.ipynb").read_text(encoding="utf-8"))
    outputs = (output for cell in notebook["cells"] for output in cell.get("outputs", ()))
    text = "".join("".join(output.get("text", ())) for output in outputs)
    return {name: tuple(numbers) for name, *numbers in _PRINTED.findall(text)}


def tested(judge: Any, people: Any, scale: Scale, epsilon: float) -> AltTest:
    """The test of one model, from the authors' dictionaries."""
    items = sorted({item for own in people.values() for item in own})
    codes: dict[str, int] = {}

    def number(value: Any) -> float:
        if scale == "interval":
            return float(value)
        return codes.setdefault(json.dumps(value), len(codes))

    rows = [
        [number(own[item]) if item in own else np.nan for item in items]
        for own in (judge, *people.values())
    ]
    return alternative_annotator_test(rows[0], rows[1:], scale, epsilon)


def main(folder: Annotated[Path, typer.Argument(help="A clone of the authors' code.")]) -> None:
    """How many of the notebook's lines are reproduced."""
    expected = printed(folder)
    same = 0
    for scale, sets in (("nominal", LABELS), ("interval", NUMBERS)):
        for name, epsilon in sets.items():
            files = folder / "data" / name
            people, models = (
                json.loads((files / f"{who}_annotations.json").read_text(encoding="utf-8"))
                for who in ("human", "llm")
            )
            for model, judge in models.items():
                found = tested(judge, people, scale, epsilon)  # type: ignore[arg-type]
                ours = f"{found.winning_rate:.2f}", f"{found.advantage:.2f}"
                theirs = expected.get(f"{name} {model}")
                same += ours == theirs
                if ours != theirs:
                    print(f"{name} {model}: {ours} here, {theirs} in the notebook")
    print(f"{same} of {len(expected)} lines of the notebook are reproduced")


if __name__ == "__main__":
    typer.run(main)
