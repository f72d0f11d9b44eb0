"""`python -m benchmarks.claims [NAME ...] [--repetitions 1000] [--page docs/statistics.md]`.

A function for each claim; it yields what was measured, and the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from benchmarks.claims import calibration, cards, comparisons, labels, numbers, plans, promises
from benchmarks.claims.measured import Measured
from benchmarks.common import Line, markdown, say


class Claim(NamedTuple):
    """A claim, and how many repetitions one of its sets counts for: as many as it takes longer."""

    measure: Callable[[int], Iterator[Measured]]
    worth: int

    def sets(self, repetitions: int) -> int:
        """Return how many sets of each case are simulated."""
        return max(1, repetitions // self.worth)


CLAIMS: Mapping[str, Claim] = {
    claim.__name__: Claim(claim, worth)
    for claim, worth in (
        (comparisons.baseline, 1),
        (comparisons.unlike_judges, 1),
        (comparisons.unlike_rows, 1),
        (comparisons.single_votes, 1),
        (comparisons.uneven_clusters, 2),
        (comparisons.uneven_power, 2),
        (comparisons.gates, 1),
        (comparisons.headlines_first, 1),
        (comparisons.few_models, 4),
        (comparisons.viescore, 1),
        (numbers.smoothness, 1),
        (numbers.controllability, 1),
        (numbers.position_consistency, 1),
        (labels.corrected, 1),
        (labels.rare_labels, 1),
        (labels.weighed_rates, 1),
        (labels.few_ratings, 2),
        (promises.these_items, 1),
        (promises.items_kept, 2),
        (promises.weighed_labels, 1),
        (promises.drawn_labels, 1),
        (cards.cards, 1),
        (cards.habits, 1),
        (cards.biases, 2),
        (cards.first_screens, 10),
        (cards.panels, 1),
        (calibration.calibration, 4),
        (plans.plans, 1),
    )
}
_FEW = 4  # cases that a row of the page lists


def line(measured: Measured) -> Line:
    """The line of a table, with the goal."""
    case, what, share, *_ = measured
    return {"judges": case, "": what, "share": f"{share:.1%}", "goal": _goal(measured)}


def _goal(measured: Measured) -> str:
    _, _, _, least, most = measured
    if least:
        return f"{_percent(least)} at least"
    return f"{_percent(most)} at most" if most < 1 else ""


def _percent(share: float) -> str:
    return f"{round(100 * share, 1):g}%"


def rows(name: str, sets: int, found: Iterable[Measured]) -> Iterator[str]:
    """The page's rows of a claim: for each thing measured, its cases, or the range of many."""
    alike: dict[tuple[str, str], list[Measured]] = {}
    for measured in found:
        alike.setdefault((measured.what, _goal(measured)), []).append(measured)
    says = (CLAIMS[name].measure.__doc__ or "").partition("\n")[0]
    for place, ((what, goal), cases) in enumerate(alike.items()):
        spelt = [f"{case.case}: {case.share:.1%}" for case in cases]
        if len(cases) > _FEW:
            ends = {f"{end([case.share for case in cases]):.1%}": end for end in (min, max)}
            spelt = [f"{' to '.join(ends)} ({len(cases)} cases)"]
        said = f"`{name}`: {says} ({sets:,} sets)" if not place else f"`{name}`"
        yield f"| {said} | {what} | {'; '.join(spelt)} | {goal} |"


def write(page: Path, name: str, new: Iterable[str]) -> None:
    """Put a claim's rows into the table of a page, in the place of those that it has of the claim.

    Raises:
        ValueError: if the page has no such table.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    head = lines.index("| claim | what is measured | share | goal |") + 2
    end = next(n for n in range(head, len(lines) + 1) if not "".join(lines[n : n + 1]))
    order = [*CLAIMS]
    kept = [row for row in lines[head:end] if _name(row) != name]
    table = sorted([*kept, *new], key=lambda row: order.index(_name(row)))
    page.write_text("\n".join([*lines[:head], *table, *lines[end:]]) + "\n", encoding="utf-8")


def _name(row: str) -> str:
    return row.split("`")[1]


def main(
    names: Annotated[list[str], typer.Argument()] = [*CLAIMS],  # noqa: B006
    repetitions: int = 1000,
    page: Path | None = None,
) -> None:
    """Print how often what is said is right, beside the goals, as Markdown."""
    for name in names:
        say(name)
        claim = CLAIMS[name]
        print(f"\n{claim.measure.__doc__}\n")
        sets = claim.sets(repetitions)
        found: list[Measured] = []
        for measured in claim.measure(sets):
            *head, row = markdown([line(measured)])
            print("\n".join(([] if found else head) + [row]), flush=True)
            found.append(measured)
        if page is not None:
            write(page, name, rows(name, sets, found))


if __name__ == "__main__":
    typer.run(main)
