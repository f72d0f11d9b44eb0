"""Promises, with a stated risk of error, that a judge's verdicts agree with people."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.trusted_items import TrustedItem
from pairbench_ext.statistics import these_items
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.trust import POWER, Level, more_labels

Population: TypeAlias = Literal["these items", "future items"]


def rounded_down(bound: float) -> float:
    """Return a lower bound of a share, rounded down to whole percent; NaN stays NaN."""
    return bound if math.isnan(bound) else math.floor(100 * bound) / 100


@dataclass(frozen=True)
class Trust:
    """Which verdicts of a judge agree with people often enough, for one group of a task's items.

    Attributes:
        task, judge, group: which; the group is empty where nobody asked for groups.
        agree, delta: what is promised, and how often the promises of all groups may be wrong.
        items: all items.
        thresholds: the least confidence of each level, the strictest first.
        levels: what can be promised at each.
        others: names of further judges.
        population: of what the promise is made.
        drawn: whether it is known that the labelled items were drawn at random.
        promised: the loosest level that is promised; None if none is.
        problem: why nothing can be promised whatever the labels say; empty if it can.
        refused: whether that is a mistake in how labels were drawn.
        remark: why it is another population than was asked for, and how labels were taken.
    """

    task: str
    judge: str
    group: str
    agree: float
    delta: float
    items: tuple[TrustedItem, ...]
    thresholds: tuple[float, ...] = ()
    levels: tuple[Level, ...] = ()
    others: tuple[str, ...] = ()
    population: Population = "these items"
    drawn: bool = False
    promised: int | None = None
    problem: str = ""
    refused: bool = False
    remark: str = ""

    @property
    def name(self) -> str:
        """Return the names of the task and of the group of items."""
        return " ".join(filter(None, (self.task, self.group)))

    @property
    def threshold(self) -> float:
        """Return the lowest confidence at which a verdict is trusted; infinite if none is."""
        return math.inf if self.promised is None else self.thresholds[self.promised]

    @cached_property
    def unlabelled_strata(self) -> list[str]:
        """Return the strata in which no item has a label."""
        strata = {item.stratum for item in self.items}
        return sorted(strata - {x.stratum for x in self.items if not math.isnan(x.agreement)})

    def is_trusted(self, item: TrustedItem) -> bool:
        """Return whether the promise of agreement covers an item."""
        return item.confidence >= self.threshold and item.stratum not in self.unlabelled_strata

    def reason(self, item: TrustedItem) -> str:
        """Return why the verdict on an item is not trusted; empty if it is trusted."""
        if self.is_trusted(item):
            return ""
        if item.verdict is None:
            return "no verdict: unreadable or tied"
        if item.stratum in self.unlabelled_strata:
            return f"no label in {item.stratum}" if item.stratum else "no label"
        if self.problem:
            return "labels were not drawn at random" if self.refused else self.problem
        return "nothing is promised" if self.promised is None else "confidence too low"

    @cached_property
    def more(self) -> float:
        """Return how many more labels a promise of agreement needs; 0 if one is made already."""
        if self.promised is not None:
            return 0.0
        if not self.levels:
            return math.nan
        labelled = [x for x in self.covered if not math.isnan(x.agreement)]
        if not labelled:
            return math.nan
        if self.population == "future items":
            agreement = [x.agreement for x in labelled]
            confidence = np.array([x.confidence for x in labelled])
            levels = np.argmax(confidence[:, None] >= np.array(self.thresholds), axis=1)
            codes = codes_of(x.cluster for x in labelled)[1]
            is_labelled = [not math.isnan(x.agreement) for x in self.covered]
            weights = label_weights(self.covered)[is_labelled]
            return more_labels(
                levels, agreement, codes, agree=self.agree, delta=self.delta, weights=weights
            )
        needed = []
        for level, items in zip(self.levels, self.kept, strict=True):
            if level.labelled:
                n = these_items.labels_to_decide(
                    items, level.agreement, self.agree, self.delta, POWER
                )
                more = max(1, n - level.labelled) / level.labelled
                needed.append(more * len(labelled))
        return float(np.ceil(min(needed)))

    @property
    def kept(self) -> list[int]:
        """Return, for each confidence threshold, how many items have at least this confidence."""
        confidence = np.array([x.confidence for x in self.covered])
        return [int((confidence >= least).sum()) for least in self.thresholds]

    @cached_property
    def covered(self) -> list[TrustedItem]:
        """Return the items that have a verdict and belong to a stratum with labels."""
        return [
            item
            for item in self.items
            if not math.isnan(item.confidence) and item.stratum not in self.unlabelled_strata
        ]

    @property
    def rest(self) -> list[tuple[str, float, int]]:
        """Return each further judge's agreement with people on labelled items that are not trusted.

        With the number of these items.
        """
        left = [x for x in self.items if not self.is_trusted(x)]
        agreements = []
        for place, name in enumerate(self.others):
            shares = [x.others[place] for x in left if not math.isnan(x.others[place])]
            if shares:
                agreements.append((name, float(np.mean(shares)), len(shares)))
        return agreements

    def sentences(self) -> Iterator[str]:
        """Yield sentences: on how many items agreement is promised, and what helps for others."""
        if self.problem:
            yield f"Nothing is promised: {self.problem}."
            return
        if self.promised is None:
            yield from self._nothing()
        else:
            yield from self._promise()
        silent = sum(x.agreement == 0 and not x.question.labels.answers for x in self.items)
        if silent:
            yield f"Without a label: {counted(silent, 'drawn question')}, counted as disagreement."
        if self.remark:
            yield f"{self.remark}."
        if self.unlabelled_strata:
            without = sum(x.stratum in self.unlabelled_strata for x in self.items)
            yield (
                f"Not trusted: {counted(without, 'item')} in parts of the data that have no label "
                f"({listed(self.unlabelled_strata, 5)})."
            )

    def _labels(self, labelled: int) -> str:
        drawn = "drawn at random" if self.drawn else "if they were drawn at random"
        what = ""
        if self.population == "future items" and self._has_clusters:
            what = ", counting items that share an image or prompt as one"
        return f"{counted(labelled, 'label')}{',' * (not self.drawn)} {drawn}{what}"

    @property
    def _has_clusters(self) -> bool:
        return len({x.cluster for x in self.items}) < len({x.item for x in self.items})

    def _promise(self) -> Iterator[str]:
        assert self.promised is not None
        kept, level, n = self.kept[self.promised], self.levels[self.promised], len(self.items)
        people = "these raters" if self.population == "these items" else "such raters"
        on = (
            f"On {kept:,} of these {n:,} items ({kept / n:.0%})"
            if self.population == "these items"
            else (
                f"On {kept:,} of these {n:,} items ({kept / n:.0%}), and on such items in future "
                "data"
            )
        )
        yield (
            f"{on}, {self.judge} agrees with {people} in at least {self.agree:.0%} "
            f"({self._labels(level.labelled)}; {level.agreement:.0%} of them agree; the "
            f"risk that any such statement is wrong is at most {self.delta:.0%})."
        )
        if kept < n:
            others = "".join(
                f", or {name} first: {share:.0%} of {counted(count, 'label')}"
                for name, share, count in self.rest
            )
            yield f"For the other {n - kept:,} items, ask people{others}."

    def _nothing(self) -> Iterator[str]:
        level = max(self.levels, key=lambda level: level.labelled)
        best = max((x.bound for x in self.levels if not math.isnan(x.bound)), default=0.0)
        allowed = rounded_down(best)
        labels = self._labels(level.labelled)
        yield (
            f"No agreement can be promised for {self.population} yet: {level.agreement:.0%} of "
            f"{labels}{',' * (', ' in labels)} agree with {self.judge}."
        )
        if level.bound > 0:
            yield (
                f"With {1 - self.delta:.0%} confidence, the labels show an agreement of at least "
                f"{rounded_down(level.bound):.0%}."
            )
        if not math.isinf(self.more):
            yield (
                f"About {counted(int(self.more), 'label')} more would be enough, if they agree "
                f"as often as these (power {POWER:.0%})."
            )
        elif allowed >= 0.01:
            yield (
                "If further labels agree as often as these, no number of labels can show "
                f"{self.agree:.0%}; try --agree {allowed:.2f}."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the promised agreement with people as a dictionary for JSON."""
        levels = zip(self.thresholds, self.kept, self.levels, strict=True)
        return {
            "task": self.task, "judge": self.judge, "group": self.group,
            "population": self.population, "drawn": self.drawn,
            "agree": self.agree, "delta": self.delta, "items": len(self.items),
            "trusted": sum(map(self.is_trusted, self.items)),
            "without_verdict": sum(x.verdict is None for x in self.items),
            "not_trusted": dict(Counter(filter(None, map(self.reason, self.items)))),
            "problem": self.problem, "remark": self.remark,
            "labels_needed": self.more,
            "levels": [
                {"confidence": least, "items": kept, **level._asdict()}
                for least, kept, level in levels
            ],
        }  # fmt: skip


def label_weights(items: Sequence[TrustedItem]) -> npt.NDArray[np.float64]:
    """Return the number of items that each label represents, scaled to a mean of 1."""
    labelled = np.array([not math.isnan(item.agreement) for item in items])
    drawn = np.array([item.question.labels.probability for item in items])
    if np.isnan(drawn[labelled]).any():
        strata = codes_of(item.stratum for item in items)[1]
        drawn = (np.bincount(strata, labelled) / np.bincount(strata))[strata]
    weights = 1 / np.where(np.isnan(drawn), np.nanmax(drawn), drawn)
    return np.asarray(weights / weights[labelled].mean())
