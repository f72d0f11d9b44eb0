"""Data that are not as described never end a run: what is broken is left out, counted and named."""

import math
import re

import pytest

from pairbench_ext.core.sources import SourceError
from tests.broken_data import LEFT_OUT, NOT_BUILT, environment, write
from tests.commands import lmms_eval
from tests.files import json_of, pairbench
from tests.judges import CannedJudge, evaluate, numbers, rate

TASKS = ("pairbench", *(task for task in LEFT_OUT if not task.startswith("pairbench")))
ARGUMENTS = ["--model", "pixel_judge", "--tasks"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write(tmp_path_factory.mktemp("broken"))


@pytest.fixture(scope="module")
def ran(data, tmp_path_factory):
    """Every benchmark in one run of the stock command: results, samples, and where they are."""
    out = tmp_path_factory.mktemp("out")
    return *lmms_eval([*ARGUMENTS, ",".join(TASKS)], out, **environment(data)), out


@pytest.mark.parametrize("task", LEFT_OUT)
def test_what_is_broken_is_counted_and_named_in_the_results(ran, task):
    results, samples, _ = ran
    assert results["results"][task]["left_out,none"] == LEFT_OUT[task]
    trials = [sample["trial"] for sample in samples[task]]
    reasons = {reason for trial in trials for reason in trial.get("left_out", ())}
    assert len(reasons) == LEFT_OUT[task]
    outcomes = [trial for trial in trials if trial.get("asked") is not False]
    assert bool(outcomes) is (task != NOT_BUILT)


def test_a_leaf_that_cannot_be_built_is_nan_and_the_others_have_numbers(ran):
    results, samples, _ = ran
    leaves = [x for x in results["results"] if x.startswith("pairbench_") and x in samples]
    assert len(leaves) == 24
    for name in leaves:
        found = results["results"][name]
        built = name != NOT_BUILT
        assert math.isnan(found["coverage,none"]) is not built
    [only] = samples[NOT_BUILT]
    assert only["trial"]["built"] is False
    assert "elastic-00000-of-00001.parquet" in only["trial"]["left_out"][0]
    assert results["results"]["pairbench"]["left_out,none"] == sum(
        results["results"][name]["left_out,none"] for name in leaves
    )


def test_the_fourth_pair_of_whatsup_is_asked(ran):
    _, samples, _ = ran
    trials = [sample["trial"] for sample in samples["pairbench_wu_ii_a_sp"]]
    assert len(trials) == 2 * 4 * 2 * 2  # rows, pairs, conditions, orders: Table 9 has 418 rows
    kinds = {trial["second"]: trial["kind"] for trial in trials if trial["order"] == "fwd"}
    assert kinds == {
        "img2": "identical", "img3": "transformed", "img4": "irrelevant", "img5": "transformed",
    }  # fmt: skip
    assert {trial["prompts"] for trial in trials} == {"data"}


def test_an_image_that_cannot_be_decoded_costs_its_trials_only(ran):
    _, samples, _ = ran
    trials = [sample["trial"] for sample in samples["pairbench_in100_rotate"]]
    unasked = {(t["row"], t["pair"]) for t in trials if t.get("asked") is False}
    assert unasked == {(0, "transformed"), (2, "transformed")}
    assert len(trials) == 3 * 3 * 2 * 2


def test_scoring_says_so_too(ran):
    _, _, out = ran
    files = sorted(map(str, out.rglob("*_samples_pairbench_coco_*.jsonl")))
    assert len(files) == 5
    runs = {run["name"]: run for run in json_of("score", "pairbench", *files)["runs"]}
    [name] = [name for name in runs if "elastic" in name]
    assert runs[name]["numbers"]["mmscore"] is None
    assert "cannot read" in runs[name]["left_out"][0]
    assert any("could not be asked" in remark for remark in runs[name]["remarks"])
    shown = pairbench("score", "pairbench", *files, env={"COLUMNS": "300"})
    said = " ".join(shown.output.split())
    assert "the task could not be asked, so its numbers are undefined (nan)" in said
    assert "mean of 4" in shown.output


@pytest.mark.parametrize("task", [task for task in TASKS if task != "pairbench"])
def test_scoring_gives_the_numbers_of_the_run(ran, task):
    results, _, out = ran
    [file] = out.rglob(f"*_samples_{task}.jsonl")
    [run] = json_of("score", re.sub("_(both|pair|tie)$", "", task), file)["runs"]
    for name, value in numbers(results, task).items():
        said = run["numbers"][name]
        assert said == pytest.approx(value) or (said is None and math.isnan(value))
    assert len(run["left_out"]) == LEFT_OUT[task]
    assert any("skipped: " in remark for remark in run["remarks"])


def test_where_nothing_can_be_asked_the_run_ends_with_the_reason(monkeypatch, task_manager):
    monkeypatch.setenv("PAIRBENCH_DATA", "/nowhere/at/all")
    judge = CannedJudge(lambda doc: rate(5))
    with pytest.raises(SourceError) as raised:
        evaluate(judge, "pairbench_coco", task_manager)
    assert str(raised.value) == "PAIRBENCH_DATA=/nowhere/at/all is not a folder"
    assert not judge.shown  # nothing was asked
