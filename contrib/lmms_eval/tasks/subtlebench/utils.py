"""VLM-SubtleBench: what differs between two nearly equal images? Multiple choice (Sections 3 and 4.1 of the paper)."""

import hashlib
import os
import re
import string
from collections import Counter, defaultdict
from functools import lru_cache
from typing import Any, Callable, Dict, List, Optional
from urllib.parse import unquote

import datasets
import numpy as np
from huggingface_hub import hf_hub_download, snapshot_download
from PIL import Image

SUBTLEBENCH_REPO = "KRAFTON/VLM-SubtleBench"

# What has an accuracy of its own; whatever else the data name is "other".
CATEGORIES = ("attribute", "state", "emotion", "temporal", "spatial", "existence", "quantity", "quality", "viewpoint", "action")
DOMAINS = ("natural", "game", "industrial", "aerial", "synthetic", "medical")

# "A change of colour": the article, which is no answer. "A is right" and "A and C" name an option.
ARTICLE = re.compile(r"\bA (?=[a-z\d])(?!(?:is|was|and|or|because|since|as|best|seems|describes|matches|fits|would|correctly|accurately)\b)")

# The standard prompt (Figure 8).
SYSTEM_PROMPT = """You are a helpful assistant that answers multiple-choice questions about differences between two images.
Your task is to carefully analyze both images and identify the main difference between them.

Guidelines:
- Unless specified in the options, the difference is described in terms of the second image relative to the first.
- Respond **only** with the answer letter (A, B, C, D, etc.). Do not provide any reasoning or explanation."""
PROMPT = """Question: {question}

Carefully examine the images and choose the best description of the key visual difference.

Options:
{options}"""


def _hash(*key: Any) -> int:
    """A number by the key alone: the same on every rank and for every --limit."""
    return int.from_bytes(hashlib.blake2b(repr((0, "subtlebench", *key)).encode(), digest_size=8).digest(), "big")


def _names(dataset: datasets.Dataset) -> List[str]:
    """A name for each question, by which its options are shuffled; of two about the same pair, the second has #2."""
    count: Counter = Counter()
    names = []
    for row in dataset:
        source_id = _path(row["image_1"]) if row.get("source_id") is None else row["source_id"]
        parts = (row["category"].lower(), row["source"], row.get("raw_folder"), source_id)
        name = "/".join(str(part) for part in parts if part not in (None, ""))
        count[name] += 1
        names.append(name if count[name] == 1 else f"{name}#{count[name]}")
    return names


def _shuffled(row: Dict[str, Any], name: str, order: str) -> Dict[str, Any]:
    """The options in an order drawn for the question, or in its reverse."""
    options = [row["answer"], *row["distractors"]]
    places = sorted(range(len(options)), key=lambda place: _hash(name, place), reverse=order == "rev")
    return {
        "name": name,
        "order": order,
        "options": [options[place] for place in places],
        "target": string.ascii_uppercase[places.index(0)],
    }


def subtlebench_process_docs(dataset: datasets.Dataset) -> datasets.Dataset:
    """All questions, their options in an order drawn by the question's name."""
    names = _names(dataset)
    return datasets.Dataset.from_list([{**row, **_shuffled(row, name, "fwd")} for row, name in zip(dataset, names)])


def subtlebench_process_docs_swapped(dataset: datasets.Dataset) -> datasets.Dataset:
    """The questions with two options, in both orders, next to each other."""
    pairs = [(row, name) for row, name in zip(dataset, _names(dataset)) if len(row["distractors"]) == 1]
    return datasets.Dataset.from_list([{**row, **_shuffled(row, name, order)} for row, name in pairs for order in ("fwd", "rev")])


def _path(image: str) -> str:
    """The path of an image in the repository, of which a row has the path or the URL."""
    return unquote(image.partition("/resolve/main/")[2] or image)


@lru_cache(maxsize=None)
def _revision() -> str:
    """The hub's present commit, asked for once: by its commit, an image that is here is found without a request."""
    return os.path.basename(snapshot_download(SUBTLEBENCH_REPO, repo_type="dataset", allow_patterns="data/*.jsonl"))


