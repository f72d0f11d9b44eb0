"""What outcomes say, in one form for all benchmarks.

A benchmark says of an outcome which option it names (`Chosen`) or what it rates (`Rated`). From
that follow panels of judges (`panels`), agreement with people (`people`), a judge's card
(`evidence`), which replies are usable, which answers are repeats, and what the report calls the
same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.statistics.kappa import Scale
from pairbench_ext.statistics.means import mean_of_defined

Kind: TypeAlias = Literal["choice", "rating"]
RatersOf: TypeAlias = Callable[[Any], Mapping[str, Any]]

TIE = -1  # in the place of an option: none of them is better
_NOBODY: Mapping[str, Any] = MappingProxyType({})


class Chosen(NamedTuple):
    """An answer that names one of several options.

    What is known of the question is by the order of the data, and so the same however it was asked;
    what was said is by the order shown.

    Attributes:
        item: which question.
        options: how many there are.
        right: the right option, from 0, or `TIE`; None where there is none.
        said: the place, as shown, of the option that was named, from 0, or `TIE`; None if the reply
            is unusable.
        reverse: whether the options were shown in the reverse order.
        longer: the longest option; None if there is none, or nobody counted.
        repeat: which of the answers in that order it is.
        people: what each person says, by name: an option, or `TIE`.
        order: of options that are shuffled, the option at each place; empty for the order of the
            data, or its reverse.
    """

    item: Hashable
    options: int
    right: int | None
    said: int | None
    reverse: bool = False
    longer: int | None = None
    repeat: int = 0
    people: Mapping[str, int] = _NOBODY
    order: tuple[int, ...] = ()

    @property
    def shown(self) -> tuple[int, ...]:
        """The option at each place.

        Raises:
            RecordError: if an order has not each option once.
        """
        if not self.order:
            return tuple(range(self.options)[:: -1 if self.reverse else 1])
        shown = tuple(self.order)
        if set(shown) != set(range(self.options)) or len(shown) != self.options:
            raise RecordError(
                f"item {self.item!r}: 'order' must be of the options 0 to {self.options - 1}, "
                f"each once, not {list(shown)!r:.60}"
            )
        return shown

    @property
    def question(self) -> Hashable:
        """What is asked of all judges alike."""
        return self.item, self.repeat, tuple(self.order) or _order(self.reverse)

    @property
    def option(self) -> int | None:
        """What was said, by the order of the data."""
        return self.said if self.said in (None, TIE) else self.shown[self.said]

    def shown_at(self, option: int | None) -> int | None:
        """The place at which an option is shown; a tie has none."""
        return option if option in (None, TIE) else self.shown.index(option)


class Rated(NamedTuple):
    """A number that something was given.

    Attributes:
        row: source row: what is of one row shares images.
        pair: which of the row's things was rated.
        said: the number; None if the reply is unusable.
        truth: what it should be; None where that is unknown.
        condition: under which, or in which aspect.
        reverse: whether it was shown in the reverse order.
        template: which wording asked.
        people: what each person says, by name.
    """

    row: Hashable
    pair: Hashable
    said: float | None
    truth: float | None
    condition: str = ""
    reverse: bool = False
    template: Hashable = 0
    people: Mapping[str, float] = _NOBODY

    @property
    def value(self) -> float:
        """What was said, of a usable rating."""
        assert self.said is not None
        return self.said

    @property
    def target(self) -> float:
        """The truth, where it is known."""
        assert self.truth is not None
        return self.truth

    @property
    def item(self) -> Hashable:
        """What people rate: the same in all orders and wordings."""
        return self.row, self.pair

    @property
    def question(self) -> Hashable:
        """What is asked of all judges alike."""
        return self.row, self.pair, self.condition, self.template, _order(self.reverse)


def _order(reverse: bool) -> str:
    return "rev" if reverse else "fwd"


@dataclass(frozen=True)
class Answers:
    """How outcomes are answers to questions that all judges are asked alike.

    Attributes:
        kind: "choice" where they are `Chosen`, "rating" where they are `Rated`.
        answer: what an outcome says; None for outcomes that answer nothing (what a question offers,
            say).
        put: the outcome of a panel that says this, in the form of `said`, from its judges' outcomes
            of one question.
        labels: of options, in the order of the data, a tie last; their numbers if there are none.
        ties: whether "none is better" is an answer besides the options.
        numbers: which numbers panels are compared by; the headline unless said.
    """

    kind: Kind
    answer: Callable[[Any], Any] = lambda outcome: outcome
    put: Callable[[Sequence[Any], Any], Any] = lambda outcomes, _: outcomes[0]
    labels: Sequence[str] = ()
    ties: bool = False
    numbers: tuple[str, ...] = ()

    @property
    def scale(self) -> Scale:
        """What differences of answers mean."""
        return "nominal" if self.kind == "choice" else "interval"

    def question(self, outcome: Any) -> Hashable | None:
        """What an outcome answers, the same for all judges; None where it answers nothing."""
        answer = self.answer(outcome)
        return None if answer is None else answer.question

    def said(self, outcome: Any) -> Any:
        """The option, by a name that is the same in all orders, or the number; None: unusable."""
        answer = self.answer(outcome)
        return self.label(answer.option) if isinstance(answer, Chosen) else answer.said

    def truth(self, outcome: Any) -> Any:
        """The right one, as `said` has it; None where there is none."""
        answer = self.answer(outcome)
        return self.label(answer.right) if isinstance(answer, Chosen) else answer.truth

    def people(self, outcome: Any) -> Mapping[str, Any]:
        """What each person says, as `said` has it."""
        answer = self.answer(outcome)
        if isinstance(answer, Rated):
            return answer.people
        return {name: self.label(option) for name, option in answer.people.items()}

    def choices(self, outcome: Any) -> int:
        """How many answers there are to choose from."""
        return int(self.answer(outcome).options) + self.ties

    def saying(self, outcomes: Sequence[Any], said: Any) -> Any:
        """The outcome of a panel that says this, None for nothing, as `said` has it."""
        first = self.answer(outcomes[0])
        if said is None or isinstance(first, Rated):
            return self.put(outcomes, said)
        names = (*range(first.options), TIE)
        option = next(one for one in names if self.label(one) == said)
        return self.put(outcomes, first.shown_at(option))

    def label(self, option: int | None) -> Any:
        """What an option is called; a tie, at -1, has the last label."""
        return option if option is None or not self.labels else self.labels[option]

    def usable(self, outcome: Any) -> bool:
        """Whether the reply of an outcome could be used, as of all that answer nothing."""
        answer = self.answer(outcome)
        return answer is None or answer.said is not None

    def repeat(self, outcome: Any) -> tuple[Hashable, Hashable] | None:
        """Which item a choice is of, and which of the answers to it; None for other outcomes."""
        answer = self.answer(outcome)
        return (answer.item, answer.repeat) if isinstance(answer, Chosen) else None


@dataclass(frozen=True)
class People:
    """That people judged the same items as a judge: what its answers say they said (`people`).

    Attributes:
        stratum: of an outcome's item: correlations are taken within strata and averaged, so that
            what all items of a stratum have in common is no merit of the judge.
        mean: over the correlations of raters and of strata.
        files: from files of ratings to what people say of an outcome's item, where that is not in
            the logs.
    """

    stratum: Callable[[Any], Hashable] = lambda _: None
    mean: Callable[[Sequence[float]], float] = mean_of_defined
    files: Callable[[Sequence[Path]], RatersOf] | None = None


def answer_of(outcome: Outcome) -> Chosen | Rated | None:
    """What an outcome says, as panels, people and cards take it; None for texts."""
    reverse = outcome.reverse
    if outcome.kind == "chosen":
        order = () if isinstance(outcome.order, str) else outcome.order
        variant = tuple(outcome.variant.values())
        return Chosen(
            (outcome.item, *variant) if variant else outcome.item,
            outcome.options,
            outcome.truth,
            outcome.said,
            reverse,
            outcome.longer,
            outcome.repeat,
            outcome.people,
            order,
        )
    if outcome.kind == "text":
        return None
    parts = dict(outcome.variant)
    template = parts.pop("template", 0)
    condition = " ".join(map(str, parts.values()))
    return Rated(
        outcome.cluster, outcome.item, outcome.said, outcome.truth, condition, reverse,
        template, outcome.people,
    )  # fmt: skip


def of_outcomes(kind: Any, answers: Any) -> Answers:
    """How a benchmark's outcomes are answers; labels and numbers as it declares them."""
    declared = answers if isinstance(answers, Answers) else None
    put = declared.put if declared and declared.put is not Answers.put else _put
    return Answers(
        "choice" if kind == "chosen" else "rating",
        answer_of,
        put,
        labels=declared.labels if declared else (),
        ties=declared.ties if declared else False,
        numbers=declared.numbers if declared else (),
    )


def _put(outcomes: Sequence[Outcome], said: Any) -> Outcome:
    return replace(outcomes[0], said=said, measured={})
