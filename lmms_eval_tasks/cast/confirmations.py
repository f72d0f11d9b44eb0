"""What a model says of its own statements, as one table in whatever order it arrives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from pairbench_ext.core.outcome_table import OutcomeTable, name_key

IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Modality: TypeAlias = Literal["text", "image", "both"]
Wording: TypeAlias = Literal["yes/no", "both/one", "true/false"]
MODALITIES: tuple[str, ...] = get_args(Modality)
PROMPTS: tuple[str, ...] = get_args(Wording)

AUTHORS = "authors"


@dataclass(frozen=True)
class Confirmation:
    """What the model says of one statement: the reply to a request of step "evaluate".

    Attributes:
        pair: the pair of scenes that is shown.
        generated: the modality that the statement was generated from.
        position: place of the statement in its list, from 1.
        evaluated: the modality that the scenes are shown in.
        prompt: the answers that the prompt asks for.
        value: 1 if the model confirms the statement, 0 if not; None if the reply is unusable.
        swapped: whether the statement was generated from another pair of scenes.
        rule: which rule read the reply.
    """

    pair: int | str
    generated: Modality
    position: Annotated[int, Ge(1)]
    evaluated: Modality
    prompt: Wording
    value: Literal[0, 1] | None = None
    swapped: bool = False
    rule: str = ""


@dataclass(frozen=True)
class Generation:
    """A list of statements: the reply to a request of step "generate".

    Attributes:
        pair: the pair of scenes that is shown.
        generated: the modality that they are shown in.
        statements: how many the list has; None if the request failed.
        swapped: whether it was asked for once more, to be evaluated for another pair.
    """

    pair: int | str
    generated: Modality
    statements: Annotated[int, Ge(0)] | None = None
    swapped: bool = False


class Incomplete(NamedTuple):
    """A document with replies to some of its requests only, or to more than there are."""

    pair: int | str
    generated: str
    swapped: bool


Outcome: TypeAlias = Confirmation | Generation | Incomplete


class ConfirmationTable(OutcomeTable[Confirmation]):
    """All that a model says in one run.

    Args:
        outcomes: in any order. Lists that were asked for once more, or not answered, do not count.
        pool: "paper" or "authors" (see `consistency`); None as the rule that read the replies.

    Raises:
        ValueError: if two confirmations of one statement, or two lists, contradict each other.
    """

    def __init__(self, outcomes: Iterable[Outcome], pool: str | None = None) -> None:
        given = list(outcomes)
        confirmations = (one for one in given if isinstance(one, Confirmation))
        super().__init__(
            confirmations, ("pair", "swapped", "generated", "evaluated", "position", "prompt")
        )
        rules = {one.rule for one in self.rows}
        self.pool = pool or (AUTHORS if rules == {AUTHORS} else "paper")
        lists = (one for one in given if isinstance(one, Generation))
        known = (one for one in lists if one.statements is not None and not one.swapped)
        self.generations: OutcomeTable[Generation] = OutcomeTable(known, ("pair", "generated"))
        self.incomplete = {one for one in given if isinstance(one, Incomplete)}

    @cached_property
    def pairs(self) -> tuple[int | str, ...]:
        """The m pairs that were asked about, or that a list was generated from, sorted."""
        rows: list[Any] = [*self.rows, *self.generations.rows]
        return tuple(sorted({row.pair for row in rows}, key=name_key))

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """The positions that occur, sorted."""
        return tuple(self.labels("position"))

    @cached_property
    def places(self) -> tuple[IntArray, ...]:
        """Each of shape (n,): the cell of each confirmation in an array of `shape`."""
        levels: dict[str, Sequence[Any]] = {
            "pair": self.pairs,
            "generated": MODALITIES,
            "evaluated": MODALITIES,
            "position": self.positions,
            "prompt": PROMPTS,
        }
        index = {field: {level: n for n, level in enumerate(levels[field])} for field in levels}
        return tuple(
            np.array([place[getattr(row, field)] for row in self.rows], dtype=np.int64)
            for field, place in index.items()
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """How many pairs, generating and evaluating modalities, positions and prompts there are."""
        return len(self.pairs), len(MODALITIES), len(MODALITIES), len(self.positions), len(PROMPTS)

    @property
    def swapped(self) -> BoolArray:
        """Shape (n,): whether the statement is of another pair."""
        return self.column("swapped")

    @cached_property
    def confirmed(self) -> BoolArray:
        """Shape (n,): whether the reply confirms the statement."""
        return np.array([row.value == 1 for row in self.rows], dtype=np.bool_)

    @cached_property
    def usable(self) -> BoolArray:
        """Shape (n,): whether the reply confirms or denies the statement."""
        return np.array([row.value is not None for row in self.rows], dtype=np.bool_)
