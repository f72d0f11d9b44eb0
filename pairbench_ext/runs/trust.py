"""Find out from people's labels which of a judge's verdicts can be used without a person.

Two promises can be made. *For these items*: labels of questions that were drawn at random from a
finite list say how many of that list agree (`statistics.these_items`); what items share does not
matter. *For future items*: clusters of items are a sample of all that there could be
(`statistics.trust`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.texts import capitalised, counted
from pairbench_ext.runs.label_checks import are_bunched, not_drawn
from pairbench_ext.runs.label_draws import draws_of
from pairbench_ext.runs.labelled_parts import can_be_numbers, check_coding, labelled_parts
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.promised import Trust, label_weights
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import is_undecided
from pairbench_ext.runs.trusted_items import TrustedItem, trusted_items
from pairbench_ext.statistics import these_items
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.trust import Level, promises

FloatArray = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
_MOST_LEVELS = 8
_WHOLE = (
    "People labelled whole images or prompts, not single questions. So the promised agreement is "
    "a share of images or prompts, not of questions, and it holds for future items"
)
_UNEVEN = (
    "the column `probability` says that items were drawn with different probabilities. If the "
    "probability is equal within parts of the data, name the field of the parts: --strata "
    "FIELD. Otherwise use --future, which weights labels and makes a promise for future items"
)


class Items(NamedTuple):
    """The items of a task for which one promise of agreement with people is made.

    Attributes:
        task, judges, group: whose; the group is empty where nobody asked for groups.
        items: all of them.
        drawn: whether it is known that labelled items were drawn at random.
        remark: how labels were taken, where they leave that open.
    """

    task: str
    judges: tuple[str, ...]
    group: str
    items: tuple[TrustedItem, ...]
    drawn: bool = False
    remark: str = ""


def trust(
    sides: Sequence[SideBySide],
    people: PeopleLabels,
    *,
    agree: float = 0.8,
    delta: float = 0.1,
    by: str | None = None,
    strata: str | None = None,
    within: float | None = None,
    future: bool = False,
) -> list[Trust]:
    """Return lower bounds on how often the first judge agrees with people, by task and group.

    Args:
        sides: of each task the judge, then further judges that were asked the same.
        people: labels of items that were drawn at random, within the strata.
        agree: the share of people's labels that verdicts must agree with.
        delta: how often any of the promises may be wrong.
        by: a field of the items by which they are grouped, each with a promise of its own.
        strata: a field within which labels were drawn at random.
        within: how far a rating may be from people's; None for a tenth of the scale.
        future: whether to make the promise for future items, not for these items.

    Returns:
        For each task that has labels, and each group of it.

    Raises:
        RecordError: if items have no such field, or are texts; if labels contradict the verdicts;
            or if a draw is of other questions.
        ValueError: if a share is none.
    """
    if not (0 < agree < 1 and 0 < delta < 1):
        raise ValueError(f"agree and delta must lie between 0 and 1, not {agree:g} and {delta:g}")
    groups_of_items: list[Items] = []
    draws = draws_of(people.paths)
    strata = strata or next((draw.strata for draw in draws if draw.strata), None)
    for side in sides:
        judges = list(side.judges.values())
        labels_of = people.of(judges[0]) if judges else None
        if labels_of is None:
            continue
        if can_be_numbers(judges[0]):
            check_coding(list(labelled_parts(judges[0], labels_of, (None, None))))
        drawn = set().union(*[draw.of(side.name, judges[0], labels_of) for draw in draws])
        items = trusted_items(judges, labels_of, by=by, strata=strata, within=within, drawn=drawn)
        remark = people.remark(judges[0])
        groups: dict[str, list[TrustedItem]] = {}
        for item in items:
            groups.setdefault(item.group, []).append(item)
        groups_of_items += [
            Items(side.name, side.names, group, tuple(members), bool(drawn), remark)
            for group, members in sorted(groups.items())
        ]
    return promise(groups_of_items, agree, delta, future=future)


def promise(
    groups: Sequence[Items], agree: float, delta: float, *, future: bool = False
) -> list[Trust]:
    """Return a lower bound on agreement per group; all hold with a probability of 1 - `delta`."""
    begun = [_begun(group, agree, delta, len(groups), future) for group in groups]
    open_ = [place for place, trust in enumerate(begun) if not trust.problem]
    tested = [_tested(begun[place], delta / len(open_)) for place in open_]
    reached = these_items.in_sequence(
        [first for _, first in tested], [[x.p for x in part.levels] for part, _ in tested], delta
    )
    for place, (part, _), level in zip(open_, tested, reached, strict=True):
        levels = tuple(
            x._replace(promised=level is not None and n <= level) for n, x in enumerate(part.levels)
        )
        begun[place] = replace(part, levels=levels, promised=level)
    return begun


def _begun(group: Items, agree: float, delta: float, parts: int, future: bool) -> Trust:
    """Return one of several groups, untested: whether it may be, and of which population."""
    first, *others = group.judges
    part = Trust(
        group.task, first, group.group, agree, delta, group.items, others=tuple(others),
        population="future items" if future else "these items", drawn=group.drawn,
        remark=capitalised(group.remark),
    )  # fmt: skip
    judged = [item for item in group.items if not math.isnan(item.confidence)]
    labelled = [item for item in judged if not math.isnan(item.agreement)]
    if not labelled:
        return replace(part, problem=_unlabelled(group.items))
    if group.drawn:
        return part
    refusal = _refusal(judged, labelled, parts, future)
    if refusal:
        return replace(part, problem=refusal, refused=True)
    if not future and are_bunched([item.question for item in judged]):
        remark = ". ".join(filter(None, (part.remark, _WHOLE)))
        return replace(part, population="future items", remark=remark)
    return part


def _unlabelled(items: Sequence[TrustedItem]) -> str:
    """Return what is missing where no item has a verdict and a label."""
    labelled = [item.question.outcomes for item in items if item.question.is_labelled]
    if not labelled:
        return "no label"
    undecided = sum(map(is_undecided, labelled))
    silent = f"the judge has no verdict on any of the {counted(len(labelled), 'labelled item')}"
    if not undecided:
        return f"{silent}: no reply can be read"
    where = "" if undecided == len(labelled) else f" on {undecided:,}, and the rest cannot be read"
    return f"{silent}: its answers contradict each other, in two orders or in repeats{where}"


def _refusal(
    judged: Sequence[TrustedItem], labelled: Sequence[TrustedItem], parts: int, future: bool
) -> str:
    """Return why labels cannot be of items drawn at random; empty if they may be."""
    if _uneven(labelled):
        return "" if future else _UNEVEN
    confidence, strata = [x.confidence for x in judged], [x.stratum for x in judged]
    found = not_drawn([x.question for x in judged], strata, {"the confidence": confidence}, parts)
    return "" if found is None else found.describe()


def _uneven(labelled: Sequence[TrustedItem]) -> bool:
    """Return whether probabilities differ within a stratum."""
    by_stratum: dict[str, set[float]] = {}
    for item in labelled:
        probability = item.question.labels.probability
        if not math.isnan(probability):
            by_stratum.setdefault(item.stratum, set()).add(probability)
    return any(len(probabilities) > 1 for probabilities in by_stratum.values())


def _tested(part: Trust, delta: float) -> tuple[Trust, int]:
    """Return a group with the p-values of its levels, and the first level to be tested."""
    covered = part.covered
    confidence, agreement = np.array([(x.confidence, x.agreement) for x in covered]).T
    thresholds = _thresholds(confidence)
    several = any(len(item.question.labels.by_rater) > 1 for item in covered)
    if part.population == "future items" or several:
        levels = _levels_by_cluster(part, confidence, agreement, thresholds, delta)
        first = next((n for n, level in enumerate(levels) if level.testable), len(levels) - 1)
    else:
        levels, first = _levels_of_these(part, confidence, agreement, thresholds, delta)
    return replace(part, thresholds=tuple(thresholds.tolist()), levels=tuple(levels)), first


def _levels_of_these(
    part: Trust, confidence: FloatArray, agreement: FloatArray, thresholds: FloatArray, delta: float
) -> tuple[list[Level], int]:
    strata = codes_of(item.stratum for item in part.covered)[1]
    given = ~np.isnan(agreement)
    kept = [confidence >= least for least in thresholds]
    items, labelled, right = (
        np.array([np.bincount(strata[k], weights[k], strata.max() + 1) for k in kept])
        for weights in (np.ones(len(given)), given.astype(float), np.where(given, agreement, 0.0))
    )
    items, labelled = items.astype(np.int64), labelled.astype(np.int64)
    first = these_items.first_level(items, labelled, part.agree, delta)
    levels = []
    for n, k, agreed in zip(items, labelled, right, strict=True):
        p = these_items.below_p(n, k, agreed, part.agree)
        bound = these_items.least_share(n, k, agreed, delta)
        some = k > 0
        total = n[some].sum()
        share = float((n[some] * agreed[some] / k[some]).sum() / total) if total else math.nan
        levels.append(Level(int(k.sum()), int(k.sum()), share, bound, p, False))
    return levels, first


def _levels_by_cluster(
    part: Trust, confidence: FloatArray, agreement: FloatArray, thresholds: FloatArray, delta: float
) -> list[Level]:
    """By clusters, or where only these items count, by items."""
    covered = part.covered
    future = part.population == "future items"
    clusters = codes_of(x.cluster if future else place for place, x in enumerate(covered))[1]
    labelled = ~np.isnan(agreement)
    levels = np.argmax(confidence[:, None] >= thresholds, axis=1)
    weights = label_weights(covered)
    largest = [
        np.bincount(clusters[confidence >= least]).max()
        * float((confidence[labelled] >= least).sum() / (confidence >= least).sum())
        * weights.max()
        for least in thresholds
    ]
    levels_of = promises(
        levels[labelled],
        agreement[labelled],
        np.unique(clusters[labelled], return_inverse=True)[1],
        agree=part.agree,
        delta=delta,
        largest=largest,
        weights=weights[labelled],
    )
    missing = len(thresholds) - len(levels_of)
    return levels_of + [levels_of[-1]._replace(p=1.0, promised=False)] * missing


def _thresholds(confidence: FloatArray) -> FloatArray:
    """The least confidence of each level, the strictest first: each value, or eight parts."""
    values = np.unique(confidence)
    if len(values) > _MOST_LEVELS:
        shares = np.arange(_MOST_LEVELS) / _MOST_LEVELS
        values = np.unique(np.quantile(confidence, shares, method="lower"))
    return values[::-1]


class KnownItems(NamedTuple):
    """The questions on which a judge is trusted, and those where people disagree with it."""

    trusted: set[str]
    unlike: set[str]


def known_items(promised: Sequence[Trust], task: str) -> Mapping[str, KnownItems]:
    """Return, by judge, the task's questions on which it is trusted or people disagree with it."""
    names: dict[str, KnownItems] = {}
    for trust_ in promised:
        if trust_.task == task:
            items = names.setdefault(trust_.judge, KnownItems(set(), set()))
            items.trusted.update(x.name for x in trust_.items if trust_.is_trusted(x))
            items.unlike.update(x.name for x in trust_.items if x.agreement < 0.5)
    return names
