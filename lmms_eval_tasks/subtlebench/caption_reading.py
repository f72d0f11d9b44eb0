"""From a trial and its reply to a caption: the same in a run and from logged samples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lmms_eval_tasks.subtlebench.caption_numbers import Caption
from lmms_eval_tasks.subtlebench.items import Category
from pairbench_ext.core.benchmark import Exchange, Reading, Trial
from pairbench_ext.core.fields import as_mapping, from_mapping, from_record
from pairbench_ext.core.records import Record
from pairbench_ext.replies.thoughts import strip_thinking


@dataclass(frozen=True)
class Row:
    """What a logged trial or a plain row says of a caption.

    Attributes:
        item: its name.
        category: type of difference.
        reference: a person's caption.
        pair: the pair of images; the item by default.
        domain: where the images are from, such as "natural".
        source: the data set that they are from.
        judge: what a judge said, as `Said` has it.
    """

    item: int | str
    category: Category
    reference: str
    pair: int | str | None = None
    domain: str = ""
    source: str = ""
    judge: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Said:
    """What a judge said: its name and its reply, none if it failed."""

    model: str
    reply: str | None = None


def fields(record: Record) -> Mapping[str, Any]:
    """The fields of a caption.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    row = from_record(Row, record)
    if row.judge is not None:
        from_mapping(Said, row.judge, f"{record.where}, judge")
    return {**as_mapping(row), "pair": row.item if row.pair is None else row.pair}


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:  # noqa: ARG001
    """The caption, and what a judge said of it; CSS is for the table to compute."""
    failed = bool(exchanges) and exchanges[0].failed
    judge = trial["judge"] or {}
    caption = Caption(
        item=trial["item"],
        pair=trial["pair"],
        category=trial["category"],
        domain=trial["domain"],
        reference=trial["reference"],
        candidate=candidate_of(exchanges),
        judge=judge.get("model"),
        said=judge.get("reply"),
    )
    why = None if caption.usable else "the request failed" if failed else "an empty caption"
    return Reading(
        outcomes=(caption,),
        log={"verdict": caption.verdict},
        unusable=() if why is None else (why,),
        failed=int(failed),
    )


def candidate_of(exchanges: Sequence[Exchange]) -> str | None:
    """The model's caption; None if it is empty or the request failed.

    A list of differences in JSON, which a prompt of the authors asks for, is one text.
    """
    if not exchanges or exchanges[0].failed:
        return None
    text = strip_thinking(exchanges[0].reply).strip()
    listed = _listed(text)
    return (text if listed is None else " ".join(listed)) or None


def _listed(text: str) -> list[str] | None:
    """The texts of `["...", ...]` or `{"differences": ["...", ...]}`; None for other replies."""
    try:
        found = json.loads(text) if text.startswith(("[", "{")) else None
    except (ValueError, RecursionError):
        return None
    listed = found.get("differences") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        return None
    return [one.strip() for one in listed if one.strip()]
