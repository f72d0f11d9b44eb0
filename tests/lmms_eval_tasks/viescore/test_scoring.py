import json
import math

import pytest
from typer.testing import CliRunner

from lmms_eval_tasks.viescore.scoring import numbers, over_tasks, read_file
from pairbench_ext.cli.main import app
from pairbench_ext.records import RecordError


def rows(task="tie", ratings=None, **changed):
    """Two image models, three samples: SC is 2, 5 and 8 of 10, PQ is 10."""
    return [
        {
            "task": task,
            "image_model": model,
            "sample": f"s{sample}",
            "aspect": aspect,
            "response": json.dumps({"score": [10, (2, 5, 8)[sample] if aspect == "SC" else 10]}),
            **({"ratings": ratings[sample]} if ratings else {}),
            **changed,
        }
        for model in ("A", "B")
        for sample in range(3)
        for aspect in ("SC", "PQ")
    ]


RATINGS = ([[0, 1], [0.5, 1]], [[0.5, 1], [0, 1]], [[1, 1], [1, 1]])


@pytest.fixture
def written(tmp_path):
    def write(entries, name="a.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(map(json.dumps, entries)))
        return path

    return write


def test_plain_rows(written):
    found = read_file(written(rows(ratings=RATINGS))).rating
    scores = numbers(found)
    # The raters' mean SC is 0.25, 0.25 and 1: ranks 1.5, 1.5, 3 against 1, 2, 3.
    assert scores["spearman_sc"] == pytest.approx(math.sqrt(3) / 2)
    assert scores["mean_sc"] == pytest.approx(0.5)
    # Rater 1 against rater 2: 0, 0.5, 1 and 0.5, 0, 1, both ways.
    assert scores["human_spearman_sc"] == pytest.approx(0.5)
    assert found.summaries["tie", "A"].histograms["SC"] == (0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0)


def test_rows_twice_count_once(written):
    once, twice = (numbers(read_file(written(rows() * k)).rating) for k in (1, 2))
    assert once == twice


def test_files_of_one_run_are_averaged_over_tasks(written):
    tie = read_file(written(rows("tie", RATINGS), "tie.jsonl"))
    cig = read_file(written(rows("cig", RATINGS), "cig.jsonl"))
    again = read_file(written(rows("cig", RATINGS), "more.jsonl"))
    [(run, found)] = over_tasks([tie, cig]).items()
    assert run[0] == tie.run
    assert numbers(found)["spearman_sc"] == pytest.approx(math.sqrt(3) / 2)
    assert found.tasks == ("cig", "tie")
    assert over_tasks([tie]) == over_tasks([cig, again]) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "video"}, "task 'video' is none of"),
        ({"aspect": "O"}, "aspect 'O' is none of"),
        ({"sample": 3}, "field 'sample' must be str"),
        ({"ratings": [[2, 0]]}, "field 'ratings' must be"),
        ({"ratings": [0.5]}, "field 'ratings' must be"),
        ({"policy": "keep"}, "policy 'keep' is none of"),
        ({"parser": "loose"}, "parser 'loose' is none of"),
        ({"shots": 1}, "several settings"),
        ({"shots": [1]}, r"field 'shots' must be int, not \[1\]"),
        ({"pq_with_inputs": "no"}, "field 'pq_with_inputs' must be bool, not 'no'"),
        ({"response": "[1, 1]"}, "was judged twice, differently"),
        ({"ratings": [[1, 1]]}, "two different human ratings"),
    ],
)
def test_a_bad_row_is_named(change, message, written):
    entries = rows(ratings=[[[0, 0]]] * 3)
    path = written([*entries, {**entries[0], **change}])
    with pytest.raises(RecordError, match=message) as error:
        read_file(path)
    assert "a.jsonl" in str(error.value)


def test_images_must_have_as_many_raters(written):
    entries = rows(ratings=(RATINGS[0], RATINGS[1], [[1, 1]]))
    with pytest.raises(RecordError, match="tie, A have 1 to 2 human raters"):
        read_file(written(entries))


def scored(*files):
    done = CliRunner().invoke(app, ["score", "viescore", *map(str, files), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["over_tasks"]


def test_runs_of_several_settings_in_one_folder_are_all_there(written):
    files = [
        written(rows(task, RATINGS, **changed), f"1_samples_{task}{shots}.jsonl")
        for shots, changed in (("", {}), ("_1shot", {"shots": 1}))
        for task in ("tie", "cig")
    ]
    assert [one["name"] for one in scored(*files)] == [
        "all tasks, 0-shot, drop unusable",
        "all tasks, 1-shot, drop unusable",
    ]
    assert [one["name"] for one in scored(*files[:2])] == ["all tasks"]


def test_runs_in_folders_of_one_name_are_all_there(written):
    files = [
        written(rows(task, RATINGS), f"{run}/llava/1_samples_{task}.jsonl")
        for run in ("monday", "tuesday")
        for task in ("tie", "cig")
    ]
    assert [one["name"] for one in scored(*files)] == [
        "monday/llava: all tasks",
        "tuesday/llava: all tasks",
    ]


def test_ratings_of_images_without_a_score_are_not_called_missing(written):
    file = written(rows(ratings=RATINGS, response="no idea"))
    done = CliRunner().invoke(app, ["score", "viescore", str(file)])
    assert "a: there are ratings, but none of an image that has a score" in done.stdout
    assert "No ratings" not in done.stdout


def test_a_file_without_samples_is_named(written):
    with pytest.raises(RecordError, match="no samples in it"):
        read_file(written([]))
