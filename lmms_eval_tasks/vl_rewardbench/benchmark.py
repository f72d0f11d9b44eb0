"""VL-RewardBench, "A Challenging Benchmark for Vision-Language Generative Reward Models".

A model sees an image, a question and two answers, and says which answer is better: K times, each
time in an order of its own. Data: `MMInstruction/VL-RewardBench` on the hub.

    lmms-eval --model qwen2_5_vl --tasks vl_rewardbench_k5
    pairbench score vl_rewardbench samples_vl_rewardbench_k5.jsonl
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from lmms_eval_tasks.preference import accuracy, reading
from lmms_eval_tasks.preference.answers import ANSWERS, CARD
from lmms_eval_tasks.preference.numbers import (
    BREAKDOWNS,
    K_OPTION,
    Preferences,
    numbers,
    pools,
    remarks,
)
from lmms_eval_tasks.preference.prompts import render
from lmms_eval_tasks.preference.trials import (
    Pair,
    PreferenceEntry,
    PreferenceTrials,
    in_order,
    text_of,
    two_of,
)
from lmms_eval_tasks.preference.votes import Tag, Vote
from lmms_eval_tasks.vl_rewardbench.authors import is_log, plain_rows
from lmms_eval_tasks.vl_rewardbench.demo import demo_preferences
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, group_of, source_of
from lmms_eval_tasks.vl_rewardbench.published import PUBLISHED
from pairbench_ext.benchmark import (
    Benchmark,
    Breakdown,
    Decoding,
    Number,
    Request,
    Task,
    Trial,
    reread,
)
from pairbench_ext.harness.hooks import task_functions
from pairbench_ext.items import Source
from pairbench_ext.records import Record, RecordError
from pairbench_ext.scoring import Run

#: Columns of the types of errors: the first one that the data have. The second is the hub's.
TAGS = ("error_type", "human_error_analysis")


@dataclass(frozen=True)
class VoteEntry(PreferenceEntry):
    """What a task's entry says.

    Attributes:
        variant: "paper" shows the image, then Table 18; "authors" sends what their code does.
    """

    variant: Literal["paper", "authors"] = "paper"


class VoteTrials(PreferenceTrials):
    """The trials of VL-RewardBench's pairs."""

    entry_type: ClassVar[type[Any]] = VoteEntry
    name = "vl_rewardbench"
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
            tag=self._tag(record),
        )

    def _tag(self, record: Record) -> Tag:
        """The types of errors: one text, or a list of them as the hub has it."""
        columns = TAGS if self.entry.tag is None else (self.entry.tag,)
        if self.entry.tag is not None:
            record.get(self.entry.tag)  # a column that the task's entry names is there
        column = next((one for one in columns if one in record.fields), columns[0])
        value: Any = record.fields.get(column)
        texts = value if isinstance(value, list) else [value]
        texts = [text for text in texts if text not in (None, "")]
        if not all(isinstance(text, str) for text in texts):
            raise RecordError(
                f"{record.where}: {column!r} must be a text or a list of texts, not {value!r:.60}"
            )
        return texts[0] if len(texts) == 1 else tuple(texts) or None

    def show(self, item: Pair, trial: Trial) -> Request:
        """The two answers in the order of the trial, after the image; before it as the authors."""
        text = render(item.query, in_order(item.responses, trial["order"]))
        picture = self.rows.picture(trial["row"], "image")
        if self.entry.variant == "authors":
            return Request((f" {text}", picture))  # their template begins with a space
        return Request((picture, text))


def _recognises(trial: Mapping[str, Any]) -> bool:
    return is_log(trial) or ("truth" in trial and ("repeats" in trial or "repeat" in trial))


def _table(votes: Iterable[Vote], k: int | None = None) -> Preferences:
    return Preferences(votes, GROUPING, k)


def _by_tag(run: Preferences) -> dict[str, float]:
    """Accuracy by type of error.

    Untagged items of the reasoning group have the type `reasoning`, as in Section 4.1; other
    untagged items are left out. An item with several types counts for each. The paper's error rates
    are over all items of a type, so they are not 1 minus this where items are undecided.
    """
    labels: list[Tag] = [
        "reasoning" if not tag and group_of(source) == "reasoning" else tag
        for source, tag in zip(run.table.sources, run.table.tags, strict=True)
    ]
    return accuracy.accuracy_by_label(run.table, labels)


