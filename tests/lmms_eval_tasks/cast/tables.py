"""Lists and confirmations written down by hand, as tables of outcomes."""

from dataclasses import dataclass, replace
from itertools import product

from lmms_eval_tasks.cast.confirmations import (
    CONFIRMATION,
    LIST,
    MODALITIES,
    PROMPTS,
    confirmations,
)
from pairbench_ext.core.benchmark import OutcomeTable


@dataclass(frozen=True)
class Confirmation:
    pair: int | str
    generated: str
    position: int
    evaluated: str
    prompt: str
    value: int | None = None
    swapped: bool = False
    rule: str = ""

    @property
    def outcome(self):
        return CONFIRMATION.outcome(self.__dict__, self.value, measured={"rule": self.rule})


@dataclass(frozen=True)
class Generation:
    pair: int | str
    generated: str
    statements: int | None = None
    swapped: bool = False

    @property
    def outcome(self):
        return LIST.outcome(self.__dict__, self.statements)


def answered(value, pairs, positions=3, swapped=(False, True)):
    """All that CAST asks, answered by a function of the confirmation without its value."""
    places = range(1, positions + 1)
    asked = product(range(pairs), MODALITIES, places, MODALITIES, PROMPTS, [None], swapped)
    records = [Confirmation(*one) for one in asked]
    return [replace(record, value=value(record)) for record in records]


def table_of(records, pool=None):
    return OutcomeTable((getattr(one, "outcome", one) for one in records), {"pool": pool})


def confirmations_of(records, pool=None):
    return confirmations(table_of(records, pool))
