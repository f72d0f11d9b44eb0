"""Read records of Argilla: responses come from people, suggestions from models."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles

_SAID = {"item": "item", "who": "who", "judge": "rater", "verdict": "value",
         "aspect": "question", "prompt": "prompt"}  # fmt: skip


def _flat_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what was said in a record whose fields have dotted names, as the Hub has it."""
    for name in record:
        question, dot, part = name.rpartition(".")
        shared = {"item": record.get("id"), "prompt": record.get("prompt"), "question": question}
        if dot and part == "suggestion":
            agent = str(record.get(f"{name}.agent") or "suggestion")
            yield {**shared, "who": "model", "rater": agent, "value": record[name]}
        elif dot and part == "responses":
            users = lists(record.get(f"{name}.users"))
            for n, value in enumerate(lists(record[name])):
                user = str(users[n]) if n < len(users) else f"person {n + 1}"
                yield {**shared, "who": "person", "rater": user, "value": value}


def _rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {"item": record.get("id"), "prompt": mapping(record.get("fields")).get("prompt")}
    for question, suggested in mapping(record.get("suggestions")).items():
        for answer in suggested if isinstance(suggested, list) else [mapping(suggested)]:
            rater = str(answer.get("agent") or "suggestion")
            yield {
                **shared,
                "who": "model",
                "rater": rater,
                "question": question,
                "value": answer.get("value"),
            }
    for question, responses in mapping(record.get("responses")).items():
        for answer in lists(responses):
            rater = str(answer.get("user_id") or "person")
            yield {
                **shared,
                "who": "person",
                "rater": rater,
                "question": question,
                "value": answer.get("value"),
            }


TOOL = Tool(
    "records of Argilla",
    lambda row: {"fields", "suggestions", "responses"} <= row.keys(),
    roles(**_SAID),
    each(_rows),
)
FLAT = Tool(
    "flat records of Argilla",
    lambda row: any(name.endswith(".responses.users") for name in row),
    roles(**_SAID),
    each(_flat_rows),
)
