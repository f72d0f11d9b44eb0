"""Prediction files as VLMEvalKit writes them become the rows that plain Python gives."""

import json

import pandas
import pytest

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.completeness import judge_of
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.vlmevalkit.dataset import read_predictions, rows, write_samples
from tests.files import json_of, pairbench
from tests.plain_models import model

TASK = "vl_rewardbench_demo_both"
ODD = ["None", "NA", "1", "1.0", "nan", "=1+1", "", 'He said "no".\nAnswer 1 is better.']


@pytest.fixture(scope="module")
def asked():
    """The task, its rows as a model of VLMEvalKit has answered them, and the replies."""
    task = open_task(TASK)
    replies = [model(trial.messages) for trial in task]
    table = [{**row, "prediction": reply} for row, reply in zip(rows(task), replies, strict=True)]
    return task, table, replies


def written(path, table):
    pandas.DataFrame(table).to_csv(path, sep="\t", index=False, quoting=1)
    return path


def imported(*arguments, code=0):
    done = pairbench("import", "judgments", *arguments)
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def test_a_file_gives_the_rows_of_plain_python(asked, tmp_path):
    task, table, replies = asked
    path = written(tmp_path / f"my_model_{TASK}.tsv", table[::-1])
    output = imported(path, "--out", tmp_path / "out")
    assert f"{len(task)} of {len(task)} trials answered" in output
    file = tmp_path / f"out/my_model/samples_{TASK}.jsonl"
    logged = [json.loads(line) for line in file.read_text().splitlines()]
    assert logged == list(open_task(TASK).rows(replies))
    beside = write_samples(task, path, tmp_path / "beside")
    assert [json.loads(line) for line in beside.read_text().splitlines()] == logged
    assert judge_of(file) == "my_model"
    numbers = json_of("score", "vl_rewardbench", tmp_path / "out")["runs"][0]["numbers"]
    assert numbers["vote_accuracy"] == task.score(replies).numbers["vote_accuracy"]


def test_replies_that_look_like_no_text_are_texts(asked, tmp_path):
    table = [{**row, "prediction": x} for row, x in zip(asked[1][: len(ODD)], ODD, strict=True)]
    assert list(read_predictions(written(tmp_path / f"m_{TASK}.tsv", table)).values()) == ODD


def test_what_failed_and_what_is_asked_no_more_is_counted(asked, tmp_path):
    table = [dict(row) for row in asked[1][:5]]
    table[0]["prediction"] = "Failed to obtain answer via API. "
    table[1]["prediction"] = "Failed to obtain answer: <class 'RuntimeError'> out of memory"
    table[2]["index"] = table[2]["index"][:-12] + "0" * 12
    table[3]["index"] = table[3]["index"].replace(":3:", ":9999:")
    path = written(tmp_path / f"m_{TASK}.tsv", table)
    output = imported(path, "--out", tmp_path)
    assert "1 of 60 trials answered" in output
    assert "2 requests failed" in output
    assert "2 predictions belong to requests that the task does not make" in output
    assert "--overwrite" in imported(path, "--out", tmp_path, code=1)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.tsv", "", "the file holds no predictions"),
        ("a.tsv", "index\tprediction\n", "the file holds no predictions"),
        ("a.tsv", "index\tprediction\n17\tA\n", "line 2: field 'index' must be like"),
        ("a.tsv", "index\tanswer\nt:0:1f\tA\n", "line 2: no field 'prediction'"),
    ],
)
def test_what_is_no_file_of_predictions_is_one_sentence(name, text, expected, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(RecordError, match=r"a[.]") as caught:
        read_predictions(tmp_path / name)
    assert expected in str(caught.value)


def test_two_runs_in_one_file_are_named(tmp_path):
    rows = [{"index": "t:0:1f", "prediction": prediction} for prediction in ("A", "A", "B")]
    assert read_predictions(written(tmp_path / "m_t.tsv", rows[:2])) == {"t:0:1f": "A"}
    with pytest.raises(RecordError, match=r"m_t\.tsv, line 4: field 'index'.*two runs"):
        read_predictions(written(tmp_path / "m_t.tsv", rows))
