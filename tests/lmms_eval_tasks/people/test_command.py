"""`pairbench rate pairs`, as a person starts it."""

import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from lmms_eval_tasks.pairbench.ground_truth import READER
from lmms_eval_tasks.pairbench.rating_pool import Purpose, pairs_for, sufficient_for
from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.pairs.ratings import collect
from lmms_eval_tasks.people.pairs.study import PairStudy
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.alternative_annotator import alternative_annotator_test
from tests.files import pairbench
from tests.studies import ask, cells


def rate(*arguments):
    return pairbench("rate", "pairs", *arguments)


def test_two_people_rate_a_set_of_both_modalities(pairbench_data, tmp_path):
    out = tmp_path / "new" / "r.jsonl"
    # A test run in the background of a shell has Ctrl-C ignored, and would hand that on.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [
        *(sys.executable, "-c", f"{listening}; from pairbench_ext.show.cli.main import app; app()"),
        *("rate", "pairs"),
        *("--data", str(pairbench_data), "--config", "coco", "--config", "wu_img_text"),
        *("--raters", "anna, ben", "--n", "12", "--out", str(out)),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        lines = iter(process.stdout.readline, "")
        said = []
        while not (said and said[-1].startswith("rate at ")):
            said.append(next(lines).strip())
        assert said[0].startswith("not enough for `pairbench people`")
        server = SimpleNamespace(url=re.search(r"http://127\.0\.0\.1:\d+/", said[-1])[0])
        for rater in (0, 1):
            for question in ask(server, "GET", f"/api/raters/{rater}")[2]["questions"]:
                shown = [datum for datum in question["data"] if "image" in datum]
                assert ask(server, "GET", shown[0]["image"])[2].startswith(b"\x89PNG")
                body = {"question": question["id"], "score": 4 + rater, "was": None}
                assert ask(server, "PUT", f"/api/raters/{rater}/scores", body)[0] == 200
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert rest.splitlines() == ["anna: 12 of 12 pairs rated", "ben: 12 of 12 pairs rated"]
    ratings = collect([out], READER).ratings
    assert len(ratings) == 24
    assert {(rating.rater, rating.score) for rating in ratings} == {("anna", 4), ("ben", 5)}
    assert {rating.key.config for rating in ratings} == {"coco", "wu_img_text"}


def test_a_file_that_another_command_writes_is_refused(pairbench_data, tmp_path):
    out = tmp_path / "r.jsonl"
    with EventsFile(out, READER):
        done = rate("--data", pairbench_data, "--config", "coco", "--raters", "a", "--out", out)
    assert done.exit_code == 1
    assert "another `pairbench rate` writes to this file" in done.output


@pytest.mark.parametrize(
    ("purpose", "pairs", "words"),
    [
        (Purpose.people, 6 * 60, "enough for `pairbench people`: 55 rows"),
        (Purpose.truth, 168, "to ± 0.5 (95%)"),
    ],
)
def test_a_purpose_chooses_how_many_pairs(purpose, pairs, words):
    given = cells(500, "abc")
    assert pairs_for(purpose, given) == pairs
    drawn = PairStudy(SimpleNamespace(cells=given), pairs).drawn(0)
    [line] = sufficient_for(purpose, given, drawn, 3)
    assert words in line


def test_what_is_said_to_suffice_is_tested():
    """People who rate as many rows as `--for people` chooses are tested by `pairbench people`."""
    given = cells(500, "a")
    drawn = PairStudy(SimpleNamespace(cells=given), pairs_for(Purpose.people, given)).drawn(0)
    under = [key.row for key in drawn if key.condition == "sens"]
    ratings = seeds.generator(0, "ratings").integers(1, 11, (4, len(under)))
    assert alternative_annotator_test(ratings[0], ratings[1:], clusters=under).passes is not None
