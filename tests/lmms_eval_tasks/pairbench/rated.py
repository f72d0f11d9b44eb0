"""Ratings for tests, and the tables of them."""

from dataclasses import dataclass
from typing import Any

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.ratings import rating


@dataclass(frozen=True)
class Rated:
    """A rating by its fields."""

    row: Any
    pair: str
    condition: str
    order: str
    template: int
    truth: float
    value: float | None
    order_shown: bool | None = None
    rule: str = "careful"
    reply: int | None = None
    config: str = ""
    split: str = ""
    transformed: str = ""

    @property
    def outcome(self):
        measured = {"rule": self.rule, "order_shown": self.order_shown, "reply": self.reply}
        known = {name: value for name, value in measured.items() if value is not None}
        return rating(vars(self), self.value, known)


def rated_table(ratings, **options):
    return BENCHMARK.table([one.outcome for one in ratings], **options)
