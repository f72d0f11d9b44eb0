"""Read events of OpenAI's evals: each sample's reply, and the choice found in the reply."""

from collections.abc import Iterator
from typing import Any

from pairbench_ext.stacks.records.tools.model import Placed, Tool, lists, mapping, roles


def _rows(events: Iterator[Placed]) -> Iterator[Placed]:
    found: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    judge = None
    for place, event in events:
        if not isinstance(event, dict):
            yield place, event
            continue
        spec = mapping(event.get("spec"))
        judge = next(iter(lists(spec.get("completion_fns"))), judge)
        sample, data = event.get("sample_id"), mapping(event.get("data"))
        if sample is None:
            continue
        places.setdefault(sample, place)
        row = found.setdefault(sample, {"item": sample, "judge": judge})
        if event.get("type") == "sampling":
            sampled = data.get("sampled")
            row |= {
                "prompt": data.get("prompt"),
                "reply": sampled[-1] if isinstance(sampled, list) and sampled else sampled,
            }
        elif event.get("type") in ("metrics", "match"):
            row |= {"choice": data.get("choice"), "expected": data.get("expected"),
                    "picked": data.get("picked")}  # fmt: skip
    for sample, row in found.items():
        yield places[sample], {name: cell for name, cell in row.items() if cell is not None}


TOOL = Tool(
    "events of OpenAI's evals",
    lambda row: "spec" in row or {"run_id", "event_id", "type"} <= row.keys(),
    roles(item="item", judge="judge", reply="reply", verdict="choice+picked", people="expected",
          prompt="prompt"),
    _rows,
)  # fmt: skip
