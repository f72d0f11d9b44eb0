"""Answers to multiple-choice questions: from a trial and its replies to an outcome.

The same in a run and from logged samples. An option with the text of the right one is right,
whatever its letter. Options are counted in the order that is drawn for the item ("fwd").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len
from PIL import Image

from lmms_eval_tasks.subtlebench.choice_trials import CHOOSE
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS, Category, domain_name
from lmms_eval_tasks.subtlebench.visual.highlight import highlight
from pairbench_ext.core.benchmark import (
    Exchange,
    Outcome,
    OutcomeFields,
    Reading,
    SampleView,
    Trial,
)
from pairbench_ext.core.readers import parse
from pairbench_ext.core.records import Record
from pairbench_ext.core.sample_view import Span
from pairbench_ext.replies import letter
from pairbench_ext.runs.samples import one_of

GRAMMAR = "letter"
NO_SUCH = "a letter that no option has"
AREA = "area"  # the domain as Table 10 counts it
_AERIAL_SOURCE = "ubc"  # of buildings; Table 7 has its questions under natural
_SIDE = 480  # pixels of a picture in the report: enough to see it, and quick


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
    cell: Mapping[str, float | int | str] | None = None


class _Fields(OutcomeFields):
    """Outcomes of questions, whose truth is a letter and whose options are texts."""

    def read(self, record: Record) -> Mapping[str, Any]:
        row = super().read(record)
        one_of(record, "truth", letter.letters(_count(row["options"])))
        return row

    def outcome(self, trial: Mapping[str, Any], said: Any, **changes: Any) -> Outcome:
        count = _count(trial["options"])
        place = letter.position(trial["truth"], count)
        assert place is not None
        known = {
            "options": count,
            "truth": count - 1 - place if trial["order"] == "rev" else place,
            "facets": {
                "category": trial["category"],
                "domain": domain_name(trial["domain"]),
                "source": trial["source"],
                AREA: "aerial"
                if trial["source"].lower() == _AERIAL_SOURCE
                else domain_name(trial["domain"]),
                "cell": tuple((trial["cell"] or {}).items()),
            },
        }
        return super().outcome(trial, said, **{**known, **changes})


FIELDS = _Fields("chosen", Row, cluster="pair")


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """The option that the last reply chooses."""
    answer, options = _answer(exchanges), trial["options"]
    value, why = parse(GRAMMAR, answer, rule, {"options": options})
    place = letter.position(value, _count(options))
    if value and place is None:
        why = NO_SUCH
    if place is not None and isinstance(options, list):
        place = by_text(place, options, letter.position(trial["truth"], len(options)))
    unusable = () if place is not None else (why or NO_SUCH,)
    log = {"said": value, "unusable": unusable[0] if unusable else None}
    outcome = FIELDS.outcome(trial, place)
    return Reading((outcome,), log, unusable=unusable, failed=int(answer.failed))


def by_text(chosen: int, options: Sequence[str], truth: int | None) -> int:
    """The option chosen; the right one, where that has the same text."""
    assert truth is not None
    return truth if options[chosen] == options[truth] else chosen


def _answer(exchanges: Sequence[Exchange]) -> Exchange:
    """The last reply, unless it is a description: then there is no answer yet."""
    last = exchanges[-1] if exchanges else Exchange({}, "")
    if last.log.get("step") not in (None, CHOOSE["step"]) and not last.failed:
        return Exchange({}, "")
    return last


def _count(options: int | Sequence[str]) -> int:
    return options if isinstance(options, int) else len(options)


def _pictures(trial: Trial, images: Sequence[Image.Image]) -> Mapping[str, Sequence[Image.Image]]:
    """Both images with the regions of the largest differences; none where one image is shown."""
    if len(images) != 2 or trial.get("category") == "viewpoint":
        return {}  # where the camera moves, all differs
    small = [image.convert("RGB") for image in images]
    for image in small:
        image.thumbnail((_SIDE, _SIDE))
    return {"where they differ most": highlight(*small)}


def _span(trial: Trial, exchange: Exchange, rule: str) -> Span:
    options = trial.get("options")
    if exchange.failed or not isinstance(options, (int, list)):
        return None
    return parse(GRAMMAR, exchange, rule, {"options": options}).span


#: How the report shows a question about two images: with what differs between them marked.
VIEW = SampleView(
    group=lambda trial: str(trial.get("category") or ""),
    pictures=_pictures,
    span=_span,
)
