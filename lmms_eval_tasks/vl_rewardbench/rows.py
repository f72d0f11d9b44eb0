"""VL-RewardBench's rows: two answers to a question about an image, and which people prefer."""

from __future__ import annotations

from typing import Any

from lmms_eval_tasks.preference.trials import Pair, PairItems, text_of, two_of
from lmms_eval_tasks.preference.votes import Tag
from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, source_of
from pairbench_ext.core.items import Source
from pairbench_ext.core.records import Record, RecordError

#: Columns of the types of errors: the first one that the data have. The second is the hub's.
TAGS = ("error_type", "human_error_analysis")


class PairRows(PairItems):
    """The pairs of VL-RewardBench, or of data in its layout."""

    name = "vl_rewardbench"
    grouping = GROUPING
    source = Source(
        variable="VL_REWARDBENCH_DATA",
        hub="MMInstruction/VL-RewardBench",
        demo=demo_preferences,
    )

    def read(self, record: Record) -> Pair:
        """A row: `id`, `query`, `response` (two), `human_ranking` (0 is the better one's rank)."""
        ranking = two_of(record, "human_ranking", int)
        if sorted(ranking) != [0, 1]:
            raise RecordError(
                f"{record.where}: 'human_ranking' must be [0, 1] or [1, 0], not {list(ranking)}"
            )
        return Pair(
            key=text_of(record, "id"),
            query=text_of(record, "query"),
            responses=two_of(record, "response", str),
            source=source_of(text_of(record, "id")),
            truth=ranking.index(0),
            images=("image",),
            tag=_tag(record),
            ground_truth=_ground_truth(record),
        )


def _tag(record: Record) -> Tag:
    """The types of errors: one text, or a list of them as the hub has it."""
    column = next((name for name in TAGS if name in record.fields), TAGS[0])
    value: Any = record.fields.get(column)
    texts = value if isinstance(value, list) else [value]
    texts = [text for text in texts if text not in (None, "")]
    if not all(isinstance(text, str) for text in texts):
        raise RecordError(
            f"{record.where}: {column!r} must be a text or a list of texts, not {value!r:.60}"
        )
    return texts[0] if len(texts) == 1 else tuple(texts) or None


def _ground_truth(record: Record) -> str:
    """The right answer, which only pairs of reasoning tasks have; empty where there is none."""
    value: Any = record.fields.get("ground_truth") or ""
    if not isinstance(value, str):
        raise RecordError(f"{record.where}: 'ground_truth' must be a text, not {value!r:.60}")
    return value.strip()
