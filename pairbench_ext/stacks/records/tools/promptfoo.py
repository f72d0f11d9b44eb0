"""Read results of promptfoo: outputs, the answers that assertions expect, and graders' verdicts.

Graders are models (`llm-rubric`, `g-eval`, ...) or people (`human`).
"""

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


_GRADED = ("llm-rubric", "g-eval", "factuality", "answer-relevance", "human")


def _grades(result: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return what graders said, each with its assertion."""
    results = lists(mapping(result.get("gradingResult")).get("componentResults"))
    both = [(mapping(part), mapping(mapping(part).get("assertion"))) for part in results]
    return [(part, grade) for part, grade in both
            if grade.get("type") in _GRADED
            or "model-graded" in str(grade.get("type"))]  # fmt: skip


def _graded_rows(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    provider, prompt = mapping(result.get("provider")).get("id"), mapping(result.get("prompt"))
    for part, grade in _grades(result):
        yield {
            "item": f"{result.get('testIdx')}/{result.get('promptIdx')}/{provider}",
            "system": provider, "who": "person" if grade["type"] == "human" else "model",
            "judge": grade["type"], "passed": part.get("pass"), "prompt": prompt.get("raw"),
            "metric": grade.get("metric"), "remark": part.get("error"),
        }  # fmt: skip


GRADED = Tool(
    "graded results of promptfoo",
    lambda row: bool(_grades(row)),
    roles("yesno", item="item", judge="judge", who="who", verdict="passed", aspect="metric",
          system="system", prompt="prompt", remark="remark"),
    each(_graded_rows),
)  # fmt: skip
TOOL = Tool(
    "results of promptfoo",
    lambda row: {"promptIdx", "testIdx", "provider", "response"} <= row.keys(),
    roles(item="item", judge="judge", aspect="label", reply="reply", prompt="prompt",
          people="expected", remark="remark"),
    each(_rows),
)  # fmt: skip
