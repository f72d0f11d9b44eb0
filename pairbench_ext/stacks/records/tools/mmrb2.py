"""Read results of MMRB2's code: the position chosen in each of the two orders of a pair."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles


def _judged(row: Mapping[str, Any]) -> bool:
    first = mapping(next(iter(lists(row.get("forward"))), None))
    return "judgement" in first and "evaluator" in first and "reverse" in row


def _rows(pair: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for order in ("forward", "reverse"):
        for repeat, judgment in enumerate(lists(pair.get(order))):
            yield {
                "item": pair.get("key"), "judge": judgment.get("evaluator"), "repeat": repeat,
                "verdict": judgment.get("judgement"), "reversed": order == "reverse",
            }  # fmt: skip


TOOL = Tool(
    "judgments of MMRB2's code",
    _judged,
    roles("pair", item="item", judge="judge", verdict="verdict", order="reversed", repeat="repeat"),
    each(_rows),
)
