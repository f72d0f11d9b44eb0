"""`pairbench papers agreement`, and the numbers that it prints."""

import json
import re

import pytest

from lmms_eval_tasks.build import layout
from lmms_eval_tasks.build.repository import split_file
from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.ground_truth import TruthError, truth_of
from lmms_eval_tasks.pairbench.pairs import KINDS
from lmms_eval_tasks.pairbench.published import TABLE_10
from pairbench_ext.core import sources
from pairbench_ext.statistics.agreement import krippendorff_alpha
from tests.conftest import SHARED, image_rows, template_row, write_split
from tests.files import pairbench, write_lines

PAPER = SHARED / "papers" / "pairbench.txt"
MEANS = {"identical": (10, 10), "transformed": (6, 9), "irrelevant": (1, 2)}
PAPERS_TRUTH = {
    "identical": {"sens": 10, "inv": 10},
    "transformed": {"sens": 6, "inv": 10},
    "irrelevant": {"sens": 1, "inv": 1},
}


def agreement(*arguments, status=None):
    return pairbench("papers", "agreement", *arguments, status=status)


def lines(raters=("anna", "ben"), config="birds", shift=(0, 0), split="rotate"):
    """Two rows of each kind and condition; the second rater is off by `shift` in some."""
    return [
        {
            "rater": rater, "config": config, "split": split, "row": row, "pair": kind,
            "kind": kind, "condition": condition,
            "score": MEANS[kind][place] + shift[number] * (kind == "transformed" and row == 1),
        }
        for number, rater in enumerate(raters)
        for row in (0, 1)
        for kind in KINDS
        for place, condition in enumerate(("sens", "inv"))
    ]  # fmt: skip


@pytest.fixture
def write(tmp_path):
    return lambda name, rows: write_lines(tmp_path / name, rows)


def test_json_has_every_number(write):
    file = write("r", [*lines(shift=(0, -2)), {**lines()[0], "score": 9}])
    printed = json.loads(agreement(file, "--json").output)
    assert (printed["ratings"], printed["changed"], printed["pairs"]) == (24, 1, 12)
    assert printed["pairs_overlapping"] == 12
    anna = [9, 10, 6, 9, 1, 2, 10, 10, 6, 9, 1, 2]
    ben = [10, 10, 6, 9, 1, 2, 10, 10, 4, 7, 1, 2]
    assert printed["alpha"]["all"] == pytest.approx(krippendorff_alpha([anna, ben]).value)
    assert [rater["rater"] for rater in printed["raters"]] == ["anna", "ben"]
    assert printed["raters"][0]["ceiling"]["all"] == printed["raters"][1]["ceiling"]["all"]
    assert printed["truth"]["birds"]["truth"]["transformed"] == {"sens": 6, "inv": 10}
    assert printed["truth"]["birds"]["means"]["transformed"] == {"sens": 5.5, "inv": 8.5}


def test_pairs_of_several_raters_are_counted(write):
    """Anna rates twelve pairs, ben five of them, and cleo one of these five."""
    rated = lines(raters=("anna", "ben", "cleo"), shift=(0, 0, 0))
    file = write("r", [*rated[:12], *rated[12:17], rated[24]])
    printed = json.loads(agreement(file, "--json").output)
    assert (printed["pairs"], printed["pairs_overlapping"]) == (12, 5)
    assert [rater["ratings"] for rater in printed["raters"]] == [12, 5, 1]


@pytest.fixture(params=["parquet", "plain"])
def data(tmp_path, request):
    rows = [template_row(name, features=["rotation"]) for name in ("birds", "cats")]
    for name in ("birds", "cats"):
        write_split(tmp_path / "data", name, "rotate", image_rows(2))
    if request.param == "plain":
        layout.write_split(tmp_path / "data" / split_file("templates", "train"), rows)
    else:
        write_split(tmp_path / "data", "templates", "train", rows)
    return tmp_path / "data"


def test_the_truth_is_written(write, data):
    def templates():
        return [*sources.open_split(str(data), "templates", "train").remove_columns(["logistics"])]

    before = templates()
    rated = [*lines(), *lines(config="cats", shift=(-2, -4))]
    assert "written: " in agreement(write("r", rated), "--write-truth", data).output
    assert templates() == before  # the rest of the table
    for config, sens in (("birds", 6), ("cats", 5)):
        written = promptset.load(str(data), config, image_text=False).truth["transformed"]
        assert written == {"sens": sens, "inv": 10}


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"score": 11}], [], "line 1: no field 'config'"),
        (lines()[:3], ["--write-truth", "DATA"], "error: truth of 'birds': nobody rated"),
        (lines(split="blur"), ["--write-truth", "DATA"], "(config 'birds', split 'blur'"),
        (
            [{**line, "content": "0" * 16} for line in lines()],
            ["--write-truth", "DATA"],
            "line 1: the rating belongs to other data than",
        ),
        (lines(), ["--write-truth", "DATA/birds"], "has no config with pairs to rate"),
    ],
)
def test_mistakes_are_one_clear_sentence(write, data, rows, options, message):
    options = [option.replace("DATA", str(data)) for option in options]
    done = agreement(write("r", rows), *options, status=1)
    assert message in done.output
    assert len(done.output.splitlines()) == 1


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's text is not beside the repository")
@pytest.mark.parametrize("kind", KINDS)
def test_table_10_is_the_papers(kind):
    [row] = re.findall(rf"(?m)^.*{kind.capitalize()}\t.*\u00b1.*$", PAPER.read_text())
    printed = [(float(a), float(b)) for a, b in re.findall(r"([\d.]+) \u00b1 ([\d.]+)", row)]
    assert printed == [cell for rows in TABLE_10.values() for cell in rows[kind].values()]


def test_the_papers_means_give_the_papers_truth():
    ratings_of = {
        kind: {
            condition: sum(TABLE_10[feature][kind][condition][0] for feature in TABLE_10) / 3
            for condition in ("sens", "inv")
        }
        for kind in KINDS
    }
    assert truth_of(ratings_of) == PAPERS_TRUTH


@pytest.mark.parametrize(
    ("kind", "condition", "value", "message"),
    [
        ("irrelevant", "sens", 7, "under 'sens', transformed .* 6.00, .* pairs .* 7.00"),
        ("identical", "inv", 1, "under 'inv', identical .* 1.00, and irrelevant pairs .* 1.00"),
        ("transformed", "sens", 4.5, None),  # a half is rounded up
    ],
)
def test_the_papers_truth_is_only_given_where_it_is_confirmed(kind, condition, value, message):
    mean = {name: dict(row) for name, row in PAPERS_TRUTH.items()}
    mean[kind][condition] = value
    if message is None:
        assert truth_of(mean)["transformed"] == {"sens": 5, "inv": 10}
    else:
        with pytest.raises(TruthError, match=message):
            truth_of(mean)
