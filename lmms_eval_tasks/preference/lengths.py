"""`pairbench papers lengths`: compare the numbers of words in better and worse answers.

Paper: VL-RewardBench, Table 1 (quartiles of word counts) and Figure 3 (the difference in words of
the chosen and the rejected response). Length does not give the better answer away if differences
are centred at 0 and half of the better answers are the longer ones.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from lmms_eval_tasks.preference.trials import Pair, PairItems
from lmms_eval_tasks.preference.votes import Grouping, word_count
from pairbench_ext.core.findings import Finding, Measure, Quantity, plain_table
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, option
from pairbench_ext.stacks.plain.tasks import trials_of
from pairbench_ext.statistics.shares import Share, mean_with_interval

ALL = "all"
_TASK = "vl_rewardbench_both"
Quartiles = tuple[float, float, float]
_PARTS = ("query", "answer", "better", "worse")
_PAIRS = Measure("pairs", "Pairs", unit="count")
_WORDS = (_PAIRS, *(Measure(part, part.capitalize(), unit="text") for part in _PARTS))
_MINUS = "words in the better answer minus words in the worse answer"
_DIFFERENCES = (
    Measure("difference", "Mean", digits=1),
    Measure("median", "Median", digits=1),
    Measure(
        "longer_better",
        "Longer is better",
        "Share of pairs in which the longer answer is better, among pairs of unequal length.",
        digits=3,
    ),
    Measure("different", "Of pairs", unit="count"),
    Measure("equal", "Equal", unit="count"),
)


class LengthSummary(NamedTuple):
    """The numbers of words in the questions and answers of several pairs.

    Attributes:
        pairs: how many there are.
        query, answer, better, worse: quartiles of the questions, of all answers, of the better and
            of the worse ones.
        difference, median: mean and median of better less worse.
        longer_better: of the pairs of different lengths, the share whose better answer is the
            longer one, with its interval.
        equal: pairs of equal lengths.
    """

    pairs: int
    query: Quartiles
    answer: Quartiles
    better: Quartiles
    worse: Quartiles
    difference: float
    median: float
    longer_better: Share
    equal: int


def summaries(pairs: Sequence[Pair], grouping: Grouping) -> dict[str, LengthSummary]:
    """Summarize the numbers of words in pairs of answers, for each group and for all pairs."""
    groups = {name: [p for p in pairs if grouping.of(p.source) == name] for name in grouping.names}
    return {name: _summary(some) for name, some in {**groups, ALL: pairs}.items() if some}


def _summary(pairs: Sequence[Pair]) -> LengthSummary:
    better = [word_count(pair.responses[pair.truth]) for pair in pairs]
    worse = [word_count(pair.responses[1 - pair.truth]) for pair in pairs]
    difference = np.array(better) - np.array(worse)
    longer = difference[difference != 0] > 0
    return LengthSummary(
        pairs=len(pairs),
        query=_quartiles([word_count(pair.query) for pair in pairs]),
        answer=_quartiles([*better, *worse]),
        better=_quartiles(better),
        worse=_quartiles(worse),
        difference=float(difference.mean()),
        median=float(np.median(difference)),
        longer_better=mean_with_interval(longer, np.arange(len(longer))),
        equal=int((difference == 0).sum()),
    )


def _quartiles(counts: Sequence[int]) -> Quartiles:
    low, middle, high = np.percentile(counts, (25, 50, 75)).tolist()
    return low, middle, high


def lengths(
    task: Annotated[str, option("Task whose better and worse answers are compared.")] = _TASK,
    json_only: AsJson = False,
) -> None:
    """Count the words of better and worse answers (VL-RewardBench, Table 1 and Figure 3).

    Prints, by group, quartiles of questions and answers, how many words longer the better answer
    is, and how often it is the longer one. No model is run. `pairbench score` and `pairbench card`
    say whether a judge prefers the longer answer.
    """
    with fail_on(RecordError, ValueError):
        pairs, grouping = _pairs_of(task)
        groups = summaries(pairs, grouping)
    words, differences = [], []
    for name, group in groups.items():
        parts = (getattr(group, part) for part in _PARTS)
        texts = (", ".join(f"{value:g}" for value in part) for part in parts)
        words.append((name, group.pairs, *texts))
        share, ends, count = group.longer_better
        longer = Quantity(share, ends, count, "pair")
        differences.append((name, group.difference, group.median, longer, count, group.equal))
    tables = (
        plain_table("words", f"{task}: quartiles of words", ("Group",), _WORDS, words),
        plain_table("differences", _MINUS, ("Group",), _DIFFERENCES, differences),
    )
    fields = {"task": task, "unit": "words", "groups": groups}
    print_finding(Finding("lengths", tables=tables, fields=fields), json_only=json_only)


def _pairs_of(task: str) -> tuple[list[Pair], Grouping]:
    """Return the pairs of a task, and how they are grouped.

    Raises:
        SourceError: if there is no such task, it is not about pairs of answers, or its data cannot
            be read.
    """
    trials = trials_of(task)
    grouping: Grouping | None = getattr(trials, "grouping", None)
    if not isinstance(trials, PairItems) or grouping is None:
        raise SourceError(f"{task} has no pairs of a better and a worse answer")
    return list(trials.items.values()), grouping
