"""Write a finding that shows judges' cards: first a summary, then the result of every test."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.runs.card.lines import CardLine, cards_of
from pairbench_ext.runs.card.model import ALPHA, WEIGHTS
from pairbench_ext.runs.compare import compare_shared
from pairbench_ext.runs.comparisons import Comparisons
from pairbench_ext.runs.group_cards import COLUMNS
from pairbench_ext.runs.ranking_finding import ranking_finding
from pairbench_ext.runs.scoring import Judge, Run

_LINE = (
    Measure("value", "Value", "The value that the test measures.", digits=3, main=True),
    Measure("no_bias", "No bias", "The value that a judge without this bias would have.", digits=3),
    Measure("p", "p", "p-value, corrected for all tests of the judge (Holm).", "p"),
    Measure("found", "Found", "What was found.", "text"),
)


_SHARES = ", ".join(f"{name or 'all others'} {share:g}" for name, share in WEIGHTS.items())
_FLAGS = (
    f"For a judge without any problem, the risk of a false flag is at most {ALPHA:.0%} in all. "
    f"The tests share this risk: {_SHARES}."
)


def card_finding(
    judges: Sequence[Judge], compared: Comparisons | None = None, *, everything: bool = False
) -> Finding:
    """Return a finding that shows the cards of judges.

    Args:
        judges: one or more.
        compared: the same judges, if they are compared already.
        everything: whether each task's numbers have a row, with a test or without one.

    Raises:
        RecordError: if judges were asked about different data, or no numbers follow from a run.
    """
    cards = cards_of(judges)
    first = ranking_finding(compared or compare_shared(judges), "card", cards)
    several = len(judges) > 1
    tables = (_table(name, card, everything, detail=several) for name, card in cards.items())
    remarks = (f"{x.name}, {line}" for x in judges for line in _remarks(x.runs.values()))
    return replace(
        first,
        tables=(*first.tables, *tables),
        notes=(*remarks, *(() if several else _controls(judges)), *first.notes),
        details=(*(_controls(judges) if several else ()), _FLAGS),
        fields={
            "alpha": ALPHA,
            "weights": {name or "other": weight for name, weight in WEIGHTS.items()},
            "cards": cards,
            **{
                name: {
                    judge.name: {run.name: getattr(run, name) for run in judge.runs.values()}
                    for judge in judges
                }
                for name in ("asked", "controls")
            },
        },
    )


def _controls(judges: Sequence[Judge]) -> Iterator[str]:
    """Yield what a judge reaches in each run's task that does not do what is asked."""
    for judge in judges:
        for run in judge.runs.values():
            for reached in run.controls[:1]:
                yield f"{judge.name}, {run.name}: {reached.describe()}"


def _table(judge: str, card: Sequence[CardLine], everything: bool, *, detail: bool) -> FindingTable:
    rows = tuple(_row(line) for line in (card if everything else _in_short(card)))
    return FindingTable(
        f"card_{judge}", f"{judge}: every test", ("Aspect", "Test", "Task"), _LINE, rows,
        notes=tuple(_not_measured(card)), detail=detail,
    )  # fmt: skip


def _row(line: CardLine) -> FindingRow:
    cells = {
        "value": Quantity(line.value, (line.low, line.high), line.n, problem=line.flag),
        "no_bias": Quantity(line.fair),
        "p": Quantity(line.p),
        "found": Quantity(line.verdict.removeprefix(f"{line.title}: ")),
    }
    return FindingRow((COLUMNS[line.aspect].title, line.title, line.task), cells)


def _in_short(card: Sequence[CardLine]) -> Iterator[CardLine]:
    """Yield the tests of all tasks, the problems, and of an aspect without tests its numbers."""
    tested = {line.aspect for line in card if line.null}
    together = {(line.aspect, line.title) for line in card if len(line.tasks) > 1}
    for line in card:
        single = len(line.tasks) == 1 and (line.aspect, line.title) in together
        if line.flag or (line.task and not single and (line.null or line.aspect not in tested)):
            yield line


def _not_measured(card: Sequence[CardLine]) -> Iterator[str]:
    tested = {line.aspect for line in card if line.null}
    missing = {x.aspect: x.verdict for x in card if not x.measured and x.aspect not in tested}
    for aspect, verdict in missing.items():
        yield f"{COLUMNS[aspect].title}: {verdict}."


def _remarks(runs: Iterable[Run]) -> Iterator[str]:
    """Yield how much of their tasks runs hold, what was left out or failed, distributions."""
    for run in runs:
        for line in (
            *run.asked.describe(),
            *run.remarks_on_samples(),
            *(run.distributions.describe() if run.distributions else ()),
        ):
            yield f"{run.name}: {line}"
