"""Declare the metrics of VIEScore."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from lmms_eval_tasks.viescore.correlations import (
    MEANS,
    Agreement,
    agreement,
    clustered_spearman,
    order,
)
from lmms_eval_tasks.viescore.correlations import Mean as Averaging
from lmms_eval_tasks.viescore.scores import (
    ASPECTS,
    Aspect,
    Key,
    Policy,
    Scores,
    judges_scores,
    kind_of,
    raters_scores,
)
from pairbench_ext.core.benchmark import Breakdown, Estimator, Mean, Number, OutcomeTable, Pool
from pairbench_ext.core.numbers import Kind as NumberKind
from pairbench_ext.core.numbers import closeness
from pairbench_ext.core.table import once_per_table
from pairbench_ext.runs.card.model import READABLE, above_zero, number_alone
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.correlation import Statistic
from pairbench_ext.statistics.means import mean_of_defined

POOLS = (
    Pool(
        "paper",
        (
            "refusals are left out (Section 7); other unreadable replies get a random score from 0 "
            "to 10 (Appendix C.1)"
        ),
    ),
    Pool("authors", "gets a random score from 0 to 10, as in the authors' code"),
    Pool("readable", "is left out, together with its image"),
    Pool("zero", "0"),
)
_POLICIES: Mapping[str | None, Policy] = {
    None: "drop",
    "paper": "paper",
    "authors": "random",
    "readable": "drop",
    "zero": "zero",
}


def task_of(table: OutcomeTable) -> str:
    """Return the one task to which all samples of a run belong.

    Raises:
        ValueError: if its samples are of several.
    """
    tasks: list[str] = table.labels("task")
    if len(tasks) != 1:
        raise ValueError(f"all samples must belong to one task, not to {tasks}")
    return tasks[0]


@once_per_table
def scores_of(table: OutcomeTable) -> dict[Key, Scores]:
    """Return a judge's scores of images; the option `pool` says how unreadable replies count."""
    if len(table):
        task_of(table)  # several are an error
    return judges_scores(table, _POLICIES[table.options.get("pool")])


@once_per_table
def agreement_of(table: OutcomeTable) -> Agreement | None:
    """Return the judge's agreement with human raters; None if they rated no model in common."""
    scores = {key: judged for key, judged in scores_of(table).items() if len(judged)}
    humans = raters_scores(table)
    return agreement(scores, humans) if set(scores) & set(humans) else None


@once_per_table
def model_means(table: OutcomeTable) -> dict[Key, dict[Aspect, float]]:
    """Return each image model's mean score in each aspect."""
    return {
        key: {
            aspect: float(column.mean()) if len(judged) else math.nan
            for aspect, column in zip(ASPECTS, judged.values.T, strict=True)
        }
        for key, judged in scores_of(table).items()
    }


def _correlation(
    aspect: Aspect, statistic: Statistic, mean: Averaging = "fisher", *, raters: bool = False
) -> Number:
    def of(table: OutcomeTable) -> float:
        agreement = agreement_of(table)
        if agreement is None:
            return math.nan
        means = agreement.human_means if raters else agreement.means
        return means[mean][task_of(table), aspect, statistic]

    @once_per_table
    def clusters(table: OutcomeTable) -> Clustered | None:
        agreement = agreement_of(table)
        if agreement is None:
            return None
        return clustered_spearman(agreement.scores, agreement.humans, aspect)

    has_interval = (statistic, mean, raters) == ("spearman", "fisher", False)
    title = aspect if statistic == "spearman" else f"{statistic.title()} {aspect}"
    return Number(
        f"{'human_' * raters}{statistic}_{aspect.lower()}{'_authors' * (mean == 'authors')}",
        f"raters' {title}" if raters else title,
        Estimator(of, clusters) if has_interval else of,
        "correlation",
        None if raters else "higher",
        _SECTIONS.get((statistic, mean), "Pearson's and Kendall's correlation with the raters"),
        interval=f"ci95_{aspect.lower()}" if has_interval else False,
        over=MEANS[mean],
    )


