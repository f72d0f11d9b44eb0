"""Tables of PairBench's metrics, by prompt template, statistic, eps and data set.

Table 8, Figures 8 to 10 and Appendix A. All but the prompt study and the pairs are in JSON alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lmms_eval_tasks.pairbench.numbers import (
    STUDIED,
    mean_over_templates,
    mmscore_by,
    relaxsym_at,
    spread,
)
from lmms_eval_tasks.pairbench.ratings import (
    CONDITIONS,
    both_orders,
    by_template,
    crossed_templates,
    of_template,
)
from lmms_eval_tasks.pairbench.statistic import Statistic
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable
from pairbench_ext.statistics.means import mean_of_defined

EPSILONS = range(10)  # of Figure 9


def _by_template(table: OutcomeTable) -> dict[int, dict[str, float]]:
    return {
        template + 1: {name: measure(part) for name, measure in STUDIED.items()}
        for template, part in by_template(table).items()
    }


def prompt_study(tables: Sequence[OutcomeTable]) -> dict[str, dict[str, float]]:
    """Return each metric's mean and standard deviation over the prompt templates (Table 8).

    A template's number is the unweighted mean over the tasks. Empty unless every pair was asked
    with every template.
    """
    templates = crossed_templates(tables)
    study = {}
    for name, measure in STUDIED.items() if templates else ():
        values = [
            mean_of_defined([measure(of_template(table, template)) for table in tables])
            for template in templates
        ]
        study[name] = {"mean": float(np.mean(values)), "std": spread(values)}
    return study


def _every_metric(table: OutcomeTable) -> dict[str, dict[str, float]]:
    """Return MMScore by every statistic, as the mean and under each condition (Figure 10)."""
    return {
        statistic.value: {
            "mmscore": mean_over_templates(mmscore_by(statistic))(table),
            **{
                f"mmscore_{condition}": mean_over_templates(mmscore_by(statistic, condition))(table)
                for condition in CONDITIONS
            },
        }
        for statistic in Statistic
    }


def relaxsym_curve(table: OutcomeTable) -> dict[int, float]:
    """Return RelaxSym, keyed by the tolerance eps (Appendix C.1, Figure 9)."""
    return {eps: mean_over_templates(relaxsym_at(eps))(table) for eps in EPSILONS}


def _mean_curve(runs: Sequence[Any]) -> dict[int, float]:
    curves = [relaxsym_curve(run.table) for run in runs]
    return {eps: mean_of_defined([curve[eps] for curve in curves]) for eps in EPSILONS}


def _by_data(runs: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Return coverage by data set and over all, each the mean over its tasks (Figure 8)."""
    by_config: dict[str, list[Any]] = {}
    for run in runs:
        config = next((rating["config"] for rating in run.table), "")
        if config:
            by_config.setdefault(config, []).append(run)
    return {
        config: {
            "coverage": mean_of_defined([run.numbers["coverage"] for run in of_config]),
            "ratings": sum(len(run.table) for run in of_config),
        }
        for config, of_config in {**by_config, "all": list(runs)}.items()
    }


def _most_asymmetric(runs: Sequence[Any]) -> dict[int, dict[str, Any]]:
    """Return the trials whose usable ratings differ most between the orders, the largest first."""
    differing: list[dict[str, Any]] = []
    for run in runs:
        for first, second in zip(*both_orders(run.table), strict=True):
            fwd, rev = run.table.rows[first], run.table.rows[second]
            if fwd.usable and rev.usable and fwd.said != rev.said:
                trial = dict(zip(("row", "pair"), fwd.item, strict=True)) | dict(fwd.variant)
                ratings = {"truth": fwd.truth, "fwd": fwd.said, "rev": rev.said}
                difference = round(abs(fwd.said - rev.said), 9)  # 8.3 - 7.3 is 1
                differing.append({"run": run.name, **trial, **ratings, "difference": difference})
    ranked = sorted(differing, key=lambda trial: -trial["difference"])
    return dict(enumerate(ranked[: runs[0].table.options["asymmetric"]], start=1))


def _never(_: object) -> bool:
    return False


BREAKDOWNS = (
    Breakdown("by_template", "by template", _by_template),
    Breakdown(
        "metrics", "MMScore, computed with each statistic (Figure 10)", _every_metric, shown=_never
    ),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", relaxsym_curve, shown=_never),
)
ACROSS = (
    Breakdown(
        "prompt_study",
        "mean and standard deviation over the prompt templates (Table 8)",
        lambda runs: prompt_study([run.table for run in runs]),
        apart=True,
        across=True,
    ),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", _mean_curve, shown=_never, across=True),
    Breakdown(
        "coverage_by_data", "coverage by data set (Figure 8)", _by_data, shown=_never, across=True
    ),
    Breakdown(
        "asymmetric",
        "pairs whose scores differ most between the orders (Appendix A)",
        _most_asymmetric,
        shown=lambda runs: bool(runs[0].table.options["asymmetric"]),
        across=True,
    ),
)
