"""A judge beside human raters and beside the paper's tables: tables, and all of it in Markdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lmms_eval_tasks.viescore.agreement import Agreement
from lmms_eval_tasks.viescore.correlations import ALL_TASKS, order
from lmms_eval_tasks.viescore.judgments import ASPECTS
from lmms_eval_tasks.viescore.paper import PrintedComparison, Verdict
from pairbench_ext.show.cli.console import cell

UNDERSTATED = (
    "The paper calls its averages Fisher's, but they are tanh(mean(r)), without the arctanh. That "
    "pulls them towards 0, the more so the higher they are: human raters come out at "
    "0.470 / 0.412 / 0.456 (SC / PQ / O) instead of 0.683 / 0.548 / 0.650, and so much nearer to "
    "every judge than they are."
)
_VERDICTS: dict[Verdict, str] = {
    "reproduced": "equal to the last printed digit",
    "averages a misprint": "the average of printed numbers of which some do not follow from the "
    "judgments; the recorded one is right",
    "differs": "does not follow from the judgments",
    "not recorded": "nothing is recorded that it could be compared with",
}
_HOW = (
    "Printed numbers are compared with what the recorded judgments give by the paper's own "
    "conventions: averages are tanh(mean(r)), every stage is rounded to four decimals, random "
    "guesses are kept, and ties of O are broken by the last bit of a sum over raters. The tables "
    "above do none of that."
)
_AVERAGED = (
    "Correlations over image models, then over tasks; in brackets 95% intervals by bootstrap over "
    "samples. A human rater is compared with the mean of the others."
)
_COMPARED = (
    "whose",
    "task",
    "image model",
    "aspect",
    "statistic",
    "printed",
    "recorded",
    "verdict",
)


class ReportTable(NamedTuple):
    """A table of the report.

    Attributes:
        title: above it.
        columns: at the head of each.
        rows: their cells.
        names: how many of the columns, the first ones, hold names.
        texts: what stands between title and table.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    names: int
    texts: tuple[str, ...] = ()

    def markdown(self, level: str) -> list[str]:
        """Its paragraphs."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        shown = "\n".join("| " + " | ".join(map(_escaped, line)) + " |" for line in lines)
        return [f"{level} {self.title}", *self.texts, shown]


def tables(found: Agreement) -> tuple[ReportTable, ...]:
    """What is said of a judge beside human raters."""
    return _averages(found), _rankings(found), _image_models(found)


def report(
    judge: str,
    found: Agreement,
    comparisons: Sequence[PrintedComparison],
    notes: Iterable[str] = (),
) -> str:
    """The report on one judge.

    Args:
        judge: its name, for the title.
        found: its agreement with humans.
        comparisons: its numbers in the paper, and those of humans; empty if it has none.
        notes: what else should be known, a sentence each.

    Returns:
        Markdown, ending with a line break.
    """
    parts = [f"# VIEScore: {judge} beside human raters", "\n".join(f"- {note}" for note in notes)]
    for table in tables(found):
        parts += table.markdown("##")
    if comparisons:
        parts += _verdicts(comparisons).markdown("##")
        for number in sorted({one.printed.table for one in comparisons}):
            rows = [_compared(one) for one in comparisons if one.printed.table == number]
            parts += ReportTable(f"Table {number}", _COMPARED, rows, 5).markdown("###")
    return "\n\n".join(part for part in parts if part) + "\n"


def _averages(found: Agreement) -> ReportTable:
    kinds = (
        ("true Fisher average", found.means["fisher"]),
        ("human raters, true Fisher average", found.human_means["fisher"]),
        ("the authors' average", found.means["authors"]),
        ("human raters, the authors' average", found.human_means["authors"]),
    )
    rows = []
    for task in (*(ranking.task for ranking in found.rankings), ALL_TASKS):
        for position, (kind, means) in enumerate(kinds):
            cells = [cell(means[task, aspect, "spearman"], 4) for aspect in ASPECTS]
            if position == 0:
                ends = [found.intervals.averages[task, aspect] for aspect in ASPECTS]
                cells = [
                    one if math.isnan(end.low) else f"{one} ({end.low:.3f} to {end.high:.3f})"
                    for one, end in zip(cells, ends, strict=True)
                ]
            rows.append((task, kind, *cells))
    return ReportTable(
        "Spearman's correlation, averaged",
        ("task", "average", *ASPECTS),
        rows,
        2,
        (UNDERSTATED, _AVERAGED),
    )


def _rankings(found: Agreement) -> ReportTable:
    rows = [
        (one.task, cell(one.footrule, 0), cell(one.rho, 2), order(one.judge), order(one.human))
        for one in found.rankings
    ]
    columns = ("task", "footrule", "rho", "judge's order", "humans' order")
    return ReportTable("Image models by mean O", columns, rows, 1)


def _image_models(found: Agreement) -> ReportTable:
    rows = [
        (*key, str(n), *(cell(values[aspect], 4) for aspect in ASPECTS))
        for key, (n, values) in found.by_image_model().items()
    ]
    columns = ("task", "image model", "n", *ASPECTS)
    return ReportTable("Spearman's correlation by image model", columns, rows, 2)


def _verdicts(comparisons: Sequence[PrintedComparison]) -> ReportTable:
    counts = Counter(one.verdict for one in comparisons)
    return ReportTable(
        "The paper's numbers",
        ("verdict", "numbers", "meaning"),
        [(v, str(counts[v]), meaning) for v, meaning in _VERDICTS.items() if counts[v]],
        1,
        (
            _HOW,
            f"{counts['reproduced']} of {len(comparisons)} printed numbers are reproduced.",
        ),
    )


def _compared(one: PrintedComparison) -> tuple[str, ...]:
    printed = one.printed
    digits = len(printed.value.partition(".")[2])
    verdict = f"{one.verdict} ({printed.note})" if printed.note else one.verdict
    return (*printed[1:6], printed.value, cell(one.computed, digits), verdict)


def _escaped(text: str) -> str:
    """Names come from files and may hold anything."""
    return " ".join(text.replace("|", "\\|").split())
