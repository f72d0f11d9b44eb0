"""Read samples in the file format of Every Eval Ever."""

from pairbench_ext.stacks.records.tools.model import Tool, roles, with_fields

TOOL = Tool(
    "samples of Every Eval Ever",
    with_fields("evaluation_id", "model_id", "output", "sample_id"),
    roles(item="sample_id", judge="model_id", reply="output.raw", prompt="input.raw",
          people="input.reference", source="evaluation_name"),
)  # fmt: skip
