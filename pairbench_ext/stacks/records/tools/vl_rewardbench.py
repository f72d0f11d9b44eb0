"""Read results of VL-RewardBench's code, where `ranking` or `human_ranking` is people's label."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.stacks.records.tools.model import Placed, Tool, lists, mapping, roles


def _is_log(row: Mapping[str, Any]) -> bool:
    return {"response", "meta"} <= row.keys() and "filter_choice" in mapping(row["meta"])


def _rows(rows: Iterator[Placed]) -> Iterator[Placed]:
    repeats: Counter[str] = Counter()
    for place, row in rows:
        if not isinstance(row, dict):
            yield place, row
            continue
        meta, answers = mapping(row.get("meta")), lists(row.get("response"))
        ranks = lists(row.get("human_ranking") or row.get("ranking"))
        better = "" if len(ranks) != 2 else answers[int(ranks[1] < ranks[0])]
        two = sorted(map(str, answers))
        shown = answers[::-1] if meta.get("random_number") else answers
        label = {better: "A" if [better] == two[:1] else "B"} if better else {}
        item = f"{row.get('id')}/{row.get('query')}/{'/'.join(two)}"
        yield place, {
            "item": item, "judge": meta.get("filtering model"), "reply": meta.get("filter_choice"),
            "first": two[0], "second": two[1], "reversed": shown != two,
            "people": label.get(better), "repeat": repeats[item],
            "prompt": row.get("query"), "id": row.get("id"),
        }  # fmt: skip
        repeats[item] += 1


TOOL = Tool(
    "logs of VL-RewardBench's authors",
    _is_log,
    roles("pair", item="item", judge="judge", reply="reply", people="people", order="reversed",
          first_answer="first", second_answer="second", repeat="repeat", prompt="prompt",
          cluster="id"),
    _rows,
)  # fmt: skip
