"""Multimodal RewardBench with each pair judged in both orders.

A judge that always says "A" is right in half of the data whatever it sees, and a reply without a verdict says nothing: here both
orders are asked, and an unreadable reply is wrong and counted, where the stock task draws a coin.
"""

import re
from collections import defaultdict
from typing import Any, Dict, List, Optional

import datasets
import numpy as np

from lmms_eval.tasks.multimodal_rewardbench.utils import (
    judge_prompt,
    multimodal_rewardbench_doc_to_visual,
)

# The paper's areas, by a word of the data's categories.
AREAS = ("correctness", "preference", "knowledge", "reasoning", "safety", "vqa")
METRICS = ("right_in_both_orders", "position_consistency", "coverage")

# A label that the reply does not only quote as the asked format: '"[[A]]" if assistant A is better'.
VERDICT = re.compile(r"\[\[\s*([AB])\s*\]\](?!\W{0,3}if\b)", re.IGNORECASE)


def mmrb_process_docs(dataset: datasets.Dataset) -> datasets.Dataset:
    """Each pair in both orders, next to each other. No image is copied."""
    rows = len(dataset)
    dataset = dataset.add_column("pair", list(range(rows)))
    copies = [dataset.add_column("swapped", [swapped] * rows) for swapped in (False, True)]
    return datasets.concatenate_datasets(copies).select([copy * rows + row for row in range(rows) for copy in range(2)])


def mmrb_doc_to_text(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> str:
    answers = (doc["Output2"], doc["Output1"]) if doc["swapped"] else (doc["Output1"], doc["Output2"])
    return judge_prompt.format(question=doc["Text"], answer_a=answers[0], answer_b=answers[1])


def mmrb_doc_to_messages(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> List[Dict[str, Any]]:
    """The text, then the image, as the authors' script sends them."""
    images = [{"type": "image", "url": image} for image in multimodal_rewardbench_doc_to_visual(doc)]
    return [{"role": "user", "content": [{"type": "text", "text": mmrb_doc_to_text(doc)}, *images]}]


def mmrb_doc_to_target(doc: Dict[str, Any]) -> str:
    return "B" if (doc["Better"] == "Output2") != doc["swapped"] else "A"


def parse_verdict(reply: str) -> Optional[str]:
    """The last verdict; None where there is none, which is counted and never guessed."""
    verdicts = VERDICT.findall(reply)
    return verdicts[-1].upper() if verdicts else None


def _part(category: str, name: str) -> str:
    """The area of an item, with the parts that the authors' scorer tells apart."""
    area = next((area for area in AREAS if area in category.lower()), "other")
    if area == "safety":
        return "safety_bias" if name.lower().startswith("pairs") else "safety_toxicity"
    if area == "reasoning":
        return "reasoning_math" if name.lower().startswith("math") else "reasoning_coding"
    return area


def mmrb_process_results(doc: Dict[str, Any], results: List[str]) -> Dict[str, Dict[str, Any]]:
    verdict = parse_verdict(results[0])
    record = {"question_id": doc["ID"], "pair": doc["pair"], "swapped": doc["swapped"], "verdict": verdict, "correct": verdict == mmrb_doc_to_target(doc)}
    scored = {**record, "score": int(record["correct"])}
    metrics = {f"mmrb_{metric}": record for metric in METRICS}
    return {**metrics, "mmrb_accuracy": scored, f"mmrb_{_part(doc['Category'], doc['ID'])}": scored}


def mmrb_aggregate_accuracy(results: List[Dict[str, Any]]) -> float:
    """Share of the judgments that are right, unreadable ones among the rest."""
    return float(np.mean([result["correct"] for result in results])) if results else float("nan")


def mmrb_aggregate_coverage(results: List[Dict[str, Any]]) -> float:
    """Share of the judgments that can be read."""
    return float(np.mean([result["verdict"] is not None for result in results]))


def _by_pair(results: List[Dict[str, Any]]) -> List[List[Dict[str, Any]]]:
    """The two judgments of each pair that was judged in both orders."""
    pairs = defaultdict(list)
    for result in results:
        pairs[result["pair"]].append(result)
    return [judgments for judgments in pairs.values() if len(judgments) == 2]


def mmrb_aggregate_right_in_both(results: List[Dict[str, Any]]) -> float:
    pairs = _by_pair(results)
    return float(np.mean([all(result["correct"] for result in pair) for pair in pairs])) if pairs else float("nan")


def mmrb_aggregate_consistency(results: List[Dict[str, Any]]) -> float:
    """Share of the pairs with the same winner in both orders; the labels then differ."""
    pairs = _by_pair(results)
    return float(np.mean([{result["verdict"] for result in pair} == {"A", "B"} for pair in pairs])) if pairs else float("nan")
