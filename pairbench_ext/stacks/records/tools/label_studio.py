"""Read tasks of Label Studio: annotations come from people, predictions from models."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles

_VALUES = ("selected", "choices", "rating", "number", "text")


def _rows(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for field, who in (("annotations", "person"), ("predictions", "model")):
        for annotation in lists(task.get(field)):
            rater = annotation.get("model_version" if who == "model" else "completed_by")
            rater = mapping(rater).get("email") or mapping(rater).get("id") or rater
            for result in lists(annotation.get("result")):
                content = mapping(result.get("value"))
                value = next((content[name] for name in _VALUES if name in content), None)
                if isinstance(value, list):
                    value = value[0] if len(value) == 1 else None
                yield {
                    "item": task.get("id"), "who": who, "rater": str(rater or who), "value": value,
                    "question": result.get("from_name"),
                    "prompt": mapping(task["data"]).get("prompt"),
                }  # fmt: skip


def _is_task(row: Mapping[str, Any]) -> bool:
    return {"id", "data", "annotations"} <= row.keys() and isinstance(row["data"], dict)


TOOL = Tool(
    "tasks of Label Studio",
    _is_task,
    roles(
        item="item", who="who", judge="rater", verdict="value", aspect="question", prompt="prompt"
    ),
    each(_rows),
)
