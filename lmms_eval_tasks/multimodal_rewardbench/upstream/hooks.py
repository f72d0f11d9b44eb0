"""Multimodal RewardBench in both orders of the answers, so that position bias is seen."""

from __future__ import annotations

from functools import partial
from typing import Any

from datasets import Dataset

from lmms_eval_tasks.multimodal_rewardbench.benchmark import AREAS, BETTER, GROUPING, area
from lmms_eval_tasks.multimodal_rewardbench.prompts import JUDGE
from lmms_eval_tasks.preference import accuracy, bias
from lmms_eval_tasks.preference.aggregation import of_group, of_votes
from lmms_eval_tasks.preference.trials import in_order, own_names
from lmms_eval_tasks.preference.votes import ORDERS, Vote
from pairbench_ext.core.image_slots import without_image_slots
from pairbench_ext.replies.labels import authors
from pairbench_ext.upstream.common import for_every, repeated

METRICS = ("vote_accuracy", *AREAS, "coverage", "first_position_rate", "position_consistency")


def process_docs(dataset: Dataset) -> Dataset:
    """Every pair twice in a row, once in each order."""
    items = own_names(dataset["ID"])
    return repeated(dataset, [{"item": items, "order": [one] * len(items)} for one in ORDERS])


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


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The vote that a reply gives, as the authors' code reads it, for every metric."""
    vote = Vote(
        item=doc["item"],
        source=area(doc["Category"], doc["ID"]),
        repeat=0,
        order=doc["order"],
        truth=BETTER[doc["Better"]],
        verdict=authors(results[0]).value,  # type: ignore[arg-type]
    )
    return for_every(METRICS, vote)


aggregate_vote_accuracy = partial(of_votes, measure=accuracy.vote_accuracy)
aggregate_coverage = partial(of_votes, measure=bias.coverage)
aggregate_first_position_rate = partial(of_votes, measure=bias.first_position_rate)
aggregate_position_consistency = partial(of_votes, measure=bias.position_consistency)
aggregate_correctness = partial(of_group, grouping=GROUPING, name="correctness")
aggregate_preference = partial(of_group, grouping=GROUPING, name="preference")
aggregate_knowledge = partial(of_group, grouping=GROUPING, name="knowledge")
aggregate_reasoning = partial(of_group, grouping=GROUPING, name="reasoning")
aggregate_safety = partial(of_group, grouping=GROUPING, name="safety")
aggregate_vqa = partial(of_group, grouping=GROUPING, name="vqa")
