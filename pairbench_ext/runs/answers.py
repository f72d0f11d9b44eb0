"""Outcomes as answers to questions that all judges are asked alike."""

from __future__ import annotations

from typing import Any

from pairbench_ext.core.benchmark import Benchmark, Outcome


def answer_of(benchmark: Benchmark, outcome: Any) -> Outcome | None:
    """Return an outcome that answers a question; None for texts, which answer none."""
    if isinstance(outcome, Outcome):
        return None if outcome.kind == "text" else outcome
    assert not isinstance(benchmark.answers, str)
    chosen = benchmark.answers.answer(outcome)  # of a benchmark with outcomes of another class
    return Outcome(
        "chosen",
        chosen.item,
        chosen.said,
        chosen.right,
        order=chosen.order or ("rev" if chosen.reverse else "fwd"),
        repeat=chosen.repeat,
        options=chosen.options,
        longer=chosen.longer,
        people=chosen.people,
    )


def condition_of(rating: Outcome) -> str:
    """Return the condition or aspect of a rating: its variant without the template."""
    return " ".join(str(part) for name, part in rating.variant.items() if name != "template")
