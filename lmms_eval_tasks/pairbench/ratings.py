"""Similarity ratings of pairs: their logged fields, how replies are read, and tables."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from lmms_eval_tasks.pairbench.prompts import ASKS
from pairbench_ext.core.benchmark import Exchange, Outcome, OutcomeFields, OutcomeTable, Reading
from pairbench_ext.core.readers import first_reply, parse
from pairbench_ext.core.requests import Trial
from pairbench_ext.core.table import once_per_table
from pairbench_ext.statistics.seeds import stable_hash

Condition: TypeAlias = Literal["sens", "inv"]
Order: TypeAlias = Literal["fwd", "rev"]
FloatArray: TypeAlias = npt.NDArray[np.float64]
CONDITIONS: tuple[Condition, ...] = ("sens", "inv")
ORDERS: tuple[Order, ...] = ("fwd", "rev")
# Which of the two images of a pair are transformed, in the order of the data.
TRANSFORMED = {
    (False, False): "none",
    (True, False): "first",
    (False, True): "second",
    (True, True): "both",
}

GRAMMAR = "rating"
LOWEST, HIGHEST = 1, 10  # the paper's V = [1, 10]
INVALID = -1.0  # what MMScore counts an unusable answer as (Section 2.2)
EPS = 1.0  # of the headline RelaxSym
PAPER, AUTHORS = "paper", "authors"  # whose definitions; AUTHORS is also a rule of the grammar
# Greedy replies to one prompt are not always the same to the letter: batches change rounding.
SAME_PROMPT = 0.95


@dataclass(frozen=True)
class RatingRow:
    """The fields of a judge's rating, in logs and plain JSONL files.

    Attributes:
        row: which source row.
        pair: which pair of that row, such as "identical".
        condition: that the prompt states.
        order: in which the pair was shown.
        truth: the ground-truth similarity.
        template: which prompt template.
        image_text: whether the pair is an image and a text.
        protocol: of the backend; a simple one cannot show a text before an image.
        config, split: of the data set, where people may have rated the same pairs.
        transformed: which image of a balanced pair is transformed; empty for the paper's pairs.
    """

    row: int | str
    pair: str
    condition: Condition
    order: Order
    truth: Annotated[float, Ge(0)]  # NDCG has no gain for a negative one
    template: int = 0
    image_text: bool = False
    protocol: Literal["simple", "chat"] | None = None
    config: str = ""
    split: str = ""
    transformed: Literal["", "none", "first", "second", "both"] = ""


FIELDS = OutcomeFields(
    "rated",
    RatingRow,
    item=("row", "pair"),
    cluster="row",
    variant=("condition", "template"),
    facets=("config", "split", "transformed"),
    scale=(1, 10),
)


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """Return the rating in a judge's reply, and the rule that read it.

    `answer` may lie outside 1 to 10, where what is said is None. Of an image and a text, `reply`
    is a digest, and `order_shown` is False if the backend cannot show a text before an image.
    """
    exchange = first_reply(exchanges)
    value: Any
    value, why = parse(GRAMMAR, exchange, rule, ASKS)
    if value is not None and value < 0:  # the authors' -1
        value, why = None, "no number"
    measured: dict[str, Any] = {"rule": rule, "answer": None if value is None else _as_float(value)}
    if trial["image_text"] and trial.get("protocol") == "simple":
        measured["order_shown"] = False
    elif trial["image_text"]:
        measured["reply"] = None if exchange.failed else stable_hash(0, exchange.reply)
    unusable = () if value is not None else (why or "no number",)
    return Reading(
        outcomes=(rating(trial, measured.pop("answer"), measured),),
        log={"said": value, "unusable": unusable[0] if unusable else None},
        unusable=unusable,
        failed=int(exchange.failed),
    )


def rating(
    trial: Mapping[str, Any], answer: float | None, measured: Mapping[str, Any] | None = None
) -> Outcome:
    """Return the outcome of a numeric answer; only answers from 1 to 10 are readable."""
    usable = answer is not None and LOWEST <= answer <= HIGHEST
    fields = {**(measured or {}), "answer": answer}
    trial = {"transformed": "", **trial}  # of the paper's pairs, it follows from the kind
    return FIELDS.outcome(trial, answer if usable else None, measured=fields)


def _as_float(value: float) -> float:
    """Return a number as a float; the largest float for a number of hundreds of digits.

    >>> _as_float(8), _as_float(10**400) == sys.float_info.max
    (8.0, True)
    """
    return float(max(-sys.float_info.max, min(sys.float_info.max, value)))


def of_panel(outcomes: Sequence[Outcome], rating: float | None) -> Outcome:
    """Return the outcome of a panel of judges, with the panel's rating of a pair.

    The orders count as not shown if one of the judges was not shown them.
    """
    measured = {**outcomes[0].measured, "answer": rating}
    if any(outcome.measured.get("order_shown") is False for outcome in outcomes):
        measured["order_shown"] = False
    return replace(outcomes[0], said=rating, measured=measured)


@once_per_table
def definitions(table: OutcomeTable) -> str:
    """Return whose definitions of the metrics apply to a table: "paper" or "authors"."""
    pool = table.options.get("pool")
    if pool is None:
        pool = AUTHORS if {row.measured.get("rule") for row in table} == {AUTHORS} else PAPER
    return AUTHORS if pool == AUTHORS else PAPER


def with_orders_known(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes, with a note in those of image-text pairs: were both orders shown?"""
    shown = share_of_same_replies(outcomes) < SAME_PROMPT
    return [_settled(row, shown) if "reply" in row.measured else row for row in outcomes]


