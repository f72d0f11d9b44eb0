"""Replies of real models in checkouts of public repositories, and what those read in them.

Each function reads the checkout of one repository, given its folder, which has the repository's
name. None of those files is part of this project.
"""

from __future__ import annotations

import ast
import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pairbench_ext.replies.options import letters

# The model, the grammar and its options, the reply, and what the repository's own code read in it:
# None for nothing, or if that is not recorded.
Reply: TypeAlias = tuple[str, str, Mapping[str, Any], str, Any]

_IMAGES = ["the first image", "the second image", "the third image", "the fourth image"]
_POINTS = [f"Point {letter}" for letter in "ABCD"]
# The options of BLINK's tasks; those of the task that is not here differ.
_BLINK = {
    "Art_Style": _IMAGES[1:3],
    "Forensic_Detection": _IMAGES,
    "Functional_Correspondence": _POINTS,
    "IQ_Test": [f"picture {letter}" for letter in "ABCD"],
    "Jigsaw": _IMAGES[1:3],
    "Multi-view_Reasoning": ["left", "right"],
    "Object_Localization": ["Box A", "Box B"],
    "Relative_Depth": ["A is closer", "B is closer"],
    "Relative_Reflectance": ["A is darker", "B is darker", "About the same"],
    "Semantic_Correspondence": _POINTS,
    "Spatial_Relation": ["yes", "no"],
    "Visual_Correspondence": _POINTS,
    "Visual_Similarity": _IMAGES[1:3],
}
_TIES = {"ties": True}


def _rows(folder: Path, pattern: str) -> Iterator[tuple[Path, Any]]:
    """The rows of files of JSON lines, or of JSON lists and mappings."""
    for file in sorted(folder.glob(pattern)):
        text = file.read_text(encoding="utf-8")
        rows = map(json.loads, text.splitlines()) if file.suffix == ".jsonl" else json.loads(text)
        for row in rows.values() if isinstance(rows, dict) else rows:
            yield file, row


def _texts(options: object) -> list[str]:
    listed = ast.literal_eval(options) if isinstance(options, str) else options
    return [str(text) for text in listed] if isinstance(listed, list) else []


def blink(folder: Path) -> Iterator[Reply]:
    """BLINK: letters; recorded is what GPT-3.5 or a pattern found, Z for nothing."""
    for file, split in _rows(folder, "eval/saved_outputs/*/*.json"):
        task = file.stem.replace(" ", "_").removesuffix("_concat")
        options = {"options": _BLINK.get(task, 4)}
        for row in split:
            recorded = row["prediction"].strip("()")[:1].replace("Z", "") or None
            yield file.parent.name, "letter", options, row["full_prediction"], recorded


def mmmu(folder: Path) -> Iterator[Reply]:
    """MMMU and MMMU-Pro: letters of up to ten options; nothing is recorded."""
    for file, row in _rows(folder, "mmmu/example_outputs/*/*/output.json"):
        if row["question_type"] == "multiple-choice":
            texts = _texts([*row["index2ans"].values()])
            yield file.parent.parent.name, "letter", {"options": texts}, row["response"], None
    for file, row in _rows(folder, "mmmu-pro/output/*.jsonl"):
        yield file.stem, "letter", {"options": _texts(row["options"])}, row["response"], None


def math_vision(folder: Path) -> Iterator[Reply]:
    """MATH-Vision: letters; recorded is what is left of the reply, where that is a letter."""
    options = {row["id"]: row["options"] for _, row in _rows(folder, "data/test.jsonl")}
    for file, row in _rows(folder, "outputs/*-source/*/*.jsonl"):
        texts, recorded = options[row["id"]], str(row.get("model_answer")).upper()
        if texts and isinstance(row["response"], str):
            known = recorded if recorded in [*letters(len(texts))] else None
            yield file.stem, "letter", {"options": texts}, row["response"], known


