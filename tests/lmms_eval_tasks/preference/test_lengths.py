"""Lengths of answers: by hand, against numpy's own and the paper's table where the data are."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from lmms_eval_tasks.preference.lengths import ALL, length_preference, lengths_of, summaries
from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.preference.votes import every_vote, word_count
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING
from pairbench_ext.core.benchmark import Outcome, OutcomeTable
from pairbench_ext.replies import parse
from tests.conftest import PREFERENCES, SHARED
from tests.files import pairbench, write_lines


def pair(better, worse, source="povid", truth=0):
    texts = [" ".join("w" * n) for n in (better, worse)]
    return Pair(
        f"{source}-{better}-{worse}",
        "What is this?",
        (texts[truth], texts[1 - truth]),
        source,
        truth,
        ("image",),
    )


PAIRS = [pair(5, 3), pair(2, 6, truth=1), pair(4, 4), pair(9, 1), pair(1, 2, "vlfeedback")]


def test_by_hand():
    found = summaries(lengths_of(PAIRS, GROUPING, "words", word_count), GROUPING)
    assert list(found) == ["general", "hallucination", ALL]
    one = found["hallucination"]
    assert (one.pairs, one.equal, one.median, one.difference) == (4, 1, 1, 1.5)
    assert one.longer_better.value == pytest.approx(2 / 3)
    assert one.longer_better.n == 3
    assert one.better == tuple(np.percentile([5, 2, 4, 9], (25, 50, 75)))
    assert found["general"].longer_better.value == 0
    assert found[ALL].query == (3, 3, 3)


def test_nothing_is_undefined_rather_than_zero():
    found = summaries(lengths_of([], GROUPING, "words", word_count), GROUPING)[ALL]
    assert math.isnan(found.difference)
    assert math.isnan(found.longer_better.value)
    assert found.longer_better.n == 0


def vote(item, order, truth, place, longer):
    facets = {"source": "povid"}
    return Outcome(
        "chosen", item, place, truth, order=order, options=2, longer=longer, facets=facets
    )


def table_of(votes):
    return every_vote(OutcomeTable(votes))


def votes(*said):
    """Votes for the longer answer or not; the better one is the longer one in every other item."""
    return table_of(vote(n, "rev", n % 2, int(longer), 0) for n, longer in enumerate(said))


def test_a_judge_that_likes_length():
    found = length_preference(votes(True, True, True, False), GROUPING)[ALL]
    assert (found.says_longer.value, found.says_longer.n) == (0.75, 4)
    assert (found.longer_better, found.right_longer, found.right_shorter) == (0.5, 1, 0.5)


def test_votes_that_say_nothing_of_length_do_not_count():
    table = table_of(
        [
            vote(1, "fwd", 0, None, 0),
            vote(2, "fwd", 0, 0, None),
            vote(3, "fwd", 0, None, 1),
        ]
    )
    assert length_preference(table, GROUPING)[ALL].says_longer.n == 0


def invoke(*words):
    return pairbench("score", "lengths", *words)


def test_the_command_on_data(vlrb_data, monkeypatch, tmp_path, figure):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    done = invoke("--json", "--plot", tmp_path / "x.svg")
    assert done.exit_code == 0, done.output
    groups = json.loads(done.stdout)["groups"]
    assert groups["all"]["pairs"] == len(PREFERENCES)
    # Of items with answers of different lengths, rows 0, 3, 6 and 7 have the longer one better.
    assert groups["all"]["longer_better"]["value"] == pytest.approx(4 / 7)
    assert groups["all"]["equal"] == 1
    drawn = [axes.get_title(loc="left") for axes in figure.figure.axes]
    assert any("all, 8 pairs: median" in title for title in drawn)
    bars = figure.figure.axes[0].patches
    assert sum(bar.get_height() for bar in bars) == 2  # the pairs of `general`
    characters = invoke("--unit", "characters", "--json")
    assert json.loads(characters.stdout)["unit"] == "characters"


def test_the_command_on_judges(tmp_path):
    row = {"source": "povid", "repeat": 0, "order": "fwd", "truth": 0}
    rows = [
        {**row, "item": n, "longer": n % 2, "response": f"Answer {1 + n % 2} is better."}
        for n in range(4)
    ]
    file = tmp_path / "judge.jsonl"
    write_lines(file, rows)
    done = invoke(file, "--json")
    found = json.loads(done.stdout)["judges"]["judge"]["all"]
    assert (found["says_longer"]["value"], found["longer_better"]) == (1, 0.5)
    assert "judge" in invoke(file).stdout


def test_a_log_that_is_cut_short_is_said(tmp_path):
    logs = Path(__file__).parents[2] / "logs_0_1" / "vl_rewardbench"
    whole = (logs / "1_samples_vl_rewardbench_both.jsonl").read_bytes()
    file = tmp_path / "1_samples_vl_rewardbench_both.jsonl"
    file.write_bytes(whole)
    assert "only" not in invoke(file).stderr
    file.write_bytes(whole[:-100])
    assert "vl_rewardbench_both: only " in invoke(file).stderr


def test_pointwise_scores_prefer_length_as_well(tmp_path):
    row = {"item": "a", "source": "povid", "repeat": 0, "truth": 0, "longer": 1}
    rows = [{**row, "answer": n, "response": f"Score: {50 + n}"} for n in (0, 1)]
    file = tmp_path / "scores.jsonl"
    write_lines(file, rows)
    found = json.loads(invoke(file, "--json").stdout)["judges"]["scores"]["all"]
    assert found["says_longer"]["value"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--task", "cast"], "cast is not about pairs of answers"),
        (["--task", "best_of_n"], "best_of_n is not about pairs of answers"),
        (["--task", "vl_rewardbench_label"], "vl_rewardbench_label is not about pairs"),
        (["--task", "pairbench_coco_rotate"], "is not about pairs of answers"),
        (["--task", "judge_audit"], "judge_audit is a group; name one of its tasks"),
        (["--task", "vl_rewardbench_k5"], "VL_REWARDBENCH_DATA"),
        (["--unit", "tokens"], "go together"),
        (["--unit", "tokens", "--tokenizer", "/nope"], "--tokenizer /nope: cannot be loaded"),
        (["missing.jsonl"], "missing.jsonl: no such file or folder"),
    ],
    ids=str,
)
def test_what_cannot_be_measured_is_said(words, said, monkeypatch):
    if words[-1] == "/nope":
        words = [*words, "--task", "vl_rewardbench_demo"]
    done = invoke(*words)
    assert done.exit_code in (1, 2)
    assert said in " ".join(done.output.split())


def test_recorded_judgments_counted_from_their_texts():
    file = SHARED / "data" / "vlrb" / "logs.jsonl"
    if not file.is_file():
        pytest.skip("the recorded judgments are not there")
    said = []
    for row in map(json.loads, file.read_text().splitlines()):
        verdict = parse("verdict", row["meta"]["filter_choice"]).value
        shown = row["response"][:: -1 if row["meta"]["random_number"] else 1]
        words = [len(text.split()) for text in shown]
        if verdict in (1, 2) and words[0] != words[1]:
            said.append(words[verdict - 1] == max(words))
    found = json.loads(invoke(file, "--json").stdout)["judges"]["logs"]
    share = found["all"]["says_longer"]
    assert (share["n"], share["value"]) == (len(said), pytest.approx(sum(said) / len(said)))
    assert sum(found[group]["says_longer"]["n"] for group in GROUPING.names) == len(said)
