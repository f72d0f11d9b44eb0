"""Show panels: are several judges together better than the best one?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
    plain_table,
)
from pairbench_ext.core.texts import counted, decimal, listed
from pairbench_ext.runs.comparisons import Comparison, describe_tests
from pairbench_ext.runs.differences import differences_table
from pairbench_ext.runs.panel import Panels, TaskPanel
from pairbench_ext.runs.panel_votes import BEST
from pairbench_ext.runs.score_finding import measure_of
from pairbench_ext.runs.side_by_side import describe_incomplete

_SCALE = (-1.0, 1.0)
_AGREEMENT = (
    Measure(
        "questions",
        "Both readable",
        "Questions to which both judges gave a readable answer.",
        "count",
    ),
    Measure(
        "agreement",
        "Agreement",
        "Share of same answers, among questions to which both judges gave a readable answer.",
        "share",
        scale=(0, 1),
    ),
    Measure(
        "correlation",
        "Spearman",
        "Spearman's correlation between the ratings of the two judges.",
        scale=_SCALE,
    ),
    Measure(
        "kappa",
        "Kappa",
        "Cohen's kappa: agreement of the two judges beyond chance, which is computed from each "
        "judge's own base rates.",
        scale=_SCALE,
        main=True,
    ),
    Measure(
        "alpha",
        "Alpha",
        "Krippendorff's alpha: agreement of the two judges beyond chance, which is computed from "
        "their common base rates.",
        scale=_SCALE,
    ),
    Measure(
        "error_correlation",
        "Error correlation",
        "Correlation of the two judges' errors. An unreadable answer is an error.",
        scale=_SCALE,
    ),
    Measure(
        "error_consistency",
        "Error consistency",
        "How often both judges are right or both wrong, beyond chance (Geirhos et al.).",
        scale=_SCALE,
    ),
    Measure(
        "same_error",
        "Same wrong answer",
        "Share of same wrong answers, among questions that both judges answer wrongly.",
        "share",
        scale=(0, 1),
    ),
)


def panel_finding(panels: Panels) -> Finding:
    """Return a finding that shows each task's panels, and how often the judges agree."""
    tables = [table for task in panels.tasks for table in _tables(task)]
    best = {
        (task.side.name, number, of_number.in_hindsight)
        for task in panels.tasks
        for number, of_number in task.best.items()
    }
    shown = [pair for pair in panels.comparisons if (pair.task, pair.number, pair.b) in best]
    if shown:
        title = "Panel (A) minus the best judge (B), on the same items"
        tables.append(differences_table(title, shown))
    notes = [describe_tests(panels.comparisons)] if panels.comparisons else []
    notes += (
        f"No panel on {task or 'plain rows'}: {why}." for task, why in panels.not_possible.items()
    )
    return Finding(
        "panel",
        (*describe_incomplete([task.side for task in panels.tasks]), *_says(shown)),
        tuple(tables),
        notes=tuple(notes),
        fields=panels.to_dict(),
    )


def _says(with_best: Sequence[Comparison]) -> Iterator[str]:
    """Yield whether a panel is better than the best single judge, by each number of each task."""
    panels: dict[tuple[str, str, str], list[str]] = {}
    for pair in with_best:
        found = panels.setdefault((pair.task, pair.number, pair.b), [])
        if pair.differs:
            word = "better" if pair.advantage(pair.a).value > 0 else "worse"
            found.append(f"{pair.a} is significantly {word} than the best judge, {pair.b}")
    for (task, number, best), found in panels.items():
        none = f"no panel is significantly different from the best judge, {best}"
        yield f"{task}, {number}: {'; '.join(found) or none}."


def _tables(task: TaskPanel) -> Iterator[FindingTable]:
    side = task.side
    rows: dict[str, dict[str, Quantity]] = {}
    for name, values in task.values.items():
        for judge, value in values.items():
            kind = Quantity("panel" if judge in task.panels else None)
            cells = rows.setdefault(judge, {"kind": kind})
            cells[name] = Quantity(value.value, value.ci95, task.clusters, "cluster")
    yield FindingTable(
        side.name,
        f"{side.name}: judges and panels",
        ("Judge",),
        (
            Measure("kind", "Kind", "Whether the row is a panel or a single judge.", "text"),
            *[measure_of(side.benchmark.number(name)) for name in task.values],
        ),
        tuple(FindingRow((judge,), cells) for judge, cells in rows.items()),
        f"{counted(len(side.names), 'judge')}, {task.questions} questions that all judges were "
        f"asked, {counted(task.clusters, 'cluster')}",
        notes=tuple(_values_notes(task)),
    )
    yield agreement_table(task)


def agreement_table(task: TaskPanel) -> FindingTable:
    """Return a table of the agreement between each pair of judges on a task."""
    name, notes = task.side.name, tuple(_agreement_notes(task))
    rows = ((x.a, x.b, *(getattr(x, column.name) for column in _AGREEMENT)) for x in task.pairs)
    title = f"{name}: agreement of judges"
    return plain_table(f"{name}_agreement", title, ("A", "B"), _AGREEMENT, rows, notes)


def _values_notes(task: TaskPanel) -> Iterator[str]:
    for name, best in task.best.items():
        folds = ", ".join(f"{judge} in {n}" for judge, n in best.picked.items())
        yield (
            f"{BEST} by {name}: {decimal(best.value, 3)}, chosen on other items than those it "
            f"answers here ({sum(best.picked.values())} folds: {folds}). The best judge on all "
            f"items is {best.in_hindsight}; its value there is biased upward."
        )
    if task.weights:
        weights = ", ".join(f"{name} {decimal(weight, 2)}" for name, weight in task.weights.items())
        yield (
            "Weights of the judges' votes (log-odds of accuracy over chance, mean of folds): "
            f"{weights}."
        )
    if not task.panels:
        yield "No panel: two judges have no majority. Add a third judge."
    for name, n in task.ties.items():
        yield f"{name}: a coin decides {counted(n, 'tie')}, so half of them count as right."
    for name, n in task.unusable.items():
        answers = counted(n, "answer", "is")
        yield f"{name}: {answers} unreadable. Each casts no vote in a panel and counts as wrong."
    for name, left in task.side.left_out.items():
        named = listed(left.named, len(left.named), left.questions, "; ")
        yield (
            f"{name}: {left.questions} questions are left out, because not every judge was "
            f"asked: {named}."
        )
    if task.missed is not None:
        missed = listed(task.missed, 10, between="; ")
        items = counted(len(task.missed), "item")
        yield f"All judges are wrong on {items}{': ' if missed else ''}{missed}."


def _agreement_notes(task: TaskPanel) -> Iterator[str]:
    yield (
        f"All judges: kappa {_spell(task.kappa)} (chance by each judge's own base rates), "
        f"Krippendorff's alpha {_spell(task.alpha)} (chance by one base rate for all)."
    )
    votes = task.effective
    if not votes.n:  # nothing is known to be right
        return
    low, high = votes.interval
    yield (
        f"Effective number of independent votes: {_spell(votes.votes, 2)} of "
        f"{len(task.side.names)} (95% CI {_spell(low, 2)}-{_spell(high, 2)}; mean correlation of "
        f"errors {_spell(votes.correlation)}, {votes.n:,} questions)."
    )


def _spell(value: float, digits: int = 3) -> str:
    return Measure("", "", digits=digits).spell(value)
