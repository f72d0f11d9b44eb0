"""How the outcomes of several judges, and of people, are put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.statistics.means import mean_of_defined

RatersOf: TypeAlias = Callable[[Outcome], Mapping[str, Any]]


def _answered(outcomes: Sequence[Outcome], said: Any) -> Outcome:
    return replace(outcomes[0], said=said, measured={}, distribution={})


@dataclass(frozen=True)
class People:
    """People who judged the same items as a judge, as `Outcome.people` says.

    Attributes:
        stratum: of an outcome's item: correlations are taken within strata and averaged, so that
            differences between strata do not count for the judge.
        mean: over the correlations of raters and of strata.
        files: reads what people say of an outcome's item from files of ratings, where it is not
            in the logs.
    """

    stratum: Callable[[Outcome], Hashable] = lambda _: None
    mean: Callable[[Sequence[float]], float] = mean_of_defined
    files: Callable[[Sequence[Path]], RatersOf] | None = None


@dataclass(frozen=True)
class Answers:
    """How outcomes are answers to questions that all judges are asked alike.

    Attributes:
        labels: of options, in the order of the data, a tie last; their numbers if there are none.
        ties: whether "none is better" is an answer besides the options.
        numbers: the numbers that panels are compared by; the headline by default.
        put: returns the outcome of a panel from its judges' outcomes of one question and what the
            panel says (as `Outcome.said`).
        why_not: why judges' outcomes cannot be put together; empty where they can.
        people: that people judged the same items; None where nobody did.
    """

    labels: Sequence[str] = ()
    ties: bool = False
    numbers: tuple[str, ...] = ()
    put: Callable[[Sequence[Outcome], Any], Outcome] = _answered
    why_not: str = ""
    people: People | None = None

    def label(self, option: int | None) -> Any:
        """The name of an option; a tie, at -1, has the last label."""
        return option if option is None or not self.labels else self.labels[option]
