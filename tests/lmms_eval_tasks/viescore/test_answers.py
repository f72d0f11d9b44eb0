import gzip
import json

import numpy as np
import pytest

from lmms_eval_tasks.viescore.answers import metric_names, read_judgments, read_metric
from lmms_eval_tasks.viescore.judgments import Key
from pairbench_ext.core.records import RecordError

A, B = Key("task", "A"), Key("task", "B")


def in_authors_layout(answers, root):
    """The same answers, a file an aspect."""
    for file in answers.glob("*/*.json"):
        entries = json.loads(file.read_text())
        for aspect in ("SC", "PQ"):
            folder = root / file.parent.name / file.stem
            folder.mkdir(parents=True, exist_ok=True)
            own = {
                uid: {"score": e[aspect], "reasoning": e[f"{aspect}_reasoning"], "prompt_input": ""}
                for uid, e in entries.items()
                if aspect in e
            }
            (folder / f"{aspect}.json").write_text(json.dumps(own))
    return root


def compressed(answers, root):
    for file in answers.glob("*/*.json"):
        (root / file.parent.name).mkdir(parents=True, exist_ok=True)
        target = root / file.parent.name / f"{file.name}.gz"
        target.write_bytes(gzip.compress(file.read_bytes()))
    return root


@pytest.mark.parametrize("layout", [lambda a, _: a, compressed, in_authors_layout])
def test_every_layout_says_the_same(answers, tmp_path, layout):
    recorded = read_judgments(layout(answers, tmp_path / "other"))
    assert recorded.outside == 1
    assert recorded.table.counts() == {"judged": 10, "guess": 1, "refusal": 0, "unusable": 0}
    assert recorded.table.in_one_aspect() == 1
    scores = recorded.table.scores(guesses="keep")
    assert scores[A].samples == ("a", "b", "c")
    assert scores[A].values[:, :2].tolist() == [[0.1, 0.3], [0.6, 0.7], [0.9, 0.5]]
    assert scores[B].samples == ("a", "b")
    assert scores[B].values[0, 0] == 0.85
    assert recorded.table.scores()[A].samples == ("a", "b")


def entry(answers, **fields):
    (answers / "task/A.json").write_text(json.dumps({"a": fields}))
    return read_judgments(answers).table


@pytest.mark.parametrize("score", [None, [], "eight", [None], [True], {"a": 1}, "nan", ["1e999"]])
def test_a_score_without_numbers_is_unusable(answers, score):
    counts = entry(answers, SC=score, PQ=[1]).counts()
    assert counts["unusable"] == 1


@pytest.mark.parametrize(("score", "value"), [([810], 1), (-3, 0), (["10", "9"], 0.9), ("8", 0.8)])
def test_scores_are_read_as_the_notebook_does(answers, score, value):
    assert entry(answers, SC=score, PQ=[10]).scores()[A].values[0, 0] == value


def metrics(root):
    folder = root / "metrics/task"
    folder.mkdir(parents=True)
    (folder / "A.json").write_text(
        json.dumps({"b": {"LPIPS": 0.2, "DINO": 0.5}, "a": {"LPIPS": 1}})
    )
    return folder.parent


def test_metrics_are_read_and_distances_inverted(tmp_path):
    folder = metrics(tmp_path)
    assert metric_names(folder) == ("DINO", "LPIPS")
    lpips = read_metric(folder, "LPIPS")[A]
    assert lpips.samples == ("a", "b")
    assert np.array_equal(lpips.values, [[-1.0] * 3, [-0.2] * 3])
    assert read_metric(folder, "DINO")[A].values.tolist() == [[0.5] * 3]


def test_metrics_are_not_taken_for_judgments(tmp_path):
    folder = metrics(tmp_path)
    with pytest.raises(RecordError, match=r"no judgments \(SC, PQ\) in it, but metrics: .* DINO"):
        read_judgments(folder)
    with pytest.raises(RecordError, match="no metric 'CLIP' in it, only DINO, LPIPS"):
        read_metric(folder, "CLIP")


def test_a_metric_that_is_no_number_is_named(tmp_path):
    folder = metrics(tmp_path)
    (folder / "task/A.json").write_text('{"a": {"LPIPS": "far"}}')
    with pytest.raises(RecordError, match=r"A\.json, 'a': LPIPS is not one number"):
        read_metric(folder, "LPIPS")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("A.json", b"{", r"A\.json: not JSON"),
        ("A.json", b"[]", r"A\.json: one JSON object is expected, not list"),
        ("A.json", b'{"a": 3}', r"A\.json, 'a': an object is expected, not 3"),
        ("A.json", b"\xff\xfe\xfd", r"A\.json: not JSON"),
        ("C.json.gz", b"not gzip", r"C\.json\.gz: cannot be read"),
        ("C.json.gz", gzip.compress(b"{}" * 99, mtime=0)[:-9], r"C\.json\.gz: cannot be read"),
        ("A.json.gz", b"", r"A\.json and .*A\.json\.gz are of the same answers: keep one"),
    ],
)
def test_a_bad_file_is_named(answers, name, content, message):
    (answers / "task" / name).write_bytes(content)
    with pytest.raises(RecordError, match=message):
        read_judgments(answers)


def test_a_folder_without_answers_is_named(tmp_path):
    (tmp_path / "task").mkdir()
    (tmp_path / "task/notes.json.txt").write_text("")
    with pytest.raises(RecordError, match=r"neither <task>/<image model>\.json"):
        read_judgments(tmp_path)
    with pytest.raises(RecordError, match="nowhere: no such folder of answers"):
        read_judgments(tmp_path / "nowhere")
