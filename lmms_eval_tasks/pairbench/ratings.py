"""Rated pairs as one table: the same numbers whatever order the ratings arrive in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcome_table import OutcomeTable

Condition: TypeAlias = Literal["sens", "inv"]
Order: TypeAlias = Literal["fwd", "rev"]
CONDITIONS: tuple[Condition, ...] = ("sens", "inv")
ORDERS: tuple[Order, ...] = ("fwd", "rev")

LOWEST, HIGHEST = 1, 10  # the paper's V = [1, 10]
INVALID = -1.0  # what MMScore counts an unusable answer as (Section 2.2)
# Greedy replies to one prompt are not always the same to the letter: batches change rounding.
SAME_PROMPT = 0.95


@dataclass(frozen=True)
class Rating:
    """One rated trial.

    Attributes:
        row: which source row.
        pair: which pair of that row, such as `"identical"`.
        condition: `"sens"` or `"inv"`.
        order: `"fwd"` or `"rev"`.
        template: which prompt template.
        truth: the ground-truth similarity.
        value: what the model answered; None if the answer could not be used.
        order_shown: whether the backend could show this order. False where it cannot put the text
            before the image, so that both "orders" were one prompt; None where nothing is known to
            be wrong.
        reply: digest of the reply, where it tells whether the order was shown: pairs of an image
            and a text, on a backend that could show it. None for all others.
        rule: which rule read the answer.
        config, split: of the data set that the row is from; empty where the log does not say.
    """

    row: int | str
    pair: str
    condition: Condition
    order: Order
    template: int
    truth: float
    value: float | None
    order_shown: bool | None = None
    reply: int | None = field(default=None, compare=False)
    rule: str = ""
    config: str = field(default="", compare=False)
    split: str = field(default="", compare=False)

    @property
    def asked(self) -> tuple[int | str, str, str, int]:
        """What is asked in both orders."""
        return self.row, self.pair, self.condition, self.template

    @property
    def valid(self) -> bool:
        """Whether the value is in [1, 10]; None and anything outside are not."""
        return self.value is not None and LOWEST <= self.value <= HIGHEST

    @property
    def closeness(self) -> float:
        """1 where the value is the truth, 0 where it is at the other end, or not valid."""
        if not self.valid:
            return 0.0
        assert self.value is not None
        return 1 - abs(self.value - self.truth) / (HIGHEST - LOWEST)


class RatingTable(OutcomeTable[Rating]):
    """Ratings sorted by (row, pair, condition, template, order), each trial once.

    `same_replies` settles whether the orders of image-text pairs were shown, where that is not
    known: `order_shown` of these is then True or False.

    Raises:
        ValueError: if a trial was rated twice, differently.
    """

    def __init__(self, ratings: Iterable[Rating]) -> None:
        super().__init__(ratings, ("row", "pair", "condition", "template", "order"))
        self.same_replies = share_of_same_replies(self.rows)
        if not math.isnan(self.same_replies):
            shown = self.same_replies < SAME_PROMPT
            self.rows = [replace(r, order_shown=shown) if _is_open(r) else r for r in self.rows]

    @cached_property
    def truth(self) -> npt.NDArray[np.float64]:
        """Shape (n,)."""
        return self.column("truth").astype(np.float64)

    @cached_property
    def value(self) -> npt.NDArray[np.float64]:
        """Shape (n,): as answered, NaN where None. May lie outside 1-10."""
        return self.column("value").astype(np.float64)

    @cached_property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the value is in [1, 10]."""
        return np.array([rating.valid for rating in self.rows], dtype=np.bool_)

    @property
    def filled(self) -> npt.NDArray[np.float64]:
        """Shape (n,): the values, -1 where invalid, as MMScore counts them (Section 2.2)."""
        return np.where(self.valid, self.value, INVALID)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions that occur, in the order of `CONDITIONS`."""
        return tuple(name for name in CONDITIONS if len(self.only(name)))

    def only(self, condition: Condition) -> RatingTable:
        """The ratings under one condition.

        Raises:
            ValueError: if there is no such condition.
        """
        if condition not in CONDITIONS:
            raise ValueError(f"unknown condition {condition!r}; known: {', '.join(CONDITIONS)}")
        return self._by_condition[condition]

    @cached_property
    def _by_condition(self) -> dict[str, RatingTable]:
        return {name: self.where(lambda r, c=name: r.condition == c) for name in CONDITIONS}  # type: ignore[misc]

    def of_template(self, template: int) -> RatingTable:
        """The ratings asked with one prompt template."""
        return self.where(lambda rating: rating.template == template)

    @cached_property
    def both_orders(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Positions of `fwd` and of `rev` for each trial that has both, shown as such.

        Two arrays of one shape (m,), for m distinct (row, pair, condition, template).
        """
        # The order is the last sorting key, so the two orders of a trial are neighbours.
        first = [
            place
            for place, (one, other) in enumerate(pairwise(self.rows))
            if one.asked == other.asked and False not in (one.order_shown, other.order_shown)
        ]
        return np.array(first, dtype=np.int64), np.array(first, dtype=np.int64) + 1

    def is_crossed_with(self, templates: Sequence[int]) -> bool:
        """Whether every (row, pair, condition, order) was asked with each of these templates."""
        asked: dict[tuple[Any, ...], set[int]] = {}
        for rating in self.rows:
            key = (rating.row, rating.pair, rating.condition, rating.order)
            asked.setdefault(key, set()).add(rating.template)
        return all(found == set(templates) for found in asked.values())

    @property
    def is_cut_study(self) -> bool:
        """Whether some pairs were asked with several templates, but not all with all.

        A `--limit` can cut a prompt study so; its numbers are then pooled over the templates.
        """
        asked = {(rating.row, rating.pair, rating.condition, rating.order) for rating in self.rows}
        return len(asked) < len(self) and not crossed_templates([self])


def crossed_templates(tables: Sequence[RatingTable]) -> list[int]:
    """The templates, if there are several and every pair was asked with each; else none.

    Templates drawn per pair were not asked about the same pairs and are not compared.
    """
    templates = sorted({rating.template for table in tables for rating in table.rows})
    crossed = len(templates) > 1 and all(table.is_crossed_with(templates) for table in tables)
    return templates if crossed else []


def share_of_same_replies(ratings: Iterable[Rating]) -> float:
    """Share of image-text trials whose replies to both orders are the same to the letter.

    Simple backends cannot show a text before an image. A chat backend may still move the image to
    the front (its model's template does); then both orders are one prompt and, decoded greedily,
    get the same reply. So if nearly all pairs have the same reply in both orders, the orders count
    as not shown, and RelaxSym as not measurable. (A judge that always writes the same words is
    called not measurable, too.)

    Trials whose orders are known to be shown or not, and failed requests, are left out; NaN without
    any other.
    """
    replies: dict[Any, dict[str, int | None]] = {}
    for rating in ratings:
        if _is_open(rating) and rating.reply != FAILED:
            replies.setdefault(rating.asked, {})[rating.order] = rating.reply
    same = [len(set(both.values())) == 1 for both in replies.values() if len(both) == len(ORDERS)]
    return sum(same) / len(same) if same else math.nan


FAILED = -1  # `Rating.reply` of a request that failed: there was none


def _is_open(rating: Rating) -> bool:
    return rating.reply is not None and rating.order_shown is None
