"""A reproduction from the command to the comparison, by a judge that needs no download."""

import json
import shlex

import pytest
from scipy.stats import beta

from pairbench_ext.stacks.plain import open_task
from tests.files import pairbench

TABLE = {
    "backends": {"blind_judge": {"batch_size": 8}},
    "models": [{"name": "Qwen2-VL-7B", "backends": {"blind_judge": "policy=first"}}],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory, vlrb_data):
    """Where a run was begun, what was typed, and how it ended."""
    folder = tmp_path_factory.mktemp("reproduced")
    (folder / "models.json").write_text(json.dumps(TABLE))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        yield folder


def invoke(line):
    command = f"reproduce Qwen2-VL-7B --models models.json --benchmark vl_rewardbench {line}"
    return pairbench(*shlex.split(command))


@pytest.fixture(scope="module")
def done(place):
    return invoke("--out out --json")


def test_the_run_is_beside_the_paper(done):
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    numbers = {one["number"]: one for one in found["numbers"]}
    assert numbers["overall_accuracy"]["printed"] == pytest.approx(0.283)
    # Clopper and Pearson: 354 of 1,250 are printed as 28.3%.
    low, high = beta.ppf(0.025, 354, 897), beta.ppf(0.975, 355, 896)
    assert numbers["overall_accuracy"]["printed_ci95"] == pytest.approx([low, high])
    assert numbers["overall_accuracy"]["inside"] is False  # says the first: 4 of 8
    assert numbers["overall_accuracy"]["value"] == 0.5
    assert numbers["general"]["printed_ci95"] == [None, None]  # 31.6% is no share of 183
    [overall, _] = found["reference"]["vl_rewardbench_k5"]
    assert overall["same"]["model"] == "Qwen2-VL-7B"
    assert "8 items here, 1,250 there" in overall["differences"]
    assert found["missing"] == []


def test_it_is_run_by_the_stock_command_and_journalled(done, place):
    assert list(place.glob("out/journal/*.journal"))
    [samples] = place.glob("out/**/*_samples_vl_rewardbench_k5.jsonl")
    assert len(samples.read_text().splitlines()) == 8 * 5


def test_the_same_command_runs_nothing_again(done, place):
    before = sorted(place.rglob("*"))
    again = invoke("--out out --json")
    assert again.stdout == done.stdout
    assert "vl_rewardbench_k5: there already, not run again" in again.stderr
    assert sorted(place.rglob("*")) == before


def test_a_run_is_compared_without_asking(done, place):
    shown = invoke("--runs out")
    assert shown.exit_code == 0
    assert "is rank" in shown.stdout
    assert "Qwen2-VL-7B is printed with 0.283" in shown.stdout
    compared = json.loads(invoke("--runs out --json").stdout)
    assert compared == json.loads(done.stdout)


def answered(place, task):
    """A folder with the samples of one task, all of whose replies are right."""
    folder = place / task
    opened = open_task(task)
    first = ["RIGHT" in trial.request().text.split("Answer 2: ")[0] for trial in opened]
    opened.write(
        folder, [f"Overall Judgment: Answer {1 if one else 2} is better." for one in first]
    )
    return folder


def test_a_run_that_asks_as_the_authors_code_is_beside_the_same_numbers(place):
    folder = answered(place, "vl_rewardbench_authors")
    found = json.loads(invoke(f"--runs {folder} --json").stdout)
    assert {one["task"] for one in found["numbers"]} == {"vl_rewardbench_authors"}
    assert found["missing"] == []
    [one, _] = found["reference"]["vl_rewardbench_authors"]
    assert "variant: authors here, by default there" in one["differences"]


def test_a_run_that_asks_otherwise_is_placed_alone(place):
    folder = answered(place, "vl_rewardbench_both")
    found = json.loads(invoke(f"--runs {folder} --json").stdout)
    assert found["numbers"] == []
    assert found["missing"] == ["vl_rewardbench_k5"]
    assert found["reference"]["vl_rewardbench_both"][0]["same"]["model"] == "Qwen2-VL-7B"
    shown = invoke(f"--runs {folder}").stdout
    assert "no task here asks as anything that is printed was asked" in shown
    assert "not here: vl_rewardbench_k5" in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--out out --limit 3", "out is another recipe's (limit: None there, 3 here): choose"),
        ("--out models.json", "models.json is a file: name the folder to make"),
        ("--out .", "holds something else, such as 'models.json': choose a new folder"),
        ("--out fresh --model-args polcy=first", "no argument 'polcy'; did you mean policy?"),
        ("--out fresh --tasks viescore", "no data: set VIESCORE_DATA to their folder"),
        ("--out a,b", "a,b: lmms-eval takes no comma in it"),
        ("--runs gone", "gone: no such file or folder"),
        ("--runs models.json", "models.json"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_is_made(done, place, line, said, monkeypatch):
    monkeypatch.delenv("VIESCORE_DATA", raising=False)
    before = sorted(place.iterdir())
    failed = invoke(line)
    assert failed.exit_code == 1
    assert said in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1
    assert sorted(place.iterdir()) == before
