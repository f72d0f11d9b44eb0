"""`contrib/prepare.py`: a folder in a checkout, the list of tasks, and what a run measured."""

import json
import re
import subprocess

import pytest
import yaml

from tests.conftest import REPOSITORY
from tests.contrib.files import copy_files, load

CONTRIB = REPOSITORY / "contrib"
NAMES = sorted(path.name for path in (CONTRIB / "lmms_eval" / "tasks").iterdir())
# The lines of the harness's list after which ours stand.
LIST = """# Current Tasks
- [OlympiadBench MIMO](https://github.com/OpenBMB/OlympiadBench) (olympiadbench_mimo)
- [Multimodal RewardBench](https://huggingface.co/datasets/allenai/reward-bench) (multimodal_rewardbench)
- [Omni-Bench](https://omni-bench.github.io/) (omni_bench)
- [VL-RewardBench](https://vl-rewardbench.github.io) (vl_rewardbench)
"""


@pytest.fixture(scope="module")
def prepare():
    return load(CONTRIB / "prepare.py", "prepare")


@pytest.fixture
def checkout(tmp_path, prepare, monkeypatch):
    def unreachable(folder):
        raise OSError("the hub does not answer")

    monkeypatch.setattr(prepare, "hub_splits", unreachable)
    folder = tmp_path / "lmms-eval"
    for part in ("lmms_eval/tasks", "test/eval", "docs/advanced"):
        (folder / part).mkdir(parents=True)
    (folder / prepare.LIST).write_text(LIST)
    return folder


def results_of(name):
    """What the harness would write of the command in the pull request's text."""
    body = (CONTRIB / "lmms_eval" / "pull_requests" / f"{name}.md").read_text()
    line = next(line for line in body.splitlines() if "N=..." in line)
    model, task = (re.search(rf"{what}(\S+)", line)[1] for what in ("pretrained=", "--tasks "))
    folder = CONTRIB / "lmms_eval" / "tasks" / name
    files = [yaml.safe_load(re.sub("!function", "", f.read_text())) for f in folder.glob("*.yaml")]
    template = next(iter(folder.glob("_*template_yaml")), None)
    text = template.read_text() if template else next(folder.glob("*.yaml")).read_text()
    metrics = re.findall(r"- metric: (\w+)", text)
    groups = {file["group"]: file["task"] for file in files if "group" in file}
    leaves = [file["task"] for file in files if isinstance(file.get("task"), str)]
    numbers = {f"{metric},none": 0.5 + k / 1000 for k, metric in enumerate(metrics)}
    tasks = [*groups, *leaves] if groups else [task]
    return {
        "results": {each: {"alias": each, **numbers} for each in tasks},
        "group_subtasks": groups,
        "n-samples": {leaf: {"original": 8, "effective": 8} for leaf in leaves},
        "config": {"model_args": f"pretrained={model},max_pixels=1"},
    }


@pytest.mark.parametrize("name", NAMES)
def test_one_command_ends_in_a_pull_request(name, prepare, checkout, tmp_path, capsys):
    prepare.main([name, str(checkout)])
    assert "not measured yet" in capsys.readouterr().out
    (tmp_path / "results.json").write_text(json.dumps(results_of(name)))
    for _ in range(2):  # a second time changes nothing more
        prepare.main([name, str(checkout), "--results", str(tmp_path / "results.json")])
    assert "not measured yet" not in capsys.readouterr().out
    readme = (checkout / "lmms_eval" / "tasks" / name / "README.md").read_text()
    assert "to be measured" not in readme
    [row, *_] = [line for line in readme.splitlines() if line.startswith("| measured")]
    assert re.search(r"\| 0\.5\d\d \|", row)
    body = (tmp_path / f"pull_request_{name}.md").read_text()
    assert "..." not in body
    assert re.search(r"N=[1-9]\d*`.*0\.5\d\d.*result: `pass`", body)
    listed = (checkout / prepare.LIST).read_text()
    after, lines = prepare.LISTED[name]
    assert f"{after}\n" + "\n".join(lines) + "\n" in listed
    assert len(listed.splitlines()) == len(LIST.splitlines()) + len(lines)
    tasks = yaml.safe_load  # every listed task is one of the folder's
    ours = {
        value
        for file in (CONTRIB / "lmms_eval" / "tasks" / name).glob("*.yaml")
        for key, value in tasks(re.sub("!function", "", file.read_text())).items()
        if key in ("task", "group") and isinstance(value, str)
    }
    assert {re.search(r"\((\w+)\)$", line)[1] for line in lines} <= ours


def test_one_command_ends_in_a_pull_request_of_a_patch(prepare, tmp_path, capsys):
    checkout = tmp_path / "lmms-eval"
    copy_files(checkout, "prefetch")
    subprocess.run(["git", "init", "-q"], cwd=checkout, check=True)
    files = []
    for name, seconds in (("with", "64.0"), ("without", "128.0")):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps({
            "results": {"mme": {"score,none": 0.5}}, "total_evaluation_time_seconds": seconds,
            "n-samples": {"mme": {"effective": 512}},
        }))  # fmt: skip
    prepare.main(["prefetch", str(checkout)])
    assert "not measured yet" in capsys.readouterr().out
    with pytest.raises(prepare.PrepareError, match="give two files of results"):
        prepare.main(["prefetch", str(checkout), "--results", str(files[0])])
    prepare.main(["prefetch", str(checkout), "--results", *map(str, files)])
    assert (checkout / "lmms_eval/models/model_utils/prefetch.py").exists()
    body = (tmp_path / "pull_request_prefetch.md").read_text()
    assert "`N=512` | key metrics: `samples per second 8.00, with LMMS_EVAL_PREFETCH=0 4.00" in body
    assert "..." not in body


def test_splits_are_called_as_on_the_hub(prepare, checkout):
    folder = prepare.copy("pairbench", checkout)
    changes = [*prepare.CHANGES]
    images = [f"{s}_{c}" for s in "ab" for c in ("spatial", *(f"spatial_{x}" for x in changes))]
    splits = {"wu_img_img": images, "wu_img_text": ["a_spatial", "b_spatial"]}
    splits |= {"coco": changes, "in100": changes}
    assert len(prepare.name_splits(folder, splits)) == 14
    assert (
        "test_split: b_spatial_rotate\n"
        in (folder / "pairbench_wu_ii_b_sp_rotate.yaml").read_text()
    )
    assert prepare.name_splits(folder, splits) == []
    with pytest.raises(prepare.PrepareError, match="has 0 splits for a_spatial, one is needed"):
        prepare.name_splits(folder, {**splits, "wu_img_text": ["c"]})


def test_what_does_not_fit_is_one_sentence(prepare, checkout, tmp_path):
    results = {**results_of("subtlebench"), "config": {"model_args": "pretrained=a/Other"}}
    (tmp_path / "results.json").write_text(json.dumps(results))
    with pytest.raises(prepare.PrepareError, match="the results are of Other, the table is of Q"):
        prepare.main(["subtlebench", str(checkout), "--results", str(tmp_path / "results.json")])
    with pytest.raises(prepare.PrepareError, match="is no checkout of lmms-eval"):
        prepare.main(["subtlebench", str(tmp_path)])
