import json
import math

import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from pairbench_ext.core.records import RecordError
from tests.files import pairbench, score_file


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
    assert run.breakdowns()["by_image_model"]["A"]["spearman_sc"] == pytest.approx(math.sqrt(3) / 2)


def test_each_panel_of_the_picture_shows_its_own_number(written, tmp_path, figure):
    pairbench(
        "score", "viescore", written(rows(ratings=RATINGS)), "--plot", tmp_path / "a.png", status=0
    )
    assert (tmp_path / "a.png").stat().st_size > 5_000
    marks = {
        panel.get_title("left").splitlines()[-1]: [
            x for line in panel.lines if line.get_marker() == "o" for x in line.get_xdata()
        ]
        for panel in figure.figure.axes
    }
    means = {"SC": 0.5, "PQ": 1.0, "O": sum(map(math.sqrt, (0.2, 0.5, 0.8))) / 3}
    with_raters = {"SC": [math.sqrt(3) / 2] * 3, "PQ": [], "O": [math.sqrt(3) / 2] * 3}
    for aspect, mean in means.items():  # of two image models, which are alike
        assert marks[f"mean {aspect}"] == pytest.approx([mean] * 2)
        assert marks[f"{aspect}, correlation"] == pytest.approx(with_raters[aspect])


def test_a_file_has_one_task(written):
    with pytest.raises(RecordError, match="all samples must belong to one task"):
        score_file(BENCHMARK, written([*rows("tie"), *rows("cig")]))


def test_images_must_have_as_many_raters(written):
    entries = rows(ratings=(RATINGS[0], RATINGS[1], [[1, 1]]))
    with pytest.raises(RecordError, match="tie, A have 1 to 2 human raters"):
        score_file(BENCHMARK, written(entries))


def test_the_random_penalty_depends_on_the_image_alone(written):
    def means(entries):
        run = score_file(BENCHMARK, written(entries), pool="paper")
        return run.breakdowns()["by_image_model"]["A"]["mean_sc"]

    alike = rows(response="no idea")
    others = [rows(task=task, response="no idea") for task in ("cig", "mie", "t2i", "mcic")]
    assert means(alike) == means(alike[:6])
    assert len({means(entries) for entries in (alike, *others)}) > 2
