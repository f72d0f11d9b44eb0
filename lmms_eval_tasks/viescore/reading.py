"""From a judge's reply about an image to a judgment: the same in a run and from logged samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from annotated_types import Interval

from lmms_eval_tasks.viescore.judgments import Judged, Judgment, Kind, Policy, Setting, aspect_score
from lmms_eval_tasks.viescore.tasks import Name, find_task
from pairbench_ext import replies
from pairbench_ext.core.benchmark import Asking, Exchange, Reading, Trial
from pairbench_ext.core.fields import as_mapping, from_record
from pairbench_ext.core.records import Record
from pairbench_ext.replies import Parsed
from pairbench_ext.replies.refusals import REFUSAL, is_refusal

GRAMMAR = "subscores"

Share: TypeAlias = Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class Row:
    """What a logged trial or a plain row says of a judgment; `ratings` are [SC, PQ] by rater."""

    task: Name
    image_model: str
    sample: str
    aspect: Judged
    ratings: tuple[tuple[Share, Share], ...] | None = None
    shots: int = 0
    pq_with_inputs: bool = False
    policy: Policy = "drop"
    seed: int = 0
    asking: Asking = "paper"


def fields(record: Record) -> Mapping[str, Any]:
    """The fields of a judgment.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    return as_mapping(from_record(Row, record))


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """The judgment that a reply gives: the last one, where an image was asked about again."""
    reply = exchanges[-1] if exchanges else Exchange({}, "")
    parsed = Parsed(None, "the request failed")
    if not reply.failed:
        n = find_task(trial["task"]).sub_scores_of(trial["aspect"])
        parsed = replies.parse(GRAMMAR, reply.reply, rule, {"n": n})
    scores: Any = parsed.value
    kind: Kind = "judged"
    if scores is None:
        kind = "refusal" if is_refusal(parsed) else "unusable"
    judgment = Judgment(
        trial["task"],
        trial["image_model"],
        trial["sample"],
        trial["aspect"],
        None if scores is None else aspect_score(scores),
        kind,
        tuple((sc, pq) for sc, pq in trial["ratings"] or ()),
        Setting(*(trial[name] for name in Setting._fields)),
    )
    why = parsed.reason if scores is None else None
    return Reading(
        outcomes=(judgment,),
        log={
            "sub_scores": scores,
            "rationale": parsed.reason if why is None else None,
            "unusable": why,
            "kind": kind,
        },
        unusable=() if why is None else (REFUSAL if kind == "refusal" else why,),
        failed=int(reply.failed),
    )
