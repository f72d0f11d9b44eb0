"""Argilla: responses come from people, suggestions from models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles


def _rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    known = {"item": record.get("id"), "prompt": mapping(record.get("fields")).get("prompt")}
    for question, made in mapping(record.get("suggestions")).items():
        for said in made if isinstance(made, list) else [mapping(made)]:
            rater = str(said.get("agent") or "suggestion")
            yield {
                **known,
                "who": "model",
                "rater": rater,
                "question": question,
                "value": said.get("value"),
            }
    for question, responses in mapping(record.get("responses")).items():
        for said in lists(responses):
            rater = str(said.get("user_id") or "person")
            yield {
                **known,
                "who": "person",
                "rater": rater,
                "question": question,
                "value": said.get("value"),
            }


TOOL = Tool(
    "records of Argilla",
    lambda row: {"fields", "suggestions", "responses"} <= row.keys(),
    roles(
        item="item", who="who", judge="rater", verdict="value", aspect="question", prompt="prompt"
    ),
    each(_rows),
)
