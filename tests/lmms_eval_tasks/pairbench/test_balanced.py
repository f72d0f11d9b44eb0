"""Balanced pairs: what is transformed, copied or how large says nothing about the truth."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.build import balanced
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.rating_pool import PairPool, find_leaves
from lmms_eval_tasks.pairbench.ratings import FIELDS, rating
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.records import Record
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness import plugin
from pairbench_ext.runs import groups
from pairbench_ext.runs.scoring import Run
from tests.files import pairbench

SIZE = "48x48"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Nine pictures of scenes of their own, one of them with black corners."""
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(9):
        rng = np.random.default_rng(number)
        coarse = rng.integers(20, 256, (3 + number % 4, 4, 3), dtype=np.uint8)
        image = Image.fromarray(coarse).resize((60 + 4 * number, 50), Image.Resampling.BICUBIC)
        if number == 0:
            image.paste((0, 0, 0), (0, 0, image.width, 12))
        image.save(folder / f"{number}.png")
    return folder


@pytest.fixture(scope="module")
def built(pictures, tmp_path_factory):
    out = tmp_path_factory.mktemp("built") / "out"
    done = pairbench(
        *("build", "images", "--images", pictures, "--name", "mine", "--out", out),
        *("--balanced", "--size", SIZE, "--splits", "rotate,gaussianblur"),
        status=0,
    )
    assert "8 pictures, 2 splits, 96 pairs" in done.stdout
    assert "--tasks pairbench_mine_balanced" in done.stdout
    return out


@pytest.fixture(scope="module")
def trials(built):
    entry = {"config": "mine_balanced", "features": ["rotate"], "data": str(built)}
    return PairTrials({**entry, "split": "rotate"})


def scores(trials, judge):
    """MMScore under both conditions of a judge that is told what the two columns show."""
    outcomes = []
    for trial in trials:
        params = json.loads(trials.text(trial["row"], "params"))
        sides = [params[trial[side]] for side in ("first", "second")]
        outcomes.append(rating(FIELDS.read(Record("", trial)), judge(trial, *sides)))
    table = BENCHMARK.table(outcomes)
    return tuple(BENCHMARK.number(f"mmscore_{c}").of(table) for c in ("sens", "inv"))


def test_every_function_of_traces_gets_nothing_and_the_truth_gets_everything(trials):
    """All 74 orders of the four states of a pair that are not all one; copies as well."""
    orders = {
        tuple(sorted(set(values)).index(value) for value in values)
        for values in itertools.product(range(4), repeat=4)
    }
    assert len(orders) == 75
    for values in orders - {(0, 0, 0, 0)}:
        got = scores(
            trials,
            lambda _, one, two, v=values: 1 + v[2 * one["transformed"] + two["transformed"]],
        )
        assert got == (0, 0), values
    for values in np.random.default_rng(0).integers(1, 11, (20, 8)).tolist():
        of_both = scores(
            trials,
            lambda _, one, two, v=values: v[
                4 * one["copy"] + 2 * one["transformed"] + two["transformed"]
            ],
        )
        assert of_both == (0, 0), values
    assert scores(trials, lambda trial, *_: trial["truth"]) == (1, 1)


def test_the_lower_of_two_contents_gets_what_the_page_says():
    """Of distinct contents X, Y, Z, P(X > min(Y, Z)) is 2/3: .181 and .222, for any pairs."""
    n = 400
    rows = balanced.assign([(own + 1) % n for own in range(n)], 0, "rotate")
    ranks = np.random.default_rng(0).permutation(n)
    truths = {"identical": (10, 10), "transformed": (6, 10), "irrelevant": (1, 1)}
    outcomes = []
    for row, pairs in enumerate(rows):
        for place, (pair, kind) in enumerate(zip(pairs, balanced.KINDS, strict=True)):
            value = 1 + 9 * min(ranks[side.picture] for side in pair) / n
            for condition, truth in zip(("sens", "inv"), truths[kind], strict=True):
                if balanced.CONDITIONS[place] in (None, condition):
                    plain = {"row": row, "pair": f"{kind}{place}", "condition": condition}
                    for order in ("fwd", "rev"):
                        trial = {**plain, "order": order, "truth": truth}
                        outcomes.append(rating(FIELDS.read(Record("", trial)), float(value)))
    table = BENCHMARK.table(outcomes)
    sens, inv = (BENCHMARK.number(f"mmscore_{c}").of(table) for c in ("sens", "inv"))
    assert sens == pytest.approx(2 / 3 / math.sqrt(3 * 4.5), abs=0.02)
    assert inv == pytest.approx(2 / 3 / math.sqrt(2 * 4.5), abs=0.02)