def subtlebench_doc_to_visual(doc: Dict[str, Any]) -> List[Image.Image]:
    """The two images: of the folder SUBTLEBENCH_DIR, if it is set, else fetched from the hub one by one."""
    folder = os.getenv("SUBTLEBENCH_DIR")
    images = []
    for path in (_path(doc["image_1"]), _path(doc["image_2"])):
        file = os.path.join(folder, path) if folder else hf_hub_download(SUBTLEBENCH_REPO, path, repo_type="dataset", revision=_revision())
        with Image.open(file) as image:
            images.append(image.convert("RGB"))
    return images


def _prompt(doc: Dict[str, Any]) -> str:
    options = "\n".join(f"{letter}. {option}" for letter, option in zip(string.ascii_uppercase, doc["options"]))
    return PROMPT.format(question=doc["question"], options=options)


def subtlebench_doc_to_text(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> str:
    return f"{SYSTEM_PROMPT}\n\n{_prompt(doc)}"


def subtlebench_doc_to_messages(doc: Dict[str, Any], lmms_eval_specific_kwargs: Optional[Dict[str, Any]] = None) -> List[Dict[str, Any]]:
    images = [{"type": "image", "url": image} for image in subtlebench_doc_to_visual(doc)]
    return [
        {"role": "system", "content": [{"type": "text", "text": SYSTEM_PROMPT}]},
        {"role": "user", "content": [*images, {"type": "text", "text": _prompt(doc)}]},
    ]


def parse_letter(reply: str) -> Optional[str]:
    """The authors' parser, but for the article "A": a letter from A to E, or None.

    The first after "### Answer", else the last line that is one but for punctuation, else the last such word, else the first letter that
    stands for itself.
    """
    reply = ARTICLE.sub("", reply).strip()
    heading = re.search(r"### Answer\s*([A-E])", reply)
    if heading:
        return heading.group(1)
    for parts in (reply.split("\n"), reply.split()):
        letters = [part.strip(string.punctuation) for part in parts]
        letters = [letter for letter in letters if letter in tuple("ABCDE")]
        if letters:
            return letters[-1]
    single = re.search(r"\b[A-E]\b", reply)
    return single.group(0) if single else None


def subtlebench_process_results(doc: Dict[str, Any], results: List[str]) -> Dict[str, Dict[str, Any]]:
    letter = parse_letter(results[0])
    options = dict(zip(string.ascii_uppercase, doc["options"]))
    record = {
        "name": doc["name"],
        "pair": f"{_path(doc['image_1'])} | {_path(doc['image_2'])}",
        "order": doc["order"],
        "answer": options.get(letter),  # None for no letter, and for one that no option has
        "correct": options.get(letter) == doc["answer"],
    }
    scored = {**record, "score": int(record["correct"])}
    category, domain = doc["category"].lower(), doc["domain"].lower().replace("industry", "industrial")
    return {
        "subtlebench_accuracy": scored,
        f"subtlebench_{category if category in CATEGORIES else 'other'}": scored,
        f"subtlebench_domain_{domain if domain in DOMAINS else 'other'}": scored,
        "subtlebench_coverage": record,
        "subtlebench_consistency": record,
        "subtlebench_right_in_both_orders": record,
    }


def _mean(values: List[bool]) -> float:
    return float(np.mean(values)) if values else float("nan")


def subtlebench_aggregate_accuracy(results: List[Dict[str, Any]]) -> float:
    """Share of right answers; an unreadable one is wrong."""
    return _mean([result["correct"] for result in results])


def subtlebench_aggregate_coverage(results: List[Dict[str, Any]]) -> float:
    """Share of the answers that name an option."""
    return _mean([result["answer"] is not None for result in results])


def _in_both_orders(results: List[Dict[str, Any]], hit: Callable[..., bool]) -> float:
    """Share of the questions asked in both orders whose two answers are a hit."""
    questions = defaultdict(list)
    for result in results:
        questions[result["name"]].append(result)
    return _mean([hit(*answers) for answers in questions.values() if len(answers) == 2])


def subtlebench_aggregate_consistency(results: List[Dict[str, Any]]) -> float:
    return _in_both_orders(results, lambda one, other: one["answer"] is not None and one["answer"] == other["answer"])


def subtlebench_aggregate_right_in_both(results: List[Dict[str, Any]]) -> float:
    return _in_both_orders(results, lambda one, other: one["correct"] and other["correct"])