def _figure(runs: Sequence[Run], path: Path) -> None:
    from lmms_eval_tasks.vl_rewardbench.figure import save_figure

    save_figure(runs, path)


_AUTHORS = "read and counted as the authors do, for Table 2"
_TOKENS = 2048  # the authors' code; the paper does not say
_SAMPLED = Decoding("sampled", _TOKENS, 0.2, 0.2, "The paper's decoding (Section 3.2).")
_GREEDY = Decoding("greedy", _TOKENS)
_BOTH = {"orders": "both", "greedy": True}

TASKS = (
    Task(
        "vl_rewardbench_k1",
        {"k": 1},
        "one vote in a drawn order, temperature and top-p 0.2",
        _SAMPLED,
    ),
    Task(
        "vl_rewardbench_k5",
        {"k": 5},
        "K = 5 votes in drawn orders, temperature and top-p 0.2: the paper's setting",
        _SAMPLED,
    ),
    Task(
        "vl_rewardbench_k9",
        {"k": 9},
        "K = 9 votes in drawn orders: accuracy by K (Figure 5b)",
        _SAMPLED,
    ),
    Task(
        "vl_rewardbench_authors",
        {"k": 5, "variant": "authors"},
        "K = 5 votes, asked as the authors' code asks: the text, then the image",
        _SAMPLED,
    ),
    Task(
        "vl_rewardbench_k5_greedy",
        {"k": 5, "greedy": True},
        "K = 5 votes in drawn orders, greedy: at most two requests per pair",
        _GREEDY,
    ),
    Task(
        "vl_rewardbench_both",
        _BOTH,
        "both orders, greedy: the cheapest setting without position bias",
        _GREEDY,
    ),
    Task(
        "vl_rewardbench_demo",
        {"k": 5, "data": "demo"},
        "30 pairs on embedded photographs, K = 5 votes in drawn orders",
        _SAMPLED,
    ),
    Task(
        "vl_rewardbench_demo_both",
        {**_BOTH, "data": "demo"},
        "30 pairs on embedded photographs, both orders, greedy",
        _GREEDY,
    ),
)
# Those that are worth a second question about replies that cannot be read.
_REREAD = ("vl_rewardbench_k5", "vl_rewardbench_both", "vl_rewardbench_demo_both")


def _rereads() -> Iterator[Task]:
    return (again for task in TASKS if task.name in _REREAD for again in reread(task))


BENCHMARK = Benchmark(
    name="vl_rewardbench",
    title="VL-RewardBench",
    trials=VoteTrials,
    grammar=reading.GRAMMAR,
    fields=reading.fields,
    read=reading.read,
    table=_table,
    numbers=(
        *numbers(GROUPING),
        Number(
            "overall_accuracy_authors",
            "overall",
            lambda run: accuracy.overall_accuracy(run.authors),
            section=_AUTHORS,
            formerly="overall_accuracy_official",
        ),
        Number(
            "macro_accuracy_authors",
            "macro",
            lambda run: accuracy.macro_accuracy(run.authors, run.grouping),
            section=_AUTHORS,
            formerly="macro_accuracy_official",
        ),
    ),
    breakdowns=(
        *BREAKDOWNS,
        Breakdown(
            "by_tag",
            "accuracy by type of error",
            _by_tag,
            shown=lambda run: any(tag is not None for tag in run.table.tags),
        ),
    ),
    remarks=remarks,
    card=CARD,
    published=PUBLISHED,
    headline="vote_accuracy",
    cluster=lambda vote: vote.item,
    answers=ANSWERS,
    counts_as="unusable votes",
    choices=reading.choices,
    rereads=("coverage", "vote_accuracy", "overall_accuracy", "macro_accuracy"),
    pools=pools(_table),
    options=(K_OPTION,),
    figure=_figure,
    convert=plain_rows,
    recognises=_recognises,
    row=(
        'Plain rows are JSON lines {item, source, repeat, order, truth, response}, with order "fwd"'
        ' or "rev" (response 0 or 1 of the item shown first), truth 0 or 1 (the better response), '
        "and optionally longer (0 or 1) and tag. Logs of the authors' code are read, too."
    ),
    tasks=(*TASKS, *_rereads()),
)

docs, metric_list, group_metric_list = task_functions(BENCHMARK)
