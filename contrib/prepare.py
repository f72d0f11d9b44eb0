"""Prepare a pull request to lmms-eval in a checkout of it: copy, list, fill in what a run measured.

    python contrib/prepare.py vl_rewardbench ../lmms-eval
    python contrib/prepare.py vl_rewardbench ../lmms-eval --results logs/.../..._results.json
    python contrib/prepare.py prefetch ../lmms-eval --results with_results.json without_results.json

Copies the task folder and its tests, adds the tasks to the harness's list of tasks, and for PairBench
takes the names of the splits from the hub. With the results of the command in the folder's README, it
fills the README's row "to be measured" and the line "Validation" of the pull request's text, which it
writes beside the checkout. A patch is applied by git; the one of `prefetch` needs two runs of its
command, the second with LMMS_EVAL_PREFETCH=0. A second time changes nothing more. It needs Python
alone; the names of the splits need `datasets` and the hub.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "lmms_eval"
LIST = "docs/advanced/current_tasks.md"
TESTS = {
    "multimodal_rewardbench": "test_multimodal_rewardbench_both.py",
    "pairbench": "test_pairbench.py",
    "subtlebench": "test_subtlebench.py",
    "vl_rewardbench": "test_vl_rewardbench_votes.py",
}
PATCHES = sorted(file.stem for file in (HERE / "patches").glob("*.patch"))
#: The lines of the harness's list of tasks, and after which line each block stands.
LISTED = {
    "multimodal_rewardbench": (
        "(multimodal_rewardbench)",
        ["  - Multimodal RewardBench in both orders (multimodal_rewardbench_both)"],
    ),
    "pairbench": (
        "(omni_bench)",
        [
            "- [PairBench](https://huggingface.co/datasets/feiziaarash/pairbench) (pairbench)",
            "  - PairBench COCO (pairbench_coco)",
            "  - PairBench ImageNet-100 (pairbench_in100)",
            "  - PairBench WhatsUp, images (pairbench_wu_ii)",
            "  - PairBench WhatsUp, texts (pairbench_wu_it)",
        ],
    ),
    "subtlebench": (
        "(olympiadbench_mimo)",
        [
            "- [VLM-SubtleBench](https://huggingface.co/datasets/KRAFTON/VLM-SubtleBench) (subtlebench)",
            "  - VLM-SubtleBench Validation (subtlebench_val)",
            "  - VLM-SubtleBench, options in both orders (subtlebench_swapped)",
        ],
    ),
    "vl_rewardbench": (
        "(vl_rewardbench)",
        [
            "  - VL-RewardBench in both orders (vl_rewardbench_both)",
            "  - VL-RewardBench, five votes (vl_rewardbench_k5)",
        ],
    ),
}
CHANGES = {  # what the name of a split says of the changes in it
    "colorjitter": "color",
    "rotate": "rotat",
    "gaussianblur": "blur",
    "perspective": "perspective",
    "elastic": "elastic",
}


class PrepareError(Exception):
    """Something is not as it has to be; the message says what to do."""


def copy(name: str, checkout: Path) -> Path:
    """Copy a task folder and its test into a checkout; the folder there."""
    if not (checkout / "lmms_eval" / "tasks").is_dir():
        raise PrepareError(f"{checkout} is no checkout of lmms-eval: git clone it there")
    target = checkout / "lmms_eval" / "tasks" / name
    shutil.copytree(HERE / "tasks" / name, target, dirs_exist_ok=True)
    shutil.copy(HERE / "test" / "eval" / TESTS[name], checkout / "test" / "eval")
    return target


def list_tasks(name: str, checkout: Path) -> None:
    """Add the tasks to the harness's list, after the line that they belong to."""
    file, (after, lines) = checkout / LIST, LISTED[name]
    rows = file.read_text(encoding="utf-8").splitlines()
    if lines[0] in rows:
        return
    places = [place for place, row in enumerate(rows) if row.endswith(after)]
    if not places:
        raise PrepareError(f"{file}: no line ends in {after}; add by hand:\n" + "\n".join(lines))
    rows[places[0] + 1 : places[0] + 1] = lines
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def content_of(split: str) -> tuple[str, tuple[str, ...]]:
    """The subset of WhatsUp, and the changes, that a split's name speaks of."""
    subset = re.search(r"(?:^|_)(?:subset_?)?([ab])(?:_|$)", split)
    changes = tuple(change for change, word in CHANGES.items() if word in split.lower())
    return subset[1] if subset else "", changes


