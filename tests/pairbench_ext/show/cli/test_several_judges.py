"""`pairbench compare` and `pairbench panel` on judges with known errors."""

import pytest

from benchmarks import simulated_judges
from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import ratings, votes, write

SIMULATED = ("wordy", "first", "sharp")


@pytest.fixture
def judges(tmp_path):
    for name, wrong in (("good", 7), ("fair", 3), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        write(tmp_path / name / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    return [tmp_path / name for name in ("good", "fair", "bad")]


def test_tables_rank_judges_and_say_what_was_found(judges, tmp_path):
    done = pairbench("compare", *judges, "--all", "--plot", tmp_path / "d.png")
    assert done.exit_code == 0, done.output
    assert "good: vl_rewardbench_k5" in done.output
    ranked = [
        line.split()[0]
        for line in done.output.splitlines()
        if line.startswith("  ") and ".." in line
    ]
    assert ranked[:3] == ["good", "fair", "bad"]
    assert (
        "over 3 comparisons; others (grey) are tested where their headline differs;" in done.output
    )
    assert "noise of vote_accuracy" in done.output
    assert "twice the items" in done.output
    assert (tmp_path / "d.png").stat().st_size > 1000


def test_a_judge_has_the_same_name_in_every_command(tmp_path):
    """That of the folder that is given, not of the model's folder that lmms-eval makes in it."""
    for name, wrong in (("good", 7), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        folder = tmp_path / name / f"{name}__VLM-7B"
        write(folder / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    given = [tmp_path / "good", tmp_path / "bad"]
    for command in (["score", "vl_rewardbench"], ["compare"], ["card"]):
        runs = given[:1] if command == ["card"] else given
        done = pairbench(*command, *runs)
        assert done.exit_code == 0, done.output
        assert "good" in done.stdout
        assert "VLM-7B" not in done.stdout, command
    # A folder with the runs of both is one argument: each is called by its own folder.
    assert "good__VLM-7B/" in pairbench("score", "vl_rewardbench", tmp_path).stdout


def test_missing_items_and_untested_numbers_are_said(tmp_path):
    write(tmp_path / "a" / "samples_pairbench_coco_rotate.jsonl", ratings(1, 0, rows=12))
    write(tmp_path / "b" / "samples_pairbench_coco_rotate.jsonl", ratings(1, 1, rows=10))
    done = pairbench(
        "compare", tmp_path / "a", tmp_path / "b", "--number", "smoothness", "--number", "mmscore"
    )
    assert "6 items of a are left out, missing in b: 10, " in done.output
    assert " and 3 more" in done.output
    assert "without interval and p-value: smoothness" in done.output


@pytest.mark.parametrize(
    ("new", "base", "options", "status", "message"),
    [
        ("bad", "good", [], 1, "vl_rewardbench_k5: by vote_accuracy bad is significantly worse"),
        ("good", "bad", [], 0, ""),
        ("fair", "good", ["--margin", "0.5"], 0, ""),
        ("fair", "good", ["--margin", "0.1"], 1, "fair may be worse than good by more than 0.1"),
        ("good", "fair", ["--margin", "0.01"], 0, ""),
        ("good", "nobody", [], 2, "nobody"),
        ("good", "fair", ["--rule", "nothing"], 2, "nothing"),
    ],
)
def test_a_gate_fails_where_a_judge_is_worse(judges, new, base, options, status, message):
    """0 is not worse, 1 is worse or not shown to be within the margin, 2 is an error."""
    folders = [judges[0].with_name(name) for name in (new, base)]
    done = pairbench("compare", *folders, "--fail-if-worse", *options)
    assert done.exit_code == status, done.output
    assert message in done.stderr.replace("\n", " ")


def test_a_gate_does_not_open_for_a_run_without_a_task(judges):
    write(judges[1] / "1_samples_vl_rewardbench.jsonl", votes(lambda *_: True))
    done = pairbench("compare", judges[0], judges[1], "--fail-if-worse")
    assert done.exit_code == 2
    assert "good has no samples of vl_rewardbench, which fair has" in done.stderr
    three = pairbench("compare", *judges, "--fail-if-worse")
    assert three.exit_code == 2
    assert "two judges are needed, 3 given" in three.stderr


def test_simulated_judges_are_told_apart_on_the_first_screen(tmp_path):
    simulated_judges.write(tmp_path)
    lines = pairbench("compare", *(tmp_path / name for name in SIMULATED)).output.splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 80
    text = " ".join(line.strip() for line in lines)
    assert text.startswith("sharp is the best judge here: ahead of first on 2 of 2 headlines (")
    rows = [line.split()[0] for line in lines if line.split()[0] in SIMULATED]
    assert rows[1:4] == ["sharp", "first", "wordy"]  # after the sentence
    assert "order (.50)" in text  # what a fair judge has
    assert (
        "! defect (first: first position; wordy: longer, unreadable mostly in vl_rewardbench_both)"
        in text
    )
    assert "pairbench_coco " in text  # the mean over its five tasks
    assert text.count("*") == 3  # one in each headline, and the legend


def test_of_judges_that_do_not_differ_the_one_with_fewer_defects_comes_first(tmp_path):
    by_chance, by_position = (
        simulated_judges.Simulated(wrong=0.4),
        simulated_judges.Simulated(wrong=0, first=0.38),
    )
    for name, judge in {"position": by_position, "chance": by_chance}.items():
        samples = list(simulated_judges.votes(judge, name))
        write(tmp_path / name / "1_samples_vl_rewardbench_both.jsonl", samples)
    text = pairbench("compare", tmp_path / "position", tmp_path / "chance").output
    assert text.startswith("No judge is shown to be the best: chance comes first"), text
    chance, position = (line.split()[1] for line in text.splitlines()[2:4])
    assert float(position) > float(chance)  # by the headline alone it would be the other way round


def test_judges_of_other_tasks_have_numbers_of_their_own(tmp_path):
    judge = simulated_judges.Simulated(first=0.4)
    for name, task in (("one", "vl_rewardbench_both"), ("other", "vl_rewardbench_k5")):
        write(tmp_path / name / f"1_samples_{task}.jsonl", simulated_judges.votes(judge, name))
    lines = pairbench("card", tmp_path / "one", tmp_path / "other").output.splitlines()
    order = next(line for line in lines if "order (.50)" in line)
    rows = [line for line in lines[lines.index(order) + 1 :] if line.startswith(("one", "other"))]
    assert all("!" in row[order.index("order") :] for row in rows[:2])
    assert not any(row[order.index("order") :].startswith("-") for row in rows[:2])


def test_tables_say_what_the_judges_are_worth_together(judges):
    done = pairbench("panel", *judges)
    assert done.exit_code == 0, done.output
    assert "vl_rewardbench_k5: 3 judges, 180 questions asked of all" in done.output
    assert "effective number of independent votes:" in done.output
    assert "majority vote is significantly better than fair, bad" in done.output
    rows = [
        line.split("  ")[1]
        for line in done.output.splitlines()
        if line.startswith("  ") and " .. " in line
    ]
    assert rows[:5] == ["good", "fair", "bad", "majority vote", "weighted vote"]
