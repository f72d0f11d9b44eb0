"""promptfoo: outputs beside what `equals` or `contains` asserts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles

_ASSERTED = ("equals", "icontains", "contains", "starts-with")


def _rows(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    asserts = [mapping(a) for a in lists(mapping(result.get("testCase")).get("assert"))]
    expected = next((a.get("value") for a in asserts if a.get("type") in _ASSERTED), None)
    provider, prompt = mapping(result.get("provider")), mapping(result.get("prompt"))
    yield {
        "item": result.get("testIdx"), "judge": provider.get("id"), "expected": expected,
        "label": prompt.get("label"), "prompt": prompt.get("raw"), "remark": result.get("error"),
        "reply": mapping(result.get("response")).get("output"),
    }  # fmt: skip


TOOL = Tool(
    "results of promptfoo",
    lambda row: {"promptIdx", "testIdx", "provider", "response"} <= row.keys(),
    roles(item="item", judge="judge", aspect="label", reply="reply", prompt="prompt",
          people="expected", remark="remark"),
    each(_rows),
)  # fmt: skip
