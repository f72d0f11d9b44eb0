"""Metrics of recorded judgments: yes or no, categories, use of the rating scale."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lmms_eval_tasks.mllm_judge.numbers import ratings
from pairbench_ext.core.benchmark import Breakdown, Correlation, Mean, Number, Outcome, OutcomeTable
from pairbench_ext.core.texts import decimal
from pairbench_ext.statistics.kappa import cohen_kappa
from pairbench_ext.statistics.means import mean_of_defined

YES, NO = 0, 1
_NEARLY_ALWAYS = 0.9  # of a judge's ratings
_FEW = 20  # ratings, which say nothing of that


def _kappa(answers: Sequence[float], truth: Sequence[float]) -> float:
    return cohen_kappa(answers, truth).value


def always_commonest(table: OutcomeTable) -> float:
    """Return the accuracy of a judge that always gives people's most frequent answer."""
    return _commonest(outcome.truth for outcome in table if outcome.truth is not None)


def _commonest(values: Iterable[object]) -> float:
    counts = Counter(values)
    return max(counts.values()) / counts.total() if counts else math.nan


def one_of_all(table: OutcomeTable) -> float:
    """Return the accuracy of a judge that answers at random: the mean of 1 / number of options."""
    chances = [1 / row.options for row in table if row.options and row.truth is not None]
    return mean_of_defined(chances)


def same_again(table: OutcomeTable) -> float:
    """Return, among items asked more than once, the share with the same answer every time."""
    answers: dict[object, list[object]] = {}
    for outcome in table:
        answers.setdefault((outcome.item_and_variant, outcome.order), []).append(outcome.said)
    again = [float(len({*repeats}) == 1) for repeats in answers.values() if len(repeats) > 1]
    return mean_of_defined(again)


def _right_where(truth: int) -> Mean:
    return Mean(lambda outcome: outcome.right if outcome.truth == truth else None)


def _bias(outcome: Outcome) -> float | None:
    comparable = outcome.usable and outcome.truth is not None
    return float(outcome.said == YES) - float(outcome.truth == YES) if comparable else None


#: Of yes or no, and of categories.
KAPPA = Number("kappa", "kappa", Correlation(_kappa, ratings), "correlation")
COMMONEST = Number("always_commonest", "always the commonest answer", always_commonest, better=None)
DRAWN = Number("chance", "random guess", one_of_all, better=None)
SAME_AGAIN = Number("same_again", "same answer in all repeats", same_again)
YES_OR_NO: tuple[Number, ...] = (
    Number("true_positive_rate", "right if the truth is yes", _right_where(YES), interval=True),
    Number("true_negative_rate", "right if the truth is no", _right_where(NO), interval=True),
    Number("yes", "says yes", Mean(lambda outcome: outcome.first), better=None),
    Number("yes_bias", "yes bias", Mean(_bias), "mean", None, interval=True),
)


def commonest_share(table: OutcomeTable) -> float:
    """Return the share of a judge's ratings that equal its most frequent rating."""
    return _commonest(outcome.said for outcome in table if outcome.usable)


def spread(table: OutcomeTable) -> float:
    """Return the distance between the ratings' 10% and 90% quantiles, as a share of the scale."""
    ratings = sorted(outcome.said for outcome in table if outcome.usable)
    scales = {tuple(outcome["scale"]) for outcome in table}
    if not ratings or len(scales) != 1:
        return math.nan
    [(low, high)] = scales
    ends = [ratings[min(len(ratings) - 1, int(q * len(ratings)))] for q in (0.1, 0.9)]
    return float((ends[1] - ends[0]) / (high - low))


SCALE: tuple[Number, ...] = (
    Number("commonest_share", "share of the commonest rating", commonest_share, better=None),
    Number("spread", "share of the scale used", spread, better=None),
)


def remarks_on_ratings(table: OutcomeTable) -> Iterator[str]:
    """Yield a warning if a judge nearly always gives the same rating."""
    counts = Counter(outcome.said for outcome in table if outcome.usable)
    if counts.total() < _FEW:
        return
    [(rating, count)] = counts.most_common(1)
    share = count / counts.total()
    if share >= _NEARLY_ALWAYS:
        yield (
            f"gives the rating {rating:g} in {decimal(100 * share, 0)}% of its ratings. So it "
            "hardly distinguishes items, and correlations depend on the few other ratings"
        )


def said_by_truth(table: OutcomeTable) -> Mapping[str, Mapping[str, int]]:
    """Return the number of times that the judge gave each answer, keyed by people's label."""
    counts: dict[str, dict[str, int]] = {}
    labelled = [outcome for outcome in table if outcome.truth is not None]
    names = list(dict.fromkeys(name for outcome in labelled for name in _labels(outcome)))
    for name in names if len(names) <= 12 else ():
        rows = [outcome for outcome in labelled if _labels(outcome)[outcome.truth] == name]
        counted = Counter(_labels(o)[o.said] if o.usable else "unreadable" for o in rows)
        if rows:
            counts[name] = {f"said {label}": counted[label] for label in (*names, "unreadable")}
    return counts


def _labels(outcome: Outcome) -> Sequence[str]:
    return outcome["labels"] or ("yes", "no")


WHO_SAID_WHAT = Breakdown(
    "said_by_truth", "how often the judge gives each answer, by people's answer", said_by_truth
)
