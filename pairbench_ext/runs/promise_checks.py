"""Test with a few new labels whether a judge still agrees with people as `trust` promised."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

from pairbench_ext.core.foreign_tables import text_rows
from pairbench_ext.core.records import RecordError, reason_of
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.trust import trust
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.trust import promises


class Check(NamedTuple):
    """The result of testing on new labels whether a judge still agrees with people as promised.

    Attributes:
        task, group: the task and the group of items whose verdicts were trusted.
        labelled: the number of new labels of trusted verdicts.
        agreement: the share of these labels that agree with the judge.
        p: the p-value of agreement being as high as promised; small if it is lower.
        detectable: an agreement as low as this share would be found with 80% probability.
    """

    task: str
    group: str
    labelled: int
    agreement: float
    p: float
    detectable: float

    @property
    def name(self) -> str:
        """Return the names of the task and of the group of items."""
        return " ".join(filter(None, (self.task, self.group)))


_BROKEN = 0.05  # how often one of the promises may be called broken though it holds


def broken(checks: Sequence[Check]) -> list[Check]:
    """Return the checks with an agreement significantly below the promised one (Bonferroni)."""
    return [check for check in checks if check.p <= _BROKEN / len(checks)]


def check_promises(
    sides: Sequence[SideBySide],
    people: PeopleLabels,
    file: Path,
    *,
    by: str | None = None,
    within: float | None = None,
) -> list[Check]:
    """Test whether promises of agreement with people still hold for a new run.

    Returns:
        For each task and group with a promise and labels.

    Raises:
        RecordError: if labels were not drawn at random, or none is of a verdict that a promise
            covers; if the file holds no promise of `pairbench trust --out`.
    """
    checks, earlier = [], _earlier(file)
    for new in trust(sides, people, agree=0.5, by=by, within=within, future=True):
        if (new.task, new.group) not in earlier:
            continue
        if new.refused:
            raise RecordError(f"{new.name}: {new.problem}")
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
        checks.append(
            Check(new.task, new.group, len(covered), 1 - level.agreement, level.p, detectable)
        )
    if not checks:
        raise RecordError(
            f"{file}: no new label belongs to a verdict that `pairbench trust` trusted"
        )
    return checks


def _earlier(file: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the least trusted confidence and the promised agreement, keyed by task and group."""
    least: dict[tuple[str, str], tuple[float, float]] = {}
    try:
        for _, row in text_rows(file):
            if row["trusted"] == "yes":
                key, confidence = (row["task"], row["group"]), float(row["confidence"])
                lowest = least.get(key, (math.inf, 0.0))[0]
                least[key] = min(confidence - 1e-6, lowest), float(row["promise"])
    except KeyError as error:
        raise RecordError(
            f"{file}: no column {error}: the file was not made by `pairbench trust --out`"
        ) from None
    except ValueError as error:
        raise RecordError(
            f"{file}: the file was not made by `pairbench trust --out` ({reason_of(error)})"
        ) from error
    if not least:
        raise RecordError(
            f"{file}: no line says how much agreement with people `pairbench trust --out` promised"
        )
    return least


def _detectable(n: int, share: float) -> float:
    """The share of disagreement that n clusters show to be above another, in 80% of cases."""
    least = scipy.stats.binom.isf(0.05, n, share) + 1
    shares = np.linspace(share, 1, 1001)
    enough = scipy.stats.binom.sf(least - 1, n, shares) >= 0.8
    return float(shares[np.argmax(enough)]) if enough.any() else 1.0
