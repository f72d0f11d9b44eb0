import json
import math

import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.numbers import over_tasks
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.scoring import score_file
from tests.files import pairbench


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
    run = score_file(BENCHMARK, written(rows(ratings=RATINGS)))
    # The raters' mean SC is 0.25, 0.25 and 1: ranks 1.5, 1.5, 3 against 1, 2, 3.
    assert run.numbers["spearman_sc"] == pytest.approx(math.sqrt(3) / 2)
    assert run.numbers["mean_sc"] == pytest.approx(0.5)
    # Rater 1 against rater 2: 0, 0.5, 1 and 0.5, 0, 1, both ways.
    assert run.numbers["human_spearman_sc"] == pytest.approx(0.5)
    parts = run.breakdowns()
    assert list(parts["histograms"]["A SC"].values()) == [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
    assert parts["by_image_model"]["A"]["spearman_sc"] == pytest.approx(math.sqrt(3) / 2)
    assert parts["setting"] == {
        "shots": 0,
        "pq_with_inputs": False,
        "policy": "drop",
        "seed": 0,
        "asking": "paper",
    }


def test_files_of_one_run_are_averaged_over_tasks(written):
    tie = score_file(BENCHMARK, written(rows("tie", RATINGS), "tie.jsonl"))
    cig = score_file(BENCHMARK, written(rows("cig", RATINGS), "cig.jsonl"))
    again = score_file(BENCHMARK, written(rows("cig", RATINGS), "more.jsonl"))
    [(name, found)] = over_tasks([tie, cig]).items()
    assert name == "all tasks"
    assert found["spearman_sc"] == pytest.approx(math.sqrt(3) / 2)
    assert found["image_models"] == 4
    assert over_tasks([tie]) == over_tasks([cig, again]) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "video"}, "field 'task' must be .* not 'video'"),
        ({"aspect": "O"}, "field 'aspect' must be 'SC' or 'PQ', not 'O'"),
        ({"sample": 3}, "field 'sample' must be a valid string"),
        ({"ratings": [[2, 0]]}, "field 'ratings' must be"),
        ({"policy": "keep"}, "field 'policy' must be .* not 'keep'"),
        ({"rule": "loose"}, "unknown rule 'loose'"),
        ({"shots": 1}, "occurs twice, differently: facets is"),
        ({"response": "[1, 1]"}, "occurs twice, differently"),
        ({"ratings": [[1, 1]]}, "occurs twice, differently"),
    ],
)
def test_a_bad_row_is_named(change, message, written):
    entries = rows(ratings=[[[0, 0]]] * 3)
    path = written([*entries, {**entries[0], **change}])
    with pytest.raises(RecordError, match=message) as error:
        score_file(BENCHMARK, path)
    assert "a.jsonl" in str(error.value)


def test_a_file_has_one_setting(written):
    with pytest.raises(RecordError, match="its samples are of several settings"):
        score_file(BENCHMARK, written([*rows("tie"), *rows("cig", shots=1)]))


def test_images_must_have_as_many_raters(written):
    entries = rows(ratings=(RATINGS[0], RATINGS[1], [[1, 1]]))
    with pytest.raises(RecordError, match="tie, A have 1 to 2 human raters"):
        score_file(BENCHMARK, written(entries))


def scored(*files):
    done = pairbench("score", "viescore", *files, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["over_tasks"]


def test_runs_of_several_settings_in_one_folder_are_all_there(written):
    files = [
        written(rows(task, RATINGS, **changed), f"1_samples_{task}{shots}.jsonl")
        for shots, changed in (("", {}), ("_1shot", {"shots": 1}))
        for task in ("tie", "cig")
    ]
    assert list(scored(*files)) == [
        "all tasks, 0-shot, drop unusable",
        "all tasks, 1-shot, drop unusable",
    ]
    assert list(scored(*files[:2])) == ["all tasks"]


@pytest.mark.parametrize(("ratings", "shown"), [(None, True), (RATINGS, False)])
def test_histograms_are_shown_where_there_are_no_raters(ratings, shown, written):
    done = pairbench("score", "viescore", written(rows(ratings=ratings)))
    assert ("how many images have a score of" in done.stdout) is shown
    assert "mean sc" in done.stdout


@pytest.mark.parametrize(
    ("pool", "policy", "images"),
    [
        ("zero", "zero", 6),
        ("paper", "random", 6),
        ("authors", "random", 6),
        ("readable", "drop", 5),
    ],
)
def test_an_unusable_reply_counts_as_the_pool_says(pool, policy, images, written):
    entries = rows()
    entries[0]["response"] = "no idea"
    command = ["score", "viescore", written(entries), "--pool", pool, "--json"]
    [run] = json.loads(pairbench(*command).stdout)["runs"]
    assert run["setting"]["policy"] == policy
    assert run["numbers"]["images"] == images


def test_the_random_penalty_depends_on_seed_and_image_alone(written):
    def means(seed, entries):
        run = score_file(BENCHMARK, written(entries), pool="paper")
        return run.breakdowns()["by_image_model"]["A"]["mean_sc"]

    unusable = {seed: rows(response="no idea", seed=seed) for seed in range(20)}
    drawn = [means(seed, entries) for seed, entries in unusable.items()]
    assert drawn == [means(seed, entries[:6]) for seed, entries in unusable.items()]
    assert len(set(drawn)) > 5
