"""The declaration of the benchmark MLLM-as-a-Judge: data, tasks and metrics.

A model sees an image, an instruction and answers of assistants; it compares two of them, scores one
from 1 to 5, or ranks all, and people did the same. Data: a clone of the authors' repository
`Dongping-Chen/MLLM-Judge`. Paper: arxiv.org/abs/2402.04788

    MLLM_JUDGE_DATA=MLLM-Judge lmms-eval --model qwen2_5_vl --tasks mllm_judge_pair
    pairbench score mllm_judge samples_mllm_judge_pair.jsonl
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from annotated_types import Interval

from lmms_eval_tasks.mllm_judge import numbers, prompts
from lmms_eval_tasks.preference.ties import OrderedItems, place_or_tie
from lmms_eval_tasks.preference.trials import in_order
from pairbench_ext.core.benchmark import (
    TIE,
    Answers,
    Benchmark,
    Decoding,
    Number,
    Outcome,
    OutcomeFields,
    People,
    PlainRows,
    Request,
    Task,
    Trial,
    by_field,
)
from pairbench_ext.core.controls import AS_SHOWN
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.harness import task_functions
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import READABLE, number_alone

_SAMPLED = Decoding("sampled", 1024, 0.2, 0.4, "The default settings of the authors' script.")
_GREEDY = Decoding("greedy", 1024)


class Item(NamedTuple):
    """An instruction about an image, answers to it, and people's judgment of the answers."""

    key: str
    images: tuple[str]
    source: str
    instruction: str
    answers: tuple[str, ...]
    human: str


