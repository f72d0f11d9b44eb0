"""`pairbench people agreement`, over ratings that are already there."""

import json

import datasets
import pytest

from lmms_eval_tasks.pairbench import promptset
from lmms_eval_tasks.pairbench.rate.questions import KINDS
from pairbench_ext.statistics.agreement import krippendorff_alpha
from tests.conftest import image_rows, template_row, write_split
from tests.files import pairbench, write_lines

MEANS = {"identical": (10, 10), "transformed": (6, 9), "irrelevant": (1, 2)}


def agreement(*arguments):
    return pairbench("people", "agreement", *arguments)


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
    done = agreement(file, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert (found["ratings"], found["changed"], found["pairs"]) == (24, 1, 12)
    assert found["pairs_overlapping"] == 12
    anna = [9, 10, 6, 9, 1, 2, 10, 10, 6, 9, 1, 2]
    ben = [10, 10, 6, 9, 1, 2, 10, 10, 4, 7, 1, 2]
    assert found["alpha"]["all"] == pytest.approx(krippendorff_alpha([anna, ben]).value)
    assert [one["rater"] for one in found["raters"]] == ["anna", "ben"]
    assert found["raters"][0]["ceiling"]["all"] == found["raters"][1]["ceiling"]["all"]
    [cell] = [c for c in found["cells"] if (c["kind"], c["condition"]) == ("transformed", "sens")]
    assert cell == {
        "config": "birds", "feature": "rotate", "kind": "transformed", "condition": "sens",
        "mean": 5.5, "std": 1, "n": 4,
    }  # fmt: skip
    assert found["truth"]["birds"]["truth"]["transformed"] == {"sens": 6, "inv": 10}
    assert found["truth"]["birds"]["means"]["transformed"] == {"sens": 5.5, "inv": 8.5}
    assert found["undefined"] == []


def test_the_tables_are_those_of_the_paper(write):
    """Layout of Table 10, beside the paper's own numbers."""
    more = lines(split="<i>blur</i>")
    done = agreement(write("r", [*lines(shift=(0, -2)), *more]))
    assert done.exit_code == 0, done.output
    text = done.output
    assert "birds: mean \u00b1 standard deviation (number of ratings)" in text
    for title in ("rotate sens", "rotate inv", "<i>blur</i> sens"):
        assert title in text
    assert "5.50 \u00b1 1.00 (4)" in text
    assert "6.31 \u00b1 2.01" in text  # Table 10, rotate
    assert "6.89" not in text  # perspective was not rated
    assert "0.940" in text
    assert (
        "truth (birds, rule paper): identical 10 sens, 10 inv; transformed 6 sens, 10 inv" in text
    )
    assert "2 raters, 48 ratings of 24 pairs, 24 of them rated by two or more" in text


def test_what_is_undefined_is_said(write):
    done = agreement(write("r", lines(["anna"])[:2]))
    assert done.exit_code == 0, done.output
    for message in (
        "undefined: alpha (all): no item has two ratings",
        "undefined: ceiling of 'anna' (all): shares 0 items with others, 2 are needed",
        "undefined: truth (birds): there are no ratings of transformed pairs under 'sens'",
        "2 rated once count in the means alone",
    ):
        assert message in done.output
    found = json.loads(agreement(write("r", lines(["anna"])[:2]), "--json").output)
    assert found["alpha"] == {"all": None, "sens": None, "inv": None}
    assert found["truth"] == {"birds": None}
    assert len(found["undefined"]) == 7


@pytest.fixture
def data(tmp_path):
    rows = [template_row(name, features=["rotation"]) for name in ("birds", "cats")]
    for name in ("birds", "cats"):
        write_split(tmp_path / "data", name, "rotate", image_rows(2))
    write_split(tmp_path / "data", "templates", "train", datasets.Dataset.from_list(rows))
    return tmp_path / "data"


def truth(data, config):
    return promptset.load(str(data), config, image_text=False).truth["transformed"]


@pytest.mark.parametrize(
    ("options", "birds", "cats"),
    [
        ([], (6, 10), (5, 10)),
        (["--rule", "rounded"], (6, 9), (5, 8)),
        (["--rule", "mean"], (6, 9), (4.5, 7.5)),
        (["--pooled", "--rule", "mean"], (5.25, 8.25), (5.25, 8.25)),
    ],
    ids=["as the paper", "rounded", "means", "pooled"],
)
def test_the_truth_is_written(write, data, options, birds, cats):
    rated = [*lines(), *lines(config="cats", shift=(-2, -4))]
    done = agreement(write("r", rated), "--write-truth", data, *options)
    assert done.exit_code == 0, done.output
    assert "written: " in done.output
    for config, (sens, inv) in (("birds", birds), ("cats", cats)):
        assert truth(data, config)["sens"] == sens
        assert truth(data, config)["inv"] == inv


def test_a_truth_is_taken_back(write, data):
    before = {config: truth(data, config) for config in ("birds", "cats")}
    assert agreement(write("r", lines(shift=(-4, -4))), "--write-truth", data).exit_code == 0
    assert agreement(write("r", lines(shift=(-2, -2))), "--write-truth", data).exit_code == 0
    for sens in (4, before["birds"]["sens"]):
        done = agreement("--restore-truth", data)
        assert done.exit_code == 0, done.output
        assert "restored: " in done.output
        assert truth(data, "birds")["sens"] == sens
    assert {config: truth(data, config) for config in ("birds", "cats")} == before
    done = agreement("--restore-truth", data)
    assert done.exit_code == 1
    assert "no truth was written there that could be taken back" in done.output


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"score": 11}], [], "line 1: no field 'config'"),
        ([], [], "no ratings"),
        (
            lines()[:3],
            ["--write-truth", "DATA"],
            "error: no truth for 'birds': there are no ratings",
        ),
        (lines(config="dogs"), ["--write-truth", "DATA"], "line 1: was rated on other data than"),
        (
            lines(split="blur"),
            ["--write-truth", "DATA", "--pooled"],
            "(config 'birds', split 'blur'",
        ),
        (
            [{**line, "content": "0" * 16} for line in lines()],
            ["--write-truth", "DATA", "--pooled"],
            "line 1: was rated on other data than",
        ),
        (lines(), ["--write-truth", "DATA/birds"], "has no config with pairs to rate"),
    ],
)
def test_mistakes_are_one_clear_sentence(write, data, rows, options, message):
    options = [option.replace("DATA", str(data)) for option in options]
    done = agreement(write("r", rows), *options)
    assert done.exit_code == 1
    assert message in done.output
    assert len(done.output.splitlines()) == 1
