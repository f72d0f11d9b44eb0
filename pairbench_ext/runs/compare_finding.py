"""Write a finding that compares judges: a summary, then each metric for each pair of judges."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity, slug
from pairbench_ext.core.texts import counted
from pairbench_ext.runs import placing
from pairbench_ext.runs.comparisons import (
    Comparison,
    Comparisons,
    Ranking,
    describe_large_clusters,
    describe_tests,
)
from pairbench_ext.runs.differences import differences_table
from pairbench_ext.runs.gate import Gate
from pairbench_ext.runs.ranking_finding import ranking_finding

MOST_PAIRS = 60  # differences of a table; the JSON has all
_OWN = Measure(
    "own", "On all of its items", "The judge's number over all items that it was asked.", digits=3
)


def compare_finding(
    compared: Comparisons, rule: str | None = None, gate: Gate | None = None
) -> Finding:
    """Return a finding that shows the comparisons between judges.

    Args:
        compared: the judges.
        rule: that replies were read by; None for the settings of the runs.
        gate: what the gate says of two judges, if it was asked.
    """
    placed = placing.of_rankings(compared, rule)
    first = ranking_finding(compared)
    shown = _shown(compared.every)
    return replace(
        first,
        says=(*(gate.describe() if gate else ()), *first.says),
        tables=(
            *first.tables,
            *map(_ranking, compared.rankings),
            differences_table("Differences", shown, detail=True),
        ),
        notes=(*describe_large_clusters(compared.every), *first.notes),
        details=(*_notes(compared, len(shown)), *placing.describe(placed)),
        fields=(
            ({"gate": gate} if gate else {})
            | compared.to_dict()
            | ({"reference": placed} if placed else {})
        ),
    )


def _shown(pairs: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of main numbers, then the others; of many, those with the lowest p."""
    shown = sorted(pairs, key=lambda pair: not pair.headline)
    if len(shown) > MOST_PAIRS:
        shown.sort(key=lambda pair: (not pair.headline, math.isnan(pair.p_holm), pair.p_holm))
    return shown[:MOST_PAIRS]


def _ranking(ranking: Ranking) -> FindingTable:
    """Return one number of all judges, on the items of all, and on each one's own."""
    where = counted(ranking.items, "common item") if ranking.items else "own items"
    number = Measure(ranking.number, ranking.title, better=ranking.better, digits=3, main=True)
    letters = Measure(
        "ties", "Ties", "Judges that share a letter do not differ significantly.", "text"
    )
    rows = []
    for judge, value in ranking.values.items():
        cells = {
            number.name: Quantity(value.value, value.ci95, ranking.items),
            letters.name: Quantity(ranking.letters.get(judge) or None),
        }
        if judge in ranking.own:
            on_own = ranking.own[judge]
            cells[_OWN.name] = Quantity(on_own.value.value, on_own.value.ci95, on_own.items)
        rows.append(FindingRow((judge,), cells))
    return FindingTable(
        slug(f"{ranking.task} {ranking.number}"),
        f"{ranking.task}: {ranking.title}",
        ("Judge",),
        (letters, number, _OWN),
        tuple(rows),
        where,
        detail=True,
    )


def _notes(compared: Comparisons, shown: int) -> Iterator[str]:
    if shown < len(compared.every):
        total = len(compared.every)
        yield f"{shown:,} of {total:,} comparisons are shown, lowest p first. --json has all."
    yield f"{describe_tests(compared.every)}."
    untested = {comparison.number for comparison in compared.every if math.isnan(comparison.p)}
    if untested:
        yield (
            f"Without interval and p-value: {', '.join(sorted(untested))} (undefined, too few "
            "items, or the number cannot be resampled)."
        )
    for side in compared.sides:
        for judge, split in side.noise.items():
            for line in split.describe(str(side.benchmark.headline)):
                yield f"{side.name}, {judge}: {line}."
