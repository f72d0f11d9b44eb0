"""Scores of models from tables, papers and runs; what is refused, and what papers print."""

import json
import math
import re
from dataclasses import replace

import pytest

from pairbench_ext.core.records import RecordError
from pairbench_ext.show.figures.scatter import save_figure
from pairbench_ext.study.pairs import study
from pairbench_ext.study.printed import printed_of
from pairbench_ext.study.scores import Scores
from pairbench_ext.study.sources import add_published
from pairbench_ext.study.table import read_scores
from tests.files import pairbench
from tests.pairbench_ext.runs.test_comparing import ratings, write

HEAD = "model,family,size,one,other\n"
ROWS = "a,F,7B,1,10\nb,F,0.5B,2,\nc,G,72B,3,30\nd,G,500M,4,5\ne,H,1T,5,50\nf,H,3,6,60%\n"


def written(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def published(*wanted):
    scores = Scores()
    for one in wanted:
        add_published(scores, one)
    return scores


def test_table_5_of_vlm_subtlebench_follows_from_its_table_8_with_equal_scores_told_apart():
    scores = published("subtlebench:8")
    pairs = study(scores, ["MMAD", "QAG"])
    printed = {
        (one.x.rpartition(": ")[2], one.y.rpartition(": ")[2]): one
        for pair in pairs
        for one in printed_of(scores, pair)
    }
    values = {frozenset(key): (one.printed, one.value, one.fits) for key, one in printed.items()}
    assert values == {
        frozenset(("mmad", "accuracy")): ("0.8424", pytest.approx(0.8424, abs=5e-5), True),
        frozenset(("mmad", "mllm_compbench")): ("0.8110", pytest.approx(0.8110, abs=5e-5), True),
        frozenset(("qag", "accuracy")): ("0.7212", pytest.approx(0.7173, abs=5e-5), True),
        frozenset(("qag", "mllm_compbench")): ("0.7195", pytest.approx(0.7462, abs=5e-5), True),
    }


def test_one_order_of_the_two_models_with_equal_qag_gives_all_of_table_5():
    """Both have 36.3%. Were GPT-5-main's the larger one, every printed value follows exactly."""
    scores = published("subtlebench:8")
    qag = "subtlebench Table 8: qag"
    found = {}
    for larger in ("GPT-5-main", "Gemini-2.5-pro"):
        column = scores.columns[qag]
        told = {m: v + 1e-5 * (m == larger) for m, v in column.values.items()}
        one = Scores(scores.models, {**scores.columns, qag: replace(column, values=told)})
        found[larger] = {
            round(relation.value, 4)
            for pair in study(one, ["qag"])
            for relation in pair.relations
            if relation.name == "spearman" and "mmad" not in pair.y
        }
    assert found["GPT-5-main"] == {0.7212, 0.7195}
    assert not found["Gemini-2.5-pro"] & {0.7212, 0.7195}


def test_cells_sizes_and_families_are_read(tmp_path):
    scores = read_scores(written(tmp_path, HEAD + ROWS))
    assert [scores.family(model) for model in scores.models] == list("FFGGHH")
    assert [scores.size(model) for model in scores.models] == [7, 0.5, 72, 0.5, 1000, 3]
    assert math.isnan(scores.value("other", "b"))
    assert scores.value("other", "f") == 60
    [pair] = study(scores)
    assert pair.models == tuple("acdef")
    assert pair.missing == ("b",)
    tabs = written(tmp_path, (HEAD + ROWS).replace(",", "\t"), "scores.tsv")
    assert read_scores(tabs).columns["one"] == scores.columns["one"]


def test_separators_within_quotation_marks_separate_nothing(tmp_path):
    scores = read_scores(written(tmp_path, 'model,"x; mean; of 3; runs"\na,1\nb,2\n'))
    assert list(scores.columns) == ["x; mean; of 3; runs"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty table"),
        ("name,x\na,1\n", "no column 'model' in its first line"),
        ("model,x\n", "no row below its first line"),
        ("model|x\na|1\n", r"no column 'model' in its first line, which has \['model\|x'\]"),
        ("model,x\nGPT-4o,1\ngpt 4o,2\n", r"row 3, .*: 'gpt 4o' is there twice, also as 'GPT-4o'"),
        ("model,x\na,0.5\n\nb,70%\n", r"row 4, column 'x': '70%' is in per cent, the cells"),
        ("model,x\na,1\nb,1_000\n", r"row 3, column 'x': '1_000' is no number"),
        ("model,x\na,1\nb,1e999\n", r"row 3, column 'x': '1e999' is no number"),
        (f"model,size,x\na,{'9' * 400}B,1\n", r"row 2, column 'size': '999\S+ is no size"),
        (f"model,x\na,1\n{'b' * 140_000},2\n", r"row 3: not CSV \(field larger than"),
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
    done = pairbench("study", path)
    assert done.exit_code == 0, done.output
    assert "column 'licence' is left out: no numbers in it" in done.output


TABLE_8 = ["study", "--published", "subtlebench:8"]


def test_the_command_prints_and_draws(tmp_path):
    picture = tmp_path / "study.png"
    arguments = [*TABLE_8, "--of", "MMAD", "--plot", str(picture)]
    done = pairbench(*arguments)
    assert done.exit_code == 0, done.output
    assert (
        "subtlebench Table 5 prints Spearman's 0.8424; 0.8424 here, of 10 models\n" in done.output
    )
    assert picture.stat().st_size > 10_000
    said = pairbench(*arguments[:5], "--json")
    made = json.loads(said.stdout)
    found = made["relations"]
    assert len(found) == 9
    assert {one["correlation"] for one in found} == {"pearson", "spearman", "kendall"}
    assert all(one["p"] <= one["p_holm"] <= 1 for one in found)
    assert set(found[0]["without"]) == {"Qwen", "GPT", "o", "Claude", "Gemini"}
    assert [one["printed"] for one in made["printed"]] == ["0.8424", "0.8110"]
    nothing = pairbench(*TABLE_8, "--of", "MMMU")
    assert nothing.exit_code == 1
    assert "no score 'MMMU'; there are subtlebench Table 8: qag, subtlebench" in nothing.output
    ends = pairbench(*TABLE_8, "--of", "Table 8: mmad", "--json")
    assert json.loads(ends.stdout)["relations"] == found


def test_table_papers_and_runs_in_one_call(tmp_path):
    names = ["Qwen__Qwen2-VL-7B-Instruct", "OpenGVLab__InternVL2-8B", "Pixtral-12B-2409", "gpt-4o",
             "mine"]  # fmt: skip
    for number, name in enumerate(names):
        write(tmp_path / name / "samples_pairbench_demo_rotate.jsonl", ratings(number, 0, rows=8))
    table = written(
        tmp_path,
        "model,family,size,AI2D\nqwen2-vl-7b,Qwen,7B,1\nInternVL-2-8B,,,2\nPixtral 12B,,12B,3\n"
        "GPT-4o (2024-08-06),GPT,,4\nother,,,5\n",
    )
    runs = [part for name in names for part in ("--runs", str(tmp_path / name))]
    arguments = ["study", str(table), "--published", "vl_rewardbench:2:overall_accuracy,general"]
    done = pairbench(*arguments, *runs, "--number", "mmscore", "--json")
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)
    mine, theirs = "pairbench_demo_rotate: mmscore", "vl_rewardbench Table 2: overall_accuracy"
    four = ["qwen2-vl-7b", "InternVL-2-8B", "Pixtral 12B", "GPT-4o (2024-08-06)"]
    models = {(one["x"], one["y"]): one["models"] for one in made["relations"]}
    assert models["AI2D", theirs] == models["AI2D", mine] == models[theirs, mine] == four
    assert models["vl_rewardbench Table 2: general", mine] == four
    known = {one["model"]: (one["family"], one["size"]) for one in made["models"]}
    assert known["Pixtral 12B"] == ("Pixtral", 12)  # read off the name, and said
    assert known["GPT-4o (2024-08-06)"] == ("GPT", None)
    assert "gpt-4o of the runs is taken for GPT-4o (2024-08-06)" in made["remarks"]
    printed = [(one["printed"], one["where"]) for one in made["printed"]]
    assert printed == [("79%", "pairbench Table 2")]


def test_what_a_number_is_called_in_each_benchmark_of_the_runs(tmp_path):
    for number, name in enumerate("abcd"):
        write(tmp_path / name / "samples_pairbench_demo_rotate.jsonl", ratings(number, 0, rows=8))
    runs = [part for name in "abcd" for part in ("--runs", str(tmp_path / name))]
    done = pairbench("study", *runs, "--number", "mmscore", "--number", "smoothness", "--json")
    assert done.exit_code == 0, done.output
    [pair] = {(one["x"], one["y"]) for one in json.loads(done.stdout)["relations"]}
    assert pair == ("pairbench_demo_rotate: mmscore", "pairbench_demo_rotate: smoothness")
    done = pairbench("study", *runs, "--number", "mmscor")
    assert done.exit_code == 1
    assert "no task of these runs has the number 'mmscor'" in done.output


def test_models_that_no_other_source_has_are_named(tmp_path):
    rows = "".join(f"m{k},{k}\n" for k in range(5))
    table = written(tmp_path, f"model,other\n{rows}")
    done = pairbench("study", table, "--published", "subtlebench:5")
    assert (done.exit_code, "subtlebench:5: no models in it" in done.output) == (1, True)
    done = pairbench("study", table, "--published", "pairbench:1:mmscore")
    assert done.exit_code == 1
    assert "no two scores that at least 4 models have: there are 2 scores of 15" in done.output


def test_a_score_that_is_in_no_pair_is_named(tmp_path):
    rows = "".join(f"m{k},{k},{k * k},{k if k < 2 else ''}\n" for k in range(6))
    table = str(written(tmp_path, f"model,one,two,rare\n{rows}"))
    said = "in no pair, which takes 4 models with both: rare (2 models)"
    assert said in pairbench("study", table).output
    made = json.loads(pairbench("study", table, "--json").stdout)
    assert made["unpaired"] == {"rare": 2}


def test_more_pairs_than_anybody_reads_are_refused():
    with pytest.raises(RecordError, match=r"pairs of \d+ scores are more than 1,000: choose"):
        study(published("pairbench"))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("foo", "nothing is published of 'foo'; known: cast,"),
        ("", "nothing is published of ''; known: cast,"),
        ("pairbench:22", "pairbench has no table '22'; there are Table 1, Table 2,"),
        ("pairbench:1:foo", "pairbench:1:foo: no number 'foo'; there are mmscore, relaxsym,"),
        ("pairbench:1:mmscore,", "no number ''; there are"),
    ],
)
def test_what_is_not_published_is_said(wanted, said):
    with pytest.raises(RecordError, match=re.escape(said)):
        published(wanted)


