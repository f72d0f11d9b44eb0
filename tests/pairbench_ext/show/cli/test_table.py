"""`pairbench table`: a benchmark's table for a paper."""

import csv
import io
import json
import re
import shutil
import subprocess
from functools import partial

import pytest

import pairbench_ext as pb
from benchmarks import simulated_judges
from pairbench_ext.show.paper_table import csv_cell
from pairbench_ext.statistics.seeds import generator
from tests.files import json_of, pairbench, write_csv, write_lines
from tests.pairbench_ext.runs.test_compare import votes as compared_votes

LATEX = shutil.which("pdflatex")
JUDGES = ("sharp", "first", "wordy")


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated")
    simulated_judges.write(folder)
    return [folder / name for name in JUDGES]


@pytest.fixture(scope="module")
def votes(judges):
    """The judges' votes alone, which are scored in no time."""
    return [folder / "1_samples_vl_rewardbench_both.jsonl" for folder in judges]


def by_judge(text):
    """The rows of one table in CSV."""
    return {row["judge"]: row for row in csv.DictReader(io.StringIO(text))}


def test_numbers_are_those_of_score(judges):
    shown = pairbench("table", *judges[:2], "--csv", "--intervals").stdout
    ratings, votes = map(by_judge, shown.strip().split("\n\n"))
    near = partial(pytest.approx, rel=1e-5)
    for judge in judges[:2]:
        mean = json_of("score", "pairbench", judge)["mean"]
        row = ratings[judge.name]
        assert float(row["MMScore"]) == near(mean["mmscore"])
        assert float(row["MMScore low"]) == near(mean["ci95_low"])
        assert float(row["SM"]) == near(mean["smoothness"])
        [run] = json_of("score", "vl_rewardbench", judge)["runs"]
        row = votes[judge.name]
        assert float(row["Overall Accuracy"]) == near(run["numbers"]["overall_accuracy"])
        assert "General" not in row  # the simulated items are of another group


@pytest.mark.parametrize(("places", "alone"), [((0, 1, 2), False), ((0, 2), True)])
def test_best_is_marked_only_where_compare_shows_it(votes, places, alone):
    """The star is beside the judge that shares no letter with another one."""
    files = [votes[place] for place in places]
    rankings = json_of("compare", *files)["rankings"]
    [first, *others] = next(
        ranking["judges"] for ranking in rankings if ranking["number"] == "overall_accuracy"
    )
    assert alone == (not set(first["letters"]) & set("".join(of["letters"] for of in others)))
    table = pairbench("table", *files).output
    [line] = [line for line in table.splitlines() if line.split()[:1] == [first["judge"]]]
    assert line.split()[2].endswith("*") == alone
    assert "*" not in pairbench("table", files[0]).output


def test_values_are_comparable_or_stand_apart(tmp_path):
    """alpha is right more often on items of its own alone: of those that both have, beta is."""
    rng = generator(2, "judges")
    for name, of, right in (("alpha", 600, (0.60, 0.98)), ("beta", 200, (0.80, 0.80))):
        rows = []
        for item in range(of):
            truth = "AB"[item * 7 % 5 % 2]
            wrong = rng.random() >= right[item >= 200]
            rows.append((f"q{item}", "AB"[truth == "A"] if wrong else truth, truth))
        write_csv(tmp_path / f"{name}.csv", ("item", "verdict", "truth"), rows)
    files = [tmp_path / "alpha.csv", tmp_path / "beta.csv"]
    shown = list(csv.DictReader(io.StringIO(pairbench("table", *files, "--csv").stdout)))[:3]
    assert [(row["judge"], row["items"]) for row in shown] == [
        ("beta", ""), ("alpha", ""), ("alpha", "own 600 items"),
    ]  # fmt: skip
    beta, alpha, own = (float(row["Accuracy"]) for row in shown)
    assert alpha < beta < own
    printed = pairbench("table", *files, "--markdown").stdout
    assert f"| beta | **{beta:.3f}** |" in printed
    assert f"| alpha (own 600 items) | {own:.3f} |" in printed
    assert "over the 200 items that all judges were asked" in printed
    ruled = pairbench("table", *files, "--latex").stdout
    assert ruled.index("\\midrule\nalpha (own 600 items)") > ruled.index("alpha &")


def test_published_rows_are_printed_as_in_the_paper(votes):
    shown = pairbench("table", votes[0], "--published", "--markdown")
    # VL-RewardBench's paper, Table 2.
    row = "| LLaVA-OneVision-7B-ov (published) | 20.1 | 29.6 | 36.5 |"  # of the groups measured
    assert row in shown.stdout
    assert "| ignores the question (control) | - | 50.0 | - |" in shown.stdout
    assert "on these items, this is the value of a judge that tosses a coin" in shown.stdout
    assert "Note: published: Table 2 of the paper" in shown.stdout
    assert "differs from the published runs" in shown.stdout


def test_a_table_says_itself_what_it_lacks(votes):
    """Columns without a number are left out, and it is not marked as of the paper's items."""
    for form in ("--latex", "--csv", "--markdown"):
        told = " ".join(pairbench("table", votes[0], form).stdout.replace("\\_", "_").split())
        assert "200 items, paper 1,250" in told
        assert "left out, because not measured: General, Reasoning" in told


