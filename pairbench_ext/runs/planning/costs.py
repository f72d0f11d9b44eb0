"""Hours and money of a task, from what it asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from pairbench_ext.runs.planning.pace import Pace
from pairbench_ext.runs.planning.workload import Workload


class Prices(NamedTuple):
    """Money per 1,000 tokens; None where there is no price."""

    input: float | None = None
    reply: float | None = None


@dataclass(frozen=True)
class Costs:
    """What a task takes; NaN where it is not known.

    Attributes:
        requests: that the model is asked.
        images: that it is shown.
        input_tokens: of all requests.
        reply_tokens: of all replies.
        hours: in all.
        money: in the currency of the prices.
        measured: what of it was measured, or assumed, in words.
    """

    requests: float
    images: float
    input_tokens: float
    reply_tokens: float
    hours: float
    money: float
    measured: str = ""


def costs_of(
    load: Workload,
    pace: Pace,
    prices: Prices,
    *,
    seconds: float | None = None,
    reply_tokens: float | None = None,
) -> Costs:
    """What a task takes.

    Args:
        load: what it asks.
        pace: of earlier answers: measured tokens stand for those that were counted or assumed.
        prices: of tokens; one that is not given is 0, if the other is.
        seconds: per request; those of the journal unless given.
        reply_tokens: per reply; those of the journal unless given, else the longest allowed.
    """
    known = not math.isnan(pace.input_tokens)
    tokens = load.requests * pace.input_tokens if known else load.input_tokens
    replies, how = load.most_reply_tokens, "replies: as long as the task allows, at most"
    if reply_tokens is not None:
        replies = load.requests * reply_tokens
        how = f"replies: {reply_tokens:g} tokens each, as stated"
    elif not math.isnan(pace.reply_tokens):
        replies = load.requests * pace.reply_tokens
        how = f"replies: {pace.reply_tokens:.4g} tokens each, as in {pace.answers:,} answers"
    if known:
        how += f"; requests: {pace.input_tokens:.5g} tokens each, as there"
    per_request = pace.seconds if seconds is None else seconds
    if not math.isnan(per_request):
        how += f"; {per_request:.3g} seconds per request, "
        how += f"as in {pace.answers:,} answers" if seconds is None else "as stated"
    money = math.nan
    if prices != Prices():
        money = (tokens * (prices.input or 0) + replies * (prices.reply or 0)) / 1000
    return Costs(
        load.requests, load.images, tokens, replies, load.requests * per_request / 3600, money, how
    )
