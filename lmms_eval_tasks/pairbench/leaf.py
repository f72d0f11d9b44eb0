"""The ratings of one task: how they are pooled, and by which definitions they are measured."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from types import ModuleType
from typing import Any

from lmms_eval_tasks.pairbench import asymmetry, authors, metrics
from lmms_eval_tasks.pairbench.ratings import Condition, Rating, RatingTable, crossed_templates
from lmms_eval_tasks.pairbench.reading import AUTHORS
from lmms_eval_tasks.pairbench.variants import Statistic, variant
from pairbench_ext.core.benchmark import Option, Pool

TEMPLATES = 5  # of the paper
EPS = 1.0  # of the headline
_POOLS: dict[str, ModuleType] = {"paper": metrics, AUTHORS: authors}

_OF_MMSCORE = (
    "mmscore",
    "mmscore_sens",
    "mmscore_inv",
    "mmscore_readable",
    "controllability",
    "prompt_std",
    *(f"mmscore_v{number + 1}" for number in range(TEMPLATES)),
)
OPTIONS = (
    Option("eps", float, EPS, "Tolerance of RelaxSym.", 0, ("relaxsym",)),
    Option(
        "metric",
        Statistic,
        Statistic.KENDALL,
        "The statistic that MMScore is: Kendall's tau-b, or a variant of Appendix C.2.",
        numbers=_OF_MMSCORE,
    ),
    Option(
        "asymmetric",
        int,
        None,
        "List so many pairs whose scores differ most between the orders (Appendix A); JSON has "
        f"{asymmetry.MOST} unless told otherwise.",
        0,
    ),
)


class Leaf:
    """The ratings of one task, and how they are pooled.

    If every pair was asked with every template, numbers are means over the templates (Table 8).

    Args:
        ratings: in any order.
        eps: tolerance of `relaxsym`.
        metric: the statistic that MMScore is (`variants`).
        asymmetric: how many of the most asymmetric pairs to list; as many as JSON has if None.
        pool: "paper" or "authors"; None as the rule that read the ratings.

    Raises:
        ValueError: if eps is negative, there is no such statistic, or a trial was rated twice,
            differently.
    """

    def __init__(
        self,
        ratings: Iterable[Rating],
        eps: float = EPS,
        metric: str = Statistic.KENDALL,
        asymmetric: int | None = None,
        pool: str | None = None,
    ) -> None:
        if not eps >= 0:
            raise ValueError(f"eps must not be negative, got {eps}")
        self.metric_title = variant(metric).title
        self.metric = Statistic(metric)
        self.asymmetric = asymmetric
        self.table = RatingTable(ratings)
        self.eps = eps
        rules = {rating.rule for rating in self.table.rows}
        self.pool = pool or (AUTHORS if rules == {AUTHORS} else "paper")
        self.rules: Any = _POOLS[self.pool]

    @cached_property
    def templates(self) -> dict[int, RatingTable]:
        """The ratings by template, if every pair was asked with every template; else none."""
        return {t: self.table.of_template(t) for t in crossed_templates([self.table])}

    @cached_property
    def parts(self) -> tuple[RatingTable, ...]:
        """What numbers are means over: the templates, or all ratings at once."""
        return tuple(self.templates.values()) or (self.table,)

    @cached_property
    def config(self) -> str:
        """The config of the data set that the ratings are of; empty if the log does not say."""
        return next((rating.config for rating in self.table.rows), "")

    def mmscore(self, part: RatingTable, condition: Condition | None = None) -> float:
        """MMScore of some of the ratings, by the statistic that was chosen."""
        return float(self.rules.mmscore_variant(part, self.metric, condition))


def _usable_alone(ratings: Iterable[Rating], **options: Any) -> Leaf:
    return Leaf((rating for rating in ratings if rating.valid), pool="paper", **options)


# Unless one is chosen, what rule authors read is pooled by the authors' definitions.
POOLS = (
    Pool("paper", "-1 for MMScore, not symmetric, not in Smoothness", partial(Leaf, pool="paper")),
    Pool("authors", "-1 in every definition of the notebook", partial(Leaf, pool=AUTHORS)),
    Pool("readable", "left out, and counted", _usable_alone),
)