def test_a_table_of_a_judge_without_any_number_has_its_columns(judges, tmp_path):
    [file, *_] = sorted(judges[0].glob("*_samples_pairbench_*.jsonl"))
    samples = [json.loads(line) for line in file.read_text().splitlines()]
    unread = ({**sample, "resps": [[""]], "filtered_resps": [""]} for sample in samples)
    (tmp_path / file.name).write_text("".join(json.dumps(each) + "\n" for each in unread))
    for form in ("--latex", "--csv", "--markdown"):
        done = pairbench("table", tmp_path / file.name, form)
        assert (done.exit_code, "MMScore" in done.stdout) == (0, True), done.output


@pytest.mark.skipif(not LATEX, reason="no pdflatex: Debian has it in texlive-latex-extra")
def test_the_latex_compiles(votes, tmp_path):
    made = pairbench("table", *votes, "--latex", "--published", "--intervals").stdout
    head = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{head}{made}\n\\end{{document}}\n")
    done = subprocess.run(
        [LATEX, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_latex_has_a_line_for_each_row_and_escapes_names(votes, tmp_path):
    folders = [tmp_path / "[1] a_b & 50% {x} <y>", tmp_path / "first"]
    for folder, file in zip(folders, votes, strict=False):
        folder.mkdir()
        (folder / file.name).write_bytes(file.read_bytes())
    tables = pairbench("table", *folders, "--latex", "--published").stdout
    assert r"{[}1] a\_b \& 50\% \{x\} \textless{}y\textgreater{}" in tables
    for made in tables.strip().split("\n\n"):
        assert made.count(r"\begin{tabular}") == made.count(r"\end{tabular}") == 1
        [columns] = re.findall(r"\\begin\{tabular\}\{(\w+)\}", made)
        for line in [line for line in made.splitlines() if line.endswith(r"\\")]:
            assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1
            assert not re.search(r"(?<!\\)[%#_]", line)
        rules = [line for line in made.splitlines() if line.endswith("rule")]
        assert rules == [r"\toprule", *[r"\midrule"] * 3, r"\bottomrule"]  # papers, control, runs


def test_no_name_is_a_formula_for_a_spreadsheet(votes, tmp_path):
    names = ["=HYPERLINK(1)", "+cmd", "-2+3", "@SUM(A1)", "\uff1d1", "-0.5"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / votes[0].name).write_bytes(votes[0].read_bytes())
    done = pairbench("table", *(tmp_path / name for name in names), "--csv").stdout
    judges = {row[1] for row in csv.reader(io.StringIO(done)) if len(row) > 2} - {"judge"}
    assert judges == {"-0.5", *(f"'{name}" for name in names[:-1])}
    assert csv_cell("\t=1") == "'\t=1"


def test_the_json_has_the_numbers_of_the_table_with_intervals(votes):
    """Also groups of VL-RewardBench have intervals, which the harness does not log."""
    two = votes[0], votes[2]
    [table] = json_of("table", *two)["tables"]
    printed = by_judge(pairbench("table", *two, "--csv", "--intervals").stdout)
    for row in table["rows"]:
        cell = row["cells"]["hallucination"]
        shown = printed[row["judge"]]
        assert cell["value"] == pytest.approx(float(shown["Hallucination"]), rel=1e-5)
        ends = [float(shown[f"Hallucination {end}"]) for end in ("low", "high")]
        assert cell["ci95"] == pytest.approx(ends, rel=1e-5)
        assert ends[0] <= cell["value"] <= ends[1]
    best = [row["judge"] for row in table["rows"] if row["cells"]["overall_accuracy"].get("best")]
    assert best == ["sharp"]
    found = pb.table(pb.read(*two))
    assert found.tables[0].rows[0].cells["hallucination"].ci95
    assert found.to_markdown().count("Macro Average Accuracy") == 1


def test_splits_of_an_own_pairbench_have_a_mean(judges, tmp_path):
    for judge in judges[:2]:
        (tmp_path / judge.name).mkdir()
        for split in ("rotate", "elastic"):
            text = (judge / f"1_samples_pairbench_coco_{split}.jsonl").read_text()
            file = tmp_path / judge.name / f"1_samples_pairbench_mine_{split}.jsonl"
            file.write_text(text)
    [table] = pb.table(pb.read(*sorted(tmp_path.iterdir()))).tables
    assert table.title == "PairBench, own tasks"
    assert table.rows[0].cells["mmscore"].ci95


def test_a_judge_has_one_row_where_its_values_on_all_its_items_are_the_same(tmp_path):
    for name, wrong in (("alpha", 5), ("beta", 3)):
        right = lambda item, _, wrong=wrong: item % wrong > 0  # noqa: E731
        rows = [
            *compared_votes(right, repeats=2, items=range(30)),
            *compared_votes(right, items=range(30, 60)),
        ]
        write_lines(tmp_path / name / "1_samples_vl_rewardbench_both.jsonl", rows)
    printed = pairbench("table", tmp_path / "alpha", tmp_path / "beta", "--csv").stdout
    judges = [row["judge"] for row in csv.DictReader(io.StringIO(printed))]
    assert [judge for judge in judges if not judge.startswith("note: ")] == ["alpha", "beta"]
