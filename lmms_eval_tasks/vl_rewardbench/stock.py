"""Read samples of lmms-eval's own task `vl_rewardbench` as trials of our task.

The stock task shows the answers in the order of the data if the sum of their lengths is even, else
reversed. Neither is in the log; both follow from the prompt.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lmms_eval_tasks.preference.votes import ORDERS, longer_of
from lmms_eval_tasks.vl_rewardbench.groups import source_of
from lmms_eval_tasks.vl_rewardbench.rows import better_of
from pairbench_ext.core.records import Record
from pairbench_ext.core.stock import StockLog
from pairbench_ext.statistics.means import mean_of

_BETWEEN = re.compile(
    r"\n\nAnswer 1: (.*?)\n\nAnswer 2: (.*)\n\nPlease evaluate both answers", re.DOTALL
)


def _trial(record: Record, score: Mapping[str, Any]) -> Mapping[str, Any]:
    found = _BETWEEN.search(str(record.get("input", str)))
    if found is None:
        raise ValueError("the prompt does not show two answers")
    first, second = found.groups()
    reverse = (len(first) + len(second)) % 2
    longer = longer_of(first, second)
    ranking = record.fields["target"]
    ranking = json.loads(ranking) if isinstance(ranking, str) else ranking
    return {
        "item": str(score["question_id"]),
        "source": source_of(str(score["question_id"])),
        "order": ORDERS[reverse],
        "truth": better_of(tuple(ranking), record.where),
        "longer": None if longer is None else longer ^ reverse,
    }


def _macro(scores: Sequence[Mapping[str, Any]]) -> float:
    groups: dict[str, list[float]] = {}
    for score in scores:
        groups.setdefault(str(score["category"]), []).append(float(score["score"]))
    return mean_of([mean_of(scores) for scores in groups.values()])


STOCK = StockLog(
    task="vl_rewardbench",
    field="vlreward_score",
    trial=_trial,
    score=lambda score: float(score["score"]),
    printed=_macro,
    ours="macro_accuracy",
    note="lmms-eval's own task shows each pair in one order, so it cannot test position bias. "
    "vl_rewardbench_both shows both orders.",
)
