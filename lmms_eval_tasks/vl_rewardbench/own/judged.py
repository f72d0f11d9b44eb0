"""What judges and people say of pairs of answers (VL-RewardBench, Section 2.2).

Judges' votes are read from logs of any task of VL-RewardBench or of `preference_custom` over pairs
that `pairbench build preference` made; which answer such a log calls the better one does not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lmms_eval_tasks.people.events import collect
from lmms_eval_tasks.people.questions import READER, Answer
from lmms_eval_tasks.preference.votes import pairs
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARKS
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.statistics.agreement import Coefficient, krippendorff_alpha

#: The votes on each pair by its name, of each judge by its: 0 or 1 for an answer, else for none.
Votes: TypeAlias = Mapping[str, Mapping[str, Sequence[Any]]]


def read_votes(paths: Sequence[Path]) -> Votes:
    """The votes in logs, by repeat; a folder is a judge, or holds one in each of its folders.

    Raises:
        RecordError: naming what cannot be read.
    """
    votes: dict[str, dict[str, list[Any]]] = {}
    for judge in read_judges(judge_runs(paths, BENCHMARKS)):
        of_judge = votes[judge.name] = defaultdict(list)
        for run in judge.runs.values():
            for vote in sorted(pairs(run.table), key=lambda vote: (vote.repeat, vote.reverse)):
                of_judge[str(vote.item)].append(vote.option)
    return votes


def majority(votes: Sequence[Any]) -> int | None:
    """The answer with more than half of the votes; None if neither has."""
    return next((answer for answer in (0, 1) if 2 * votes.count(answer) > len(votes)), None)


class Checked(NamedTuple):
    """What people say of pairs.

    Attributes:
        answers: an option's place for each person who answered, by pair; pairs that are not asked
            about any more do not count.
        raters: the number of answers of each person.
        alpha: Krippendorff's, of the options as names, over these pairs.
        agreed, shared: on how many of the pairs that two or more answered all say the same.
        others: how many answers are about other pairs.
    """

    answers: Mapping[str, Sequence[int]]
    raters: Mapping[str, int]
    alpha: Coefficient
    agreed: int
    shared: int
    others: int

    def label(self, name: str) -> int | None:
        """The answer that more than half of the people choose; None if no answer is."""
        return majority(self.answers[name])


def read_people(files: Sequence[Path], names: Sequence[str]) -> Checked:
    """What people said on the page of `pairbench rate questions` about pairs of these names.

    Raises:
        RecordError: if a file cannot be read, or has nothing about these pairs.
    """
    every: list[Answer] = collect(files, READER).ratings
    known = [answer for answer in every if answer.key.item in set(names)]
    columns = {name: place for place, name in enumerate(names)}
    raters = sorted({answer.rater for answer in known})
    matrix = np.full((len(raters), len(names)), np.nan)
    for answer in known:
        matrix[raters.index(answer.rater), columns[answer.key.item]] = answer.score - 1
    said = {
        name: [int(option) for option in column[~np.isnan(column)]]
        for name, column in zip(names, matrix.T, strict=True)
    }
    shared = [options for options in said.values() if len(options) > 1]
    return Checked(
        {name: options for name, options in said.items() if options},
        {rater: int((~np.isnan(row)).sum()) for rater, row in zip(raters, matrix, strict=True)},
        krippendorff_alpha(matrix, "nominal") if known else Coefficient(float("nan"), "no answer"),
        sum(len(set(options)) == 1 for options in shared),
        len(shared),
        len(every) - len(known),
    )
