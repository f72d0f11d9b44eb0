"""Tables of models' scores: what is read, what is refused, and what a paper's table gives."""

import json
import math

import pytest
from typer.testing import CliRunner

from pairbench_ext.cli.main import app
from pairbench_ext.figures.scatter import save_figure
from pairbench_ext.records import RecordError
from pairbench_ext.study import read_scores, study
from tests.conftest import REPOSITORY
from tests.pairbench_ext.test_comparing import ratings, write

TABLE_8 = REPOSITORY / "docs/subtlebench_table_8.csv"
HEAD = "model,family,size,one,other\n"
ROWS = "a,F,7B,1,10\nb,F,0.5B,2,\nc,G,72B,3,30\nd,G,500M,4,5\ne,H,1T,5,50\nf,H,3,6,60%\n"


def written(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_table_5_of_vlm_subtlebench_follows_from_its_table_8_as_far_as_it_does():
    """Printed: .8424 and .8110 with MMAD; with QAG-360K .7212 and .7195, which do not follow."""
    pairs = study(read_scores(TABLE_8), ["MMAD", "QAG-360K"])
    rank = {
        (pair.x, pair.y): next(one.value for one in pair.relations if one.name == "spearman")
        for pair in pairs
    }
    assert rank["MMAD", "VLM-SubtleBench"] == pytest.approx(0.8424, abs=5e-5)
    assert rank["MMAD", "MLLM-CompBench"] == pytest.approx(0.8110, abs=5e-5)
    assert rank["QAG-360K", "VLM-SubtleBench"] == pytest.approx(0.7173, abs=5e-5)
    assert rank["QAG-360K", "MLLM-CompBench"] == pytest.approx(0.7462, abs=5e-5)


def test_cells_sizes_and_families_are_read(tmp_path):
    scores = read_scores(written(tmp_path, HEAD + ROWS))
    assert scores.families == list("FFGGHH")
    assert scores.sizes == [7, 0.5, 72, 0.5, 1000, 3]
    assert math.isnan(scores.columns["other"][1])
    assert scores.columns["other"][5] == 60
    [pair] = study(scores)
    assert pair.models == tuple("acdef")
    assert pair.missing == ("b",)
    tabs = written(tmp_path, (HEAD + ROWS).replace(",", "\t"), "scores.tsv")
    assert read_scores(tabs).columns["one"] == scores.columns["one"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty table"),
        ("name,x\na,1\n", "no column 'model' in its first line"),
        ("model,x\n", "no column 'model' in its first line"),
        ("model,x\na,1\na,2\n", r"row 3, column 'model': 'a' is there twice"),
        ("model,x\n,1\n", r"row 2, column 'model': no name"),
        ("model,x\na,1\nb,many\n", r"row 3, column 'x': 'many' is no number"),
        ("model,x\na,1,2\n", "row 2: 3 cells, the first row has 2"),
        ("model,size,x\na,big,1\n", r"row 2, column 'size': 'big' is no size"),
        ("model,size,x\na,0B,1\n", r"row 2, column 'size': '0B' is no size"),
        ("model,x,x\na,1,1\n", "a name of its own"),
    ],
)
def test_a_table_that_cannot_be_used_is_named_with_row_and_column(text, said, tmp_path):
    with pytest.raises(RecordError, match=said):
        read_scores(written(tmp_path, text))


def test_a_column_of_words_is_left_out_and_said(tmp_path):
    text = "model,licence,x,y\n" + "".join(f"m{k},MIT,{k},{k * k}\n" for k in range(5))
    path = written(tmp_path, text)
    done = CliRunner().invoke(app, ["study", str(path)])
    assert done.exit_code == 0, done.output
    assert "column 'licence' is left out: no numbers in it" in done.output


def test_the_command_prints_and_draws(tmp_path):
    picture = tmp_path / "study.png"
    arguments = ["study", str(TABLE_8), "--of", "MMAD", "--plot", str(picture)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert picture.stat().st_size > 10_000
    said = CliRunner().invoke(app, [*arguments[:4], "--json"])
    found = json.loads(said.stdout)["relations"]
    assert len(found) == 9
    assert {one["correlation"] for one in found} == {"pearson", "spearman", "kendall"}
    assert all(one["p"] <= one["p_holm"] <= 1 for one in found)
    assert set(found[0]["without"]) == {"Qwen", "GPT", "Claude", "Gemini"}
    nothing = CliRunner().invoke(app, ["study", str(TABLE_8), "--of", "MMMU"])
    assert nothing.exit_code == 1
    assert "no score 'MMMU'; there are VLM-SubtleBench" in nothing.output


def test_scores_of_runs_stand_beside_the_table_s(tmp_path):
    for number, name in enumerate("abcde"):
        write(tmp_path / name / "samples_pairbench_demo_rotate.jsonl", ratings(number, 0, rows=8))
    rows = "".join(f"{name},{number}\n" for number, name in enumerate("ABCDE"))
    table = written(tmp_path, f"model,other\n{rows}")
    runs = [part for name in "abcde" for part in ("--runs", str(tmp_path / name))]
    done = CliRunner().invoke(app, ["study", str(table), *runs, "--number", "mmscore", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["relations"]
    assert {(one["x"], one["y"]) for one in found} == {("other", "pairbench_demo_rotate: mmscore")}
    other = written(tmp_path, "model,other\nz,1\n", "other.csv")
    done = CliRunner().invoke(app, ["study", str(other), *runs])
    assert done.exit_code == 1
    assert "a: the table has no model of this name" in done.output


def test_no_name_in_the_picture_covers_another(tmp_path, figure):
    scores = read_scores(TABLE_8)
    save_figure(scores, study(scores), tmp_path / "study.svg")
    drawn = figure.figure
    drawn.draw_without_rendering()
    for axes in drawn.axes:
        boxes = [text.get_window_extent() for text in axes.texts]
        assert len(boxes) >= 8
        for number, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:number])