def test_each_picture_is_as_often_irrelevant_and_pairs_are_what_params_say(trials):
    others, states = [], []
    for row in range(len(trials.table)):
        params = json.loads(trials.text(row, "params"))
        for first, second in balanced.PAIRS:
            assert params[first]["copy"] != params[second]["copy"]
        others.append(params["img6"]["name"])
        assert params["img5"]["name"] == trials.table[row]["name"] != others[-1]
        states.append([params[column]["transformed"] for column in ("img1", "img2")])
        same = trials.images.get(row, "img1"), trials.images.get(row, "img2")
        assert {image.size for image in same} == {(48, 48)}
        # Black corners are in the rotated pictures alone.
        for column in ("img1", "img3", "img4", "img7"):
            corner = np.asarray(trials.images.get(row, column))[:3, :3].max()
            assert (corner == 0) == params[column]["transformed"], (row, column)
    assert sorted(others) == sorted(trials.table["name"])
    assert sorted(map(tuple, states)) == [(False, False)] * 4 + [(True, True)] * 4


def test_each_irrelevant_pair_is_asked_under_one_condition(trials, built):
    asked = {(trial["pair"], trial["condition"]) for trial in trials}
    assert ("irrelevant", "sens") in asked
    assert ("irrelevant2", "inv") in asked
    assert len(asked) == 6
    assert len(trials) == 12 * len(trials.table)
    cells = PairPool(find_leaves(str(built))).cells  # what people are asked
    assert {(cell.pair, cell.condition) for cell in cells} == asked


def test_what_cannot_be_balanced_is_left_out_by_name(built):
    card = (built / "README.md").read_text()
    assert "'0.png': the picture has black corners" in card
    assert "None: all pictures of a pair have one size" in card
    darker = card.split("| the darker of the two pictures | ")[1].split(" |")
    assert 0 < float(darker[0]) < 0.5  # .18 with many pictures
    assert "| how bright both pictures are | " in card


def test_balanced_and_other_tasks_have_no_common_mean(built, monkeypatch, pictures):
    pairbench(
        *("build", "images", "--images", pictures, "--name", "mine", "--out", built / "new"),
        *("--size", SIZE, "--splits", "rotate"),
        status=0,
    )
    (built / "new" / "mine").rename(built / "mine")
    monkeypatch.setenv("PAIRBENCH_DATA", str(built))
    index = plugin.task_index()
    text = {
        name: Path(index[f"pairbench_{name}"]["yaml_path"]).read_text()
        for name in ("custom", "custom_balanced")
    }
    assert "balanced" not in text["custom"].split("task:")[1].split("aggregate")[0]
    assert "pairbench_mine_balanced_rotate" in text["custom_balanced"]
    runs = [
        Run(BENCHMARK, built / f"{task}.jsonl", (), task)
        for task in ("pairbench_mine_rotate", "pairbench_mine_balanced_rotate")
    ]
    assert not groups.are_a_group(runs)
    balanced_runs = [runs[1], Run(BENCHMARK, built, (), "pairbench_mine_balanced_gaussianblur")]
    assert groups.are_a_group(balanced_runs)


def test_pictures_of_one_scene_cannot_be_balanced():
    unlike = np.ones((4, 4), dtype=bool)
    unlike[:3, :3] = False
    np.fill_diagonal(unlike, False)
    with pytest.raises(SourceError, match="too many pictures show the same scene: 2 of 4"):
        balanced.permutation(unlike, ["a", "a2", "a3", "b"], 0, "rotate")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--balanced", "--size", "300"], "--balanced needs one size for all pictures, such as"),
        (["--size", "wide"], "such as 512x512, one number such as 1024, or 0, not 'wide'"),
        (["--name", "x_balanced"], "'x_balanced' is reserved for balanced pairs: add --balanced"),
    ],
)
def test_a_mistake_says_what_to_type(pictures, tmp_path, options, message):
    base = ["build", "images", "--images", pictures, "--name", "mine", "--out", tmp_path / "o"]
    assert message in " ".join(pairbench(*base, *options, status=1).stderr.split())


# --- Sizes alone


@pytest.mark.parametrize(("size", "expected"), [("0", 0.9), (None, math.nan)])
def test_the_card_names_what_sizes_alone_get(pictures, tmp_path, size, expected):
    out = tmp_path / "out"
    options = ("--size", size) if size else ()
    pairbench(
        *("build", "images", "--images", pictures, "--name", "mine", "--out", out),
        *("--splits", "gaussianblur", *options),
        status=0,
    )
    card = (out / "README.md").read_text()
    if math.isnan(expected):
        assert "None: all pictures of a pair have one size" in card
    else:
        assert float(card.split("MMScore: gaussianblur ")[1][:4]) > expected