class JudgeTrials(OrderedItems[Item]):
    """The trials of one way to judge answers: score them, compare two, or rank all."""

    unit, strata = "image", ("source",)
    method: ClassVar[str]
    labels: ClassVar[str]
    answers_of: ClassVar[Callable[[Mapping[str, Any]], Sequence[Any]]]
    truth_of: ClassVar[Callable[[str], int | str]]  # from people's judgment

    def read(self, record: Record) -> Item:
        """Return the instruction, answers and people's judgment in a row of the authors' files."""
        row = defaultdict(lambda: None, record.fields)
        human = str(row["human_answer"] or row["human"]).strip()
        given = type(self).answers_of(row)
        answers: list[Any] = [a.get("answer") if isinstance(a, dict) else a for a in given]
        judged = len(answers) if self.method == prompts.BATCH else 1
        texts = bool(answers) and all(isinstance(answer, str) for answer in answers)
        if len(human) != judged or set(human) - set(self.labels) or not texts:
            raise RecordError(
                f"{record.where}: the row lacks answers, or people's judgment in it cannot "
                f"be read: {human!r:.20}"
            )
        return Item(
            str(row["pair_id"] or row["score_id"] or row["id"]),
            (record.get("image_path", str),),
            str(row["original_dataset"]),
            record.get("instruction", str),
            tuple(answers),
            human,
        )

    def describe_item(self, item: Item, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of an item that scoring needs."""
        labels = self.labels[: len(item.answers)] if self.method == prompts.BATCH else self.labels
        fields = {"item": item.key, "source": item.source, "image": item.images[0]}
        return {**fields, "truth": type(self).truth_of(item.human), "labels": labels}

    def show(self, item: Item, trial: Trial) -> Request:
        """Return the request: the prompt, then the image."""
        text = prompts.render(self.method, item.instruction, in_order(item.answers, trial["order"]))
        return Request((text, self.rows.picture(trial["row"], item.images[0])))

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return the answers in the order in which the trial shows them."""
        item = self.items[trial["row"]]
        return self.answers_to(trial, item.instruction, in_order(item.answers, trial["order"]))

    def target(self, trial: Trial) -> str:
        """Return people's judgment of the answers, in terms of the answers' order in the data."""
        return str(trial["truth"])


@dataclass(frozen=True, kw_only=True)
class BatchRow:
    """The fields of a ranking of answers, in logs and plain JSONL files."""

    row: int | str
    source: str
    image: str
    labels: str
    truth: str  # of answers ranked by their labels, the best first
    order: Literal["fwd", "rev"] = "fwd"


@dataclass(frozen=True, kw_only=True)
class PairRow(BatchRow):
    """The fields of a comparison of two answers; `truth` is -1 where people call it a tie."""

    truth: Literal[0, 1, -1]  # type: ignore[assignment]


@dataclass(frozen=True, kw_only=True)
class ScoreRow(BatchRow):
    """The fields of a score of one answer; `truth` is people's score."""

    truth: Annotated[int, Interval(ge=1, le=5)]  # type: ignore[assignment]


class _Fields(OutcomeFields):
    """Outcomes whose truth is people's joint judgment; the data lack each person's own."""

    def outcome(self, trial: Mapping[str, Any], answer: Any, **changes: Any) -> Outcome:
        return super().outcome(trial, answer, people={"people": trial["truth"]}, **changes)


_BY_IMAGE: Any = {"item": ("row",), "cluster": "image", "facets": ("source",)}
_PAIR_FIELDS = _Fields("chosen", PairRow, **_BY_IMAGE, options=2)
_SCORE_FIELDS = _Fields("rated", ScoreRow, **_BY_IMAGE, scale=(1, 5))
_BATCH_FIELDS = OutcomeFields("text", BatchRow, **_BY_IMAGE)


def _benchmark(
    name: str,
    fields: OutcomeFields,
    measured: tuple[Number, ...],
    to_answer: Callable[[Any, Trial], Any],
    parts: Mapping[str, Any],
    **declared: Any,
) -> Benchmark:
    source = Source(
        variable="MLLM_JUDGE_DATA",
        files=(f"Dataset/Benchmark/{name}.jsonl", f"Dataset/Benchmark_Lite/{name}_lite.jsonl"),
        images=("Dataset", "Dataset/image", "image"),
        how="Clone the authors' repository Dongping-Chen/MLLM-Judge and give its folder.",
    )
    return Benchmark(
        name=f"mllm_judge_{name}",
        title=f"MLLM-as-a-Judge, {name}",
        trials=type(f"{name.title()}Trials", (JudgeTrials,), {"source": source, **parts}),
        read=one_reply(
            fields,
            "ranking" if fields.kind == "text" else "labels",
            asks=lambda trial: prompts.asks(fields.kind, trial["labels"]),
            to_answer=to_answer,
        ),
        numbers=measured,
        headline=measured[0].name,
        breakdowns=(by_field("source", measured[name == "score"], "by data set"),),
        plain=PlainRows(
            "Plain rows are JSON lines with the fields `row`, `source`, `image`, `truth`, "
            "`labels` and `response`. `truth` is people's judgment. For pairs, it is 0 or 1 (the "
            "better answer), or -1 for a tie. For scores, it is a whole number from 1 to 5. For "
            "rankings, it lists the labels of the answers, the best first."
        ),
        **declared,
    )


PAIR = _benchmark(
    "pair",
    _PAIR_FIELDS,
    numbers.PAIR,
    place_or_tie,
    {
        "method": prompts.PAIR,
        "labels": "ABC",
        "answers_of": lambda row: (row["answer1"], row["answer2"]),
        "truth_of": {"A": 0, "B": 1, "C": TIE}.__getitem__,
    },
    answers=Answers(labels="ABC", ties=True, people=People()),
    card=(READABLE, *choice_evidence(people=True)),
    tasks=(
        Task("mllm_judge_pair", {}, "A, B or a tie, asked once, like the authors", _SAMPLED),
        Task("mllm_judge_pair_both", {"orders": "both"}, "A, B or a tie, in both orders", _GREEDY),
    ),
)
SCORE = _benchmark(
    "score",
    _SCORE_FIELDS,
    numbers.SCORE,
    lambda score, _: int(score),
    {
        "method": prompts.SCORE,
        "labels": "12345",
        "answers_of": lambda row: (row["answer"],),
        "truth_of": int,
    },
    card=(READABLE, number_alone("people", "pearson", "correlation", "correlation")),
    answers=Answers(numbers=("closeness", "pearson", "spearman"), people=People()),
    tasks=(Task("mllm_judge_score", {}, "a score from 1 to 5 per answer", _SAMPLED),),
)
BATCH = _benchmark(
    "batch",
    _BATCH_FIELDS,
    numbers.BATCH,
    lambda ranking, _: ranking,
    {
        "method": prompts.BATCH,
        "labels": "ABCDEFGH",
        "answers_of": lambda row: row["answers"] or (),
        "truth_of": str,
    },
    card=(READABLE, number_alone("people", "levenshtein", "distance of rankings")),
    controls=(AS_SHOWN,),
    tasks=(Task("mllm_judge_batch", {}, "all answers ranked, the best first", _SAMPLED),),
)
BENCHMARKS = (PAIR, SCORE, BATCH)

__getattr__ = task_functions(*BENCHMARKS)
