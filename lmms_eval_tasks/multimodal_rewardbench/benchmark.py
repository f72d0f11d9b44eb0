"""The declaration of the benchmark Multimodal RewardBench: data, tasks and metrics.

A model sees an image, a question and the answers of two assistants, and says whose is better, in
both orders or K times in orders of their own. Data: `all_data.json` and the images that the script
`0_download_data.py` of the authors makes, or a copy on the hub. Paper: arxiv.org/abs/2502.14191

    lmms-eval --model qwen2_5_vl --tasks multimodal_rewardbench_both
    pairbench score multimodal_rewardbench samples_multimodal_rewardbench_both.jsonl
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import StringConstraints

from lmms_eval_tasks.multimodal_rewardbench.prompts import ASKS, JUDGE
from lmms_eval_tasks.multimodal_rewardbench.published import PUBLISHED
from lmms_eval_tasks.preference import numbers
from lmms_eval_tasks.preference.trials import Pair, PreferenceTrials, in_order
from lmms_eval_tasks.preference.votes import (
    VOTE,
    Grouping,
    VoteRow,
    longer_of,
    votes_by,
    votes_by_authors,
)
from pairbench_ext.core.benchmark import (
    Benchmark,
    Breakdown,
    Decoding,
    Number,
    OutcomeTable,
    PlainRows,
    Request,
    Task,
    Trial,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.stock import StockLog
from pairbench_ext.harness import task_functions

GRAMMAR, _OTHER = "labels", "other"
# The paper's areas, by a word of the data's categories ("open_generation/correctness_task").
AREAS = ("correctness", "preference", "knowledge", "reasoning", "safety", "vqa")
GROUPING = Grouping((*AREAS, _OTHER), lambda source: source.partition("/")[0])
_ANSWERS = re.compile(
    r"\[The Start of Assistant A's Answer\]\n(.*)\n\[The End of Assistant A's Answer\]\n\n"
    r"\[The Start of Assistant B's Answer\]\n(.*)\n\[The End of Assistant B's Answer\]",
    re.DOTALL,
)
BETTER = {"Output1": 0, "Output2": 1}
_GREEDY, _SAMPLED = Decoding("greedy", 1024), Decoding("sampled", 1024, 0.2, 0.2)
_AUTHORS = Decoding("authors", 1024, 1.0, 1.0, "The authors use the API's default sampling.")
_BETTER, _ONCE = "which answer is better", "asked once, in the data's order, like the authors"
_DRAWN = "five votes in random orders, temperature and top-p 0.2"
_BOTH = {"orders": "both", "greedy": True}
_TASKS: dict[str, tuple[dict[str, Any], str, Decoding]] = {
    "both": (_BOTH, f"{_BETTER}, in both orders, greedy decoding", _GREEDY),
    "k5": ({"k": 5}, f"{_BETTER}, {_DRAWN}", _SAMPLED),
    "authors": ({"orders": "data"}, f"{_ONCE}, so position bias cannot be tested", _AUTHORS),
}


@dataclass(frozen=True)
class AreaRow(VoteRow):
    """The fields of a judgment of a pair, in logs and plain JSONL files; `source` is an area."""

    source: Annotated[str, StringConstraints(pattern=rf"^({'|'.join(AREAS)}|{_OTHER})(/|$)")]


class AssistantTrials(PreferenceTrials):
    """The trials in which a judge compares the two answers of a pair."""

    name = "multimodal_rewardbench"
    grouping = GROUPING
    source = Source(
        variable="MULTIMODAL_REWARDBENCH_DATA",
        hub="syhuggingface/multimodal_rewardbench",
        files=("all_data.json", "data/all_data.json"),
        how="Run the authors' scripts/0_download_data.py and give the folder of all_data.json.",
    )

    def read(self, record: Record) -> Pair:
        """Return the pair of answers that a row of the data describes."""
        better = record.text("Better")
        if better not in BETTER:
            raise RecordError(
                f"{record.where}: 'Better' must be Output1 or Output2, not {better!r}"
            )
        name = record.text("ID")
        image: object = record.fields.get("Image")  # a path; a column of the hub's copy
        return Pair(
            key=name,
            query=record.text("Text"),
            responses=(record.text("Output1"), record.text("Output2")),
            source=area(record.text("Category"), name),
            truth=BETTER[better],
            images=(image if isinstance(image, str) else "Image",),
        )

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the request: both answers in the trial's order, then the image, as the authors do.

        In their order, `<image>` stays in the text, as their script leaves it.
        """
        text = JUDGE.format(question=item.query, answers=in_order(item.responses, trial["order"]))
        content = (text, self.rows.picture(trial["row"], item.images[0]))
        return Request(content, as_is=self.entry.orders == "data")


def area(category: str, name: str) -> str:
    """Return an item's area; safety and reasoning are subdivided as in the authors' scorer.

    >>> area("open_generation/correctness_task", "nocaps_1"), area("safety", "PAIRS_9")
    ('correctness', 'safety/bias')
    """
    area_name = next((name for name in AREAS if name in category.lower()), _OTHER)
    if area_name == "safety":
        return "safety/bias" if name.lower().startswith("pairs") else "safety/toxicity"
    if area_name == "reasoning":
        return "reasoning/math" if name.lower().startswith("math") else "reasoning/coding"
    return area_name


def _of_stock(record: Record, score: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the trial of a sample of lmms-eval's own task, which asks in the data's order."""
    name, found = str(score["question_id"]), _ANSWERS.search(record.get("input", str))
    return {
        "item": name,
        "source": area(str(score["category"]), name),
        "order": "fwd",
        "truth": BETTER[record.get("target", str)],
        "longer": found and longer_of(*found.groups()),
    }


STOCK = StockLog(
    task="multimodal_rewardbench",
    field="multimodal_rewardbench_accuracy",
    trial=_of_stock,
    score=lambda score: float(score["score"]),
    printed=lambda scores: sum(float(score["score"]) for score in scores) / len(scores),
    note="lmms-eval's own task shows every pair in one order, so position bias cannot be tested "
    "with these samples. multimodal_rewardbench_both can test it.",
)


def _with_coin(table: OutcomeTable) -> float:
    """Return accuracy per vote as the authors read replies; an unreadable reply counts 1/2."""
    votes = votes_by_authors(table)
    return sum(vote.right if vote.usable else 0.5 for vote in votes) / len(votes)


BENCHMARK = Benchmark(
    name="multimodal_rewardbench",
    title="Multimodal RewardBench",
    trials=AssistantTrials,
    read=votes_by(GRAMMAR, replace(VOTE, row=AreaRow), ASKS),
    numbers=(
        *numbers.numbers(GROUPING),
        Number(
            "vote_accuracy_authors",
            "read by the authors' rule; an unreadable reply is half right",
            _with_coin,
            section="accuracy per vote, coverage and position bias",
        ),
    ),
    breakdowns=(
        Breakdown("by_category", "accuracy per vote, by category", numbers.votes_by_source),
    ),
    remarks=numbers.remarks,
    stock=(STOCK,),
    headline="vote_accuracy",
    main_numbers=("overall_accuracy", "vote_accuracy"),
    pools=numbers.pools(coin=True),
    options=(numbers.K_OPTION,),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `source`, `repeat`, `order`, `truth` "
        'and `response`. `source` is an area of the benchmark. `order` is "fwd" if answer 0 is '
        'shown first, else "rev". `truth` is 0 or 1 (the better answer).'
    ),
    published=PUBLISHED,
    tasks=tuple(Task(f"multimodal_rewardbench_{end}", *task) for end, task in _TASKS.items()),
)

__getattr__ = task_functions(BENCHMARK)
