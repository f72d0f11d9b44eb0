"""The functions that PairBench's task files name: each translates and delegates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks import harness
from lmms_eval_tasks.harness import TrialDoc, TrialDocs, user_message
from lmms_eval_tasks.pairbench import scoring
from lmms_eval_tasks.pairbench.leaf import ORDERS, Leaf, PairTrials
from pairbench_ext import parsing
from pairbench_ext.metrics.ratings import Rating, RatingTable

harness.require_supported_harness()


def _docs(
    source: Any, *, orders: tuple[str, ...] = ORDERS, all_templates: bool = False
) -> TrialDocs:
    trials = PairTrials(Leaf.from_row(source[0]), orders=orders, all_templates=all_templates)
    return TrialDocs(trials, PairTrials.COLUMNS)


def docs(source: Any) -> TrialDocs:
    """Both orders, the template drawn per pair: the paper's setting."""
    return _docs(source)


def docs_all_prompts(source: Any) -> TrialDocs:
    """Both orders, all templates crossed: the prompt study of Appendix C.6."""
    return _docs(source, all_templates=True)


def docs_fwd(source: Any) -> TrialDocs:
    """One order only: half the cost, no RelaxSym."""
    return _docs(source, orders=ORDERS[:1])


def _trials(doc: TrialDoc) -> PairTrials:
    trials = doc.docs.trials
    assert isinstance(trials, PairTrials)
    return trials


def _content(doc: TrialDoc) -> list[Any]:
    """Text before, first datum, second datum, text after, in the order of the trial."""
    trials = _trials(doc)
    before, after = trials.prompts.render(doc["template"], doc["features"], doc["condition"])
    data = [trials.datum(doc["row"], doc[slot]) for slot in ("first", "second")]
    shown = [f'"{datum}"' if isinstance(datum, str) else datum for datum in data]
    return [before, *shown, after]


def doc_to_messages(doc: TrialDoc) -> list[dict[str, Any]]:
    """Chat backends: prompt and pair in the order of the trial."""
    doc.docs.order_shown = True
    return user_message(*_content(doc))


def doc_to_visual(doc: TrialDoc) -> list[Any]:
    """Simple backends: the images of the pair, in the order of the trial."""
    # Two images keep their order; an image and a text do not: the backend places the image.
    doc.docs.order_shown = not doc["image_text"]
    return [item for item in _content(doc) if not isinstance(item, str)]


def doc_to_text(doc: TrialDoc) -> str:
    """Simple backends: the prompt, with the text of an image-text pair in its place."""
    trials = _trials(doc)
    before, after = trials.prompts.render(doc["template"], doc["features"], doc["condition"])
    texts = [
        f'"{trials.datum(doc["row"], doc[slot])}"'
        for slot in ("first", "second")
        if doc[slot] not in trials.images.columns
    ]
    return " ".join(part for part in (before, *texts, after) if part)


def doc_to_target(doc: TrialDoc) -> str:
    """The ground truth, 1 to 10."""
    return str(doc["truth"])


def process_results(doc: TrialDoc, results: Sequence[str]) -> dict[str, Any]:
    """Read the rating. What re-scoring needs is logged once per sample, under `trial`."""
    parsed = parsing.parse("rating", results[0] if results else "", doc["parser"])
    # Two images keep their order on every backend; whether a text may come first is seen above.
    shown = doc.docs.order_shown if doc["image_text"] else True
    rating = scoring.to_rating(doc, parsed.value, shown)
    trial = {key: doc[key] for key in _LOGGED}
    trial |= {"value": rating.value, "reason": parsed.reason, "order_shown": shown}
    item = RatedItem(rating, doc["parser"])
    return {"trial": trial, **dict.fromkeys(_trials(doc).metrics, item)}


_LOGGED = tuple(key for key in PairTrials.COLUMNS if key not in ("first", "second"))


class RatedItem(NamedTuple):
    """What an aggregation gets for each trial: the rating, and the rule that reads and pools."""

    rating: Rating
    parser: str


def _number(name: str, items: Sequence[RatedItem], args: Any = None) -> float:
    """One of PairBench's numbers over all trials of a leaf, whatever order they come in."""
    if any(item.rating.order_shown is None for item in items):
        # No response was generated here (the harness's cache had them all): ask the command line.
        shown = harness.backend_is_chat(args) is True
        items = [item._replace(rating=item.rating._replace(order_shown=shown)) for item in items]
    table = RatingTable.from_ratings(item.rating for item in items)
    parser = items[0].parser
    return {**scoring.numbers(parser), **scoring.prompt_numbers(parser)}[name](table)


def mmscore(items: Sequence[RatedItem]) -> float:
    """MMScore, mean of the two conditions."""
    return _number("mmscore", items)


def mmscore_sens(items: Sequence[RatedItem]) -> float:
    """MMScore under the sensitive condition."""
    return _number("mmscore_sens", items)


def mmscore_inv(items: Sequence[RatedItem]) -> float:
    """MMScore under the invariant condition."""
    return _number("mmscore_inv", items)


def ci95_low(items: Sequence[RatedItem]) -> float:
    """Lower end of the 95% interval of MMScore."""
    return _number("ci95_low", items)


def ci95_high(items: Sequence[RatedItem]) -> float:
    """Upper end of the 95% interval of MMScore."""
    return _number("ci95_high", items)


def relaxsym(items: Sequence[RatedItem], args: Any = None) -> float:
    """1-RelaxSym; NaN where the backend could not show the orders."""
    return _number("relaxsym", items, args)


def relaxsym0(items: Sequence[RatedItem], args: Any = None) -> float:
    """0-RelaxSym; NaN where the backend could not show the orders."""
    return _number("relaxsym0", items, args)


def smoothness(items: Sequence[RatedItem]) -> float:
    """Smoothness in nats."""
    return _number("smoothness", items)


def controllability(items: Sequence[RatedItem]) -> float:
    """Controllability; NaN unless both MMScores are positive."""
    return _number("controllability", items)


def coverage(items: Sequence[RatedItem]) -> float:
    """Share of usable ratings."""
    return _number("coverage", items)


def pairs(items: Sequence[RatedItem]) -> int:
    """Number of pairs behind every number but RelaxSym."""
    return int(_number("pairs", items))


def pairs_both_orders(items: Sequence[RatedItem], args: Any = None) -> int:
    """Number of pairs behind RelaxSym."""
    return int(_number("pairs_both_orders", items, args))


def prompt_std(items: Sequence[RatedItem]) -> float:
    """Standard deviation of MMScore over the templates (Table 8)."""
    return _number("prompt_std", items)


def mmscore_v1(items: Sequence[RatedItem]) -> float:
    """MMScore with template V1 alone."""
    return _number("mmscore_v1", items)


def mmscore_v2(items: Sequence[RatedItem]) -> float:
    """MMScore with template V2 alone."""
    return _number("mmscore_v2", items)


def mmscore_v3(items: Sequence[RatedItem]) -> float:
    """MMScore with template V3 alone."""
    return _number("mmscore_v3", items)


def mmscore_v4(items: Sequence[RatedItem]) -> float:
    """MMScore with template V4 alone."""
    return _number("mmscore_v4", items)


def mmscore_v5(items: Sequence[RatedItem]) -> float:
    """MMScore with template V5 alone."""
    return _number("mmscore_v5", items)
