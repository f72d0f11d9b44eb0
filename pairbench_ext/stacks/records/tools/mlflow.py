"""Read traces of MLflow, with assessments by people and by judges."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.core.foreign import UnreadableError, from_json
from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles


def _assessments(trace: Mapping[str, Any]) -> list[Any]:
    found = trace.get("assessments") or mapping(trace.get("info")).get("assessments")
    if isinstance(found, str):
        try:
            found = from_json(found)
        except UnreadableError:
            return []
    return lists(found)


def _rows(trace: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    info = mapping(trace.get("info"))
    item = trace.get("trace_id") or info.get("trace_id") or trace.get("request_id")
    for assessment in _assessments(trace):
        source = mapping(assessment.get("source"))
        person = str(source.get("source_type")).upper() == "HUMAN"
        value = mapping(assessment.get("feedback") or assessment.get("expectation")).get("value")
        yield {
            "item": item, "name": assessment.get("assessment_name") or assessment.get("name"),
            "who": "person" if person else "model", "value": value,
            "rater": str(source.get("source_id") or ("person" if person else "judge")),
        }  # fmt: skip


def _is_trace(row: Mapping[str, Any]) -> bool:
    return any("source" in mapping(assessment) for assessment in _assessments(row)[:1])


TOOL = Tool(
    "traces of MLflow",
    _is_trace,
    roles(item="item", who="who", judge="rater", verdict="value", aspect="name"),
    each(_rows),
)
