"""How the report shows a judged image: the model's scores and rationale beside people's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lmms_eval_tasks.viescore.reading import GRAMMAR
from lmms_eval_tasks.viescore.tasks import find_task
from pairbench_ext import replies
from pairbench_ext.core.benchmark import Exchange, SampleTable, SampleView, Trial
from pairbench_ext.core.sample_view import Span

_ASPECTS = ("SC", "PQ")


def _tables(trial: Trial, exchanges: Sequence[Exchange]) -> Iterator[SampleTable]:  # noqa: ARG001
    """What people said of the image, from 0 to 1, beside the model's sub-scores of 10."""
    ratings = trial.get("ratings") or ()
    scores = trial.get("sub_scores")
    aspect = str(trial.get("aspect"))
    rows = []
    if scores:
        least = min(scores) / 10  # the aspect's score is the smallest one
        named = {aspect: f"{least:.2f} (sub-scores {', '.join(f'{one:g}' for one in scores)})"}
        rows.append(("this judge", *(named.get(name, "") for name in _ASPECTS)))
    rows += [
        (f"person {number}", *(f"{value:.2f}" for value in rating))
        for number, rating in enumerate(ratings, start=1)
    ]
    if rows:
        yield SampleTable("scores from 0 to 1", ("", *_ASPECTS), tuple(rows))


def _span(trial: Trial, exchange: Exchange, rule: str) -> Span:
    if exchange.failed:
        return None
    n = find_task(trial["task"]).sub_scores_of(trial["aspect"])
    return replies.span_of(GRAMMAR, exchange.reply, rule, {"n": n})


VIEW = SampleView(
    group=lambda trial: str(trial.get("image_model") or ""),
    tables=_tables,
    span=_span,
)
