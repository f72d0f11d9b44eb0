"""From a trial and its reply to a rating: the same in a run and from logged samples."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lmms_eval_tasks.pairbench.ratings import (
    FAILED,
    Condition,
    Order,
    Rating,
)
from pairbench_ext import replies
from pairbench_ext.core.benchmark import Exchange, Reading, Trial
from pairbench_ext.core.fields import as_mapping, from_record
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.statistics.seeds import stable_hash

GRAMMAR = "rating"
AUTHORS = "authors"


@dataclass(frozen=True)
class Row:
    """What a logged trial or a plain row says of a rating.

    Attributes:
        row: which source row.
        pair: which pair of that row.
        condition: that the prompt states.
        order: in which the pair was shown.
        truth: the ground-truth similarity.
        template: which prompt template.
        image_text: whether the pair is an image and a text.
        protocol: of the backend; a simple one cannot show a text before an image.
        order_shown: what logs of version 0.1 say of that.
        config, split: of the data set, where people may have rated the same pairs.
    """

    row: int | str
    pair: str
    condition: Condition
    order: Order
    truth: float
    template: int = 0
    image_text: bool = False
    protocol: Literal["simple", "chat"] | None = None
    order_shown: bool | None = None
    config: str = ""
    split: str = ""


def fields(record: Record) -> Mapping[str, Any]:
    """The fields of a rating.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    row = from_record(Row, record)
    if row.truth < 0:  # NDCG has no gain for it
        raise RecordError(f"{record.where}: field 'truth' must be 0 or more, not {row.truth}")
    return as_mapping(row)


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """The rating that a reply gives."""
    exchange = exchanges[0] if exchanges else Exchange({}, "")
    value, why = _value(exchange, rule)
    rating = Rating(
        row=trial["row"],
        pair=trial["pair"],
        condition=trial["condition"],
        order=trial["order"],
        template=trial["template"],
        truth=trial["truth"],
        value=None if value is None else as_float(value),
        order_shown=_order_shown(trial),
        reply=_digest(exchange) if trial["image_text"] else None,
        rule=rule,
        config=trial.get("config", ""),
        split=trial.get("split", ""),
    )
    return Reading(
        outcomes=(rating,),
        log={"value": value, "unusable": why},
        unusable=() if why is None else (why,),
        failed=int(exchange.failed),
    )


def _value(exchange: Exchange, rule: str) -> tuple[float | None, str | None]:
    """What a reply says, or why it says nothing; the authors' -1 is nothing here."""
    if exchange.failed:
        return None, "the request failed"
    value: Any
    value, reason = replies.parse(GRAMMAR, exchange.reply, rule)
    if value is None:
        return None, reason
    return (None, "no number") if value < 0 else (value, None)


def _order_shown(trial: Trial) -> bool | None:
    """Two images keep their order on every backend; the text of a pair may have to come last."""
    if trial.get("order_shown") is not None or not trial["image_text"]:
        return trial.get("order_shown")
    return False if trial.get("protocol") == "simple" else None


def _digest(exchange: Exchange) -> int:
    return FAILED if exchange.failed else stable_hash(0, exchange.reply)


def as_float(value: float) -> float:
    """A number as a float; the largest one for hundreds of digits, which the authors' rule reads.

    >>> as_float(8), as_float(10**400) == sys.float_info.max
    (8.0, True)
    """
    return float(max(-sys.float_info.max, min(sys.float_info.max, value)))
