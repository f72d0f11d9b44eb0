"""Simulated judgments, included in the package, to try every command on.

`text` writes the file again. Three judges choose the better of
two answers, to 150 questions in both orders: `careful` is right in 88%, `hasty` as often but takes
the first answer in two of five cases whatever it says, `terse` is right in 82% and gives no verdict
in every fifth reply. `human` is the answer that a simulated person prefers; A and B are the first
and the second one as they were shown.
"""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from pairbench_ext.statistics.seeds import generator

FILE = Path(__file__).with_name("simulated_judgments.csv")
HEADER = ("question", "judge", "model_a", "model_b", "verdict", "human")
SYSTEMS = ("model-blue", "model-red")
QUESTIONS = 150
_UNREADABLE = "Both answers have merits, and I would rather not choose."


def rows(seed: int = 0) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the demo file: one per judge, question, and order of the two answers."""
    rng = generator(seed, "simulated judgments")
    better = rng.integers(2, size=QUESTIONS)
    for judge, right, first, silent in (
        ("careful", 0.88, 0.0, 0.0),
        ("hasty", 0.88, 0.4, 0.0),
        ("terse", 0.82, 0.0, 0.2),
    ):
        for number, best in enumerate(better.tolist()):
            prefers = best if rng.random() < right else 1 - best
            for order in ((0, 1), (1, 0)):
                verdict = "AB"[order.index(prefers)]
                if rng.random() < first:
                    verdict = "A"
                if rng.random() < silent:
                    verdict = _UNREADABLE
                shown = (SYSTEMS[order[0]], SYSTEMS[order[1]])
                yield f"q{number + 1:03}", judge, *shown, verdict, "AB"[order.index(best)]


def text() -> str:
    """Return the text of the demo file, in CSV format."""
    written = StringIO()
    csv.writer(written, lineterminator="\n").writerows([HEADER, *rows()])
    return written.getvalue()
