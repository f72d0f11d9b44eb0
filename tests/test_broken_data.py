"""Data that are not as described never end a run: what is broken is left out, counted and named."""

import json
import math
import re
from types import SimpleNamespace

import pytest
from lmms_eval import evaluator

from pairbench_ext.core.sources import SourceError
from tests.broken_data import LEFT_OUT, NOT_BUILT, environment, write
from tests.commands import lmms_eval
from tests.files import pairbench
from tests.judges import CannedChatJudge, CannedJudge, evaluate, numbers, rate

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
    leaves = [
        name for name in results["results"] if name.startswith("pairbench_") and name in samples
    ]
    assert len(leaves) == 24
    for name in leaves:
        found = results["results"][name]
        built = name != NOT_BUILT
        assert math.isnan(found["coverage,none"]) is not built
    [only] = samples[NOT_BUILT]
    assert only["trial"]["built"] is False
    assert "elastic-00000-of-00001.parquet" in only["trial"]["left_out"][0]
    whole = results["results"]["pairbench"]
    assert whole["left_out,none"] == sum(
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
    done = pairbench("score", "pairbench", *files, "--json")
    assert done.exit_code == 0, done.output
    runs = {run["name"]: run for run in json.loads(done.stdout)["runs"]}
    [name] = [name for name in runs if "elastic" in name]
    assert runs[name]["numbers"]["mmscore"] is None
    assert "cannot read" in runs[name]["left_out"][0]
    assert any("could not be asked" in remark for remark in runs[name]["remarks"])
    shown = pairbench("score", "pairbench", *files, env={"COLUMNS": "300"})
    assert "the task could not be asked, its numbers are undefined (nan)" in shown.output
    assert "mean of 4" in shown.output


@pytest.mark.parametrize("task", [task for task in TASKS if task != "pairbench"])
def test_scoring_gives_the_numbers_of_the_run(ran, task):
    results, _, out = ran
    [file] = out.rglob(f"*_samples_{task}.jsonl")
    folder = re.sub("_(both|pair|tie)$", "", task)
    done = pairbench("score", folder, file, "--json")
    assert done.exit_code == 0, done.output
    [run] = json.loads(done.stdout)["runs"]
    for name, value in numbers(results, task).items():
        said = run["numbers"][name]
        assert said == pytest.approx(value) or (said is None and math.isnan(value))
    assert len(run["left_out"]) == LEFT_OUT[task]
    assert any("skipped: " in remark for remark in run["remarks"])


def test_two_ranks_give_the_same(ran, data, tmp_path):
    results, samples, _ = ran
    tasks = ("pairbench_coco", "pairbench_in100_rotate", "viescore_tie")
    arguments = [*ARGUMENTS, ",".join(tasks)]
    again, logged = lmms_eval(arguments, tmp_path, ranks=2, **environment(data))
    for task in (NOT_BUILT, "pairbench_coco_rotate", *tasks[1:]):
        one, two = results["results"][task], again["results"][task]
        compared = set(one) - {"alias"} - ({"samples"} if task == NOT_BUILT else set())
        assert {key: str(one[key]) for key in compared} == {key: str(two[key]) for key in compared}
    assert len(logged[NOT_BUILT]) == 2  # one for each rank says so
    assert len(samples[NOT_BUILT]) == 1


def test_where_nothing_can_be_asked_the_run_ends_with_the_reason(monkeypatch, task_manager):
    monkeypatch.setenv("PAIRBENCH_DATA", "/nowhere/at/all")
    judge = CannedJudge(lambda doc: rate(5))
    with pytest.raises(SourceError) as raised:
        evaluate(judge, "pairbench_coco", task_manager)
    assert str(raised.value) == "PAIRBENCH_DATA=/nowhere/at/all is not a folder"
    assert not judge.shown  # nothing was asked


@pytest.mark.parametrize("judge", [CannedJudge, CannedChatJudge])
@pytest.mark.parametrize("offset", [0, 5])
def test_a_task_that_cannot_be_built_beside_another(
    judge, offset, data, monkeypatch, task_manager, said
):
    monkeypatch.setenv("PAIRBENCH_DATA", str(data / "PAIRBENCH"))
    results = evaluate(
        judge(lambda doc: rate(doc.get("truth", 5))), "pairbench_coco", task_manager, offset=offset
    )
    assert math.isnan(numbers(results, NOT_BUILT)["mmscore"])
    assert numbers(results, "pairbench_coco_rotate")["mmscore"] == 1
    assert numbers(results, "pairbench_coco")["mmscore"] == 1
    assert any(
        line.startswith(f"{NOT_BUILT} cannot be asked, its numbers will be nan: ") for line in said
    )


def test_a_reply_from_the_harnesss_cache_does_not_hide_a_broken_image(
    data, monkeypatch, task_manager, tmp_path
):
    """Answered from the cache, nobody looks at the images: they are looked at afterwards."""
    monkeypatch.setenv("PAIRBENCH_DATA", str(data / "PAIRBENCH"))
    judge = CannedJudge(lambda doc: rate(doc.get("truth", 5)))
    cache = str(tmp_path / "cache")
    options = {"use_cache": cache, "bootstrap_iters": 0, "gen_kwargs": "temperature=0"}
    found = []
    for _ in range(2):
        results = evaluator.simple_evaluate(
            model=judge,
            tasks=["pairbench_in100_rotate"],
            task_manager=task_manager,
            cli_args=SimpleNamespace(
                process_with_media=False, reasoning_tags=None, model=None, use_cache=cache
            ),
            **options,
        )
        found.append((len(judge.shown), numbers(results, "pairbench_in100_rotate")))
    (asked, first), (again, second) = found
    assert asked == again == 3 * 3 * 4  # nothing was asked the second time
    assert first["left_out"] == second["left_out"] == 2
    assert first["ratings"] == second["ratings"] == 3 * 3 * 4 - 2 * 4
