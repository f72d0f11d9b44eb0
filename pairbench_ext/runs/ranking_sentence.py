"""The sentence above the ranked table: which judge is the best, of each comparable group."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pairbench_ext.core.texts import counted, decimal, listed
from pairbench_ext.runs.comparisons import Advantage, Pairs, Ranking

_MOST_NAMED = 6  # judges that the sentence names


def sentences(groups: Sequence[Sequence[str]], headlines: Sequence[Ranking], pairs: Pairs) -> str:
    """Which judge is the best of each group, and that groups are not comparable."""
    parts = [_sentence(group, headlines, pairs) for group in groups if len(group) > 1]
    if len(groups) > 1:
        apart = "; ".join(listed(group, _MOST_NAMED) for group in groups)
        parts.append(f"Groups that share no headline cannot be compared: {apart}.")
    return " ".join(parts)


def _sentence(judges: Sequence[str], headlines: Sequence[Ranking], pairs: Pairs) -> str:
    """Which judge is the best, beside the next one, or among which there is no difference."""
    first, *others = judges
    here = [ranking for ranking in headlines if first in ranking.values]
    won = {other: _decided(pairs.get((first, other), {}), 1) for other in others}
    lost = {other: _decided(pairs.get((first, other), {}), -1) for other in others}
    next_one = others[0]
    where = f"on {len(won[next_one])} of {counted(len(here), 'headline')}"
    if any(lost.values()):
        losses = [_behind(other, lost[other], won[other]) for other in others if lost[other]]
        beaten = [other for other in others if won[other] and not lost[other]]
        more = f"; it is ahead of {listed(beaten, 2)}" if beaten else ""
        return (
            "No judge is the best in everything: "
            f"{first} is behind {listed(losses, 2, between='; ')}{more}."
        )
    apart = [other for other in others if not pairs.get((first, other))]
    if apart:
        others_apart = listed(apart, 2)
        return f"{first} and {others_apart} have no headline in common, so they are not compared."
    group = _no_different(judges, pairs)
    later = judges[len(group) :]
    unplaced = [judge for judge in later if _differs_from_none(pairs, judge, group)]
    end = f"; not enough data to place {listed(unplaced, 2)}." if unplaced else "."
    if len(group) > 1:
        behind = [
            judge for judge in others if all(_ahead(pairs, member, judge) for member in group)
        ]
        ahead = f"; they are ahead of {listed(behind, 2)}" if behind else ""
        return f"No significant difference between {listed(group, _MOST_NAMED)}{ahead}{end}"
    task, largest = max(won[next_one].items(), key=lambda item: item[1].value)
    ends = f"{short(largest.ci95.low, '+')} to {short(largest.ci95.high, '+')}"
    unclear = [r.task for r in here if r.task not in won[next_one]]
    more = f"; no significant difference on {listed(unclear, 2)}" if unclear else ""
    best = "is" if unplaced else "is the best judge here:"
    return (
        f"{first} {best} ahead of {next_one} {where} "
        f"({task} {short(largest.value, '+')}, {ends}){more}{end}"
    )


def _behind(other: str, lost: Collection[str], won: Collection[str]) -> str:
    """Where the first judge is behind another one, and where it is ahead of it.

    >>> _behind("b", ["pairs"], []), _behind("b", ["pairs"], ["scores"])
    ('b on pairs', 'b on pairs but ahead of it on scores')
    """
    ahead = f" but ahead of it on {listed(list(won), 2)}" if won else ""
    return f"{other} on {listed(list(lost), 2)}{ahead}"


def _no_different(judges: Sequence[str], pairs: Pairs) -> list[str]:
    """The first judge and those that follow it, up to the first that differs from one before it."""
    for place, judge in enumerate(judges):
        if not _differs_from_none(pairs, judge, judges[:place]):
            return list(judges[:place])
    return list(judges)


def _differs_from_none(pairs: Pairs, judge: str, others: Sequence[str]) -> bool:
    """Whether a judge is compared with all of some others, and differs from none significantly."""
    compared = [pairs.get((judge, other), {}).values() for other in others]
    return all(
        by_headline and not any(advantage.differs for advantage in by_headline)
        for by_headline in compared
    )


def _ahead(pairs: Pairs, judge: str, other: str) -> bool:
    """Whether a judge is significantly better than another by a headline, and worse by none."""
    by_task = pairs.get((judge, other), {})
    return bool(_decided(by_task, 1)) and not _decided(by_task, -1)


def _decided(by_task: Mapping[str, Advantage], sign: int) -> dict[str, Advantage]:
    return {task: a for task, a in by_task.items() if a.differs and sign * a.value > 0}


def short(value: float, sign: str = "") -> str:
    """A number with two digits, and no zero before the point; its sign, too, if that is "+".

    >>> short(0.825), short(-0.1), short(1.0), short(-0.001), short(0.084, "+")
    ('.82', '-.10', '1.00', '.00', '+.08')
    """
    text = decimal(value, 2, sign)
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text
