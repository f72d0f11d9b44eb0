"""Read a judge's reply about an image as a rating."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from annotated_types import Interval

from lmms_eval_tasks.viescore.scores import JUDGED, Judged, Kind, aspect_score
from lmms_eval_tasks.viescore.tasks import TASKS, Name
from pairbench_ext.core.benchmark import (
    Control,
    Exchange,
    Outcome,
    OutcomeFields,
    Reading,
    SampleTable,
    Span,
    Trial,
    View,
)
from pairbench_ext.core.readers import parse
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.refusals import REFUSAL, is_refusal

GRAMMAR = "subscores"

Share: TypeAlias = Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class RatedRow:
    """The fields of a rated image, in logs and JSONL files; `ratings` has each rater's [SC, PQ]."""

    task: Name
    image_model: str
    sample: str
    aspect: Judged
    ratings: tuple[tuple[Share, Share], ...] | None = None


class _Fields(OutcomeFields):
    """Outcomes whose ground truth is the mean of the image's raters."""

    def outcome(self, trial: Mapping[str, Any], answer: Any, **changes: Any) -> Outcome:
        column = JUDGED.index(trial["aspect"])
        ratings = enumerate(trial["ratings"] or (), start=1)
        people = {f"rater {number}": rating[column] for number, rating in ratings}
        truth = sum(people.values()) / len(people) if people else None
        return super().outcome(trial, answer, **{"people": people, "truth": truth, **changes})


FIELDS = _Fields(
    "rated",
    RatedRow,
    item=("task", "image_model", "sample"),
    cluster="sample",
    variant=("aspect",),
    facets=("task", "image_model", "ratings"),
    scale=(0, 1),
)


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """Read the sub-scores in the last reply about an image."""
    reply = exchanges[-1] if exchanges else Exchange({}, "")
    parsed = parse(GRAMMAR, reply, rule, asks(trial))
    scores: Any = parsed.value
    kind: Kind = "judged"
    if scores is None:
        kind = "refusal" if is_refusal(parsed) else "unusable"
    value = None if scores is None else aspect_score(scores)
    why = parsed.reason if scores is None else None
    return Reading(
        outcomes=(FIELDS.outcome(trial, value, measured={"kind": kind}),),
        log={
            "sub_scores": scores,
            "rationale": parsed.reason if why is None else None,
            "unusable": why,
            "kind": kind,
        },
        unusable=() if why is None else (REFUSAL if kind == "refusal" else why,),
        failed=int(reply.failed),
    )


def _by_instruction(outcomes: Sequence[Outcome], put: Any) -> Iterator[Any]:
    """Yield the control that rates by instruction alone: people's mean over other models."""
    ratings: dict[Any, dict[str, float]] = {}
    for outcome in outcomes:
        if outcome.truth is not None:
            key = outcome["task"], outcome.cluster, outcome["aspect"]
            ratings.setdefault(key, {})[outcome["image_model"]] = outcome.truth

    def rate(outcome: Outcome) -> float:
        of_all = ratings.get((outcome["task"], outcome.cluster, outcome["aspect"]), {})
        others = [value for model, value in of_all.items() if model != outcome["image_model"]]
        return sum(others) / len(others) if others else 0.5

    if any(len(of_all) > 1 for of_all in ratings.values()):
        yield lambda outcome: put([outcome], rate(outcome))


INSTRUCTION = Control(
    "instruction",
    "knows how people rate other models' images for the same instruction",
    _by_instruction,
)


def asks(trial: Trial) -> AnswerFormat:
    """Declare the sub-scores that the prompt for a trial's aspect asks for."""
    n = TASKS[trial["task"]].sub_scores_of(trial["aspect"])
    return AnswerFormat(
        "subscores", scores=n, scale=(0, 10), keys=("score",), form="json", authors=(("n", n),)
    )


def _tables(trial: Trial, exchanges: Sequence[Exchange]) -> Iterator[SampleTable]:  # noqa: ARG001
    """Yield the judge's score of the image, from 0 to 1, above those of the raters."""
    rows = []
    if scores := trial.get("sub_scores"):
        cell = f"{min(scores) / 10:.2f} (sub-scores {', '.join(f'{score:g}' for score in scores)})"
        rows.append(("this judge", *(cell if trial["aspect"] == a else "" for a in JUDGED)))
    rows += [
        (f"person {number}", *(f"{value:.2f}" for value in rating))
        for number, rating in enumerate(trial.get("ratings") or (), start=1)
    ]
    if rows:
        yield SampleTable("scores from 0 to 1", ("", *JUDGED), tuple(rows))


def _span(trial: Trial, exchange: Exchange, rule: str) -> Span:
    return None if exchange.failed else parse(GRAMMAR, exchange, rule, asks(trial)).span


VIEW = View(group=lambda trial: str(trial.get("image_model") or ""), tables=_tables, span=_span)
