"""Edits that people found successful and a judge took for no edit at all (Section 5.2, Figure 5).

The paper says that models "often fail to detect minor changes made in image editing", and shows
pairs that they "misunderstood as identical images". Counted here, of edits that people rated: a
judge takes the edited image for the input where the first sub-score of SC (is the instruction
followed?) is at most `LOW` of 10 and its rationale says that nothing differs. Of edits that people
found failed the same is often right, so that their share says how much the judge is inclined to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.viescore.answers import recorded_rationales
from lmms_eval_tasks.viescore.human import read_human
from lmms_eval_tasks.viescore.judgments import HIGHEST
from lmms_eval_tasks.viescore.tasks import TASKS
from pairbench_ext.statistics.shares import Share, mean_with_interval

EDITS = ("mie", "tie", "sdie")
LOW = 2  # of 10: the highest first sub-score of what is taken for no edit
SUCCESS = 0.5  # the raters' mean SC from which people found an edit successful
_NOTHING_DIFFERS = re.compile(
    r"\bidentical\b|\bunchanged\b|\bunaltered\b|\bunedited\b|\bexact(?:ly the)? same\b"
    r"|\b(?:the|two|both) (?:images )?(?:are |is )?(?:exactly )?(?:the )?same (?:image|picture)s?\b"
    r"|\bno (?:\w+ ){0,2}(?:change|edit|difference|alteration|modification)s?\b"
    r"|(?:\bnot|n['\u2019]t)(?: \w+)? (?:been )?(?:edited|changed|altered|modified)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Edit:
    """An edited image, as people and a judge see it.

    Attributes:
        task: short name.
        image_model: what made it.
        sample: the uid of what it was made from.
        people: the raters' mean SC, in [0, 1].
        sub_scores: of SC, on 0-10.
        rationale: of the judge.
    """

    task: str
    image_model: str
    sample: str
    people: float
    sub_scores: tuple[float, ...]
    rationale: str

    @property
    def succeeded(self) -> bool:
        """Whether people found it successful."""
        return self.people >= SUCCESS

    @property
    def failed(self) -> bool:
        """Whether no rater found anything of the instruction in it."""
        return self.people == 0

    @property
    def rated_low(self) -> bool:
        """Whether the judge says that the instruction was not followed."""
        return self.sub_scores[0] <= LOW

    @property
    def taken_for_input(self) -> bool:
        """Whether the judge says so because nothing differs."""
        return self.rated_low and says_nothing_differs(self.rationale)


def says_nothing_differs(rationale: str) -> bool:
    """Whether a rationale says that the images are the same.

    >>> says_nothing_differs("The two images are identical; no cat was added.")
    True
    >>> says_nothing_differs("The cat was added, but its paws are blurred.")
    False
    """
    return _NOTHING_DIFFERS.search(rationale) is not None


@dataclass(frozen=True)
class Misses:
    """How often edits are missed, of some of them.

    Attributes:
        missed: of those that people found successful, the share that is taken for the input, with
            its 95% interval by bootstrap over samples.
        low: of these, the share that is rated low for whatever reason.
        control: of those that people found failed, the share that is taken for the input.
    """

    missed: Share
    low: Share
    control: Share


def misses(edits: Sequence[Edit]) -> Misses:
    """How often edits are missed; shares of nothing are NaN."""
    good = [edit for edit in edits if edit.succeeded]
    return Misses(
        _share(good, [edit.taken_for_input for edit in good]),
        _share(good, [edit.rated_low for edit in good]),
        _share(
            [edit for edit in edits if edit.failed],
            [edit.taken_for_input for edit in edits if edit.failed],
        ),
    )


def _share(edits: Sequence[Edit], hits: Sequence[bool]) -> Share:
    samples = {name: n for n, name in enumerate(sorted({(e.task, e.sample) for e in edits}))}
    clusters = np.array([samples[edit.task, edit.sample] for edit in edits], dtype=np.int64)
    return mean_with_interval(np.array(hits, dtype=np.float64), clusters)


def most_representative(edits: Iterable[Edit]) -> list[Edit]:
    """The missed edits, those first that people are surest of; one of each input image."""
    missed = [edit for edit in edits if edit.succeeded and edit.taken_for_input]
    missed.sort(key=lambda e: (-e.people, max(e.sub_scores), e.task, e.sample, e.image_model))
    first: dict[tuple[str, str], Edit] = {}
    for edit in missed:
        first.setdefault((edit.task, edit.sample), edit)
    return list(first.values())


def is_rated_edit(judgment: Any) -> bool:
    """Whether a judgment is the SC of an edit that people rated."""
    return judgment.task in EDITS and judgment.aspect == "SC" and bool(judgment.ratings)


def of_logged(rows: Iterable[tuple[Any, dict[str, Any]]]) -> Iterator[Edit]:
    """The edits of logged samples: judgments of SC with what was read of their replies.

    Args:
        rows: outcome and log of every reading.
    """
    for judgment, log in rows:
        scores = log.get("sub_scores")
        if is_rated_edit(judgment) and scores:
            people = float(np.mean([sc for sc, _ in judgment.ratings]))
            said = str(log.get("rationale") or "")
            clipped = tuple(min(max(float(one), 0), HIGHEST) for one in scores)
            yield Edit(judgment.task, judgment.image_model, judgment.sample, people, clipped, said)


def of_recorded(answers: Path, human: Path) -> Iterator[Edit]:
    """The edits of recorded judgments, and human ratings in files; what has no scores is left out.

    Raises:
        RecordError: as `read_judgments` and `read_human`.
    """
    rated = read_human(human)
    people = {
        (key.task, key.image_model, sample): float(values[:, 0].mean())
        for key, ratings in rated.items()
        for sample, values in zip(ratings.samples, ratings.values, strict=True)
    }
    short = {name: task.name for task in TASKS.values() for name in task.folder_names}
    for key, sample, scores, rationale in recorded_rationales(answers):
        task, at = short.get(key.task, ""), (key.task, key.image_model, sample)
        if task in EDITS and at in people:
            yield Edit(task, key.image_model, sample, people[at], tuple(scores), rationale)
