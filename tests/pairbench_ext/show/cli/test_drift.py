"""What changed between two runs of one judge, on votes whose changes can be counted by hand."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from scipy.stats import binom

from pairbench_ext.statistics.seeds import generator
from tests.conftest import REPOSITORY, SHARED
from tests.files import json_of, pairbench, text_of, write_lines
from tests.pairbench_ext.runs.test_compare import recorded, vote, votes


def compared(folder, old=None, new=None):
    """The words of a command over two runs, which are written first if they are given."""
    for name, rows in (("old", old), ("new", new)):
        if rows is not None:
            write_lines(folder / name / "1_samples_vl_rewardbench.jsonl", list(rows))
    return "drift", folder / "old", folder / "new"


def test_changed_verdicts_are_named_and_tested_by_mcnemar(tmp_path):
    """Of 60 items 45 are right before; 3 of these turn wrong, 6 of the others right."""

    runs = votes(lambda n, _: n < 45), votes(lambda n, _: 2 < n < 51)
    [task] = json_of(*compared(tmp_path, *runs))["drift"]
    changed = {change["item"]: (change["said"], change["right"]) for change in task["changes"]}
    assert set(changed) == {f"i{n}" for n in (0, 1, 2, *range(45, 51))}
    order = ["first", "second"]
    assert (changed["i0"], changed["i45"]) == ((order, "first"), (order, "second"))
    assert (task["verdicts"], task["answers"], task["noise"]) == (60, pytest.approx(0.15), None)
    headline = task["headline"]
    assert (headline["number"], headline["difference"]) == ("vote_accuracy", pytest.approx(0.05))
    assert headline["p"] == pytest.approx(2 * binom.cdf(3, 9, 0.5) - binom.pmf(3, 9, 0.5))
    printed = text_of(*compared(tmp_path))
    assert printed.startswith("not shown to have changed: vl_rewardbench vote_accuracy +5.0 points")
    assert "p 0.344" in printed
    assert "9 of 60 verdicts changed, 6 to right, 3 to wrong" in printed
    assert "i0 first second first" in printed
    assert "no question was asked twice" in printed


def test_noise_is_what_the_judge_says_otherwise_when_it_is_asked_again(tmp_path):
    """In each run, 10 of 40 items get both answers; in the later one 16 others are wrong."""

    def asked(wrong):
        for item in range(40):
            for repeat in (0, 1):
                right = repeat == 0 if item < 10 else item not in wrong
                yield vote(f"i{item}", 1 if right else 2, repeat=repeat)

    runs = asked(()), asked(range(10, 26))
    [task] = json_of(*compared(tmp_path, *runs))["drift"]
    assert (task["answers"], task["noise"]) == (pytest.approx((10 / 2 + 16) / 40), 10 / 40)
    assert len(task["changes"]) == 16  # those with both answers have no verdict in either run


def test_runs_without_a_task_in_common_end_in_one_line(tmp_path):
    write_lines(tmp_path / "old" / "1_samples_t.jsonl", votes(lambda *_: True))
    write_lines(tmp_path / "new" / "1_samples_u.jsonl", votes(lambda *_: True))
    words = compared(tmp_path)
    assert "have no task in common" in text_of(*words, status=1)
    said = text_of(*words, "--judge", "nev", status=1)
    assert "no judge 'nev'; there are new, old; did you mean 'new'?" in said
    pairbench(*words, "--fail-if-changed", status=2)
    (tmp_path / "cut.csv").write_text("id,judge_verdict\nq1,A\nq1,B\n")
    pairbench("drift", tmp_path / "old", tmp_path / "cut.csv", "--fail-if-changed", status=2)


def rated(folder, shift):
    """Ratings of 60 items of two criteria; one of them was asked three times."""
    rows = [
        {"item": f"q{n}", "repeat": r, "aspect": aspect, "truth": n % 7, "recorded": n % 7 + moved}
        for n in range(60)
        for aspect, moved in (("clear", 0), ("true", shift))
        for r in range(3 if aspect == "clear" else 1)
    ]
    recorded(folder, "rating", rows)


@pytest.mark.parametrize(
    ("shift", "first_line", "status"), [(0, "not shown to have changed: ", 0), (1, "changed: ", 1)]
)
def test_a_change_of_the_mean_rating_is_found_over_all_tasks_together(
    tmp_path, shift, first_line, status
):
    rated(tmp_path / "old", 0)
    rated(tmp_path / "new", shift)
    done = pairbench(*compared(tmp_path), "--fail-if-changed", status=status)
    assert done.output.startswith(first_line)
    assert f"judgments (true) mean_rating +{shift}.000 (" in " ".join(done.output.split())
    assert "None" not in done.output
    assert ("p < 0.001" in done.output, "p 0.000" in done.output) == (bool(shift), False)


def test_equal_mean_ratings_are_equal_in_whatever_order_they_are_added_up(tmp_path):
    for name, values in (("old", (0.1, 0.2, 0.3)), ("new", (0.3, 0.2, 0.1))):
        rows = [
            {"item": f"q{n}", "repeat": r, "truth": n % 7, "recorded": value + n % 7}
            for n in range(20)
            for r, value in enumerate(values)
        ]
        recorded(tmp_path / name, "rating", rows)
    assert "0 of 20 verdicts changed" in text_of(*compared(tmp_path), status=0)


def test_a_split_verdict_is_neither_right_nor_wrong(tmp_path):
    for name, second in (("old", 0), ("new", 1)):
        rows = [
            {"item": f"q{n}", "repeat": r, "truth": 0, "recorded": second if r and n < 5 else 0}
            for n in range(20)
            for r in (0, 1)
        ]
        recorded(tmp_path / name, "pair", rows)
    assert "5 of 20 verdicts changed, 5 to undecided" in text_of(*compared(tmp_path), status=0)


def pair_row(item, said, prompt="Which?", order="fwd", repeat=0, response=None):
    """A logged vote on a pair whose first answer is the better one."""
    row = vote(item, 1 + (said ^ (order == "rev")), order=order, repeat=repeat)
    reply = response or row["filtered_resps"]
    return {**row, "filtered_resps": reply, "input": f"{prompt} {item}"}


def split_of(folder, old, new):
    [task] = json_of(*compared(folder, old, new))["drift"]
    [split] = task["splits"]
    parts = {part["name"]: (part["questions"], part["change"]) for part in split["parts"]}
    assert sum(change for _, change in parts.values()) == pytest.approx(
        split["new"] - split["old"], abs=1e-12
    )
    return split, parts


def test_a_change_is_split_by_what_else_changed(tmp_path):
    """Of 20 common questions 4 have another prompt, 2 are unreadable later, 4 are reversed."""
    old = [pair_row(f"i{n}", 0) for n in range(20)]
    new = [
        pair_row(f"i{n}", int(n < 2), prompt="Say which." if n < 4 else "Which?") for n in range(14)
    ]
    new += [pair_row(f"i{n}", 0, response="Hm.") for n in (14, 15)]
    new += [pair_row(f"i{n}", int(n == 16), order="rev") for n in range(16, 20)]
    new[10:12] = [pair_row(f"i{n}", 1) for n in (10, 11)]
    split, parts = split_of(tmp_path, old, new)
    assert (split["old"], split["new"], split["number"]) == (1, 13 / 20, "vote_accuracy")
    assert {name: questions for name, (questions, _) in parts.items()} == {
        "prompt": 4, "unreadable": 2, "order": 4, "judge": 10,
    }  # fmt: skip
    assert all(change <= 0 for _, change in parts.values())
    assert split["noise"] is None
    assert "the order or the judge may be the cause" in text_of(*compared(tmp_path))


def test_other_settings_are_a_class_of_their_own(tmp_path):
    """The harness's results say that the later run had another temperature, and no other length."""
    rows = [pair_row(f"i{n}", int(n < 3)) for n in range(20)]
    for name, temperature, right in (("old", 0, 17), ("new", 0.7, 12)):
        said = [*rows[:right], *(pair_row(f"i{n}", 1) for n in range(right, 20))]
        write_lines(tmp_path / name / "1_samples_judgments_pair.jsonl", said)
        settings = {"generation_kwargs": {"temperature": temperature, "max_new_tokens": 64}}
        content = {"configs": {"judgments_pair": settings}, "config": {"model": name}}
        (tmp_path / name / "1_results.json").write_text(json.dumps(content))
    [task] = json_of(*compared(tmp_path))["drift"]
    assert task["settings"] == {"temperature": ["0", "0.7"]}
    assert [part["name"] for part in task["splits"][0]["parts"]] == ["prompt"]
    printed = text_of(*compared(tmp_path))
    assert "settings differ: temperature 0 -> 0.7." in printed
    assert "another prompt, other images or other settings" in printed