_SECTIONS: Mapping[tuple[Statistic, Averaging], str] = {
    ("spearman", "fisher"): "Spearman's correlation with the raters, averaged on Fisher's z scale",
    (
        "spearman",
        "authors",
    ): "the authors' average of the correlations, tanh(mean(r)), which shrinks towards 0",
}


def _ranking(
    name: Literal["footrule", "rho"], kind: NumberKind, better: Literal["higher", "lower"]
) -> Number:
    """Return a number that describes the ranking of image models; NaN over several tasks."""

    def of(table: OutcomeTable) -> float:
        agreement = agreement_of(table)
        rankings = agreement.rankings if agreement else ()
        return float(getattr(rankings[0], name)) if len(rankings) == 1 else math.nan

    return Number(f"ranking_{name}", name, of, kind, better, None)


def _mean(aspect: Aspect) -> Number:
    def of(table: OutcomeTable) -> float:
        return mean_of_defined([means[aspect] for means in model_means(table).values()])

    return Number(f"mean_{aspect.lower()}", f"mean {aspect}", of, "mean", None, _REPLIES)


_REPLIES = "coverage (share of readable replies), and mean scores"
_count = partial(Number, kind="count", section=_REPLIES)
NUMBERS = (
    *(
        _correlation(aspect, "spearman", raters=raters)
        for aspect in ASPECTS
        for raters in (False, True)
    ),
    *(_correlation(x, "spearman", "authors", raters=of) for of in (False, True) for x in ASPECTS),
    *(_correlation(aspect, "pearson") for aspect in ASPECTS),
    *(_correlation(aspect, "kendall") for aspect in ASPECTS),
    # Shown with the orders themselves (Table 5).
    _ranking("footrule", "score", "lower"),
    _ranking("rho", "correlation", "higher"),
    *map(_mean, ASPECTS),
    Number("closeness", "agreement with the raters", closeness(1), section=_REPLIES),
    Number("coverage", "coverage", Mean(lambda o: kind_of(o) == "judged"), section=_REPLIES),
    _count(
        "refusals",
        "refusals",
        lambda table: sum(kind_of(outcome) == "refusal" for outcome in table),
        better="lower",
    ),
    _count(
        "images",
        "images scored",
        lambda table: sum(map(len, scores_of(table).values())),
        better=None,
    ),
    _count("image_models", "image models", lambda table: len(scores_of(table)), better=None),
)


def _by_image_model(table: OutcomeTable) -> dict[str, dict[str, float]]:
    agreement = agreement_of(table)
    correlations = agreement.by_image_model() if agreement else {}
    by_model: dict[str, dict[str, float]] = {}
    for key, judged in scores_of(table).items():
        name = key.image_model
        by_model[name] = {"n": len(judged)}
        for aspect in ASPECTS:
            by_model[name][f"mean_{aspect.lower()}"] = model_means(table)[key][aspect]
        for aspect in ASPECTS:
            value = correlations.get(key, {}).get(aspect, math.nan)
            by_model[name][f"spearman_{aspect.lower()}"] = value
    return by_model


def _rankings(table: OutcomeTable) -> dict[str, dict[str, Any]]:
    agreement = agreement_of(table)
    return {
        ranking.task: {
            "judge": order(ranking.judge),
            "raters": order(ranking.human),
            "footrule": ranking.footrule,
            "rho": ranking.rho,
        }
        for ranking in (agreement.rankings if agreement else ())
    }


BREAKDOWNS = (
    Breakdown(
        "by_image_model",
        "by image model: the judge's mean scores, and its correlation with the raters",
        _by_image_model,
    ),
    Breakdown(
        "rankings", "image models ranked by their mean overall score O (as in Table 5)", _rankings
    ),
)


CARD = (
    READABLE,
    above_zero(
        "people",
        "spearman_o",
        "correlation with the raters",
        says="correlation of its overall scores with people's scores",
        null="no correlation",
        flag="unlike_people",
        todo="do not use its scores instead of people's",
    ),
    number_alone(
        "people", "human_spearman_o", "correlation of the raters with each other", "correlation"
    ),
)