@pytest.mark.parametrize("wanted", ["pairbench:8:mmscore", "pairbench:table 8:mmscore"])
def test_a_table_by_its_name_and_people_are_no_models(wanted):
    scores = published(wanted)
    assert next(iter(scores.columns)) == "pairbench Table 8, coco: mmscore"
    assert len(scores.models) == 15
    assert "Human" not in published("subtlebench:2:accuracy").models


def test_no_name_in_the_picture_covers_another(tmp_path, figure):
    scores = published("subtlebench:8")
    save_figure(scores, study(scores), tmp_path / "study.svg")
    assert all(names >= 8 for names in names_apart(figure.figure))


def test_many_models_have_names_and_no_panel_is_empty(tmp_path, figure):
    scores = published("pairbench:3:coco_rotate_sens", "pairbench:4:coco_rotate_inv",
                       "pairbench:1:mmscore", "vl_rewardbench:2:general,reasoning")  # fmt: skip
    save_figure(scores, study(scores, ["coco_rotate_sens"]), tmp_path / "a.svg")
    drawn = figure.figure
    assert [bool(axes.texts) for axes in drawn.axes] == [axes.axison for axes in drawn.axes]
    assert sorted(names_apart(drawn)) == [7, 10, 10, 23]


def names_apart(drawn):
    """How many names each panel has, none of which covers another one or a line to one."""
    drawn.draw_without_rendering()
    for axes in (one for one in drawn.axes if one.axison):
        boxes = [text.get_window_extent() for text in axes.texts]
        for number, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:number])
        yield len(boxes)


def test_a_score_that_is_the_same_for_all_is_said(tmp_path):
    table = written(tmp_path, "model,one,other\na,1,5\nb,2,5\nc,3,5\nd,4,5\n")
    done = pairbench("study", table)
    assert done.exit_code == 0
    said = " ".join(done.output.split())
    assert "no correlation is defined, for other is the same for all 4 models" in said
    [pair] = study(read_scores(table))
    assert pair.constant == ("other",)
