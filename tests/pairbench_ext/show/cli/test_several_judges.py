"""`pairbench compare` and `pairbench panel` on judges with known errors."""

import json
import re
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import pairbench_ext as pb
from benchmarks import simulated_judges
from pairbench_ext.core.benchmark import Number
from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.runs.card.lines import CardLine
from pairbench_ext.runs.compare import compare_shared
from pairbench_ext.runs.comparisons import Comparison
from pairbench_ext.runs.group_cards import columns_of
from pairbench_ext.runs.ranking_finding import RankedGroup, ranked_groups, sentences
from pairbench_ext.runs.task_outcomes import Value
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.difference import Difference
from tests.files import json_of, pairbench, text_of, write_csv, write_lines
from tests.pairbench_ext.runs.test_compare import ratings, votes

SIMULATED = ("wordy", "habits", "first", "sharp")


@pytest.fixture
def judges(tmp_path):
    for name, wrong in (("good", 7), ("fair", 3), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        write_lines(tmp_path / name / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    return [tmp_path / name for name in ("good", "fair", "bad")]


def test_tables_rank_judges_and_say_what_was_found(judges, tmp_path):
    done = pairbench("compare", *judges, "--all", "--plot", tmp_path / "d.png", status=0)
    assert re.findall(r"^(\d\*?) +(\w+) ", done.output, re.M)[:3] == [
        ("1*", "good"), ("2", "fair"), ("3", "bad"),
    ]  # fmt: skip
    told = " ".join(done.output.split())
    assert (
        "over 3 comparisons; further numbers of a task are tested only if its main number differs"
        in told
    )
    assert "noise of vote_accuracy" in told
    assert "twice the items" in told
    assert (tmp_path / "d.png").stat().st_size > 1000


def test_a_judge_has_the_same_name_in_every_command(tmp_path):
    """That of the folder that is given, not of the model's folder that lmms-eval makes in it."""
    for name, wrong in (("good", 7), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        folder = tmp_path / name / f"{name}__VLM-7B"
        write_lines(folder / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
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
    rows = re.findall(r"^(?:\d\*? +)? *(good|fair|bad)(?:/\S+)?  ", done.stdout, re.M)
    assert rows[:3] == ["good", "fair", "bad"]


def test_missing_items_and_untested_numbers_are_said(tmp_path):
    write_lines(tmp_path / "a" / "samples_pairbench_coco_rotate.jsonl", ratings(1, 0, rows=12))
    write_lines(tmp_path / "b" / "samples_pairbench_coco_rotate.jsonl", ratings(1, 1, rows=10))
    told = text_of(
        "compare", tmp_path / "a", tmp_path / "b", "--number", "smoothness", "--number", "mmscore"
    )
    assert "6 items of a, because not all judges were asked: 10, " in told
    assert " and 3 more" in told
    assert "Without interval and p-value: smoothness" in told


@pytest.mark.parametrize(
    ("new", "base", "options", "status", "message"),
    [
        ("bad", "good", [], 1, "failed: bad is significantly worse than good: vl_rewardbench_k5 "),
        ("good", "bad", [], 0, "passed: good is not significantly worse than bad: vl_reward"),
        ("fair", "good", ["--margin", "0.5"], 0, "passed: fair is not worse than good by 0.5 or"),
        ("bad", "good", ["--margin", "0.1"], 1, "failed: bad is significantly worse than good:"),
        ("good", "fair", ["--margin", "0.01"], 0, "passed: good is not worse than fair by 0.01"),
        (
            "good",
            "also good",
            ["--margin", "0.01"],
            3,
            "cannot tell: good may be worse than also good by 0.01",
        ),
        ("good", "also good", [], 0, "accuracy +0.0 points (-1.7 to +1.7 points), on 60 items"),
        ("good", "nobody", [], 2, "nobody"),
        ("good", "fair", ["--rule", "nothing"], 2, "nothing"),
        (
            "good",
            "fair",
            ["--number", "first_position_rate"],
            2,
            "first_position_rate cannot show which judge is worse",
        ),
    ],
)
def test_a_gate_fails_where_a_judge_is_worse(judges, new, base, options, status, message):
    """0 is passed, 1 failed, 3 cannot tell, 2 an error; the first line says which, and why."""
    write_lines(
        judges[0].with_name("also good") / "1_samples_vl_rewardbench_k5.jsonl",
        votes(lambda item, repeat: (item + repeat) % 7 > 0, repeats=3),
    )
    folders = [judges[0].with_name(name) for name in (new, base)]
    done = pairbench("compare", *folders, "--fail-if-worse", *options)
    assert done.exit_code == status, done.output
    text = done.stderr if status == 2 else done.stdout
    assert message in " ".join(text.split())
    if status != 2:  # the verdict comes first, for whoever reads no further
        assert text.startswith({1: "failed: ", 3: "cannot tell: ", 0: "passed: "}[status])


@pytest.mark.parametrize(
    ("task", "answered", "lacking", "allowed"),
    [
        ("1_samples_vl_rewardbench_k5", {"items": range(20)}, "40 of 60 items of base are not "
         "answered by new: vl_rewardbench_k5 i20, ", "on 20 of 60 items"),
        ("1_samples_vl_rewardbench_k5", {"repeats": 2}, "60 of 60 items of base are answered less "
         "often by new: ", "on 60 items (60 with fewer answers from new)"),
        ("1_samples_vl_rewardbench_k5", {"items": range(75)}, "", "on 60 items (new has 15 other"),
        ("1_samples_vl_rewardbench", {}, "new has no samples of vl_rewardbench_k5, but base "
         "has; 60 of 90 items", "on 30 of 90 items (no samples of vl_rewardbench_k5; "),
    ],
)  # fmt: skip
def test_a_gate_does_not_open_for_a_part_of_a_run(tmp_path, task, answered, lacking, allowed):
    """Whatever is missing of BASE: items, tasks, or some of an item's answers."""
    sharp = lambda *_: True  # noqa: E731
    write_lines(tmp_path / "base" / "1_samples_vl_rewardbench_k5.jsonl", votes(sharp, repeats=3))
    write_lines(tmp_path / "new" / f"{task}.jsonl", votes(sharp, **{"repeats": 3, **answered}))
    if task == "1_samples_vl_rewardbench":
        write_lines(tmp_path / "base" / f"{task}.jsonl", votes(sharp, items=range(30)))
    given = "compare", tmp_path / "new", tmp_path / "base", "--fail-if-worse"
    done = pairbench(*given)
    assert (done.exit_code, lacking in done.stderr) == (2 if lacking else 0, True), done.output
    assert allowed in text_of(*given, "--allow-missing")


def test_a_gate_does_not_open_for_a_judge_whose_headline_is_undefined(tmp_path):
    """Ratings that are all alike are symmetric, and have no correlation with the truth."""
    rows = list(ratings(2, 0))
    write_lines(tmp_path / "base" / "1_samples_pairbench_coco_rotate.jsonl", rows)
    constant = [{**row, "filtered_resps": "Score: 5"} for row in rows]
    write_lines(tmp_path / "new" / "1_samples_pairbench_coco_rotate.jsonl", constant)
    words = "compare", tmp_path / "new", tmp_path / "base", "--fail-if-worse"
    said = text_of(*words, status=3)
    assert said.startswith("cannot tell: new and base cannot be compared: pairbench_coco")
    assert said.startswith(json_of(*words, status=3)["gate"]["says"][0])
    pairbench("compare", *[tmp_path / "new"] * 2, tmp_path / "base", "--fail-if-worse", status=2)


def test_a_gate_does_not_open_where_no_difference_could_be_significant(tmp_path):
    for name, right in (("base", True), ("new", False)):
        rows = votes(lambda *_, right=right: right, items=range(4))
        write_lines(tmp_path / name / "1_samples_vl_rewardbench_k5.jsonl", rows)
    done = pairbench("compare", tmp_path / "new", tmp_path / "base", "--fail-if-worse", status=3)
    assert done.stdout.startswith("cannot tell: there are too few items to show whether new")


def test_simulated_judges_are_told_apart_on_the_first_screen(tmp_path):
    simulated_judges.write(tmp_path)
    for task in ("colorjitter", "elastic", "perspective"):  # two tasks of ratings are enough
        for file in tmp_path.glob(f"*/*{task}.jsonl"):
            file.unlink()
    judges = [tmp_path / name for name in SIMULATED]
    lines = pb.compare(pb.read(*judges)).to_text(80, lines=50).splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    output = pairbench("compare", *judges).stdout  # piped, it tells every problem
    told = " ".join(output.split())
    # Two kinds of questions: which of two, and ratings.
    assert "The tasks are of several kinds: judges are ranked in 2 groups." in told
    assert told.index("can be read") < told.index("The tasks are of several kinds")
    assert re.findall(r"^(\d)(?:-\d)?\*? +(\w+) +\d+%", output, re.M)[0] == ("1", "sharp")
    problems = re.findall(r"^! (\w+): ([A-Z][\w ,]+)(?:\.| \(--all\))", output, re.M)
    problems = {(judge, title) for judge, titles in problems for title in titles.split(", ")}
    assert problems >= {
        ("first", "Position bias"),
        ("wordy", "Length bias"),
        ("habits", "Position bias"),
        ("habits", "Length bias"),
    }
    assert not any(judge == "sharp" for judge, _ in problems)
    assert "no bias: 50%" in told
    every = pairbench("card", *judges[:2], "-v").stdout  # and then each judge's tests
    assert {*re.findall(r"^(\w+): every test", every, re.M)} == {*list(SIMULATED)[:2]}


def test_judges_stand_by_their_number_whatever_their_problems(tmp_path):
    """In 0.3, a judge with fewer defects stood above one whose number was higher."""
    judges = {
        "position": simulated_judges.Simulated(wrong=0, first=0.38),
        "chance": simulated_judges.Simulated(wrong=0.4),
    }
    for name, judge in judges.items():
        samples = list(simulated_judges.votes(judge, name))
        write_lines(tmp_path / name / "1_samples_vl_rewardbench_both.jsonl", samples)
    text = pairbench("compare", *(tmp_path / name for name in judges)).output
    assert text.startswith("No significant difference between position, chance."), text
    rows = re.findall(r"^1-2\* +(\w+) +(\d+)% ", text, re.M)
    assert [name for name, _ in rows] == ["position", "chance"]
    assert int(rows[0][1]) > int(rows[1][1])
    assert "! position: Position bias. It chooses the first option in" in text


def test_a_task_that_rests_on_one_cluster_is_said_to(tmp_path):
    """MM-RLHF-RewardBench resamples questions: one of them has half of the pairs."""
    for judge, wrong in (("a", 5), ("b", 3)):
        rows = [
            {"item": n, "question": "one" if n < 20 else f"q{n}", "source": "long", "truth": 0,
             "order": "fwd", "response": f"[[{1 + (n % wrong == 0)}]]"}
            for n in range(40)
        ]  # fmt: skip
        write_lines(tmp_path / judge / "1_samples_mm_rlhf_rewardbench.jsonl", rows)
    text = pairbench("compare", tmp_path / "a", tmp_path / "b").output
    assert "one of 21 clusters holds 50% of the answers" in " ".join(text.split()), text


def test_judges_without_a_task_in_common_are_ranked_in_groups(tmp_path):
    tasks = {"a": "both", "b": "both", "c": "k5", "d": "k5", "e": "k9"}
    for n, (name, task) in enumerate(tasks.items()):
        samples = simulated_judges.votes(simulated_judges.Simulated(wrong=0.1 + 0.1 * n), name)
        write_lines(tmp_path / name / f"1_samples_vl_rewardbench_{task}.jsonl", samples)
    text = pairbench("compare", *(tmp_path / name for name in "daceb")).output
    told = " ".join(text.replace("\\\n", "").split())
    assert told.startswith("The 5 judges did not all run the same tasks, so they are ranked in 3 ")
    command = re.search(r"run this for .*: (lmms-eval .*?--output_path out/\w)", told)[1]
    assert "--tasks vl_rewardbench_" in command
    rows = re.findall(r"^\d(?:-\d)?\*? +([a-e]) ", text, re.M)
    assert sorted(rows[:2]) in (["a", "b"], ["c", "d"])
    assert sorted(rows) == ["a", "b", "c", "d"]  # e is alone
    table = pairbench("table", tmp_path / "a", tmp_path / "c", "--benchmark", "vl_rewardbench")
    assert "c was not asked vl_rewardbench_both" in table.stdout


def test_a_judge_that_lacks_a_task_stands_below_with_what_to_run(tmp_path):
    for name, tasks in {"a": ("both", "k5"), "b": ("both", "k5"), "c": ("both",)}.items():
        for task in tasks:
            samples = simulated_judges.votes(simulated_judges.Simulated(wrong=0.2), name)
            write_lines(tmp_path / name / f"1_samples_vl_rewardbench_{task}.jsonl", samples)
    [table] = json_of("compare", *(tmp_path / n for n in "cab"))["tables"][:1]
    assert [(row["judge"], "rank" in row) for row in table["rows"]][2] == ("c", False)
    text = pairbench("compare", *(tmp_path / n for n in "cab")).stdout
    command = text[text.index("\nlmms-eval") : text.index("out/c") + 5]
    assert max(map(len, command.splitlines())) <= 80
    joined = command.replace("\\\n", "").strip()  # as a shell reads what is pasted
    assert joined.endswith(" --tasks vl_rewardbench_k5 --log_samples --output_path out/c")
    assert table["rows"][2]["note"].startswith(
        "Not ranked: it did not run vl_rewardbench_k5. To rank it: lmms-eval --model MODEL --tasks "
        "vl_rewardbench_k5 --log_samples --output_path out/c"
    )


def test_judges_of_one_file_that_share_items_form_groups(tmp_path):
    """Nine pairs of judges, each pair on items of its own: three tables and six lines."""
    rows = [
        {"item": f"{group}-{n}", "judge": f"{judge}{group}", "people": (truth := "AB"[n % 2]),
         "verdict": truth if n % wrong else "AB"[1 - n % 2]}
        for group in range(9) for judge, wrong in (("x", 3), ("y", 5)) for n in range(20)
    ]  # fmt: skip
    judgments = pb.judgments(rows, kind="pair", verdict="verdict", people="people", judge="judge")
    found = pb.compare(judgments)
    assert " ".join(found.says[0].split()[:9]) == "The 18 judges were not all asked about the"
    tables = [table for table in found.tables if table.ranked]
    assert len(tables) == len({table.name for table in tables}) == 9
    assert {row.name for row in tables[0].rows} == {"x0", "y0"}
    shown = found.to_text(80, lines=50).split("\n")
    assert len(shown) <= 50
    assert sum("No significant difference between" in line for line in shown) == 9


def test_judges_on_different_items_of_one_task_have_their_own_numbers(tmp_path):
    for name, items in (("a", range(30)), ("b", range(30, 60))):
        rows = votes(lambda item, _: item % 5 > 0, items=items)
        write_lines(tmp_path / name / "1_samples_vl_rewardbench_both.jsonl", rows)
    found = pb.compare(pb.read(f"{tmp_path}/*"))
    assert found.says[0].startswith("These judges were asked about different items, so they are")
    [table] = [table for table in found.tables if not table.detail]
    assert table.asked.endswith("no items that all judges were asked")
    assert [row.rank for row in table.rows] == [None, None]
    assert [row.cells[table.main.name].n for row in table.rows] == [30, 30]
    assert [row.cells[table.main.name].value for row in table.rows] == [pytest.approx(0.8)] * 2


@pytest.mark.parametrize(
    ("asked", "todo"),
    [
        ("gpt x 0 claude x 30", "add judgments by each of them on the same items."),
        ("gpt x 0 claude x 0 qwen y 0 gemini y 0", "add judgments by qwen, gemini on the items"),
    ],
)
def test_of_recorded_judgments_no_command_of_the_harness_is_proposed(asked, todo):
    words = asked.split()
    rows = [
        {"judge": judge, "id": n, "aspect": aspect, "winner": "AAB"[n % 3], "gold": "A"}
        for judge, aspect, first in zip(words[::3], words[1::3], map(int, words[2::3]), strict=True)
        for n in range(first, first + 30)
    ]
    told = " ".join(pb.compare(pb.judgments(rows)).says)
    assert todo in told
    assert "lmms-eval" not in told


def test_judges_of_files_of_several_kinds_are_ranked_by_kind_and_each_file_is_named(tmp_path):
    """Judgments cannot be added across kinds; each message names the file of its own judge."""
    ratings = [(n, f"r{m}", (n + n // 9 * m) % 5, n % 5) for m in (1, 2) for n in range(45)]
    said = [["yes", "no"][n % 3 > 1] if n % 7 else f"I cannot decide {n}" for n in range(90)]
    asked = [(n % 45, f"y{n // 45 + 1}", said[n], ["no", "yes"][n % 5 > 1]) for n in range(90)]
    halves = [[row for row in asked if row[0] % 2 == half] for half in (0, 1)]
    rated = write_csv(tmp_path / "ratings.csv", ("item", "judge", "score", "human"), ratings)
    names = ("item", "judge", "verdict", "human")
    yes, no = (write_csv(tmp_path / f"{n}.csv", names, half) for n, half in enumerate(halves))
    words = rated, yes, no, "--accept", "--json"
    found = json.loads(pairbench("compare", *words, status=0).stdout)
    kinds = "The 4 judges were asked different kinds of questions, so there is a ranking for each"
    assert found["says"][0].startswith(kinds)
    assert "To rank all" not in " ".join(found["says"])
    assert {s["judge"]: s["file"] for s in found["sources"]} == {
        "r1": str(rated), "r2": str(rated), "y1": f"{yes} {no}", "y2": f"{yes} {no}"
    }  # fmt: skip


def test_biases_with_different_fair_values_have_one_scale():
    rest = {"flag": "", "null": "none", "p": 1.0, "low": 0, "high": 1, "tasks": ("t",)}
    lines = [
        CardLine(
            "order", "t", "first", value, kind="share", verdict="", fair=fair, span=span, **rest
        )
        for value, fair, span in ((0.5, 0.5, 0.5), (0.394, 0.25, 0.75))
    ]  # two options, and four
    [(column, cells)] = columns_of({"a": lines[:1], "b": lines[1:]})
    assert (column.name, column.reference) == ("position_bias", 0)
    assert cells["a"].value == 0
    assert cells["b"].value == pytest.approx(0.144 / 0.75)


def test_tables_say_what_the_judges_are_worth_together(judges):
    done = pairbench("panel", *judges, status=0)
    told = " ".join(done.output.split())
    assert "3 judges, 180 questions that all judges were asked" in told
    assert "Effective number of independent votes:" in told
    assert "vote_accuracy: majority vote is significantly worse than the best judge, good." in told
    rows = re.findall(r"^(\w+(?: vote)?) +(?:-|panel) +\d\.\d{3} ", done.output, re.M)
    assert rows[:5] == ["good", "fair", "bad", "majority vote", "weighted vote"]


@pytest.mark.parametrize(
    ("apart", "ranks", "best", "expected"),
    [
        ((), ["1-4"] * 4, {"tied"}, "No significant difference between a, b, c, d."),
        (
            ("ad", "bd", "cd"),
            ["1-3", "1-3", "1-3", "4"],
            {"tied"},
            "No significant difference between a, b, c. They are ahead of d.",
        ),
        (("ab", "ac", "ad"), ["1", "2-4", "2-4", "2-4"], {"best"}, "a is the best of 4 judges."),
        (("ab", "bd"), ["1-3", "2-3", "1-4", "2-4"], {"tied"}, "No significant difference between"),
    ],
)
def test_the_sentence_names_all_that_may_be_the_best(apart, ranks, best, expected):
    number = Number("n", "N", lambda _: 0.0, better="higher")
    value = {judge: Value(0.9 - 0.1 * n, Interval(0.1, 1)) for n, judge in enumerate("abcd")}
    group = SimpleNamespace(
        judges=("a", "b", "c", "d"), number=number, kind="pairs", chance=0.5, items=9, apart=False,
        value=value.get, sides=(), reads=lambda _: True,
    )  # fmt: skip
    pairs = list(combinations("abcd", 2))
    ranked = RankedGroup(
        group,
        {},
        {
            (a, b): Comparison(
                "t", "n", "higher", a, b, Difference(0.1), 9,
                p_holm=0.01 if a + b in apart else 1.0,
            )
            for a, b in pairs
        },
    )  # fmt: skip
    assert [FindingRow((judge,), {}, ranked.rank(judge)).spell_rank() for judge in "abcd"] == ranks
    assert {ranked.best(judge) for judge in "abcd"} - {""} == best
    assert next(sentences(ranked)).startswith(expected)


def test_sentences_of_several_judges_name_them(tmp_path):
    rows = [
        (f"q{n}", judge, criterion, 1 + (n * step) % 5, 1 + n % 5)
        for n in range(30)
        for judge, step in (("u", 1), ("v", 2))
        for criterion in ("clear", "true")
    ]
    file = write_csv(tmp_path / "r.csv", ("item", "judge", "criterion", "score", "human"), rows)
    said = pairbench("score", file, status=0).output
    for judge in "uv":
        assert f"{judge}, judgments (clear): Pearson:" in said


def test_groups_of_a_judge_share_the_level_of_its_flags(tmp_path):
    """In two groups, one card's level of 5% is shared: p-values are twice those of one group."""
    judge = simulated_judges.Simulated(wrong=0.1, first=0.12)
    samples = list(simulated_judges.votes(judge, "slight"))[:200]
    write_lines(tmp_path / "alone" / "1_samples_vl_rewardbench_both.jsonl", samples)
    write_lines(tmp_path / "both" / "1_samples_vl_rewardbench_both.jsonl", samples)
    rated = list(simulated_judges.ratings(judge, "slight", "pairbench_coco_rotate"))
    write_lines(tmp_path / "both" / "1_samples_pairbench_coco_rotate.jsonl", rated)
    p = {}
    for name in ("alone", "both"):
        [judged] = pb.read(tmp_path / name)
        group = next(g for g in ranked_groups(compare_shared([judged])) if g.group.kind == "pairs")
        [p[name]] = [x.p for x in group.cards[judged.name] if x.title == "prefers one position"]
    assert p["both"] == pytest.approx(2 * p["alone"])


def test_judges_are_compared_without_people_by_what_needs_none(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        (f"q{item}", *shown, "AB"[int(rng.random() < share)], judge)
        for judge, share in (("gpt", 0.5), ("glm", 0.05))
        for item in range(60)
        for shown in (("x", "y"), ("y", "x"))
    ]
    header = ("item", "model_a", "model_b", "verdict", "judge")
    file = write_csv(tmp_path / "judged.csv", header, rows)
    said = text_of("compare", file)
    assert "The right answers are unknown, so judges are compared by" in said
    assert "better than chance" not in said
    made = json_of("compare", file)
    consistency = next(x for x in made["rankings"] if x["number"] == "position_consistency")
    by_judge = {value["judge"]: value["value"] for value in consistency["judges"]}
    first = {judge: {} for judge in by_judge}
    for item, one, other, verdict, judge in rows:
        first[judge].setdefault(item, set()).add((one, other)["AB".index(verdict)])
    assert by_judge == {
        judge: pytest.approx(np.mean([len(x) == 1 for x in of_items.values()]))
        for judge, of_items in first.items()
    }
    agreement = next(x for x in made["tables"] if x["name"].endswith("agreement"))
    same = np.reshape([row[3] for row in rows], (2, -1))
    cell = agreement["rows"][0]["cells"]["agreement"]
    assert cell["value"] == pytest.approx(np.mean(same[0] == same[1]))
    scored = json_of("score", file)
    assert {run["file"] for run in scored["runs"]} == {str(file)}  # not the logs made from it
    card = json_of("card", file)
    bias = {row["judge"]: row["cells"]["position_bias"] for row in card["tables"][0]["rows"]}
    places = {judge: [row[3] == "A" for row in rows if row[4] == judge] for judge in by_judge}
    for judge, said in places.items():  # both orders tell, though nobody says what is right
        assert max(np.mean(said), 1 - np.mean(said)) == pytest.approx(bias[judge]["value"])
    assert {judge: cell.get("problem") for judge, cell in bias.items()} == {
        "gpt": None, "glm": "first_position",
    }  # fmt: skip
    # A card, which the page has, shows the same first screen.
    assert (card["says"], card["tables"][:2]) == (made["says"], made["tables"][:2])
    alone = pairbench("compare", write_csv(tmp_path / "one.csv", header, rows[:120]), status=1)
    assert "`pairbench score` show one" in alone.stderr
    pairbench("compare", "--fail-if-worse", file, status=2)


def test_a_judge_without_a_readable_reply_is_not_ranked(tmp_path):
    for name, reply in (("mute", "no idea"), ("dumb", "no idea"), ("good", None)):
        rows = list(votes(lambda item, _: item % 5 > 0))
        for row in rows:
            row["filtered_resps"] = reply or row["filtered_resps"]
        write_lines(tmp_path / name / "1_samples_vl_rewardbench_both.jsonl", rows)
    judges = pb.read(f"{tmp_path}/*")
    said = pb.compare([judges["mute"], judges["dumb"]])
    assert "No reply can be read, so judges are not ranked." in said.says
    assert not any(row.best or row.rank for row in said.tables[0].rows)
    assert "good is the only judge with readable replies" in " ".join(pb.compare(judges).says)


def test_many_groups_fit_a_terminal():
    """Three groups in full, and a line for each further one; with less room, one group."""
    main = Measure("accuracy", "Accuracy", unit="share", main=True)
    rows = [FindingRow((f"judge {n}",), {"accuracy": Quantity(0.5)}, (1, 9)) for n in range(9)]
    table = FindingTable("of_three", "Which?", ("Judge",), (main,), tuple(rows), "A: 1 task")
    alone = replace(table, says=("It is alone.",), rows=(replace(rows[0], rank=None),), asked="B")
    groups = [replace(table, name=f"group_{n}") for n in range(4)]
    found = Finding("compare", ("Seven groups.",), (*groups, *[alone] * 3))
    for most, full in ((60, 3), (25, 2), (20, 1)):
        text = found.to_text(80, lines=most)
        assert text.count("\n") < most
        assert (text.count("Rank  Judge"), text.count("Which? (B): It is alone.")) == (full, 3)