def name_splits(folder: Path, splits: dict[str, list[str]]) -> list[str]:
    """Have the tasks of PairBench ask for the hub's splits, by config; what was changed."""
    changed = []
    for file in sorted(folder.glob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        config = re.search(r"(?m)^dataset_name: (\S+)$", text)
        asked = re.search(r"(?m)^test_split: (\S+)$", text)
        if not config or not asked or asked[1] in splits[config[1]]:
            continue
        alike = [name for name in splits[config[1]] if content_of(name) == content_of(asked[1])]
        if len(alike) != 1:
            known = ", ".join(splits[config[1]])
            raise PrepareError(f"{file.name}: the hub's config {config[1]} has {len(alike)} splits for {asked[1]}, " f"one is needed; it has {known}. Write the right name into the line `test_split`")
        file.write_text(text.replace(asked[0], f"test_split: {alike[0]}"), encoding="utf-8")
        changed.append(f"{file.name}: {asked[1]} is {alike[0]} on the hub")
    return changed


def hub_splits(folder: Path) -> dict[str, list[str]]:
    """The names of the splits by config, from the hub."""
    import datasets

    text = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.yaml"))
    configs = sorted(set(re.findall(r"(?m)^dataset_name: (\S+)$", text)))
    repository = re.search(r"(?m)^dataset_path: (\S+)$", (folder / "_default_template_yaml").read_text("utf-8"))
    assert repository is not None
    return {name: datasets.get_dataset_split_names(repository[1], name) for name in configs}


def metrics_of(results: dict, task: str) -> dict[str, float]:
    """The numbers of a task or group in a results file, by metric."""
    found = results["results"].get(task)
    if found is None:
        known = ", ".join(results["results"])
        raise PrepareError(f"the results have no {task}, only {known}: run the README's command")
    numbers = {key.partition(",")[0]: value for key, value in found.items() if "_stderr" not in key}
    return {name: value for name, value in numbers.items() if isinstance(value, int | float)}


def one_metric(numbers: dict[str, float], column: str) -> float:
    """The number that a column's title means: `name`, `_end` or `_part_...`."""
    wanted = column.strip().strip("`")
    exact = [name for name in numbers if name == wanted]
    ends = [name for name in numbers if wanted.startswith("_") and name.endswith(wanted)]
    parts = [name for name in numbers if wanted.endswith("...") and wanted[:-3] in name]
    fits = exact or ends or parts
    if not fits:
        raise PrepareError(f"no metric {wanted}; there are {', '.join(numbers)}")
    return numbers[min(fits, key=len)]


def shown(value: float) -> str:
    """A number as the tables have it."""
    return "NaN" if math.isnan(value) else f"{value:.3f}"


def model_of(results: dict) -> str:
    """The model that was run, as its checkpoint is called."""
    arguments = str(results.get("config", {}).get("model_args") or "")
    named = re.search(r"(?:pretrained|model|model_version)=([^,]+)", arguments)
    return (named[1] if named else str(results.get("model_name") or "?")).rsplit("/", 1)[-1]


def fill_readme(text: str, results: dict) -> str:
    """The README with what was measured in place of "to be measured"."""
    lines, header = text.splitlines(), [""]
    for place, line in enumerate(lines):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| ") and place + 1 < len(lines) and lines[place + 1].startswith("| ---"):
            header = cells
        if cells[0] == "to be measured":
            lines[place] = fill_row(line, cells, header, results)
    return "\n".join(lines) + "\n"


def fill_row(line: str, cells: list[str], header: list[str], results: dict) -> str:
    """A row of a README's table, filled; as it was if the results have no task for it."""
    if header[0] != model_of(results):
        raise PrepareError(f"the results are of {model_of(results)}, the table is of {header[0]}")
    by_group = header[1] == "leaf or group"
    tasks = [cells[1].strip("`")] if by_group else [*results["results"]]
    start = 2 if by_group else 1
    for task in tasks:
        numbers = metrics_of(results, task) if task in results["results"] else {}
        try:
            filled = [shown(one_metric(numbers, column)) for column in header[start:]]
        except PrepareError:  # another task's metrics
            continue
        return "| " + " | ".join(["measured", *cells[1:start], *filled]) + " |"
    return line


def fill_text(text: str, results: dict) -> str:
    """The pull request's text with the numbers of its command."""

    def filled(line: re.Match[str]) -> str:
        task = re.search(r"--tasks (\S+)", line[0])
        assert task is not None
        name = task[1].split(",")[0]
        numbers = metrics_of(results, name)
        counts = {task: count["effective"] for task, count in results["n-samples"].items()}
        samples = counts.get(name) or sum(counts.values())  # of a group: those of all leaves
        made = line[0].replace("`N=...`", f"`N={samples}`")
        made = re.sub(r"(\w+) \.\.\.", lambda m: f"{m[1]} {shown(one_metric(numbers, m[1]))}", made)
        return made.replace("result: `...`", "result: `pass`")

    return re.sub(r"(?m)^- `python -m lmms_eval .*N=\.\.\..*$", filled, text)


def apply_patch(name: str, checkout: Path) -> None:
    """Apply a patch, unless it is applied already."""
    patch = ["git", "apply", str(HERE / "patches" / f"{name}.patch")]
    if subprocess.run([*patch, "--reverse", "--check"], cwd=checkout, capture_output=True).returncode:
        done = subprocess.run(patch, cwd=checkout, capture_output=True, text=True)
        if done.returncode:
            raise PrepareError(f"the patch does not fit {checkout}: {done.stderr.strip()}")


def fill_speed(text: str, both: list[dict]) -> str:
    """The text of a patch with the speed of its command, with it and without it."""
    if "N=..." not in text:
        return text
    if len(both) != 2:
        raise PrepareError("give two files of results: with the patch, and with LMMS_EVAL_PREFETCH=0")
    samples = [sum(count["effective"] for count in of["n-samples"].values()) for of in both]
    rates = [n / float(of["total_evaluation_time_seconds"]) for n, of in zip(samples, both)]
    scores = [{task: metrics_of(of, task) for task in of["results"]} for of in both]
    same = samples[0] == samples[1] and scores[0] == scores[1]
    for found in (str(samples[0]), *(f"{rate:.2f}" for rate in rates)):
        text = text.replace("...", found, 1)
    if not same:
        text = text.replace("the same scores", "other scores")
    return text.replace("result: `...`", f"result: `{'pass' if same else 'fail'}`")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted([*TESTS, *PATCHES]))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--results", type=Path, nargs="+", default=[], help="what lmms-eval wrote: ..._results.json")
    given = parser.parse_args(arguments)
    results = [json.loads(file.read_text(encoding="utf-8")) for file in given.results]
    if given.name in PATCHES:
        apply_patch(given.name, given.checkout)
        body = (HERE / "patches" / f"{given.name}.md").read_text(encoding="utf-8")
        finish(given, fill_speed(body, results) if results else body, "applied")
        return
    folder = copy(given.name, given.checkout)
    list_tasks(given.name, given.checkout)
    if given.name == "pairbench":
        try:
            splits = hub_splits(folder)
        except Exception as error:  # the hub, or `datasets`, may be missing in any way
            print(f"the names of the splits were not checked: {error}")
        else:
            print("\n".join(name_splits(folder, splits)) or "the names of the splits are the hub's")
    body = (HERE / "pull_requests" / f"{given.name}.md").read_text(encoding="utf-8")
    if results:
        readme = folder / "README.md"
        readme.write_text(fill_readme(readme.read_text("utf-8"), results[0]), encoding="utf-8")
        body = fill_text(body, results[0])
    finish(given, body, f"copied to {folder}")


def finish(given: argparse.Namespace, body: str, done: str) -> None:
    """Write the pull request's text beside the checkout."""
    target = given.checkout.parent / f"pull_request_{given.name}.md"
    target.write_text(body, encoding="utf-8")
    print(f"{done}; the text of the pull request is {target}")
    if "N=..." in body:
        print("not measured yet: run the command in its line Validation, then give --results")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except PrepareError as error:
        sys.exit(f"error: {error}")
