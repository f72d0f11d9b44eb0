"""inspect: a model's replies beside `target`; the graders' verdicts are not used."""

from __future__ import annotations

from pairbench_ext.stacks.records.tools.model import Tool, mapping, roles

TOOL = Tool(
    "a log of inspect",
    lambda row: {"id", "judge", "output"} <= row.keys() and "completion" in mapping(row["output"]),
    roles(item="id", judge="judge", reply="output.completion", repeat="epoch", people="target",
          prompt="input"),
)  # fmt: skip
