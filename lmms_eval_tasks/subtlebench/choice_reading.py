"""From a trial and its replies to a choice: the same in a run and from logged samples.

An option with the text of the right one is right, whatever its letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len

from lmms_eval_tasks.subtlebench.choice_trials import CHOOSE, ORDERS
from lmms_eval_tasks.subtlebench.choices import Choice
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS, Category, domain_name
from pairbench_ext.core.benchmark import Exchange, Reading, Trial
from pairbench_ext.core.fields import as_mapping, from_record
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.replies import Parsed, letter
from pairbench_ext.runs.samples import one_of

GRAMMAR = "letter"
NO_SUCH = "a letter that no option has"


@dataclass(frozen=True)
class Row:
    """What a logged trial or a plain row says of a question.

    Attributes:
        item: its name.
        category: type of difference.
        options: their texts in the order shown, or how many there are.
        truth: letter of the right option, as shown.
        pair: the pair of images that it is about; the item by default.
        domain: where the images are from, such as "natural".
        source: the data set that they are from.
        order: "rev" for the same options in reverse order.
        cell: value of each axis of a controlled set.
    """

    item: int | str
    category: Category
    options: (
        Annotated[int, Interval(ge=1, le=MOST_OPTIONS)] | Annotated[list[str], Len(1, MOST_OPTIONS)]
    )
    truth: str
    pair: int | str | None = None
    domain: str = ""
    source: str = ""
    order: Literal["fwd", "rev"] = "fwd"
    cell: Mapping[str, Any] | None = None


def fields(record: Record) -> Mapping[str, Any]:
    """The fields of a question.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    row = from_record(Row, record)
    one_of(record, "truth", letter.letters(_count(row.options)))
    if not all(isinstance(value, int | float | str) for value in (row.cell or {}).values()):
        raise RecordError(
            f"{record.where}: field 'cell' must have a number or a text for each axis, not "
            f"{row.cell!r:.60}"
        )
    return {**as_mapping(row), "pair": row.item if row.pair is None else row.pair}


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """The option that the last reply chooses."""
    answer = _answer(exchanges)
    options = trial["options"]
    parsed = _letter(answer, rule, options)
    truth, chosen = (letter.position(x, _count(options)) for x in (trial["truth"], parsed.value))
    assert truth is not None
    why = None if chosen is not None else NO_SUCH if parsed.value else parsed.reason
    if isinstance(options, list):
        chosen = by_text(chosen, options, truth)
    choice = Choice(
        item=trial["item"],
        pair=trial["pair"],
        category=trial["category"],
        domain=domain_name(trial["domain"]),
        source=trial["source"],
        n_options=_count(options),
        truth=truth,
        chosen=chosen,
        swapped=trial["order"] == ORDERS[1],
        cell=tuple((trial["cell"] or {}).items()),
    )
    return Reading(
        outcomes=(choice,),
        log={"letter": parsed.value, "unusable": why},
        unusable=() if why is None else (why,),
        failed=int(answer.failed),
    )


def by_text(chosen: int | None, options: Sequence[str], truth: int) -> int | None:
    """The option chosen; the right one, where that has the same text."""
    same = chosen is not None and options[chosen] == options[truth]
    return truth if same else chosen


def _answer(exchanges: Sequence[Exchange]) -> Exchange:
    """The last reply, unless it is a description: then there is no answer yet."""
    last = exchanges[-1] if exchanges else Exchange({}, "")
    if last.log.get("step") not in (None, CHOOSE["step"]) and not last.failed:
        return Exchange({}, "")
    return last


def _letter(answer: Exchange, rule: str, options: int | Sequence[str]) -> Parsed:
    if answer.failed:
        return Parsed(None, "the request failed")
    return letter.read(answer.reply, rule, options)


def _count(options: int | Sequence[str]) -> int:
    return options if isinstance(options, int) else len(options)
