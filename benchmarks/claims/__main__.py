"""The command `python -m benchmarks.claims`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.claims import CLAIMS
from benchmarks.common import say


def main(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"Some of: {', '.join(CLAIMS)}.")
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Simulated cases of each kind.")] = 1000,
) -> None:
    """Print how often what is said is right, beside the goals, as Markdown."""
    for name in names or CLAIMS:
        say(name)
        print(f"\n{CLAIMS[name].__doc__}\n\n| judges | | share | goal |\n| --- | --- | --- | --- |")
        for case, what, found, least, most in CLAIMS[name](repetitions):
            goal = f">= {least:.0%}" if least else f"<= {most:.0%}" if most < 1 else ""
            print(f"| {case} | {what} | {found:.1%} | {goal} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
