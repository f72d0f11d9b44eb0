"""Read VL-RewardBench's rows: two answers to a question, and people's preference."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from annotated_types import Len
from pydantic import BeforeValidator

from lmms_eval_tasks.preference.trials import Name, Pair, PairItems, Text, Two
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, source_of
from pairbench_ext.core.items import Source
from pairbench_ext.core.records import Record, RecordError, from_record, listed, whole

Rank: TypeAlias = Annotated[Literal[0, 1], BeforeValidator(whole)]
Ranking: TypeAlias = Annotated[tuple[Rank, ...], BeforeValidator(listed), Len(2, 2)]


@dataclass(frozen=True)
class PairRow:
    """The fields of a row in the data set on the hub.

    Attributes:
        id, query, response: the item's name, the question and its two answers.
        human_ranking: rank of each answer; 0 marks the better one.
        image, images: the name of its image: a column of a table, or a file.
        ground_truth: the right answer, which only pairs of reasoning tasks have.
        error_type, human_error_analysis: the types of errors in the worse answer; the hub has the
            second column, and only in its first revisions.
    """

    id: Name
    query: Text
    response: Two
    human_ranking: Ranking
    image: str | tuple[str, ...] = ()
    images: str | tuple[str, ...] = ()
    ground_truth: str | None = None
    error_type: str | tuple[str | None, ...] | None = None
    human_error_analysis: str | tuple[str | None, ...] | None = None


def _demo() -> Path:
    from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences

    return demo_preferences()


class PairRows(PairItems):
    """The pairs of answers in VL-RewardBench, or in data with the same layout."""

    name = "vl_rewardbench"
    grouping = GROUPING
    source = Source(variable="VL_REWARDBENCH_DATA", hub="MMInstruction/VL-RewardBench", demo=_demo)

    def read(self, record: Record) -> Pair:
        """Return the pair of answers that a row describes."""
        row: PairRow = from_record(PairRow, record)
        tags = row.error_type or row.human_error_analysis or ()
        images = row.images or row.image or "image"
        images = (images,) if isinstance(images, str) else images
        if len(images) != 1:
            raise RecordError(f"{record.where}: one image is expected, not {len(images)}")
        named = tuple(tag for tag in ((tags,) if isinstance(tags, str) else tags) if tag)
        return Pair(
            key=row.id,
            query=row.query,
            responses=row.response,
            source=source_of(row.id),
            truth=better_of(row.human_ranking, record.where),
            images=images,
            tag=named[0] if len(named) == 1 else named or None,
            ground_truth=(row.ground_truth or "").strip(),
        )


def better_of(ranking: Ranking, where: str) -> int:
    """Return the index (0 or 1) of the response with rank 0, which people prefer.

    Raises:
        RecordError: if both have the same rank.
    """
    if sum(ranking) != 1:
        raise RecordError(f"{where}: 'human_ranking' must be [0, 1] or [1, 0], not {list(ranking)}")
    return ranking.index(0)