def _settled(outcome: Outcome, shown: bool) -> Outcome:
    kept = {name: value for name, value in outcome.measured.items() if name != "reply"}
    return replace(outcome, measured={"order_shown": shown, **kept})


def share_of_same_replies(outcomes: Iterable[Outcome]) -> float:
    """Return the share of image-text trials whose replies in both orders are equal.

    Simple backends cannot show a text before an image. A chat backend may still move the image to
    the front (its model's template does); then both orders are one prompt and, decoded greedily,
    get the same reply. So if nearly all trials have the same reply in both orders, the orders count
    as not shown, and RelaxSym as not measurable. (A judge that always writes the same words is
    called not measurable, too.) Failed requests are left out.
    """
    replies: dict[Any, dict[Any, int]] = {}
    for outcome in outcomes:
        reply = outcome.measured.get("reply")
        if reply is not None and "order_shown" not in outcome.measured:
            replies.setdefault(outcome.item_and_variant, {})[outcome.order] = reply
    same = [len(set(both.values())) == 1 for both in replies.values() if len(both) == len(ORDERS)]
    return sum(same) / len(same) if same else 0.0


# --- Columns


def usable(table: OutcomeTable) -> npt.NDArray[np.bool_]:
    """Return, for each rating, whether it could be read, shape (n,)."""
    return ~np.isnan(table.column("said"))


def filled(table: OutcomeTable) -> FloatArray:
    """Return the ratings, shape (n,); unreadable ratings count as -1 (Section 2.2).

    Of a reward model's numbers, which may be lower, an unusable one is below all.
    """
    below = min(0.0, np.fmin.reduce(table.column("said"), initial=0.0)) + INVALID
    return np.where(usable(table), table.column("said"), below)


def answers(table: OutcomeTable) -> FloatArray:
    """Return the numbers read from replies, shape (n,); -1 for a reply without a number."""
    return np.array(
        [INVALID if row["answer"] is None else row["answer"] for row in table], dtype=np.float64
    )


@once_per_table
def under(table: OutcomeTable, condition: Condition) -> OutcomeTable:
    """Return the table's ratings under one condition.

    Raises:
        ValueError: if there is no such condition.
    """
    if condition not in CONDITIONS:
        raise ValueError(f"unknown condition {condition!r}; known: {', '.join(CONDITIONS)}")
    return table.where(lambda row: row.variant["condition"] == condition)


def conditions(table: OutcomeTable) -> list[Condition]:
    """Return the conditions under which the table has ratings, in the order of `CONDITIONS`."""
    return [condition for condition in CONDITIONS if len(under(table, condition))]


@once_per_table
def of_template(table: OutcomeTable, template: int) -> OutcomeTable:
    """Return the table's ratings that were asked for with one prompt template."""
    return table.where(lambda row: row.variant["template"] == template)


@once_per_table
def both_orders(table: OutcomeTable) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the indices of `fwd` and of `rev` ratings, for trials shown in both orders.

    Two arrays of one shape (m,), for m distinct items, conditions and templates.
    """
    # The order is the last sorting key, so the two orders of a trial are neighbours.
    first = [
        place
        for place, pair in enumerate(pairwise(table))
        if pair[0].item_and_variant == pair[1].item_and_variant
        and all(row.measured.get("order_shown") is not False for row in pair)
    ]
    return np.array(first, dtype=np.int64), np.array(first, dtype=np.int64) + 1


def crossed_templates(tables: Sequence[OutcomeTable]) -> list[int]:
    """Return the prompt templates if there are several, each used for every pair; else [].

    Templates drawn per pair were not asked about the same pairs and are not compared.
    """
    templates: list[int] = sorted({row["template"] for table in tables for row in table})
    crossed = len(templates) > 1 and all(
        set(asked_with) == set(templates)
        for table in tables
        for asked_with in _templates_by_question(table).values()
    )
    return templates if crossed else []


@once_per_table
def _templates_by_question(table: OutcomeTable) -> dict[Any, set[int]]:
    by_question: dict[Any, set[int]] = {}
    for row in table:
        key = row.item, row.variant["condition"], row.order
        by_question.setdefault(key, set()).add(row["template"])
    return by_question


def parts(table: OutcomeTable) -> list[OutcomeTable]:
    """Return the tables to average over: one per prompt template, or one of all ratings."""
    return list(by_template(table).values()) or [table]


@once_per_table
def by_template(table: OutcomeTable) -> dict[int, OutcomeTable]:
    """Return the ratings by template; empty unless every pair was asked with every template."""
    return {template: of_template(table, template) for template in crossed_templates([table])}


def is_cut_study(table: OutcomeTable) -> bool:
    """Return whether some, but not all, pairs were asked with several templates.

    A `--limit` can cut a prompt study so; its numbers are then pooled over the templates.
    """
    return len(_templates_by_question(table)) < len(table) and not by_template(table)