def math_vista(folder: Path) -> Iterator[Reply]:
    """MathVista: letters; recorded is the option nearest to the answer that GPT-4 extracted."""
    for file, row in _rows(folder, "results/*/output_*.json"):
        texts = _texts(row["choices"])
        asked = not any(word in file.parent.name for word in ("random", "template"))
        if asked and texts and isinstance(row.get("response"), str):
            answer = row.get("prediction")
            recorded = letters(len(texts))[texts.index(answer)] if answer in texts else None
            yield file.stem, "letter", {"options": texts}, row["response"], recorded


def hallusion(folder: Path) -> Iterator[Reply]:
    """HallusionBench: yes or no; nothing is recorded."""
    for file, row in _rows(folder, "HallusionBench_result_sample.json"):
        yield file.stem, "yesno", {"labels": "yes/no"}, row["model_prediction"], None


def genai_bench(folder: Path) -> Iterator[Reply]:
    """GenAI-Bench: which of two images, edits or videos, or a tie."""
    votes = {"[[A>B]]": 1, "[[B>A]]": 2, "[[A=B=Good]]": 0, "[[A=B=Bad]]": 0}
    for file, row in _rows(folder, "results/*/*/pairwise.jsonl"):
        yield file.parent.name, "verdict", _TIES, row["response"], votes.get(row["model_vote"])


def llmbar(folder: Path) -> Iterator[Reply]:
    """LLMBar: which of two outputs; the winner is recorded in the order of the data set."""
    for file, row in _rows(folder, "Dataset/**/evaluators/*/*/result.json"):
        model = f"{file.parent.parent.name} {file.parent.name}"
        for asked in (part for part in row["results"] if isinstance(part, dict)):
            for order, answer in asked.items():
                if "completion" in answer:
                    shown = {"1": 1, "2": 2} if order.endswith("False") else {"1": 2, "2": 1}
                    text, vote = answer["completion"][0], shown.get(answer["winner"])
                    yield model, "verdict", {}, text, vote


def judgebench(folder: Path) -> Iterator[Reply]:
    """JudgeBench: which of two answers, or a tie; reward models reply nothing."""
    votes = {"A>B": 1, "B>A": 2, "A=B": 0}
    for _, row in _rows(folder, "outputs/*.jsonl"):
        for told, vote in ((one["judgment"], one["decision"]) for one in row["judgments"]):
            if told["response"]:
                model = f"{told['judge_model']} {row['judge_name']}"
                yield model, "verdict", _TIES, told["response"], votes.get(vote)


def position_bias(folder: Path) -> Iterator[Reply]:
    """Position-Bias-Analyzer: which of two assistants, or a tie, on MT-Bench and DevBench."""
    csv.field_size_limit(sys.maxsize)
    for file in sorted(folder.glob("judgment_data/*/*/*consistent_cmp.tsv")):
        with file.open(encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text, delimiter="\t"):
                model = [*row][-2]
                vote = {"A": 1, "B": 2, "C": 0}.get(row["extracted"])
                yield model, "labels", {"labels": "ABC", **_TIES}, row[model], vote


def auto_j(folder: Path) -> Iterator[Reply]:
    """Auto-J: which of two critiques GPT-4 prefers; nothing is recorded."""
    for file, row in _rows(folder, "data/outputs/gpt-4-Eval*.jsonl"):
        yield file.stem, "verdict", _TIES, row["output"], None


def llava(folder: Path) -> Iterator[Reply]:
    """LLaVA: two scores on the first line of GPT-4's review; the higher one wins."""
    for file, row in _rows(folder, "llava/eval/table/review/*.jsonl"):
        first, second = row["score"]
        vote = None if first < 0 else int(first > second) + 2 * int(second > first)
        yield file.stem, "verdict", _TIES, row["text"], vote


SOURCES: Mapping[str, Callable[[Path], Iterator[Reply]]] = {
    "BLINK_Benchmark": blink,
    "GenAI-Bench": genai_bench,
    "HallusionBench": hallusion,
    "JudgeBench": judgebench,
    "LLMBar": llmbar,
    "LLaVA": llava,
    "MATH-V": math_vision,
    "MMMU": mmmu,
    "MathVista": math_vista,
    "Position-Bias-Analyzer": position_bias,
    "auto-j": auto_j,
}
