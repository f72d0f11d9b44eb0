"""PairBench's numbers by part: by template, statistic, eps, data set; the most asymmetric pairs.

Table 8 and Figures 8 to 10 of the paper, and its Appendix A. All but the prompt study and the
pairs are in JSON alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
MOST_ASYMMETRIC = 10  # listed unless told otherwise


def _by_template(table: OutcomeTable) -> dict[int, dict[str, float]]:
    return {
        template + 1: {name: measure(part) for name, measure in STUDIED.items()}
        for template, part in by_template(table).items()
    }


def prompt_study(tables: Sequence[OutcomeTable]) -> dict[str, dict[str, float]]:
    """Table 8 for some tasks: each number's mean and standard deviation over the templates.

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
    """MMScore by every statistic, as the mean and under each condition (Figure 10)."""
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
    """eps-RelaxSym by eps (Appendix C.1, Figure 9); never falls as eps grows."""
    return {eps: mean_over_templates(relaxsym_at(eps))(table) for eps in EPSILONS}


def _mean_curve(runs: Sequence[Any]) -> dict[int, float]:
    curves = [relaxsym_curve(run.table) for run in runs]
    return {eps: mean_of_defined([curve[eps] for curve in curves]) for eps in EPSILONS}


def _by_data(runs: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Coverage by data set and over all, each the mean over its tasks (Figure 8)."""
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


def most_asymmetric(
    tables: Mapping[str, OutcomeTable], most: int = MOST_ASYMMETRIC
) -> list[dict[str, Any]]:
    """Return the trials whose usable ratings differ most between the orders, the largest first.

    Equal differences are in the order of run, row, pair, condition and template. Trials that are
    rated alike in both orders are not among them, nor those that lack a usable rating or whose
    order could not be shown.

    Args:
        tables: the ratings by run.
        most: how many at most.

    Returns:
        For each its run, row, pair, condition and template, as the log names them; the truth, the
        ratings `fwd` and `rev`, and their absolute difference.
    """
    differing: list[dict[str, Any]] = []
    for run, table in tables.items():
        for first, second in zip(*both_orders(table), strict=True):
            fwd, rev = table.rows[first], table.rows[second]
            if fwd.usable and rev.usable and fwd.said != rev.said:
                difference = round(abs(fwd.said - rev.said), 9)  # 8.3 - 7.3 is 1
                values = {"truth": fwd.truth, "fwd": fwd.said, "rev": rev.said}
                values["difference"] = difference
                trial = dict(zip(("row", "pair"), fwd.item, strict=True)) | fwd.variant
                whole = {name: _whole(value) for name, value in values.items()}
                differing.append({"run": run, **trial, **whole})
    return sorted(differing, key=lambda trial: -trial["difference"])[:most]  # stable


def _whole(value: float) -> float:
    """Return a whole number as an int, which is shown without decimals."""
    return int(value) if float(value).is_integer() else value


def _listed(runs: Sequence[Any]) -> dict[int, dict[str, Any]]:
    asked = runs[0].table.options["asymmetric"]
    tables = {run.name: run.table for run in runs}
    trials = most_asymmetric(tables, MOST_ASYMMETRIC if asked is None else asked)
    return dict(enumerate(trials, start=1))


def _never(_: object) -> bool:
    return False


BREAKDOWNS = (
    Breakdown("by_template", "by template", _by_template),
    Breakdown("metrics", "MMScore by statistic (Figure 10)", _every_metric, shown=_never),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", relaxsym_curve, shown=_never),
)
ACROSS = (
    Breakdown(
        "prompt_study",
        "over the templates (Table 8)",
        lambda runs: prompt_study([run.table for run in runs]),
        apart=True,
    ),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", _mean_curve, shown=_never),
    Breakdown("coverage_by_data", "coverage by data set (Figure 8)", _by_data, shown=_never),
    Breakdown(
        "asymmetric",
        "pairs whose scores differ most between the orders",
        _listed,
        shown=lambda runs: bool(runs[0].table.options["asymmetric"]),
    ),
)
