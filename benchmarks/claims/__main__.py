"""`python -m benchmarks.claims [NAME ...] [--repetitions 1000]`.

A function for each claim; it yields what was measured, and the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated

import typer

from benchmarks.claims import calibration, cards, comparisons, labels, plans, promises
from benchmarks.claims.measured import Measured
from benchmarks.common import Line, markdown, say

CLAIMS: Mapping[str, Callable[[int], Iterator[Measured]]] = {
    claim.__name__: claim
    for claim in (
        comparisons.baseline,
        comparisons.unlike_judges,
        comparisons.single_votes,
        comparisons.uneven_clusters,
        comparisons.uneven_power,
        comparisons.gates,
        comparisons.headlines_first,
        comparisons.few_models,
        labels.corrected,
        labels.rare_labels,
        labels.weighed_rates,
        labels.few_ratings,
        promises.these_items,
        promises.items_kept,
        promises.weighed_labels,
        promises.drawn_labels,
        cards.cards,
        cards.habits,
        cards.biases,
        cards.first_screens,
        cards.panels,
        calibration.calibration,
        plans.plans,
    )
}


def line(measured: Measured) -> Line:
    """The line of a table, with the goal."""
    case, what, share, least, most = measured
    goal = f">= {_percent(least)}" if least else f"<= {_percent(most)}" if most < 1 else ""
    return {"judges": case, "": what, "share": f"{share:.1%}", "goal": goal}


def _percent(share: float) -> str:
    return f"{round(100 * share, 1):g}%"


def main(
    names: Annotated[list[str], typer.Argument()] = [*CLAIMS],  # noqa: B006
    repetitions: int = 1000,
) -> None:
    """Print how often what is said is right, beside the goals, as Markdown."""
    for name in names:
        say(name)
        print(f"\n{CLAIMS[name].__doc__}\n")
        for row in markdown(map(line, CLAIMS[name](repetitions))):
            print(row, flush=True)


if __name__ == "__main__":
    typer.run(main)
