"""Read lmms-eval samples of tasks that are not ours: replies, and `target` as right answer."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, roles


def _rows(sample: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    replies = sample.get("filtered_resps")
    while isinstance(replies, list) and len(replies) == 1:
        [replies] = replies
    yield {
        "item": sample.get("doc_id"), "reply": replies, "target": sample.get("target"),
        "prompt": sample.get("input"),
    }  # fmt: skip


TOOL = Tool(
    "samples of lmms-eval",
    lambda row: {"doc_id", "target", "filtered_resps"} <= row.keys() and "trial" not in row,
    roles(item="item", reply="reply", people="target", prompt="prompt"),
    each(_rows),
)
