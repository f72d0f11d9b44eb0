"""What outcomes say, so that several judges can be put together and set beside people.

A benchmark declares it once (`Benchmark.answers`, `Benchmark.people`); panels, agreement of judges
and agreement with people follow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pairbench_ext.statistics.kappa import Scale
from pairbench_ext.statistics.means import mean_of_defined

Kind: TypeAlias = Literal["choice", "rating"]
RatersOf: TypeAlias = Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Answers:
    """How outcomes are answers to questions that all judges are asked alike.

    Attributes:
        kind: "choice" of one of several options, or a "rating", a number.
        question: what an outcome answers, the same for all judges; None for outcomes that answer
            nothing (what a question offers, say).
        said: the option chosen, by a name that does not depend on the order in which options were
            shown, or the number; None if the reply is unusable.
        truth: the right one; None where there is none.
        saying: the outcome of a panel that says this, from its judges' outcomes of one question;
            None if the panel says nothing.
        options: of a choice: how many there are.
        numbers: which numbers panels are compared by; the headline unless said.
    """

    kind: Kind
    question: Callable[[Any], Hashable | None]
    said: Callable[[Any], Any]
    truth: Callable[[Any], Any]
    saying: Callable[[Sequence[Any], Any], Any]
    options: Callable[[Any], int] = lambda _: 2
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class People:
    """What people say of the same items as a judge.

    Attributes:
        item: what an outcome is about; several outcomes of one item are one opinion of the judge
            (the mean of numbers, the majority of labels).
        said: as in `Answers`.
        raters: what each person says of the item, by name; empty where nobody was asked. A number,
            or a label.
        scale: "nominal" for labels, "interval" for numbers.
        part: what is looked at apart, such as an aspect.
        stratum: of an item: correlations are taken within strata and averaged, so that what all
            items of a stratum have in common is no merit of the judge.
        mean: over the correlations of raters and of strata.
        files: from files of ratings to `raters`, where people's ratings are not in the logs.
    """

    item: Callable[[Any], Hashable | None]
    said: Callable[[Any], Any]
    raters: RatersOf = lambda _: {}
    scale: Scale = "interval"
    part: Callable[[Any], str] = lambda _: ""
    stratum: Callable[[Any], Hashable] = lambda _: None
    mean: Callable[[Sequence[float]], float] = mean_of_defined
    files: Callable[[Sequence[Path]], RatersOf] | None = None
