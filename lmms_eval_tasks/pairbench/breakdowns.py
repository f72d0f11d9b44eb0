"""PairBench's numbers by part: by template, statistic, eps, data set; the most asymmetric pairs.

Table 8 and Figures 8 to 10 of the paper, and its Appendix A. All but the prompt study and the
pairs are in JSON alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lmms_eval_tasks.pairbench import asymmetry
from lmms_eval_tasks.pairbench.leaf import Leaf
from lmms_eval_tasks.pairbench.numbers import (
    STUDIED,
    Measure,
    mean_over_templates,
    relaxsym_at,
    spread,
)
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, Condition, crossed_templates
from lmms_eval_tasks.pairbench.variants import Statistic
from pairbench_ext.core.benchmark import Breakdown
from pairbench_ext.statistics.means import mean_of_defined

EPSILONS = range(10)  # of Figure 9


class Spread(NamedTuple):
    """A number's mean and standard deviation over the templates."""

    mean: float
    std: float


def _by_template(leaf: Leaf) -> dict[int, dict[str, float]]:
    return {
        template + 1: {name: measure(leaf, part) for name, measure in STUDIED.items()}
        for template, part in leaf.templates.items()
    }


def prompt_study(leaves: Sequence[Leaf]) -> dict[str, Spread]:
    """Table 8 for some leaves: each number's mean and standard deviation over the templates.

    A template's number is the unweighted mean over the leaves. Empty unless every pair was asked
    with every template.
    """
    templates = crossed_templates([leaf.table for leaf in leaves])
    parts = {t: [(leaf, leaf.table.of_template(t)) for leaf in leaves] for t in templates}
    study = {}
    for name, measure in STUDIED.items() if templates else ():
        values = [mean_of_defined([measure(*one) for one in found]) for found in parts.values()]
        study[name] = Spread(float(np.mean(values)), spread(values))
    return study


def _every_metric(leaf: Leaf) -> dict[str, dict[str, float]]:
    """MMScore by every statistic, as the mean and under each condition (Figure 10)."""
    return {
        one.value: {
            "mmscore": mean_over_templates(_by_statistic(one))(leaf),
            **{
                f"mmscore_{c}": mean_over_templates(_by_statistic(one, c))(leaf) for c in CONDITIONS
            },
        }
        for one in Statistic
    }


def _by_statistic(name: Statistic, condition: Condition | None = None) -> Measure:
    return lambda leaf, part: float(leaf.rules.mmscore_variant(part, name, condition))


def relaxsym_curve(leaf: Leaf) -> dict[int, float]:
    """eps-RelaxSym by eps (Appendix C.1, Figure 9); never falls as eps grows."""
    return {eps: mean_over_templates(relaxsym_at(eps))(leaf) for eps in EPSILONS}


def _never(_: object) -> bool:
    return False


BREAKDOWNS = (
    Breakdown("by_template", "by template", _by_template),
    Breakdown("metrics", "MMScore by statistic (Figure 10)", _every_metric, shown=_never),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", relaxsym_curve, shown=_never),
)


def _mean_curve(runs: Sequence[Any]) -> dict[int, float]:
    curves = [relaxsym_curve(run.table) for run in runs]
    return {eps: mean_of_defined([curve[eps] for curve in curves]) for eps in EPSILONS}


def _by_data(runs: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Coverage by data set and over all, each the mean over its tasks (Figure 8)."""
    found: dict[str, list[Any]] = {}
    for run in runs:
        if run.table.config:
            found.setdefault(run.table.config, []).append(run)
    return {
        config: {
            "coverage": mean_of_defined([run.numbers["coverage"] for run in own]),
            "ratings": sum(len(run.table.table) for run in own),
        }
        for config, own in {**found, "all": list(runs)}.items()
    }


def _most_asymmetric(runs: Sequence[Any]) -> dict[int, dict[str, Any]]:
    asked = runs[0].table.asymmetric
    most = asymmetry.MOST if asked is None else asked
    tables = {run.name: run.table.table for run in runs}
    return asymmetry.as_rows(asymmetry.most_asymmetric(tables, most))


ACROSS = (
    Breakdown(
        "prompt_study",
        "over the templates (Table 8)",
        lambda runs: prompt_study([run.table for run in runs]),
    ),
    Breakdown("relaxsym_curve", "eps-RelaxSym (Figure 9)", _mean_curve, shown=_never),
    Breakdown("coverage_by_data", "coverage by data set (Figure 8)", _by_data, shown=_never),
    Breakdown(
        "asymmetric",
        "pairs whose scores differ most between the orders",
        _most_asymmetric,
        shown=lambda runs: bool(runs[0].table.asymmetric),
    ),
)
