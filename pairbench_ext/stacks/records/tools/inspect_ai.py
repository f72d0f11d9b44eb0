"""Read logs of inspect: grades by models or people; if there are none, replies and `target`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.tools.model import Tool, each, mapping, roles

_WORDS = {"C": "correct", "I": "incorrect"}
_MODEL = re.compile("model_graded|rubric|judge|llm")


def _graders(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores that a model or a person gave, by the name of the scorer."""
    scores = mapping(sample.get("scores")).items()
    values = {n: mapping(x)["value"] for n, x in scores if "value" in mapping(x)}
    return {n: x for n, x in values.items() if _MODEL.search(n) or factors(n).person}


def _rows(sample: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, value in _graders(sample).items():
        yield {
            "item": sample.get("id"), "epoch": sample.get("epoch"), "scorer": name,
            "who": "model" if _MODEL.search(name) else "person", "prompt": sample.get("input"),
            "system": sample.get("judge"), "value": _WORDS.get(str(value), value),
        }  # fmt: skip


GRADED = Tool(
    "graded samples of inspect",
    lambda row: bool(_graders(row)),
    roles(item="item", judge="scorer", who="who", verdict="value", repeat="epoch", system="system",
          prompt="prompt"),
    each(_rows),
)  # fmt: skip
TOOL = Tool(
    "a log of inspect",
    lambda row: {"id", "judge", "output"} <= row.keys() and "completion" in mapping(row["output"]),
    roles(item="id", judge="judge", reply="output.completion", repeat="epoch", people="target",
          prompt="input"),
)  # fmt: skip
