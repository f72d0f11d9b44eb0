"""A log of inspect: the model's own replies, against `target`; not what its graders said."""

from __future__ import annotations

from pairbench_ext.stacks.records.tools.model import Tool, mapping, roles

TOOL = Tool(
    "a log of inspect",
    lambda row: {"id", "judge", "output"} <= row.keys() and "completion" in mapping(row["output"]),
    roles(item="id", judge="judge", reply="output.completion", repeat="epoch", people="target",
          prompt="input"),
)  # fmt: skip
