"""Read samples of lmms-eval's own tasks in which a judge compares a model with a baseline.

The judge's reply is in the log, and there is no human truth: what can be said of the judge is how
much of it can be read, and how often it prefers which.
"""

from collections.abc import Mapping
from typing import Any

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.core.records import Record
from pairbench_ext.core.stock import StockLog
from pairbench_ext.statistics.means import mean_of

MODEL = "evaluation_model"  # what the stock task calls the model that it evaluates
_WINNERS = {"model_a": 0, "model_b": 1, "tie": TIE}
_NO_TRUTH = (
    "People did not label these samples, and the baseline's answer is always shown first. So only "
    "coverage and the share of each choice are computed. To test the judge on questions with "
    "known answers, run judge_audit."
)


def _compared(record: Record, baseline: str, source: str, **more: Any) -> dict[str, Any]:
    """Return the trial that compares a baseline, shown first, with the model."""
    systems = sorted((baseline, MODEL))
    item = f"{source} {record.fields.get('doc_id', record.where)}"
    order = "fwd" if systems[0] == baseline else "rev"
    return {"item": item, "source": source, "systems": systems, "order": order, **more}


def _wildvision(record: Record, score: Mapping[str, Any]) -> Mapping[str, Any]:
    clear = score["judgement"] != "Unclear"
    return _compared(
        record,
        str(score["model_a"]),
        "wildvision",
        recorded=_WINNERS[str(score["winner"])] if clear else None,
        response=str(score["gpt_resps"]),
    )


def _llava(record: Record, score: Mapping[str, Any]) -> Mapping[str, Any]:
    baseline, model = (float(score) for score in score["scores"])
    place = TIE if baseline == model else int(model > baseline)
    return _compared(
        record,
        "gpt_answer",
        str(score["category"]),
        recorded=None if min(baseline, model) < 0 else place,
        extracted=True,
        response=str(score["review"]),
    )


def _ratio(scores: Any) -> float:
    """Return the model's mean score in percent of the baseline's, as the stock task prints it."""
    sides = zip(*(score["scores"] for score in scores), strict=True)
    baseline, model = (mean_of([float(score) for score in side]) for side in sides)
    return round(100 * model / baseline, 1)


STOCK = (
    StockLog(
        task="wildvision",
        field="elo_scores",
        trial=_wildvision,
        score=lambda score: float(score["winner"] == "model_b"),
        printed=lambda scores: 100 * mean_of([float(x["winner"] == "model_b") for x in scores]),
        metric="win_rates",
        ours="the share of comparisons that each system won, or its mean rating",
        note=_NO_TRUTH,
    ),
    StockLog(
        task="llava_in_the_wild",
        field="gpt_eval_llava_all",
        trial=_llava,
        score=lambda score: float(score["scores"][1]),
        printed=_ratio,
        ours="the share of comparisons that each system won, or its mean rating",
        note=_NO_TRUTH,
    ),
)
