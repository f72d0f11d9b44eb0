"""Multimodal RewardBench in both orders of the answers, so that position bias is seen."""

from __future__ import annotations

from typing import Any

from datasets import Dataset, concatenate_datasets

from lmms_eval_tasks.multimodal_rewardbench.benchmark import BETTER, GROUPING, area
from lmms_eval_tasks.multimodal_rewardbench.prompts import JUDGE
from lmms_eval_tasks.preference import accuracy, bias
from lmms_eval_tasks.preference.trials import in_order, own_names
from lmms_eval_tasks.preference.votes import ORDERS, Vote, VoteTable
from pairbench_ext.image_slots import without_image_slots
from pairbench_ext.replies.labels import authors

AREAS = ("correctness", "preference", "knowledge", "reasoning", "safety", "vqa")
METRICS = ("vote_accuracy", *AREAS, "coverage", "first_position_rate", "position_consistency")


def process_docs(dataset: Dataset) -> Dataset:
    """Every pair twice in a row, once in each order."""
    items = own_names(dataset["ID"])
    named = dataset.add_column("item", items)
    both = [named.add_column("order", [order] * len(items)) for order in ORDERS]
    rows = [place * len(items) + row for row in range(len(items)) for place in range(len(ORDERS))]
    return concatenate_datasets(both).select(rows)


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """The image."""
    return [doc["Image"].convert("RGB")]


def doc_to_text(
    doc: dict[str, Any],
    lmms_eval_specific_kwargs: dict[str, Any] | None = None,  # noqa: ARG001
) -> str:
    """The authors' prompt, with the answers in this request's order."""
    answers = in_order((doc["Output1"], doc["Output2"]), doc["order"])
    return without_image_slots(JUDGE.format(question=doc["Text"], answers=answers))


def doc_to_messages(
    doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The prompt, then the image, as the authors send them."""
    content = [
        {"type": "text", "text": doc_to_text(doc, lmms_eval_specific_kwargs)},
        {"type": "image", "url": doc_to_visual(doc)[0]},
    ]
    return [{"role": "user", "content": content}]


def doc_to_target(doc: dict[str, Any]) -> str:
    """The position, 1 or 2, at which the better answer is shown."""
    return str((BETTER[doc["Better"]] ^ (doc["order"] == ORDERS[1])) + 1)


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Vote]:
    """The vote that a reply gives, as the authors' code reads it, for every metric."""
    vote = Vote(
        item=doc["item"],
        source=area(doc["Category"], doc["ID"]),
        repeat=0,
        order=doc["order"],
        truth=BETTER[doc["Better"]],
        verdict=authors(results[0]).value,  # type: ignore[arg-type]
    )
    return dict.fromkeys(METRICS, vote)


def _table(votes: list[Any]) -> VoteTable:
    """Votes in columns; between processes the harness turns them into lists."""
    return VoteTable.from_votes(Vote(*vote) for vote in votes)


def aggregate_vote_accuracy(votes: list[Vote]) -> float:
    """Share of votes for the better answer, over both orders, unusable ones among the wrong."""
    return accuracy.vote_accuracy(_table(votes))


def aggregate_coverage(votes: list[Vote]) -> float:
    """Share of replies that could be read."""
    return bias.coverage(_table(votes))


def aggregate_first_position_rate(votes: list[Vote]) -> float:
    """Share of usable votes for the answer shown first: 0.5 without position bias."""
    return bias.first_position_rate(_table(votes))


def aggregate_position_consistency(votes: list[Vote]) -> float:
    """Share of pairs with the same winner in both orders."""
    return bias.position_consistency(_table(votes))


def _accuracy_of(votes: list[Vote], name: str) -> float:
    return accuracy.accuracy_by_group(_table(votes), GROUPING)[name]


def aggregate_correctness(votes: list[Vote]) -> float:
    """Share of pairs right in both orders, of those decided, on correctness."""
    return _accuracy_of(votes, "correctness")


def aggregate_preference(votes: list[Vote]) -> float:
    """The same on preference."""
    return _accuracy_of(votes, "preference")


def aggregate_knowledge(votes: list[Vote]) -> float:
    """The same on knowledge."""
    return _accuracy_of(votes, "knowledge")


def aggregate_reasoning(votes: list[Vote]) -> float:
    """The same on reasoning."""
    return _accuracy_of(votes, "reasoning")


def aggregate_safety(votes: list[Vote]) -> float:
    """The same on safety."""
    return _accuracy_of(votes, "safety")


def aggregate_vqa(votes: list[Vote]) -> float:
    """The same on visual question answering."""
    return _accuracy_of(votes, "vqa")
