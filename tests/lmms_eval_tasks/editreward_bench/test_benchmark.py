"""The benchmark through the harness, on rows with the columns of `TIGER-Lab/EditReward-Bench`.

The vectors are simulated votes on pairs, and what the ends of the authors' scripts make of them.
"""

import json
from itertools import combinations
from pathlib import Path

import pytest

from lmms_eval_tasks.editreward_bench.benchmark import BENCHMARK, docs, vote
from lmms_eval_tasks.editreward_bench.grammars import edit_verdicts
from pairbench_ext.harness.hooks import doc_to_messages, doc_to_text, doc_to_visual
from pairbench_ext.replies import parse
from tests.conftest import picture, write_split
from tests.judges import CannedJudge

VECTORS = Path(__file__).parents[2] / "vectors/image_judges/editreward_bench.json"
ROWS = [("2pair", "p1_AB", "AvsB", "A>B"), ("2pair", "p2_AB", "AvsB", "A=B")] + [
    ("3pair", f"t1_{a}{b}", f"{a}vs{b}", f"{b}>{a}") for a, b in combinations("ABC", 2)
]


def write(root):
    """Rows of the benchmark, below a folder."""
    columns = ("source_image", "candidate_1", "candidate_2")
    rows = [
        {"dataset": part, "id": name, "comparison_type": kind, "ranking": ranking}
        | {"instruction": "Add a cat."}
        | {column: picture(n, place) for place, column in enumerate(columns)}
        for n, (part, name, kind, ranking) in enumerate(ROWS)
    ]
    write_split(root, "data", "train", rows)


def right(doc):
    if doc["truth"] == -1:
        return "[[A=B]]"
    first = (doc["truth"] == 0) == (doc["order"] == "fwd")
    if doc["source"] == "2pair":
        return "[[A>B]]" if first else "[[B>A]]"
    return "[[Left>Right]]" if first else "[[Right>Left]]"


def letters(doc):
    if doc["truth"] == -1:
        return "A=B"
    first = (doc["truth"] == 0) == (doc["order"] == "fwd")
    better, worse = doc["comparison"].split("vs")[:: 1 if first else -1]
    return f"{better} is better." if doc["row"] % 2 else f"[[{better}>{worse}]]"


def test_judges_whose_numbers_are_known(data, run):
    both, once = "editreward_bench_both", "editreward_bench_authors"
    for perfect in (run(CannedJudge(right), both), run(CannedJudge(letters), both)):
        assert (perfect["accuracy_with_ties"], perfect["group_accuracy"]) == (1, 1)
    first = run(CannedJudge(lambda doc: letters({**doc, "truth": 0, "order": "fwd"})), both)
    assert (first["accuracy_with_ties"], first["accuracy_without_ties"]) == (4 / 10, 1 / 2)
    assert (first["group_accuracy"], first["position_consistency"]) == (0, 0)
    known = run(CannedJudge(lambda _: "[[Right>Left]]"), once)
    assert (known["accuracy_with_ties"], known["group_accuracy"]) == (3 / 5, 1 / 3)


def test_what_is_shown(data):
    trials = docs([{"orders": "both"}])
    text = doc_to_text(trials[0])
    assert "Editing instruction: Add a cat.\nSource Image: " in text
    assert "[[A=B]]" in text
    assert "This is a AvsC comparison:" in doc_to_text(trials[6])
    [message] = doc_to_messages(trials[0])
    assert [item["type"] for item in message["content"]] == ["text", "image"] * 3 + ["text"]
    shown = [[image.tobytes() for image in doc_to_visual(trial)] for trial in trials[:2]]
    assert shown[0] == [shown[1][0], shown[1][2], shown[1][1]]


def test_numbers_are_those_of_the_authors_functions():
    vectors = json.loads(VECTORS.read_text())
    outcomes = [
        BENCHMARK.outcome.outcome(
            {"item": n, "source": part, "truth": vote(human, kind), "order": "fwd"}
            | {"group": f"{part} {name.split('_')[0]}"},
            vote(said, kind),
        )
        for n, (part, name, kind, human, said) in enumerate(vectors["rows"])
    ]
    accuracies, groups = (part.of(BENCHMARK.table(outcomes)) for part in BENCHMARK.breakdowns)
    for part, expected in vectors["expected"].items():
        assert accuracies[part] == pytest.approx(expected["accuracy"])
        assert expected["groups"] is None or groups[part] == pytest.approx(expected["groups"])


def test_the_authors_rule_reads_as_their_function():
    for reply, places in json.loads(VECTORS.read_text())["replies"].items():
        for named, place in places.items():
            asked = edit_verdicts.asks(*named.split())
            assert parse("edit_verdicts", reply, "authors", asked).value == place, reply
