"""VL-RewardBench with several judgments per pair.

`vl_rewardbench_both` judges every pair in both orders, `vl_rewardbench_k5` five times in random orders, as the paper does
(Section 3.2). A pair is decided by the majority of its judgments; undecided pairs leave the denominator of every `..._of_decided`, as in
the authors' `cal.py`.
"""

import hashlib
import re
from collections import Counter, defaultdict
from typing import Any, Callable, Dict, List, Optional

import datasets
import numpy as np

from lmms_eval.tasks.vl_rewardbench.utils import get_prompt, vlrewardbench_doc_to_visual

GROUPS = {"mathverse": "reasoning", "mmmu": "reasoning", "hallucination": "hallucination", "rlhf": "hallucination", "rlaif": "hallucination"}

# The authors' pattern: after the first "Overall Judgment" or "Therefore", the last "Answer N is better".
VERDICT = re.compile(r"(?:Overall Judgment|Therefore).*Answer\s*(\d{1,9})\s*is\s*(?:the\s*)?(?:slightly\s*)?better", re.IGNORECASE)

METRICS = (
    "accuracy_of_decided",
    "macro_accuracy_of_decided",
    "general_accuracy_of_decided",
    "hallucination_accuracy_of_decided",
    "reasoning_accuracy_of_decided",
    "accuracy_of_all",
    "decided",
    "position_consistency",
    "coverage",
)


def vlrewardbench_process_docs_both(dataset: datasets.Dataset) -> datasets.Dataset:
    return _repeat_docs(dataset, 2, lambda name, k: k)


def vlrewardbench_process_docs_k5(dataset: datasets.Dataset) -> datasets.Dataset:
    return _repeat_docs(dataset, 5, _random_order)


def _random_order(name: str, k: int) -> int:
    """0 or 1 by the pair's name and the judgment alone: the same on every rank and for every --limit."""
    digest = hashlib.blake2b(repr((0, "vl_rewardbench", "order", name, k)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % 2


def _pair_names(ids: List[str]) -> List[str]:
    """The ids, of which the second of the same name has #2: pairs that share an id have orders of their own."""
    count: Counter = Counter()
    names = []
    for doc_id in ids:
        count[doc_id] += 1
        names.append(doc_id if count[doc_id] == 1 else f"{doc_id}#{count[doc_id]}")
    return names


def _repeat_docs(dataset: datasets.Dataset, repeats: int, order: Callable[[str, int], int]) -> datasets.Dataset:
    """One document per judgment, those of a pair next to each other. No image is copied."""
    names, rows = _pair_names(dataset["id"]), len(dataset)
    dataset = dataset.add_column("pair", list(range(rows)))
    copies = [dataset.add_column("swapped", [order(name, k) for name in names]) for k in range(repeats)]
    return datasets.concatenate_datasets(copies).select([k * rows + row for row in range(rows) for k in range(repeats)])


def vlrewardbench_votes_doc_to_text(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> str:
    return get_prompt(doc, doc["swapped"])


def vlrewardbench_votes_doc_to_messages(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> List[Dict[str, Any]]:
    content = [{"type": "image", "url": image} for image in vlrewardbench_doc_to_visual(doc)]
    return [{"role": "user", "content": [*content, {"type": "text", "text": vlrewardbench_votes_doc_to_text(doc)}]}]


def vlrewardbench_votes_doc_to_target(doc: Dict[str, Any]) -> str:
    """The number of the better answer as it is shown. Rank 0 is the better response."""
    return str((doc["human_ranking"].index(0) ^ doc["swapped"]) + 1)


def parse_verdict(reply: str) -> Optional[int]:
    """1 or 2; None for a reply that has no such verdict, which is counted and never guessed."""
    match = VERDICT.search(reply.replace("\n", "").replace("*", ""))
    answer = int(match.group(1)) if match else None
    return answer if answer in (1, 2) else None


def vlrewardbench_votes_process_results(doc: Dict[str, Any], results: List[str]) -> Dict[str, Dict[str, Any]]:
    verdict = parse_verdict(results[0])
    record = {
        "question_id": doc["id"],
        "pair": doc["pair"],
        "swapped": doc["swapped"],
        "group": GROUPS.get(re.split("[-_]", doc["id"])[0].lower(), "general"),
        "verdict": verdict,
        "correct": None if verdict is None else str(verdict) == vlrewardbench_votes_doc_to_target(doc),
    }
    metrics = {f"vlreward_{metric}": record for metric in METRICS}
    return {**metrics, "vlreward_vote_accuracy": {**record, "score": int(record["correct"] is True)}}


def _majority(votes: List[Optional[bool]]) -> Optional[bool]:
    """What more than half of the votes say. An unreadable one is a vote for neither."""
    return next((value for value in (True, False) if 2 * votes.count(value) > len(votes)), None)


def _decisions(results: List[Dict[str, Any]], *by: str) -> Dict[Any, Optional[bool]]:
    """The majority of each pair, or of each pair and order: whether it is right, None if there is none."""
    votes = defaultdict(list)
    for result in results:
        votes[tuple(result[name] for name in by)].append(result["correct"])
    return {name: _majority(values) for name, values in votes.items()}


def _mean(values: List[Any]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _accuracy(results: List[Dict[str, Any]], group: Optional[str] = None) -> float:
    """Share of the decided pairs that are right; NaN if none is decided."""
    decisions = _decisions([result for result in results if group in (None, result["group"])], "pair")
    return _mean([right for right in decisions.values() if right is not None])


def vlrewardbench_aggregate_decided_accuracy(results: List[Dict[str, Any]]) -> float:
    return _accuracy(results)


def vlrewardbench_aggregate_accuracy_of_all(results: List[Dict[str, Any]]) -> float:
    """Share of all pairs that are right; an undecided one is not."""
    return _mean([right is True for right in _decisions(results, "pair").values()])


def vlrewardbench_aggregate_macro(results: List[Dict[str, Any]]) -> float:
    return _mean([_accuracy(results, group) for group in sorted({result["group"] for result in results})])


def vlrewardbench_aggregate_general(results: List[Dict[str, Any]]) -> float:
    return _accuracy(results, "general")


def vlrewardbench_aggregate_hallucination(results: List[Dict[str, Any]]) -> float:
    return _accuracy(results, "hallucination")


def vlrewardbench_aggregate_reasoning(results: List[Dict[str, Any]]) -> float:
    return _accuracy(results, "reasoning")


def vlrewardbench_aggregate_decided(results: List[Dict[str, Any]]) -> float:
    """Share of the pairs that are decided."""
    return _mean([right is not None for right in _decisions(results, "pair").values()])


def vlrewardbench_aggregate_votes(results: List[Dict[str, Any]]) -> float:
    """Share of all judgments that are right, unreadable ones among the rest."""
    return _mean([result["correct"] is True for result in results])


def vlrewardbench_aggregate_coverage(results: List[Dict[str, Any]]) -> float:
    """Share of the judgments that can be read."""
    return _mean([result["verdict"] is not None for result in results])


def vlrewardbench_aggregate_consistency(results: List[Dict[str, Any]]) -> float:
    """Share of the pairs with the same winner in both orders, of those judged in both."""
    winners = defaultdict(list)
    for (pair, _), right in _decisions(results, "pair", "swapped").items():
        winners[pair].append(right)
    return _mean([orders[0] is not None and orders[0] == orders[1] for orders in winners.values() if len(orders) == 2])
