"""Read results of deepeval: each metric of a test case is a criterion, rated from 0 to 1."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, lists, mapping, roles


def _rows(case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in _metrics(case):
        yield {
            "item": case.get("name") or case.get("input"), "prompt": case.get("input"),
            "metric": metric.get("name"), "score": metric.get("score"),
            "judge": metric.get("evaluationModel") or metric.get("evaluation_model"),
            "remark": metric.get("error"),
        }  # fmt: skip


def _metrics(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(m) for m in lists(case.get("metricsData") or case.get("metrics_data"))]


TOOL = Tool(
    "test cases of deepeval",
    lambda row: bool(_metrics(row)),
    roles("rating", item="item", judge="judge", verdict="score", aspect="metric", prompt="prompt",
          remark="remark"),
    each(_rows),
)  # fmt: skip
