"""Files of human ratings and of recorded judgments, and the command that compares them."""

import gzip
import json
import re

import numpy as np
import pytest

from lmms_eval_tasks.viescore.ratings import read_all_ratings, read_ratings
from lmms_eval_tasks.viescore.recorded import read_judgments, read_metric
from lmms_eval_tasks.viescore.scores import Key, judges_scores, kind_of
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import LeftOut
from tests.files import pairbench

A, B = Key("task", "A"), Key("task", "B")


def test_ratings_are_read(human):
    ratings = read_all_ratings(human)
    assert list(ratings) == [A, B]
    assert ratings[A].samples == ("a", "b", "c")
    assert ratings[A].values.shape == (3, 3, 3)
    assert ratings[A].values[1, :, 0].tolist() == [0.5, 0.5, 0]
    assert ratings[A].values[2, 0].tolist() == [1, 0.5, 0.5**0.5]
    for file in (human / "task").iterdir():  # as the authors name them
        file.rename(file.with_name(f"Some-Task_{file.name}"))
    (human / "task/Some-Task_rater1.tsv").rename(human / "task/Some-Task_rater10.tsv")
    again = read_all_ratings(human)[A]
    assert again.values[1, :, 0].tolist() == [0.5, 0, 0.5]  # in the order of their numbers


@pytest.mark.parametrize(
    ("name", "old", "new", "left", "message"),
    [
        *(
            (
                "rater2.tsv",
                b"[0.5, 1]",
                cell,
                {"A": "ac", "B": "abc"},
                r"column 'A': the cell must hold",
            )
            for cell in (b"half", b"[1]", b"[1, 2]", b"[NaN, 0]")
        ),
        ("rater3.tsv", b"\tB", b"\tC", {"A": "abc"}, "B, 'a' is not rated by every rater"),
        ("rater1.tsv", b"\tB", b"\tA", {}, "rename them. The names are uid, A, A"),
        (
            "rater1.tsv",
            b"\t[1, 1]\r",
            b"\r",
            {},
            "line 2: the row has 2 cells, but the header line has 3",
        ),
    ],
)
def test_broken_ratings_are_named_or_left_out(human, name, old, new, left, message):
    whole = read_ratings(human / "task")
    file = human / "task" / name
    file.write_bytes(file.read_bytes().replace(old, new))
    left_out = LeftOut()
    ratings = read_ratings(human / "task", left_out)
    assert {model: "".join(own.samples) for model, own in ratings.items()} == left
    assert any(re.search(message, reason) for reason in left_out)
    for model, own in ratings.items():
        assert own.values.tolist() == whole[model].of(own.samples).tolist()
    with pytest.raises(RecordError, match=message):
        read_ratings(human / "task")


def test_folders_without_ratings_and_double_raters_are_named(human, tmp_path):
    with pytest.raises(RecordError, match=r"nowhere: no <task>/rater1\.tsv"):
        read_all_ratings(tmp_path / "nowhere")
    (human / "task/x_rater1.tsv").write_text("uid\tA\n")
    with pytest.raises(RecordError, match=r"are both ratings of rater 1: keep only one"):
        read_all_ratings(human)


def in_authors_layout(answers, root):
    """The same answers, a file an aspect."""
    for file in answers.glob("*/*.json"):
        entries = json.loads(file.read_text())
        for aspect in ("SC", "PQ"):
            folder = root / file.parent.name / file.stem
            folder.mkdir(parents=True, exist_ok=True)
            content = {
                uid: {"score": e[aspect], "reasoning": e[f"{aspect}_reasoning"], "prompt_input": ""}
                for uid, e in entries.items()
                if aspect in e
            }
            (folder / f"{aspect}.json").write_text(json.dumps(content))
    return root


def compressed(answers, root):
    for file in answers.glob("*/*.json"):
        target = root / file.parent.name / f"{file.name}.gz"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(gzip.compress(file.read_bytes()))
    return root


@pytest.mark.parametrize("layout", [lambda a, _: a, compressed, in_authors_layout])
def test_every_layout_has_the_same_judgments(answers, tmp_path, layout):
    recorded = read_judgments(layout(answers, tmp_path / "other"))
    assert [kind_of(outcome) for outcome in recorded].count("guess") == 1
    assert len(recorded) == 11
    assert sum(outcome["outside"] for outcome in recorded) == 1
    scores = judges_scores(recorded, guesses="keep")
    assert scores[A].samples == ("a", "b", "c")
    assert scores[A].values[:, :2].tolist() == [[0.1, 0.3], [0.6, 0.7], [0.9, 0.5]]
    assert scores[B].samples == ("a", "b")  # c was judged in one aspect only
    assert scores[B].values[0, 0] == 0.85
    assert judges_scores(recorded)[A].samples == ("a", "b")
    assert judges_scores(recorded, "zero")[A].values[2].tolist() == [0.9, 0, 0]


@pytest.mark.parametrize(
    ("score", "value"),
    [([810], 1), (-3, 0), (["10", "9"], 0.9), ("8", 0.8), ([], None), ("x", None), ("nan", None)],
)  # fmt: skip
def test_scores_are_read_as_the_authors_notebook_does(answers, score, value):
    (answers / "task/A.json").write_text(json.dumps({"a": {"SC": score, "PQ": [10]}}))
    said = {outcome.question[:2]: outcome.said for outcome in read_judgments(answers)}
    assert said[("task", "A", "a"), ("SC",)] == value


def test_metrics_are_read_and_distances_inverted(tmp_path):
    folder = tmp_path / "metrics"
    file = folder / "task/A.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"b": {"LPIPS": 0.2, "DINO": 0.5}, "a": {"LPIPS": 1}}))
    lpips = read_metric(folder, "LPIPS")[A]
    assert lpips.samples == ("a", "b")
    assert np.array_equal(lpips.values, [[-1.0] * 3, [-0.2] * 3])
    assert read_metric(folder, "DINO")[A].values.tolist() == [[0.5] * 3]
    with pytest.raises(RecordError, match=r"the folder has no judgments"):
        read_judgments(folder)
    with pytest.raises(RecordError, match=r"has no metric 'CLIP', only .*'DINO', 'LPIPS'"):
        read_metric(folder, "CLIP")


def correlate(answers, human, *arguments):
    return pairbench("papers", "viescore", "--answers", answers, "--human", human, *arguments)


def test_the_command_drops_or_keeps_guesses(answers, human):
    assert correlate(answers, human).exit_code == 0
    for guesses, n in (("drop", 2), ("keep", 3)):
        document = json.loads(correlate(answers, human, "--json", "--guesses", guesses).stdout)
        assert len(document["correlations"]) == 18
        assert {one["n"] for one in document["correlations"] if one["image_model"] == "A"} == {n}
        assert set(document["averages"]) == set(document["human_averages"]) == {"fisher", "authors"}
