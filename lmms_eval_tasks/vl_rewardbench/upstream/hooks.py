"""VL-RewardBench with K votes per pair, each in an order of its own (Section 3.2 of the paper)."""

from __future__ import annotations

from functools import partial
from typing import Any

from datasets import Dataset

from lmms_eval_tasks.preference import accuracy, bias
from lmms_eval_tasks.preference.aggregation import of_group, of_votes
from lmms_eval_tasks.preference.prompts import render
from lmms_eval_tasks.preference.reading import as_authors_count
from lmms_eval_tasks.preference.trials import in_order, own_names
from lmms_eval_tasks.preference.votes import ORDERS, Vote
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, source_of
from pairbench_ext.core.image_slots import without_image_slots
from pairbench_ext.replies.verdict import authors
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.upstream.common import for_every, repeated

SEED = 0


def process_docs(dataset: Dataset, k: int) -> Dataset:
    """Every pair k times in a row, each time in the order that is drawn for this vote on it."""
    items = own_names(dataset["id"])
    return repeated(
        dataset,
        [
            {
                "item": items,
                "vote": [vote] * len(items),
                "order": [order_of(item, vote) for item in items],
            }
            for vote in range(k)
        ],
    )


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


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
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
    return for_every(METRICS, vote)


aggregate_overall_accuracy = partial(of_votes, measure=accuracy.overall_accuracy)
aggregate_macro_accuracy = partial(
    of_votes, measure=partial(accuracy.macro_accuracy, grouping=GROUPING)
)
aggregate_general = partial(of_group, grouping=GROUPING, name="general")
aggregate_hallucination = partial(of_group, grouping=GROUPING, name="hallucination")
aggregate_reasoning = partial(of_group, grouping=GROUPING, name="reasoning")
aggregate_vote_accuracy = partial(of_votes, measure=accuracy.vote_accuracy)
aggregate_coverage = partial(of_votes, measure=bias.coverage)
aggregate_first_position_rate = partial(of_votes, measure=bias.first_position_rate)

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
