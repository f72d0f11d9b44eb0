"""The benchmark through the harness, on rows with the columns of the hub's copy.

The vectors are simulated judgments in both orders, and what the authors' `compute_accuracy.py`
makes of them.
"""

import json
from pathlib import Path

import pytest

from lmms_eval_tasks.mmrb2.benchmark import BENCHMARK, docs
from pairbench_ext.harness.hooks import doc_to_messages, doc_to_text, doc_to_visual
from tests.conftest import picture, write_split
from tests.judges import CannedJudge

VECTORS = Path(__file__).parents[2] / "vectors/image_judges/mmrb2.json"


def write(root):
    """Rows of the benchmark, below a folder."""
    for part in ("t2i", "edit", "interleaved", "reasoning"):
        ratings = '{"a": 1, "b": 2}' if part == "reasoning" else "[6, 5, 2]"
        rows = [
            {"pair_id": f"{part} {n}", "chosen": "AB"[n], "prompt_source": "made"}
            | {"human_annotations": ratings if n == 0 else ratings.replace("6", "1")}
            | {"prompt_text": "Edit <image_1> well", "prompt_images": [picture(n, 0)]}
            | {"response_a_text": "", "response_a_images": [picture(n, 1)]}
            | {"response_b_text": "Here <image_1> and <image>\n<image_2>"}
            | {"response_b_images": [picture(n, 2), picture(n, 3)]}
            for n in (0, 1)
        ]
        write_split(root, part, "test", rows)


def reply(label):
    return json.dumps({"reasoning": {"x": "A, then B"}, "score": 5, "better_response": label})


def right(doc):
    return reply("AB"[doc["truth"] ^ (doc["order"] == "rev")])


def test_judges_whose_numbers_are_known(data, run):
    perfect = run(CannedJudge(right), "mmrb2_both")
    assert (perfect["accuracy"], perfect["position_consistency"]) == (1, 1)
    first = run(CannedJudge(lambda _: reply("A")), "mmrb2_edit_authors")
    assert (first["accuracy"], first["first_position_rate"]) == (0.5, 1)
    # Two of three raters prefer A where A was chosen, and B where B was chosen.
    assert first["people_accuracy"] == pytest.approx(2 / 3)


def test_what_is_shown(data):
    forward, reverse = docs([{"part": "edit", "orders": "both"}])[:2]
    [message] = doc_to_messages(forward)
    kinds = [item["type"] for item in message["content"]]
    texts = [item["text"].strip() for item in message["content"] if item["type"] == "text"]
    assert texts[0].startswith("You are an expert in image editing quality analysis")
    assert texts[1:] == [
        "[ORIGINAL PROMPT TO MODEL:]", "Edit", "well", "[RESPONSE A:]", "[RESPONSE B:]", "Here",
        "and",
    ]  # fmt: skip
    assert kinds.count("image") == 4
    shown = [[image.tobytes() for image in doc_to_visual(trial)] for trial in (forward, reverse)]
    assert shown[1] == [shown[0][0], *shown[0][2:], shown[0][1]]


def test_the_authors_send_texts_as_they_are(data):
    trial = docs([{"part": "edit", "orders": "both", "variant": "authors"}])[0]
    [message] = doc_to_messages(trial)
    texts = [item["text"] for item in message["content"] if item["type"] == "text"]
    assert texts[1:] == [
        "[ORIGINAL PROMPT TO MODEL:]", "Edit", "well", "[RESPONSE A:]", "[RESPONSE B:]", "Here",
        "and <image>",
    ]  # fmt: skip
    # Simple backends have one text, in which a mark would take an image's place.
    assert doc_to_text(trial).endswith("[RESPONSE A:]\n\n[RESPONSE B:]\n\nHere\n\nand ")


def test_accuracy_is_that_of_the_authors_function():
    vectors = json.loads(VECTORS.read_text())
    outcomes = [
        BENCHMARK.outcome.outcome(
            {"item": name, "source": "", "truth": "AB".index(chosen), "order": order},
            "AB".index(said),
        )
        for name, chosen, *judgments in vectors["rows"]
        for order, said in zip(("fwd", "rev"), judgments, strict=True)
    ]
    table = BENCHMARK.table(outcomes)
    assert BENCHMARK.number("accuracy").of(table) == pytest.approx(vectors["accuracy"])
