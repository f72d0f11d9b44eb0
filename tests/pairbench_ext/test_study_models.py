"""Models of a study: of how much of a task their runs are, and which names mean the same."""

import json

from typer.testing import CliRunner

from pairbench_ext.show.cli.main import app
from pairbench_ext.study.scores import Scores
from tests.pairbench_ext.runs.test_comparing import ratings, write


def test_runs_of_which_a_part_is_there_are_said(tmp_path):
    for number in range(4):
        rows = list(ratings(number, 0, rows=8))
        samples = [
            {"doc_id": n, **row, "trial": {**row["trial"], "trials": len(rows)}}
            for n, row in enumerate(rows)
        ]
        write(
            tmp_path / f"m{number}" / "samples_pairbench_demo_rotate.jsonl", samples[number * 4 :]
        )
    runs = [part for n in range(4) for part in ("--runs", str(tmp_path / f"m{n}"))]
    table = tmp_path / "scores.csv"
    table.write_text("model,x\nm0,1\nm1,2\nm2,3\nm3,5\n")
    done = CliRunner().invoke(app, ["study", str(table), *runs, "--json"])
    assert done.exit_code == 0, done.output
    said = [line for line in json.loads(done.stdout)["remarks"] if "only" in line]
    assert [line.partition(": only")[0] for line in said] == [
        f"pairbench_demo_rotate, m{n}" for n in (1, 2, 3)
    ]


def test_names_that_the_table_of_models_knows_are_one_model():
    scores = Scores(["LLaVA-OneVision-7B", "MiniCPM V2"])
    found = scores.take(["lmms-lab__llava-onevision-qwen2-7b-ov", "MiniCPM"], "the runs")
    assert list(found.values()) == scores.models == ["LLaVA-OneVision-7B", "MiniCPM V2"]
    assert len(scores.remarks) == 2
