"""`pairbench compare` and `pairbench panel` on judges with known errors."""

import json
import math
import re
from itertools import combinations

import pytest

from benchmarks import simulated_judges
from pairbench_ext.runs.card.lines import CardLine
from pairbench_ext.runs.comparisons import Comparison, Comparisons, Ranking
from pairbench_ext.runs.ranking_table import ranked_table
from pairbench_ext.runs.task_outcomes import Value
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.difference import Difference
from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import ratings, votes, write

SIMULATED = ("wordy", "habits", "first", "sharp")


@pytest.fixture
def judges(tmp_path):
    for name, wrong in (("good", 7), ("fair", 3), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        write(tmp_path / name / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    return [tmp_path / name for name in ("good", "fair", "bad")]


def test_tables_rank_judges_and_say_what_was_found(judges, tmp_path):
    done = pairbench("compare", *judges, "--all", "--plot", tmp_path / "d.png", status=0)
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
        done = pairbench(*command, *runs, status=0)
        assert "good" in done.stdout
        assert "VLM-7B" not in done.stdout, command
    # A folder with the runs of both is one argument: each is called by its own folder.
    assert "good__VLM-7B/" in pairbench("score", "vl_rewardbench", tmp_path).stdout


@pytest.mark.parametrize(
    "command", ["score vl_rewardbench", "compare", "compare --all", "card", "panel", "table"]
)
def test_every_command_has_the_best_judge_first(judges, command):
    done = pairbench(*command.split(), *reversed(judges), status=0)
    rows = re.findall(r"^ *(good|fair|bad)(?:/\S+)?  ", done.stdout, re.M)
    assert rows[:3] == ["good", "fair", "bad"]


def test_missing_items_and_untested_numbers_are_said(tmp_path):
    write(tmp_path / "a" / "samples_pairbench_coco_rotate.jsonl", ratings(1, 0, rows=12))
    write(tmp_path / "b" / "samples_pairbench_coco_rotate.jsonl", ratings(1, 1, rows=10))
    done = pairbench(
        "compare", tmp_path / "a", tmp_path / "b", "--number", "smoothness", "--number", "mmscore"
    )
    assert "6 items of a are left out, which not all judges were asked: 10, " in done.output
    assert " and 3 more" in done.output
    assert "without interval and p-value: smoothness" in done.output


@pytest.mark.parametrize(
    ("new", "base", "options", "status", "message"),
    [
        ("bad", "good", [], 1, "failed: bad is significantly worse than good: vl_rewardbench_k5 "),
        ("good", "bad", [], 0, "passed: good is not significantly worse than bad: vl_reward"),
        ("fair", "good", ["--margin", "0.5"], 0, "passed: fair is less than 0.5 worse than good:"),
        ("bad", "good", ["--margin", "0.1"], 1, "failed: bad is significantly worse than good:"),
        ("good", "fair", ["--margin", "0.01"], 0, "passed: good is less than 0.01 worse than"),
        (
            "good",
            "also good",
            ["--margin", "0.01"],
            3,
            "cannot tell: good is not shown to be less ",
        ),
        ("good", "also good", [], 0, "vote_accuracy +0.000 (-0.017 to +0.017), on 60 items"),
        ("good", "nobody", [], 2, "nobody"),
        ("good", "fair", ["--rule", "nothing"], 2, "nothing"),
        (
            "good",
            "fair",
            ["--number", "first_position_rate"],
            2,
            "first_position_rate has no better direction",
        ),
    ],
)
def test_a_gate_fails_where_a_judge_is_worse(judges, new, base, options, status, message):
    """0 is passed, 1 failed, 3 cannot tell, 2 an error; the first line says which, and why."""
    write(
        judges[0].with_name("also good") / "1_samples_vl_rewardbench_k5.jsonl",
        votes(lambda item, repeat: (item + repeat) % 7 > 0, repeats=3),
    )
    folders = [judges[0].with_name(name) for name in (new, base)]
    done = pairbench("compare", *folders, "--fail-if-worse", *options)
    assert done.exit_code == status, done.output
    first_line, *_ = (done.stderr if status == 2 else done.stdout).splitlines()
    assert message in first_line


@pytest.mark.parametrize(
    ("task", "answered", "lacking", "allowed"),
    [
        ("1_samples_vl_rewardbench_k5", {"items": range(20)}, "40 of 60 items of base are not "
         "answered by new: vl_rewardbench_k5 i20, ", "on 20 of 60 items"),
        ("1_samples_vl_rewardbench_k5", {"repeats": 2}, "60 of 60 items of base are answered less "
         "often by new: ", "on 60 items (60 with fewer answers of new)"),
        ("1_samples_vl_rewardbench_k5", {"items": range(75)}, "", "on 60 items (new has 15 more)"),
        ("1_samples_vl_rewardbench", {}, "new has no samples of vl_rewardbench_k5, which base "
         "has; 60 of 90 items", "on 30 of 90 items (no samples of vl_rewardbench_k5; "),
    ],
)  # fmt: skip
def test_a_gate_does_not_open_for_a_part_of_a_run(tmp_path, task, answered, lacking, allowed):
    """Whatever is missing of BASE: items, tasks, or some of an item's answers."""
    sharp = lambda *_: True  # noqa: E731
    write(tmp_path / "base" / "1_samples_vl_rewardbench_k5.jsonl", votes(sharp, repeats=3))
    write(tmp_path / "new" / f"{task}.jsonl", votes(sharp, **{"repeats": 3, **answered}))
    if task == "1_samples_vl_rewardbench":
        write(tmp_path / "base" / f"{task}.jsonl", votes(sharp, items=range(30)))
    given = "compare", tmp_path / "new", tmp_path / "base", "--fail-if-worse"
    done = pairbench(*given)
    assert (done.exit_code, lacking in done.stderr) == (2 if lacking else 0, True), done.output
    done = pairbench(*given, "--allow-missing", status=0)
    assert allowed in done.stdout.splitlines()[0]


def test_a_gate_does_not_open_for_a_judge_whose_headline_is_undefined(tmp_path):
    """Ratings that are all alike are symmetric, and have no correlation with the truth."""
    rows = list(ratings(2, 0))
    write(tmp_path / "base" / "1_samples_pairbench_coco_rotate.jsonl", rows)
    constant = [{**row, "filtered_resps": "Score: 5"} for row in rows]
    write(tmp_path / "new" / "1_samples_pairbench_coco_rotate.jsonl", constant)
    done = pairbench("compare", tmp_path / "new", tmp_path / "base", "--fail-if-worse", status=3)
    assert done.stdout.startswith("cannot tell: new and base cannot be compared: pairbench_coco")
    made = pairbench("compare", tmp_path / "new", tmp_path / "base", "--fail-if-worse", "--json")
    assert json.loads(made.stdout)["gate"]["says"][0] == done.stdout.splitlines()[0]
    pairbench("compare", *[tmp_path / "new"] * 2, tmp_path / "base", "--fail-if-worse", status=2)


def test_simulated_judges_are_told_apart_on_the_first_screen(tmp_path):
    simulated_judges.write(tmp_path)
    judges = [tmp_path / name for name in SIMULATED]
    lines = pairbench("compare", *judges).output.splitlines()
    assert len(lines) <= 18
    assert max(map(len, lines)) <= 80
    text = " ".join(line.strip() for line in lines)
    assert text.startswith("sharp is the best judge here: ahead of first on 1 of 2 headlines (")
    rows = [line.split() for line in lines if line.split()[0] in SIMULATED]
    assert [row[0] for row in rows[1:5]] == ["sharp", "first", "wordy", "habits"]  # one block
    fair = next(line for line in lines if line.startswith("(fair)"))
    assert fair.split() == ["(fair)", ".50", ".50"]  # of order and length
    told = {
        words.split(":")[0]: re.findall(r"(\w[\w ]+) \(\w+ [.\d]+, [.\d]+ to ", words)
        for words in re.split(r" ! | \* best", text)[1:-1]
    }
    assert told == {
        "first": ["first position"],
        "wordy": ["longer", "unreadable"],
        "habits": ["first position", "longer", "unreadable"],
    }
    assert "pairbench_coco " in text  # the mean over its five tasks
    assert "no defect in: sees, order of ratings, scale, condition; " in text
    every = pairbench("card", *judges, "-v").output  # the same table, then each judge's tests
    assert every.startswith("\n".join(lines))
    assert re.findall(r"^(\w+): flags: ", every, re.M) == ["sharp", "first", "wordy", "habits"]


def test_of_judges_that_do_not_differ_the_one_with_fewer_defects_comes_first(tmp_path):
    by_chance, by_position = (
        simulated_judges.Simulated(wrong=0.4),
        simulated_judges.Simulated(wrong=0, first=0.38),
    )
    for name, judge in {"position": by_position, "chance": by_chance}.items():
        samples = list(simulated_judges.votes(judge, name))
        write(tmp_path / name / "1_samples_vl_rewardbench_both.jsonl", samples)
    text = pairbench("compare", tmp_path / "position", tmp_path / "chance").output
    assert text.startswith("No significant difference between chance, position."), text
    chance, position = (line.split()[1] for line in text.splitlines()[2:4])
    assert float(position) > float(chance)  # by the headline alone it would be the other way round


def test_a_task_that_rests_on_one_cluster_is_said_to(tmp_path):
    """MM-RLHF-RewardBench resamples questions: one of them has half of the pairs."""
    for judge, wrong in (("a", 5), ("b", 3)):
        rows = [
            {"item": n, "question": "one" if n < 20 else f"q{n}", "source": "long", "truth": 0,
             "order": "fwd", "response": f"[[{1 + (n % wrong == 0)}]]"}
            for n in range(40)
        ]  # fmt: skip
        write(tmp_path / judge / "1_samples_mm_rlhf_rewardbench.jsonl", rows)
    text = pairbench("compare", tmp_path / "a", tmp_path / "b").output
    assert "50% of the answers are of one cluster of 21: " in text, text


def test_no_number_of_one_item_is_unmarked(tmp_path):
    """Not even that all of it is right, read and fair."""
    write(tmp_path / "a" / "1_samples_vl_rewardbench_both.jsonl", votes(lambda *_: True, items=[0]))
    write(tmp_path / "b" / "1_samples_vl_rewardbench_both.jsonl", votes(lambda *_: True, items=[0]))
    lines = pairbench("compare", tmp_path / "a", tmp_path / "b").output.splitlines()
    names = lines[1].split()  # of both judges, and so above them
    assert names[0] == "vl_rewardbench_both?"
    assert len(names) > 2
    assert all(name.endswith("?") for name in names)


def test_judges_of_other_tasks_have_numbers_of_their_own(tmp_path):
    judge = simulated_judges.Simulated(first=0.4)
    for name, task in (("one", "vl_rewardbench_both"), ("other", "vl_rewardbench_k5")):
        write(tmp_path / name / f"1_samples_{task}.jsonl", simulated_judges.votes(judge, name))
    lines = pairbench("card", tmp_path / "one", tmp_path / "other").output.splitlines()
    assert "all judges: first position" in lines  # and so no row is marked
    order = next(line for line in lines if " order " in line)
    rows = [line for line in lines[lines.index(order) + 1 :] if line.startswith(("one", "other"))]
    assert not any("!" in row for row in rows[:2])
    assert not any(row[order.index("order") :].startswith("-") for row in rows[:2])


def test_judges_without_a_task_in_common_are_not_ranked(tmp_path):
    tasks = {"a": "both", "b": "both", "c": "k5", "d": "k5", "e": "k9"}
    for n, (name, task) in enumerate(tasks.items()):
        judge = simulated_judges.Simulated(wrong=0.1 + 0.1 * n)
        samples = simulated_judges.votes(judge, name)
        write(tmp_path / name / f"1_samples_vl_rewardbench_{task}.jsonl", samples)
    text = pairbench("compare", *(tmp_path / name for name in "daceb")).output
    told = " ".join(text.split())
    assert "Groups that share no headline cannot be compared: c, d; a, b; e." in told
    assert " on 1 of 1 headline (" in told  # of its own group alone
    rows = [line.split()[0] for line in text.splitlines() if re.match("[a-e]  ", line)]
    assert rows == ["c", "d", "a", "b", "e"]
    table = pairbench("table", tmp_path / "a", tmp_path / "c", "--benchmark", "vl_rewardbench")
    assert "c was not asked vl_rewardbench_both" in table.stderr


def test_a_cell_shows_the_worst_of_what_it_stands_for():
    """An order that is not known of choices is not covered by one of ratings that is fair."""

    rest = {"flag": "", "null": "none", "p": 1.0, "low": 0, "high": 1}
    told = [
        CardLine(
            "order", "t", *line[:2], kind=line[2], verdict=line[3], fair=fair, span=span, **rest
        )
        for *line, fair, span in (
            ("first", 0.5, "share", "not shown", 0.5, 0.5),
            ("first", 0.394, "share", "too few to tell: 4 items", 0.25, 0.75),
            ("higher", 0.11, "mean", "", 0.0, 9.0),
        )
    ]
    choices, rated = ranked_table({"judge": told}).aspects
    assert (choices.name, rated.name) == ("order", "order of ratings")
    assert rated.cells["judge"].mark == ""
    one = ranked_table({"a": told[:1], "b": told[1:2]}).aspects[0]  # two options, and four
    assert (one.fair, one.cells["a"].value) == (0, 0)
    assert one.cells["b"].value == pytest.approx(0.144 / 0.75)
    assert one.cells["b"].mark == "not enough data"


def test_tables_say_what_the_judges_are_worth_together(judges):
    done = pairbench("panel", *judges, status=0)
    assert "vl_rewardbench_k5: 3 judges, 180 questions that all were asked" in done.output
    assert "effective number of independent votes:" in done.output
    assert "majority vote is significantly better than fair, bad" in done.output
    rows = [
        line.split("  ")[1]
        for line in done.output.splitlines()
        if line.startswith("  ") and " .. " in line
    ]
    assert rows[:5] == ["good", "fair", "bad", "majority vote", "weighted vote"]


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ((), "No significant difference between a, b, c, d."),
        (("ad", "bd", "cd"), "No significant difference between a, b, c; they are ahead of d."),
        (("ad", "ac", "bd"), "No significant difference between a, b; they are ahead of d."),
        (("bc",), "No significant difference between b, a, d."),  # b has won one, c has lost one
        (
            ("ac", "bc", "cd"),
            "No significant difference between a, b; they are ahead of c; not enough data to place "
            "d.",
        ),
        (("ab", "bd"), "a is ahead of b on 1 of 1 headline ("),
        (("ab", "ac", "ad"), "a is the best judge here: ahead of b on 1 of 1 headline ("),
        (("ac", "ad", "a?b"), "a and b have no headline in common, so they are not compared."),
    ],
)
def test_the_sentence_names_all_that_do_not_differ_from_the_first(apart, expected):
    nothing = Interval(math.nan, math.nan)
    made = [
        Comparison(
            "t", "n", "higher", a, b, Difference(0.1, 0.5), 9,
            p_holm=0.01 if a + b in apart else 1,
        )
        for a, b in combinations("abcd", 2)
        if f"{a}?{b}" not in apart
    ]  # fmt: skip
    values = {judge: Value(0.5, nothing) for judge in "abcd"}
    ranking = Ranking("t", "n", "N", "higher", values, {}, 9, {})
    compared = Comparisons((), tuple(made), (ranking,), {})
    assert ranked_table({judge: [] for judge in "abcd"}, compared).sentence.startswith(expected)
