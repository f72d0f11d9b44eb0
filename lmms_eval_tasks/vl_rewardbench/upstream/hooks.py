"""VL-RewardBench with K votes per pair, each in an order of its own (Section 3.2 of the paper)."""

from __future__ import annotations

from typing import Any

from datasets import Dataset, concatenate_datasets

from lmms_eval_tasks.preference import accuracy, bias
from lmms_eval_tasks.preference.prompts import render
from lmms_eval_tasks.preference.reading import as_authors_count
from lmms_eval_tasks.preference.trials import in_order, own_names
from lmms_eval_tasks.preference.votes import ORDERS, Vote, VoteTable
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, source_of
from pairbench_ext.image_slots import without_image_slots
from pairbench_ext.replies.verdict import authors
from pairbench_ext.seeds import draw

SEED = 0


def process_docs(dataset: Dataset, k: int) -> Dataset:
    """Every pair k times in a row, each time in the order that is drawn for this vote on it."""
    items = own_names(dataset["id"])
    votes = [
        dataset.add_column("item", items)
        .add_column("vote", [vote] * len(items))
        .add_column("order", [order_of(item, vote) for item in items])
        for vote in range(k)
    ]
    rows = [vote * len(items) + row for row in range(len(items)) for vote in range(k)]
    return concatenate_datasets(votes).select(rows)


def order_of(item: str, vote: int) -> str:
    """Which answer a vote sees first: response 0 (`fwd`) or 1 (`rev`)."""
    return ORDERS[draw(len(ORDERS), SEED, "vl_rewardbench", "order", item, vote)]


def process_docs_k1(dataset: Dataset) -> Dataset:
    """One vote for every pair."""
    return process_docs(dataset, 1)


def process_docs_k5(dataset: Dataset) -> Dataset:
    """Five votes for every pair, the paper's setting."""
    return process_docs(dataset, 5)


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """The image."""
    return [doc["image"].convert("RGB")]


def doc_to_text(
    doc: dict[str, Any],
    lmms_eval_specific_kwargs: dict[str, Any] | None = None,  # noqa: ARG001
) -> str:
    """The paper's prompt (Table 18), with the answers in this vote's order."""
    first, second = doc["response"]
    return without_image_slots(render(doc["query"], in_order((first, second), doc["order"])))


def doc_to_messages(
    doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The image, then the prompt."""
    content = [
        {"type": "image", "url": doc_to_visual(doc)[0]},
        {"type": "text", "text": doc_to_text(doc, lmms_eval_specific_kwargs)},
    ]
    return [{"role": "user", "content": content}]


def doc_to_target(doc: dict[str, Any]) -> str:
    """The position, 1 or 2, at which the better answer is shown."""
    return str((doc["human_ranking"].index(0) ^ (doc["order"] == "rev")) + 1)


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Vote]:
    """The vote that a reply gives, as the authors' code reads and counts it, for every metric."""
    trial = {"truth": doc["human_ranking"].index(0), "order": doc["order"]}
    vote = Vote(
        item=doc["item"],
        source=source_of(doc["id"]),
        repeat=doc["vote"],
        order=trial["order"],
        truth=trial["truth"],
        verdict=as_authors_count(trial, authors(results[0]).value),
    )
    return dict.fromkeys(METRICS, vote)


def _table(votes: list[Any]) -> VoteTable:
    """Votes in columns; between processes the harness turns them into lists."""
    return VoteTable.from_votes(Vote(*vote) for vote in votes)


def aggregate_overall_accuracy(votes: list[Vote]) -> float:
    """Share of pairs whose majority of votes is right, of those that a majority decides."""
    return accuracy.overall_accuracy(_table(votes))


def aggregate_macro_accuracy(votes: list[Vote]) -> float:
    """Mean of the accuracies of the three groups."""
    return accuracy.macro_accuracy(_table(votes), GROUPING)


def _accuracy_of(votes: list[Vote], group: str) -> float:
    return accuracy.accuracy_by_group(_table(votes), GROUPING)[group]


def aggregate_general(votes: list[Vote]) -> float:
    """Accuracy over the general instructions."""
    return _accuracy_of(votes, "general")


def aggregate_hallucination(votes: list[Vote]) -> float:
    """Accuracy over the queries on hallucinations."""
    return _accuracy_of(votes, "hallucination")


def aggregate_reasoning(votes: list[Vote]) -> float:
    """Accuracy over the reasoning tasks."""
    return _accuracy_of(votes, "reasoning")


def aggregate_vote_accuracy(votes: list[Vote]) -> float:
    """Share of votes for the better answer, of all votes."""
    return accuracy.vote_accuracy(_table(votes))


def aggregate_coverage(votes: list[Vote]) -> float:
    """Share of replies that could be read."""
    return bias.coverage(_table(votes))


def aggregate_first_position_rate(votes: list[Vote]) -> float:
    """Share of usable votes for the answer shown first: 0.5 without position bias."""
    return bias.first_position_rate(_table(votes))


METRICS = (
    "overall_accuracy",
    "macro_accuracy",
    "general",
    "hallucination",
    "reasoning",
    "vote_accuracy",
    "coverage",
    "first_position_rate",
)
