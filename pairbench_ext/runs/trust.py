"""Which of a judge's verdicts can be used without a person, with a promise by people's labels.

The confidence of a verdict is the agreement of all answers behind it: of one judge in both orders
and all repeats, and of further judges. `statistics.trust` says what can be promised at each level.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.people_labels import LabelsOf, PeopleLabels, field_of
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text, verdict
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.label_checks import drawn_p
from pairbench_ext.statistics.trust import Level, more_labels, promised_level, promises

FloatArray = npt.NDArray[np.float64]
_MOST_LEVELS = 8
_NOT_DRAWN = 0.01  # p-value below which labelled items are taken to be another kind of items


class TrustedItem(NamedTuple):
    """A judge's verdict on one item, and what is known of it.

    Attributes:
        item: its name, with the condition or aspect of ratings.
        verdict: as the benchmark labels it; None where there is none.
        confidence: in [0, 1], how far all answers agree with the verdict; NaN without one.
        agreement: the share of people who say the same; NaN where nobody was asked.
        cluster: that it belongs to.
        group: within which labels were drawn.
        others: of each further judge, the share of people who say what it says; NaN likewise.
    """

    item: str
    verdict: Any
    confidence: float
    agreement: float
    cluster: Hashable
    group: str
    others: tuple[float, ...]


@dataclass(frozen=True)
class Trust:
    """What can be promised of a judge's verdicts on the items of one group of a task.

    Attributes:
        task, judge, group: which; the group is empty where nobody asked for groups.
        agree, delta: what is promised, and how often this group's promise may be wrong.
        items: all items.
        thresholds: the least confidence of each level, the strictest first.
        levels: what can be promised at each.
        others: names of further judges.
    """

    task: str
    judge: str
    group: str
    agree: float
    delta: float
    items: tuple[TrustedItem, ...]
    thresholds: tuple[float, ...]
    levels: tuple[Level, ...]
    others: tuple[str, ...]

    @property
    def name(self) -> str:
        """The task and the group."""
        return " ".join(filter(None, (self.task, self.group)))

    @property
    def promised(self) -> int | None:
        """The loosest level that is promised; None if none is."""
        return promised_level(self.levels)

    @property
    def threshold(self) -> float:
        """The least confidence of a verdict that is trusted; infinite if none is."""
        return math.inf if self.promised is None else self.thresholds[self.promised]

    def is_trusted(self, item: TrustedItem) -> bool:
        """Whether the promise covers an item."""
        return bool(item.confidence >= self.threshold)

    @cached_property
    def more(self) -> float:
        """How many labels more would do where nothing is promised; else 0."""
        if self.promised is not None:
            return 0.0
        labelled = [x for x in self.items if not math.isnan(x.confidence + x.agreement)]
        confidence = np.array([x.confidence for x in labelled])
        levels = np.argmax(confidence[:, None] >= np.array(self.thresholds), axis=1)
        agreement, clusters = [x.agreement for x in labelled], codes_of(x.cluster for x in labelled)
        return more_labels(levels, agreement, clusters[1], agree=self.agree, delta=self.delta)

    @property
    def kept(self) -> list[int]:
        """How many items each level keeps."""
        confidence = np.array([item.confidence for item in self.items])
        return [int((confidence >= least).sum()) for least in self.thresholds]

    @property
    def rest(self) -> list[tuple[str, float, int]]:
        """Of each further judge, the share of people it agrees with on labelled items left over.

        With the number of these items.
        """
        left = [x for x in self.items if not self.is_trusted(x)]
        made = []
        for place, name in enumerate(self.others):
            shares = [x.others[place] for x in left if not math.isnan(x.others[place])]
            if shares:
                made.append((name, float(np.mean(shares)), len(shares)))
        return made

    def sentences(self) -> Iterator[str]:
        """What is promised, on how many items, and what helps on the others."""
        if self.promised is None:
            yield f"No level can be promised with {counted(self.levels[-1].labelled, 'label')};"
            if math.isinf(self.more):
                yield f"verdicts agree with people too seldom to promise {self.agree:.0%}."
            else:
                yield f"{self.more:,.0f} more would do (power 80%)."
            return
        kept, level, n = self.kept[self.promised], self.levels[self.promised], len(self.items)
        yield (
            f"On {kept / n:.0%} of the items ({kept:,} of {n:,}) {self.judge}'s verdicts agree "
            f"with people in at least {self.agree:.0%} ({1 - self.delta:.0%} sure; "
            f"{level.agreement:.0%} seen on {counted(level.labelled, 'label')})."
        )
        if kept < n:
            others = "".join(
                f", or {name} first: {share:.0%} of {counted(count, 'label')}"
                for name, share, count in self.rest
            )
            yield f"The other {1 - kept / n:.0%}: ask people{others}."

    def document(self) -> dict[str, Any]:
        """For JSON."""
        levels = zip(self.thresholds, self.kept, self.levels, strict=True)
        return {
            "task": self.task, "judge": self.judge, "group": self.group,
            "agree": self.agree, "delta": self.delta, "items": len(self.items),
            "trusted": sum(map(self.is_trusted, self.items)),
            "without_verdict": sum(x.verdict is None for x in self.items),
            "labels_needed": self.more,
            "levels": [
                {"confidence": least, "items": kept, **level._asdict()}
                for least, kept, level in levels
            ],
        }  # fmt: skip


def trust(
    sides: Sequence[SideBySide],
    people: PeopleLabels,
    *,
    agree: float = 0.8,
    delta: float = 0.1,
    by: str | None = None,
    within: float | None = None,
) -> list[Trust]:
    """What can be promised of the first judge's verdicts, by task and group.

    Args:
        sides: of each task the judge, then further judges that were asked the same.
        people: labels of items that were drawn at random, within the groups.
        agree: the share of people's labels that verdicts must agree with.
        delta: how often the promises of all tasks and groups together may be wrong.
        by: a field of the items by which they are grouped; None for one group of all.
        within: how far a rating may be from people's; None for a tenth of the scale.

    Returns:
        For each group of items that has labels.

    Raises:
        RecordError: if items have no such field, or are texts; or if labelled items are not like
            the others, so that nothing can be promised of them.
    """
    made = []
    for side in sides:
        judges = list(side.judges.values())
        labels_of = people.of(side.benchmark, judges[0].outcomes)
        if labels_of is None:
            continue
        scale = side.benchmark.outcome.scale
        width = scale[1] - scale[0] if scale else width_of(judges)
        near = width / 10 if within is None else within
        groups: dict[str, list[TrustedItem]] = {}
        for item in trusted_items(judges, labels_of, by, width, near):
            groups.setdefault(item.group, []).append(item)
        each = delta / len(sides) / len(groups)
        made += [
            promise(side.name, side.names, members, agree, each, group)
            for group, members in sorted(groups.items())
        ]
    return [of_group for of_group in made if of_group is not None]


def promise(
    task: str,
    judges: Sequence[str],
    items: Sequence[TrustedItem],
    agree: float,
    delta: float,
    group: str = "",
) -> Trust | None:
    """What can be promised of the first judge's verdicts on items; None if none has a label.

    Raises:
        RecordError: if labelled items are not like the others.
    """
    confidence, agreement = np.array([(x.confidence, x.agreement) for x in items]).T
    clusters = codes_of(x.cluster for x in items)[1]
    known = ~np.isnan(confidence)
    labelled = known & ~np.isnan(agreement)
    if not labelled.any():
        return None
    _check_drawn(task, group, labelled[known], confidence[known], clusters[known])
    thresholds = _thresholds(confidence[known])
    levels = np.argmax(confidence[:, None] >= thresholds, axis=1)
    largest = [
        np.bincount(clusters[confidence >= least]).max()
        * float((confidence[labelled] >= least).sum() / (confidence[known] >= least).sum())
        for least in thresholds
    ]
    codes = np.unique(clusters[labelled], return_inverse=True)[1]
    data = levels[labelled], agreement[labelled], codes
    made = promises(*data, agree=agree, delta=delta, largest=largest)
    made += [made[-1]._replace(promised=False)] * (len(thresholds) - len(made))
    first, *others = judges
    return Trust(
        task, first, group, agree, delta, tuple(items), tuple(thresholds.tolist()), tuple(made),
        tuple(others),
    )  # fmt: skip


def _check_drawn(
    task: str,
    group: str,
    labelled: npt.NDArray[np.bool_],
    confidence: FloatArray,
    clusters: npt.NDArray[np.int64],
) -> None:
    """Stop where labelled items have another confidence than items drawn at random."""
    codes = np.unique(clusters, return_inverse=True)[1]
    p = drawn_p(labelled, confidence, codes, np.zeros(len(codes), dtype=np.int64))
    if p <= _NOT_DRAWN:
        means = confidence[labelled].mean(), confidence[~labelled].mean()
        raise RecordError(
            f"{f'{task} {group}'.strip()}: labelled items are not like the others: the mean "
            f"confidence is {means[0]:.3f} on them, {means[1]:.3f} on the rest (p = {p:.2g}), so "
            "nothing can be promised. Label items that are drawn at random; if they were drawn "
            "within groups, name the field with --strata"
        )


def _thresholds(confidence: FloatArray) -> FloatArray:
    """The least confidence of each level, the strictest first: each value, or eight parts."""
    values = np.unique(confidence)
    if len(values) > _MOST_LEVELS:
        shares = np.arange(_MOST_LEVELS) / _MOST_LEVELS
        values = np.unique(np.quantile(confidence, shares, method="lower"))
    return values[::-1]


class Check(NamedTuple):
    """Whether a promise that was made earlier still holds, by a few new labels.

    Attributes:
        task, group: of the promise.
        labelled: new labels of verdicts that it covers.
        agreement: the share that agrees.
        p: of the test that the share is what was promised; small where the promise is broken.
        detectable: at this share, the promise would be found broken with a probability of 80%.
    """

    task: str
    group: str
    labelled: int
    agreement: float
    p: float
    detectable: float


def check_promises(
    sides: Sequence[SideBySide],
    people: PeopleLabels,
    earlier: Mapping[tuple[str, str], tuple[float, float]],
    *,
    by: str | None = None,
    within: float | None = None,
) -> list[Check]:
    """Test whether promises still hold for a new run.

    Args:
        sides: the judges of the promise, on new items of each task.
        people: labels of some.
        earlier: by task and group, the least confidence that was trusted, and the share promised.
        by: as for `trust`.
        within: likewise.

    Returns:
        For each task and group with a promise and labels.
    """
    made = []
    for new in trust(sides, people, agree=0.5, by=by, within=within):
        if (new.task, new.group) not in earlier:
            continue
        least, agree = earlier[new.task, new.group]
        covered = [x for x in new.items if x.confidence >= least and not math.isnan(x.agreement)]
        if not covered:
            continue
        codes = codes_of(x.cluster for x in covered)[1]
        wrong = 1 - np.array([x.agreement for x in covered])
        zeros = np.zeros(len(covered), dtype=np.int64)
        # That more than 1 - agree disagree: the same test, turned round.
        [level] = promises(zeros, wrong, codes, agree=1 - agree, delta=0.05)
        detectable = 1 - _detectable(len(np.unique(codes)), 1 - agree)
        made.append(
            Check(new.task, new.group, len(covered), 1 - level.agreement, level.p, detectable)
        )
    return made


def _detectable(n: int, share: float) -> float:
    """The share of disagreement that n clusters show to be above another, in 80% of cases."""
    least = binom.isf(0.05, n, share) + 1
    shares = np.linspace(share, 1, 1001)
    enough = binom.sf(least - 1, n, shares) >= 0.8
    return float(shares[np.argmax(enough)]) if enough.any() else 1.0


def trusted_items(
    judges: Sequence[TaskOutcomes],
    labels_of: LabelsOf,
    by: str | None,
    width: float,
    within: float,
) -> list[TrustedItem]:
    """The first judge's verdict on each item, and what is known of it.

    Args:
        judges: the judge, then further judges.
        labels_of: what people say of an outcome's item.
        by: a field of the items by which they are grouped; None for one group of all.
        width: of the scale of ratings.
        within: how far a rating may be from people's.

    Raises:
        RecordError: if items have no such field, or are texts.
    """
    judge, *others = judges
    if any(x.kind == "text" for x in judge.outcomes):
        raise RecordError(f"{judge.where}: verdicts that are texts have no confidence")
    answers, made = judge.benchmark.answers, []
    for part, items in judge.parts.items():
        for item, outcomes in items.items():
            first = outcomes[0]
            rated, judged, labels = first.kind == "rated", verdict(outcomes), labels_of(first)
            of_others = [other.parts.get(part, {}).get(item, []) for other in others]
            by_judge = [outcomes, *filter(None, of_others)]
            if judged is None:
                confidence = math.nan
            elif rated:
                confidence = _closeness(by_judge, width)
            else:
                confidence = float(np.mean([_share(of_judge, judged) for of_judge in by_judge]))
            mine, *theirs = (
                _agreement(of_judge, labels.answers, within, half=not answers.ties)
                for of_judge in (outcomes, *of_others)
            )
            made.append(
                TrustedItem(
                    name_of(first),
                    judged if rated or judged is None else answers.label(judged),
                    confidence,
                    mine,
                    first.cluster,
                    "" if by is None else str(field_of(first, by)),
                    tuple(theirs),
                )
            )
    return made


def _agreement(
    outcomes: Sequence[Outcome], labels: Sequence[Any], within: float, *, half: bool
) -> float:
    """The share of people's labels that say what outcomes of an item do; NaN where nothing is said.

    Args:
        outcomes: of one judge.
        labels: of people.
        within: how far a rating may be from people's.
        half: whether a label of a tie agrees half, where the judge had to decide.
    """
    judged = verdict(outcomes) if outcomes else None
    if judged is None or not labels:
        return math.nan
    if outcomes[0].kind == "rated":
        return float(abs(judged - np.mean(labels)) <= within + 1e-9)
    return float(np.mean([0.5 if half and x == TIE else x == judged for x in labels]))


def name_of(outcome: Outcome) -> str:
    """The name of what a verdict is on: the item, with the condition or aspect of ratings."""
    if outcome.kind != "rated":
        return item_text(outcome.item_and_variant)
    return item_text((outcome.item, outcome.condition) if outcome.condition else outcome.item)


def _share(outcomes: Sequence[Outcome], option: Any) -> float:
    """The share of a judge's answers, unreadable ones too, that choose an option."""
    return Counter(outcome.option for outcome in outcomes)[option] / len(outcomes)


def _closeness(by_judge: Sequence[Sequence[Outcome]], width: float) -> float:
    """1 less the distance of the farthest ratings of an item, in parts of the scale."""
    ratings = [float(x.option) for answers in by_judge for x in answers if x.usable]
    return max(0.0, 1 - (max(ratings) - min(ratings)) / width) if width > 0 else 1.0


def width_of(judges: Sequence[TaskOutcomes]) -> float:
    """The range of all ratings, of a task whose scale is not declared; 0 without any."""
    outcomes = [x for judge in judges for x in judge.outcomes if x.kind == "rated" and x.usable]
    ratings = [float(x.option) for x in outcomes]
    return max(ratings) - min(ratings) if ratings else 0.0
