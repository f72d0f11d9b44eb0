"""`pairbench import judgments --people`: labels in files of their own, joined by item."""

import csv
import json

import pytest
from scipy.stats import pearsonr, spearmanr

from tests.files import json_of, judge_of, pairbench, text_of, write_lines

ITEMS = 8
TWO = ("llava", "qwen")


def truth(i):
    return i % 3 % 2


def judgments(folder):
    """Both orders: the systems change places; the judge always says the first."""
    table = [
        {"qid": f"q{i}", "model_a": TWO[o], "model_b": TWO[1 - o], "verdict": "A", "judge": "gpt"}
        for i in range(ITEMS)
        for o in (0, 1)
    ]
    return write_lines(folder / "judge.jsonl", table)


def write(folder, header, rows):
    (folder / "people.csv").write_text("\n".join([header, *(",".join(row) for row in rows)]))
    return folder / "people.csv"


def joined(folder, people, *words):
    done = pairbench(
        "import", "judgments", judgments(folder), "--people", people, "--out", folder / "o", *words
    )
    return done.exit_code, " ".join(done.output.split())


def numbers(folder):
    return {
        judge_of(run): run["numbers"] for run in json_of("score", "judgments", folder / "o")["runs"]
    }


def by_name(folder):
    """The winner's name, which needs no order."""
    rows = [(f"q{i}", "x", TWO[truth(i)]) for i in range(ITEMS)]
    return write(folder, "qid,note,human_winner", rows)


def by_place(folder):
    """The place, in an order of the file's own."""
    rows = [(f"q{i}", *TWO[::-1], "AB"[1 - truth(i)]) for i in range(ITEMS)]
    return write(folder, "qid,model_a,model_b,winner", rows)


def by_raters(folder):
    """A row for each of three raters, one of whom is always wrong."""
    rows = [
        (f"q{i}", rater, TWO[truth(i) ^ (rater == "mallory")])
        for i in range(ITEMS)
        for rater in ("ann", "bob", "mallory")
    ]
    return write(folder, "qid,annotator,vote", rows)


@pytest.mark.parametrize("people", [by_name, by_place, by_raters])
def test_labels_are_the_items_whatever_the_order(people, tmp_path):
    code, said = joined(tmp_path, people(tmp_path))
    assert code == 0, said
    assert f"{ITEMS} items with people's labels" in said
    assert numbers(tmp_path)["gpt"]["accuracy"] == 0.5
    lines = (tmp_path / "o/gpt/samples_judgments.jsonl").read_text().splitlines()
    trials = [json.loads(line)["trial"] for line in lines]
    assert [trial["truth"] for trial in trials] == [truth(i) for i in range(ITEMS) for _ in (0, 1)]
    assert {len(trial["people"]) for trial in trials} == {3 if people is by_raters else 1}


def test_a_place_in_no_known_order_is_no_label(tmp_path):
    """The judgments have both orders, and nothing says which of them the labels mean."""
    code, said = joined(tmp_path, write(tmp_path, "qid,vote", [("q0", "A"), ("q1", "B")]))
    assert code == 1
    assert "what is known of item 'q0' differs between these rows" in said


def test_what_is_on_one_side_only_is_counted_and_named(tmp_path):
    rows = [(f"q{i}", TWO[0]) for i in range(2, ITEMS + 1)]
    code, said = joined(tmp_path, write(tmp_path, "qid,human_winner", rows))
    assert code == 0
    assert "6 items with people's labels" in said
    assert "2 items without people's labels: q0, q1" in said
    assert "1 item labelled by people, but not judged: q8" in said
    file, people = judgments(tmp_path), tmp_path / "people.csv"
    for command in ("people", "trust", "correct"):
        done = pairbench(command, file, "--people", people)
        assert "left out 1 label of 1 item that no judge was asked about: 'q8'" in done.stderr
    people.write_text("item,label\nq8,llava\n")
    done = pairbench("people", file, "--people", people, status=1)
    assert "line 2: no item 'q8' in the runs, which have items such as 'q0', 'q1'" in done.stderr


def test_commands_take_labels_of_another_file(tmp_path):
    """The same as judgments imported with their labels; a run has none joined."""
    people, file = by_raters(tmp_path), judgments(tmp_path)
    joined(tmp_path, people)
    for command in ("score", "card"):
        runs = [json_of(command, file, "--people", people), json_of(command, tmp_path / "o/gpt")]
        assert runs[0]["tables"] == runs[1]["tables"]
        assert "ccuracy" in str(runs[0]["says"] + runs[0]["tables"])
    pairbench("report", file, "--people", people, "--out", tmp_path / "page.html")
    assert "Accuracy: 50%" in (tmp_path / "page.html").read_text()
    done = pairbench("score", tmp_path / "o", "--people", people, status=1)
    assert "o is a run; people's labels of a run are for `pairbench people`" in done.stderr


