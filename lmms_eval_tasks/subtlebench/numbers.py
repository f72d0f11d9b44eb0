"""The numbers of VLM-SubtleBench's multiple choice, declared once.

Paper: VLM-SubtleBench, Section 4.1 (accuracy), Table 2 (types of difference), Table 10 (domains),
Table 13 (sources). Its AVG is over questions: Table 2 follows so from Tables 7 and 13. Names are
those of the data: the paper's "Industry" is `industrial` there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lmms_eval_tasks.subtlebench import paper
from lmms_eval_tasks.subtlebench.choice_accuracy import (
    accuracy,
    accuracy_by,
    accuracy_with_interval,
    coverage,
    part,
    random_guess,
)
from lmms_eval_tasks.subtlebench.choice_bias import (
    accuracy_both_orders,
    accuracy_both_orders_of_pairs,
    by_letter,
    consistency,
    consistency_of_pairs,
    first_option_rate,
    letter_bias,
)
from lmms_eval_tasks.subtlebench.choice_cells import cells_table
from lmms_eval_tasks.subtlebench.choices import Choice, ChoiceTable
from lmms_eval_tasks.subtlebench.items import DOMAINS, SYNTHETIC, TYPES
from pairbench_ext.core.benchmark import Breakdown, Number
from pairbench_ext.runs.scoring import Run

_TYPES = "accuracy by type of difference (Table 2)"
_DOMAINS = "accuracy by domain, as the data name it"
_ANSWERS = "what the answers are"
_ORDERS = "options in both orders"


def _accuracy_of(name: str, title: str, field: str, value: str, section: str) -> Number:
    """Accuracy over the answers of which a field has a value."""

    def of(table: ChoiceTable) -> float:
        return accuracy(part(table, field, value))

    def right(choice: Choice) -> bool | None:
        return choice.right if getattr(choice, field) == value else None

    return Number(name, title, of, section=section, per_trial=right)


def _by_type() -> Iterator[Number]:
    for name, title in TYPES.items():
        yield _accuracy_of(f"accuracy_{name}", title, "category", name, _TYPES)
    yield Number(
        "accuracy",
        "AVG",
        accuracy,
        section=_TYPES,
        per_trial=lambda choice: choice.right,
        interval=lambda table: accuracy_with_interval(table).interval,
    )


def _by_domain() -> Iterator[Number]:
    for name in DOMAINS:
        yield _accuracy_of(f"domain_{name}", name, "domain", name, _DOMAINS)


def _count(name: str, title: str, of: Callable[[ChoiceTable], int]) -> Number:
    return Number(name, title, of, "count", None, _ANSWERS)


NUMBERS = (
    *_by_type(),
    *_by_domain(),
    Number(
        "coverage",
        "coverage",
        coverage,
        section=_ANSWERS,
        per_trial=lambda choice: choice.usable,
    ),
    Number("random_guess", "random guess", random_guess, "mean", None, _ANSWERS),
    Number("letter_bias", "letter bias", letter_bias, "mean", "lower", _ANSWERS),
    _count("items", "questions", lambda table: len(table.labels("item"))),
    _count("pairs", "pairs", lambda table: len(table.labels("pair"))),
    _count("answers", "answers", len),
    _count(
        "items_both_orders",
        "questions in both orders",
        lambda table: len({one.item for one, _ in table.both_orders()}),
    ),
    Number(
        "consistency",
        "same option in both",
        lambda table: consistency(table).value,
        section=_ORDERS,
        clustered=consistency_of_pairs,
        interval=lambda table: consistency(table).interval,
    ),
    Number(
        "accuracy_both_orders",
        "right in both",
        accuracy_both_orders,
        section=_ORDERS,
        clustered=accuracy_both_orders_of_pairs,
    ),
    Number("first_option_rate", "says first", first_option_rate, better=None, section=_ORDERS),
)

BREAKDOWNS = (
    Breakdown(
        "by_domain",
        "accuracy by domain (UBC is aerial, as in Table 10)",
        lambda table: accuracy_by(table, "domain_of_table_10"),
        shown=lambda table: len(table.labels("domain_of_table_10")) > 1,
    ),
    Breakdown(
        "by_source",
        "accuracy by source (Table 13)",
        lambda table: accuracy_by(table, "source"),
        shown=lambda table: len(table.labels("source")) > 1,
    ),
    Breakdown("letters", "letters of usable answers", by_letter),
    Breakdown("cells", "accuracy by cell (Figure 5)", cells_table, apart=True),
)


def _beside_the_paper(runs: Sequence[Run]) -> dict[str, dict[str, float]]:
    """Table 2: what random guesses and people have on the authors' data, and the runs.

    Returns:
        Nothing if all images were drawn here.
    """
    if all(choice.source == SYNTHETIC for run in runs for choice in run.table.rows):
        return {}
    columns = {number.name: number.title for number in _by_type()}
    printed = {
        f"{who} (paper)": {t: paper.reference(name)[who] for name, t in columns.items()}
        for who in (paper.RANDOM, paper.HUMAN)
    }
    ours = {run.name: {t: run.numbers[name] for name, t in columns.items()} for run in runs}
    return {**printed, **ours}


ACROSS = (Breakdown("table_2", "beside the paper's random guesses and people", _beside_the_paper),)
