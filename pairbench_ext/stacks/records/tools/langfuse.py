"""Read scores of Langfuse by trace: from people (annotation) and from judges (eval, api)."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, roles


def _rows(score: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    person = str(score.get("source")).upper() == "ANNOTATION"
    value = score.get("value")
    text = score.get("stringValue") or score.get("string_value")
    rater = score.get("authorUserId") if person else None
    yield {
        "item": "/".join(str(score[n]) for n in ("traceId", "observationId") if score.get(n)),
        "name": score.get("name"), "who": "person" if person else "model",
        "rater": rater or ("person" if person else "judge"),
        "value": text if value in (None, "") else value, "remark": score.get("comment"),
    }  # fmt: skip


TOOL = Tool(
    "scores of Langfuse",
    lambda row: {"traceId", "name", "value", "source"} <= row.keys(),
    roles(item="item", who="who", judge="rater", verdict="value", aspect="name", remark="remark"),
    each(_rows),
)