def test_labels_of_zeros_and_ones_are_asked_about(tmp_path):
    """A 1 is the first beside a 2, and the second beside a 0; the pasted command is right."""
    rows = [(f"q{i}", *TWO, str(truth(i))) for i in range(ITEMS)]
    people, file = write(tmp_path, "qid,model_a,model_b,label", rows), judgments(tmp_path)
    done = pairbench("card", file, "--people", people, status=2)
    [line] = [x for x in done.stderr.splitlines() if x.endswith("--values 0=first,1=second")]
    assert "Accuracy: 50%" in text_of(*line.split()[1:])
    page = tmp_path / "page.html"
    done = pairbench("report", file, "--people", people, "--out", page)
    assert "labels do not rank the judges" in done.stderr


def test_columns_of_labels_may_be_declared(tmp_path):
    rows = [(f"q{i}", TWO[truth(i)], "x") for i in range(ITEMS)]
    people, file = write(tmp_path, "nr,vote,other", rows), judgments(tmp_path)
    page = tmp_path / "page.html"
    pairbench("report", file, "--people", people, "--columns", "item=nr,people=vote", "--out", page)
    assert "Accuracy: 50%" in page.read_text()


def test_the_command_that_a_draw_proposes_is_of_the_typed_file(tmp_path):
    file, sheet = judgments(tmp_path), tmp_path / "sheet.csv"
    words = ("--columns", "judge=judge", "--draw", "6", "--seed", "1", f"--out={sheet}")
    proposed = text_of("trust", file, *words).partition("then: pairbench ")[2]
    assert proposed == f"trust {file} --columns judge=judge --people {sheet}"
    rows = list(csv.DictReader(sheet.open()))
    filled = [",".join((row["item"], TWO[truth(int(row["item"][1:]))])) for row in rows]
    sheet.write_text("\n".join(["item,label", *filled]))
    assert "the 6 labelled" in text_of(*proposed.split())


def test_labels_are_of_their_criterion_or_refused(tmp_path):
    rows = [
        {"item": f"q{i}", "dimension": of, "rating": (i + shift) % 5 + 1}
        for i in range(ITEMS)
        for of, shift in (("depth", 0), ("style", 2))
    ]
    people = [*rows, {"item": "q1", "dimension": "wit", "rating": 1}]
    judge = write_lines(tmp_path / "j.jsonl", [{**row, "judge": "gpt"} for row in rows])

    def joined_with(labels, status):
        file, words = write_lines(tmp_path / "p.jsonl", labels), ("--columns", "aspect=dimension")
        done = pairbench(
            "import", "judgments", judge, "--people", file, "--out", tmp_path / "o", *words,
            "--overwrite", status=status,
        )  # fmt: skip
        return " ".join(done.output.split())

    said = joined_with(people, 0)
    assert "1 item labelled by people for a criterion that was not judged: q1 (wit)" in said
    assert numbers(tmp_path)["gpt"]["pearson"] == pytest.approx(1)
    said = joined_with([{**row, "dimension": row["dimension"][:2]} for row in rows], 1)
    assert "labels item 'q0' twice, and no column names the criterion (depth, style)" in said


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        (
            "id,human_winner",
            ("x1", "llava"),
            "the labels have no column `qid`, and no column with names of items",
        ),
        (
            "qid,note",
            ("q1", "x"),
            "which column holds people's labels? The columns are `note`, `qid`",
        ),
        ("qid,human_a,gold", ("q1", "llava", "qwen"), "The columns are `human_a`, `gold`. Name it"),
    ],
)
def test_what_cannot_be_joined_is_one_sentence(header, row, expected, tmp_path):
    code, said = joined(tmp_path, write(tmp_path, header, [row]))
    assert code
    assert expected in said
    assert joined(tmp_path, by_name(tmp_path), "--columns", "people=human_winner")[0] == 0


def test_ratings_of_several_people(tmp_path):
    judge = [{"image": f"{i}.png", "score": i % 5 + 1} for i in range(ITEMS)]
    people = [{"image": f"{i}.png", "rater_1": i % 4, "rater_2": i % 4 + 1} for i in range(ITEMS)]
    pairbench(
        "import", "judgments", write_lines(tmp_path / "j.jsonl", judge), "--out", tmp_path / "o",
        "--people", write_lines(tmp_path / "p.jsonl", people),
        status=0,
    )  # fmt: skip
    assert numbers(tmp_path)["j"]["pearson"] is not None
    assert "2 people" in pairbench("people", tmp_path / "o").output


def test_ratings_beside_raters_as_scipy_has_them(tmp_path):
    table = {
        f"image{i}": {
            "text_id": f"t{i // 2}",
            "human_scores": [i % 5 + 1, (i * i) % 5 + 1],
            "clip": i * 37 % 11 / 10,
            "vqa": (i % 5) / 4,
        }
        for i in range(30)
    }
    (tmp_path / "ratings.json").write_text(json.dumps(table))
    words = ("--out", tmp_path / "o", "--columns", "verdict=clip+vqa")
    assert not pairbench("import", "judgments", tmp_path / "ratings.json", *words).exit_code
    people = [sum(row["human_scores"]) / 2 for row in table.values()]
    for judge, found in numbers(tmp_path).items():
        values = [row[judge] for row in table.values()]
        assert found["pearson"] == pytest.approx(pearsonr(values, people).statistic)
        assert found["spearman"] == pytest.approx(spearmanr(values, people).statistic)
    assert "2 people" in pairbench("people", tmp_path / "o").output
