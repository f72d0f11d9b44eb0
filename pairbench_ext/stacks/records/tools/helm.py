"""Read annotations of HELM: a judge's score of each instance, for each criterion."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, mapping, roles


def _rows(state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    instance = mapping(state.get("instance"))
    for annotator, annotation in mapping(state.get("annotations")).items():
        for name, value in mapping(annotation).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield {
                    "item": instance.get("id"), "judge": annotator, "name": name, "value": value,
                    "prompt": mapping(instance.get("input")).get("text"),
                    "repeat": state.get("train_trial_index"),
                }  # fmt: skip


TOOL = Tool(
    "annotated instances of HELM",
    lambda row: {"instance", "request", "annotations"} <= row.keys(),
    roles("rating", item="item", judge="judge", aspect="name", verdict="value", prompt="prompt"),
    each(_rows),
)
