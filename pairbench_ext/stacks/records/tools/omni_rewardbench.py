"""Read results of OmniRewardBench's code, where `criteria_preference` is people's label."""

from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Tool, each, roles

_REPLY = "_raw_response"


def _rows(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in [name for name in row if name.endswith(_REPLY)]:
        shown = {key: row.get(key) for key in ("id", "criteria", "model1", "model2", "prompt")}
        yield {
            **shown, "judge": name.removesuffix(_REPLY), "reply": row[name],
            "people": row["criteria_preference"],
        }  # fmt: skip


TOOL = Tool(
    "results of OmniRewardBench's code",
    lambda row: {"criteria", "criteria_preference"} <= row.keys()
    and any(name.endswith(_REPLY) for name in row),
    roles("pair", item="id", judge="judge", reply="reply", people="people", aspect="criteria",
          first="model1", second="model2", prompt="prompt"),
    each(_rows),
)  # fmt: skip