def test_questions_of_one_run_alone_are_no_change_of_the_judge(tmp_path):
    """The same answers to 20 questions; the later run has ten more, which it gets wrong."""
    old = [pair_row(f"i{n}", n % 2) for n in range(20)]
    _, parts = split_of(tmp_path, old, [*old, *(pair_row(f"j{n}", 1) for n in range(10))])
    assert parts["judge"] == (20, 0)
    assert parts["one run only"] == (10, pytest.approx(10 / 30 - 1 / 2))


@pytest.mark.parametrize("repeats", [2, 4])
def test_noise_alone_makes_what_repeats_say(tmp_path, repeats):
    """80 questions are asked several times in each run, and answered by a coin."""
    rng = generator(0, "coins")
    runs = [
        [
            pair_row(f"i{n}", int(rng.integers(2)), repeat=r)
            for n in range(80)
            for r in range(repeats)
        ]
        for _ in range(2)
    ]
    split, _ = split_of(tmp_path, *runs)
    low, high = split["noise"]
    assert low < 0 < high
    expected = 2 * 1.96 * (2 * 0.25 / (80 * repeats)) ** 0.5  # the same range for all repeats
    assert 0.8 * expected < high - low < 1.25 * expected
    assert low <= split["new"] - split["old"] <= high


def test_the_noise_is_the_same_in_every_process(tmp_path, monkeypatch):
    """Texts have another hash in each process, and sets another order."""
    rng = generator(0, "coins")
    for name in ("old", "new"):
        rows = [
            pair_row(f"i{n}", int(rng.integers(2)), repeat=r) for n in range(30) for r in (0, 1)
        ]
        write_lines(tmp_path / name / "1_samples_vl_rewardbench.jsonl", rows)
    command = [str(Path(sys.executable).parent / "pairbench"), "drift", "old", "new", "--json"]
    seeded = {**os.environ, "PYTHONHASHSEED": "4"}
    done = subprocess.run(command, cwd=tmp_path, env=seeded, capture_output=True, check=True)
    monkeypatch.chdir(tmp_path)
    assert json.loads(done.stdout) == json.loads(pairbench(*command[1:]).stdout)


@pytest.mark.parametrize(("items", "first", "status"), [(4, "cannot tell", 3), (12, "changed", 1)])
def test_too_few_questions_for_any_test_are_said(items, first, status, tmp_path):
    old, new = ([pair_row(f"i{n}", said) for n in range(items)] for said in (0, 1))
    words = compared(tmp_path, old, new)
    done = pairbench(*words, "--fail-if-changed", "--markdown", status=status)
    assert done.output.startswith(f"**{first}: vl\\_rewardbench")
    assert "| the same in both runs (the judge is the cause) |" in done.output


def test_a_series_spends_its_error_once(tmp_path):
    """The third of three later runs is worse; the level of the t-th is 5% x 6 / (pi t)^2."""
    runs = []
    for n, wrong in enumerate((0, 1, 0, 12)):
        runs.append(tmp_path / f"day{n}")
        rows = [pair_row(f"i{k}", int(k < wrong)) for k in range(60)]
        write_lines(runs[-1] / "1_samples_vl_rewardbench.jsonl", rows)
    figure = tmp_path / "days.png"
    made = json_of("drift", *runs, "--plot", figure)
    verdicts = [run["verdict"] for run in made["series"]]
    assert verdicts == [*["not shown to have changed"] * 2, "changed"]
    levels = [run["alpha"] for run in made["series"]]
    assert levels == pytest.approx([0.05 * 6 / (math.pi * t) ** 2 for t in (1, 2, 3)])
    assert (made["verdict"], figure.is_file()) == ("changed", True)
    assert made["says"][0] == "changed in day3: 3 later runs compared with day0."


def test_ratings_that_moved_are_shown_by_part_and_value():
    folder = SHARED / "data" / "turn5" / "records"
    if not folder.exists():
        pytest.skip("the records are not beside the repository")
    [task] = json_of("drift", folder / "22_old.csv", folder / "22_new.csv")["drift"]
    assert task["rating"]["difference"] == pytest.approx(1.23, abs=0.005)
    moved = {part["part"]: round(part["new"] - part["old"], 1) for part in task["parts"]}
    assert sorted(moved.values()) == [-0.1, 0.1, 2.2, 2.7]
    assert task["ratings"]["values"]["0.0"] == [35, 0]


def test_the_order_of_systems_is_kept_or_named(tmp_path):
    """Three systems; the later run likes the second one more, which the first leaves open."""
    base = {"a": 8, "b": 5.1, "c": 5}
    for name, more in (("old", 0), ("new", 2)):
        rows = [
            {
                "item": f"{system}{n}", "systems": [system], "truth": None,
                "recorded": mean + n % 3 + more * (system == "c"),
            }
            for system, mean in base.items()
            for n in range(12)
        ]  # fmt: skip
        recorded(tmp_path / name, "rating", rows)
    systems = json_of(*compared(tmp_path))["drift"][0]["systems"]
    assert (systems["old"], systems["new"]) == ([*"abc"], [*"acb"])
    assert (systems["turned"], systems["open"], systems["pairs"]) == ([["b", "c"]], 1, 3)
    assert "the ranking of systems changed (c now ahead of b)" in text_of(*compared(tmp_path))


@pytest.mark.parametrize(
    ("check", "wrong", "first", "status"),
    [("drift", 12, "**changed: ", 1), ("gate", 0, "**passed: ", 0)],
)
def test_the_action_runs_as_it_stands(check, wrong, first, status, tmp_path):
    """The step that checks, in a shell; what GitHub gives it are files."""
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
    [step] = [step for step in action["runs"]["steps"] if step.get("id") == "check"]
    assert set(step["env"]) == {"CHECK", "NEW", "BASE", "OPTIONS"}
    for name, n in (("old", 0), ("new", wrong)):
        rows = [pair_row(f"i{k}", int(k < n)) for k in range(30)]
        write_lines(tmp_path / name / "1_samples_vl_rewardbench.jsonl", rows)
    given = {"CHECK": check, "NEW": "new", "BASE": "old", "OPTIONS": ""}
    given |= {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=tmp_path, env={**os.environ, **given, "PATH": path}
    )
    assert done.returncode == 0
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"status={status}\n"
    written = (tmp_path / "pairbench.md").read_text()
    assert written.startswith(first)
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text() == written
