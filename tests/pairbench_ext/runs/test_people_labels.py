"""How labels of people meet a judge's verdicts: tasks, systems, codings, how they were drawn."""

import csv
import json
import shlex

import numpy as np
import pytest
from openpyxl import Workbook

from tests.files import json_of, pairbench, read_csv, text_of, write_csv, write_lines
from tests.pairbench_ext.runs.test_compare import ratings
from tests.pairbench_ext.show.report.test_report import unpacked

TWO = ("zeta", "alpha")


def sample(seed, items, number):
    every = list(items)
    return [every[n] for n in np.random.default_rng(seed).permutation(len(every))[:number]]


def imported(folder, name, header, rows, *words):
    file = write_csv(folder / f"{name}.csv", header, rows)
    pairbench("import", "judgments", file, "--out", folder / name, *words, status=0)
    return folder / name


def labels_in(file, rows, *more):
    """A file of labels: items, what people say of them, and further columns."""
    return write_csv(file, ("item", "label", *more), rows)


def trusted(*words, status=0):
    return json_of("trust", *words, status=status)["trust"]


def says(*words, status=1):
    return text_of(*words, status=status)


@pytest.fixture
def export(tmp_path):
    """A raw export of 200 pairs, in which systems change places; the judge is right on 170."""
    rng = np.random.default_rng(0)
    rows, best = [], {}
    for item in range(200):
        shown = rng.permutation(TWO).tolist()
        best[f"q{item}"] = right = str(rng.choice(shown))
        said = right if item % 20 > 2 else next(name for name in shown if name != right)
        rows.append((f"q{item}", *shown, "AB"[shown.index(said)], "gpt"))
    rng.shuffle(rows)
    header = ("item", "model_a", "model_b", "verdict", "judge")
    return imported(tmp_path, "raw", header, rows), rows, best


def labels_by_name(best):
    return [(item, best[item]) for item in sample(1, sorted(best), 100)]


def test_systems_that_change_places_have_one_order(export, tmp_path):
    runs, rows, best = export
    people = labels_in(tmp_path / "l.csv", labels_by_name(best))
    out = tmp_path / "verdicts.csv"
    [made] = trusted(runs, "--people", people, "--out", out, "--agree", 0.7)
    wrong = sum(int(item[1:]) % 20 < 3 for item, _ in labels_by_name(best))
    assert made["levels"][0]["agreement"] == pytest.approx(1 - wrong / 100)
    said = {item: (a, b)["AB".index(v)] for item, a, b, v, _ in rows}
    assert {row["item"]: row["verdict"] for row in read_csv(out)} == said
    page = tmp_path / "page.html"
    pairbench("report", runs, "--people", people, "--images", "none", "--out", page, status=0)
    shown = {
        item["name"]: item["questions"][0]["replies"][0]["verdict"]
        for block in ("detail-0-0", "detail-0-1")
        if f'id="{block}"' in page.read_text()
        for item in unpacked(page.read_text(), block)
    }
    assert {name: said[name] for name in shown} == shown
    [row] = json_of("correct", runs, "--people", people)["corrected"]
    assert row["mean_of"] == "share for alpha"
    assert row["verdicts"] == pytest.approx(sum(name == "alpha" for name in said.values()) / 200)
    assert row["people"]["value"] == pytest.approx(
        sum(name == "alpha" for _, name in labels_by_name(best)) / 100
    )


def test_a_place_means_the_system_that_the_row_names(export, tmp_path):
    runs, _, best = export
    by_name = labels_by_name(best)
    placed = [(item, "A" if name == "zeta" else "B", *TWO) for item, name in by_name]
    named = labels_in(tmp_path / "n.csv", by_name)
    people = labels_in(tmp_path / "p.csv", placed, "first", "second")
    assert trusted(runs, "--people", people) == trusted(runs, "--people", named)
    bare = labels_in(tmp_path / "b.csv", [row[:2] for row in placed])
    said = says("trust", runs, "--people", bare)
    assert "the judgments show the systems in both orders" in said
    assert "add the columns `first` and `second`" in said
    other = labels_in(tmp_path / "o.csv", [(placed[0][0], "A", "x", "alpha")], "first", "second")
    assert "the systems of item" in says("trust", runs, "--people", other)


def as_file(folder, form, names, rows):
    """The same labels in another form, under other names."""
    header = names
    if form == "xlsx":
        book = Workbook()
        for row in (header, *rows):
            book.active.append(row)
        book.save(folder / "form.xlsx")
        return folder / "form.xlsx"
    delimiter, encoding = {"excel": (";", "cp1252"), "utf-16": ("\t", "utf-16")}[form]
    with (folder / "form.csv").open("w", newline="", encoding=encoding) as out:
        csv.writer(out, delimiter=delimiter).writerows([header, *rows])
    return folder / "form.csv"


@pytest.mark.parametrize(
    ("form", "names"),
    [("excel", ("Nr", "Präferenz")), ("utf-16", ("key", "preferred")), ("xlsx", ("id", "winner"))],
)
@pytest.mark.parametrize("command", ["trust", "correct", "people"])
def test_labels_in_any_form_give_equal_figures(export, tmp_path, command, form, names):
    runs, _, best = export
    plain = labels_in(tmp_path / "l.csv", labels_by_name(best))
    other = as_file(tmp_path, form, names, labels_by_name(best))
    shown = [
        pairbench(command, runs, "--people", file, "--json", status=0).stdout
        for file in (plain, other)
    ]
    assert shown[0].replace("l.csv", "") == shown[1].replace(other.name, "")


@pytest.mark.parametrize("command", ["trust", "correct", "people"])
def test_proposed_commands_about_labels_do_what_they_say(export, tmp_path, command):
    """Of a column of votes and one that always says the same, one command gives the right ones."""
    _, rows, best = export
    header = ("item", "model_a", "model_b", "verdict", "judge")
    file = write_csv(tmp_path / "judged.csv", header, rows)
    plain = labels_in(tmp_path / "l.csv", labels_by_name(best))
    votes = [(item, label, "alpha") for item, label in labels_by_name(best)]
    unclear = write_csv(tmp_path / "two.csv", ("key", "vote_1", "gut"), votes)
    asked = pairbench(command, file, "--people", unclear, "--json", status=2).stderr
    proposed = [shlex.split(line)[1:] for line in asked.splitlines() if line[:3] == "   "]
    assert [words[-1] for words in proposed] == ["people=vote_1+gut", "people=vote_1", "people=gut"]
    shown = [json.loads(pairbench(*words, status=0).stdout) for words in proposed]
    right = json_of(command, file, "--people", plain)
    assert [made == right for made in shown] == [False, True, False]


@pytest.mark.parametrize(
    ("names", "right"),
    [
        (("gpt_verdict", "opinion"), "opinion"),  # of a judge, and of people
        (("gpt_verdict", "note"), None),  # nothing that people may have said
        (("verdict", "vote"), None),
        (("vote (Ann)", "vote (Bob)"), "vote (Ann)+vote (Bob)"),
        (("vote 1", "vote 2"), "vote 1+vote 2"),
    ],
)
def test_whose_verdicts_columns_are_is_no_guess(export, tmp_path, names, right):
    runs, _, best = export
    said = [(item, label, "fine" if "note" in names else label)
            for item, label in labels_by_name(best)]  # fmt: skip
    file = write_csv(tmp_path / "l.csv", ("id", *names), said)
    words = ("correct", runs, "--people", file, "--json")
    made = pairbench(*words, status=0 if right else 2)
    if right:
        assert made.stdout == pairbench(*words, "--columns", f"people={right}", status=0).stdout
    else:
        assert "which column holds people's labels?" in made.stderr


def test_labels_of_criteria_are_columns_of_their_names(tmp_path):
    criteria = ("clarity", "accuracy")
    marks = np.random.default_rng(0).integers(1, 6, (40, 2))
    rows = [(f"q{n}", criteria[k], mark) for (n, k), mark in np.ndenumerate(marks)]
    runs = imported(tmp_path, "run", ("item", "criterion", "score"), rows)
    wide = [(f"q{n}", *both) for n, both in enumerate(marks)]
    shown = [
        json_of("correct", runs, "--people", file)
        for file in (
            write_csv(tmp_path / "long.csv", ("item", "criterion", "label"), rows),
            write_csv(tmp_path / "wide.csv", ("id", "Clarity", "Accuracy"), wide),
        )
    ]
    assert shown[0] == shown[1]


def test_labels_in_words_of_their_own_are_asked_about(tmp_path):
    rows = [(f"q{n}", "yes" if n % 3 else "no") for n in range(30)]
    file = write_csv(tmp_path / "judged.csv", ("item", "verdict"), rows)
    words = {"yes": "gold", "no": "rust"}
    people = labels_in(tmp_path / "l.csv", [(n, words[x]) for n, x in rows])
    asked = pairbench("correct", file, "--people", people, "--json", status=2).stderr
    proposed = [shlex.split(line)[1:] for line in asked.splitlines() if line[:3] == "   "]
    values = [made["corrected"][0]["people"]["value"]
              for words in proposed[:2]
              for made in [json.loads(pairbench(*words, status=0).stdout)]]  # fmt: skip
    assert sorted(values) == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert pairbench(*proposed[2]).exit_code == 1  # as unreadable: no label is left
    assert "no column 'vote' for people; the columns are item, label" in says(
        "correct", imported(tmp_path, "run", ("item", "verdict"), rows), "--people", people,
        "--columns", "people=vote",
    )  # fmt: skip


def test_names_of_systems_may_end_like_numbers(tmp_path):
    systems = ("SDXL-1.0", "DALLE-3")
    rows = [(f"q{n}", *systems, "AB"[n % 2]) for n in range(60)]
    runs = imported(tmp_path, "j", ("item", "model_a", "model_b", "verdict"), rows)
    labels = [(f"q{n}", systems[n % 2]) for n in sample(0, range(60), 30)]
    people = labels_in(tmp_path / "l.csv", labels)
    assert trusted(runs, "--people", people)[0]["levels"][0]["agreement"] == 1


def test_labels_1_and_0_are_yes_and_no(tmp_path):
    truth = np.random.default_rng(0).choice(["yes", "no"], 200).tolist()
    said = [x if n % 10 else {"yes": "no", "no": "yes"}[x] for n, x in enumerate(truth)]
    runs = imported(tmp_path, "j", ("item", "verdict"), list(enumerate(said)))
    drawn = sample(0, range(200), 80)
    words, codes = (
        labels_in(tmp_path / f"{n}.csv", [(x, of[truth[x]]) for x in drawn])
        for n, of in enumerate(({"yes": "yes", "no": "no"}, {"yes": 1, "no": 0}))
    )
    assert trusted(runs, "--people", codes) == trusted(runs, "--people", words)
    corrected = [says("correct", runs, "--people", x, status=0) for x in (codes, words)]
    assert corrected[0] == corrected[1]
    turned = labels_in(tmp_path / "t.csv", [(x, int(truth[x] == "no")) for x in drawn])
    for command in ("trust", "correct"):
        assert "1 means yes, 0 means no" in says(command, runs, "--people", turned)


def two_tasks(folder):
    for task in ("one", "two"):
        rows = [
            {
                "trial": {"benchmark": "judgments_pair", "item": f"q{n}", "recorded": n % 2,
                          "extracted": True},
                "filtered_resps": ["AB"[n % 2]],
            }
            for n in range(60)
        ]  # fmt: skip
        write_lines(folder / "j" / f"samples_{task}.jsonl", rows)
    return folder / "j"


def test_labels_say_which_task_they_are_of_where_items_share_names(tmp_path):
    runs, drawn = two_tasks(tmp_path), sample(0, range(60), 30)
    labels = [(f"q{n}", "AB"[n % 2]) for n in drawn]
    people = labels_in(tmp_path / "l.csv", labels)
    for command in ("trust", "correct"):
        said = says(command, runs, "--people", people)
        assert "is in 2 tasks, one, two: add a column `task`" in said
    people = labels_in(tmp_path / "t.csv", [(*row, "two") for row in labels], "task")
    assert [made["task"] for made in trusted(runs, "--people", people)] == ["two"]
    [row] = json_of("correct", runs, "--people", people)["corrected"]
    assert row["task"] == "two"
    wrong = labels_in(tmp_path / "w.csv", [(*labels[0], "twoo")], "task")
    assert "no task 'twoo' in these runs" in says("trust", runs, "--people", wrong)


def test_labels_say_which_criterion_they_are_of(tmp_path):
    rows = [(f"q{n}", aspect, n % 10 + 1) for n in range(60) for aspect in ("clarity", "depth")]
    runs = imported(tmp_path, "j", ("item", "aspect", "rating"), rows)
    drawn = sample(0, rows, 50)
    for column in ("criterion", "aspect"):
        people = write_csv(tmp_path / f"{column}.csv", ("item", column, "label"), drawn)
        made = trusted(runs, "--people", people)
        assert [x["levels"][0]["labelled"] for x in made] == [
            sum(row[1] == aspect for row in drawn) for aspect in ("clarity", "depth")
        ]
        assert {x["levels"][0]["agreement"] for x in made} == {1}
    bare = labels_in(tmp_path / "b.csv", [row[::2] for row in drawn])
    assert "add a column `criterion`" in says("trust", runs, "--people", bare)
    more = [*drawn, ("q1", "style", 3)]
    people = write_csv(tmp_path / "m.csv", ("item", "dimension", "label"), more)
    assert len(trusted(runs, "--people", people)) == 2
    done = pairbench("people", runs, "--people", people, status=0)
    assert "left out 1 label of 1 item that no judge was asked about: 'q1'" in done.stderr
    other = write_csv(tmp_path / "o.csv", ("item", "criterion", "label"), [("q0", "depths", 1)])
    assert "'q0' is judged by the criteria clarity, depth" in says("trust", runs, "--people", other)


@pytest.fixture
def parts(tmp_path):
    """300 items of two sources; the judge says A and B alike, and is right on 285."""
    truth = np.random.default_rng(2).choice(["A", "B"], 300).tolist()
    said = [x if n % 20 else "BA"["AB".index(x)] for n, x in enumerate(truth)]
    rows = [(f"q{n}", x, "xy"[n % 2]) for n, x in enumerate(said)]
    return imported(tmp_path, "j", ("item", "verdict", "source"), rows), truth, said


PLANTED = {
    "source is x": lambda n, _: n % 2 == 0,
    "the judge's verdict is": lambda n, said: said[n] == "A",
    "the position in the file is": lambda n, _: n < 130,
}


@pytest.mark.parametrize("part", PLANTED)
def test_labels_of_one_part_are_refused_with_its_name(parts, tmp_path, part):
    runs, truth, said = parts
    drawn = sample(0, [n for n in range(300) if PLANTED[part](n, said)], 120)
    people = labels_in(tmp_path / "l.csv", [(f"q{n}", truth[n]) for n in drawn])
    message = says("trust", runs, "--people", people)
    assert part in message or (part.startswith("the judge") and "the position chosen" in message)
    assert "--strata" in message
    [made] = trusted(runs, "--people", people, status=1)
    assert part in made["problem"] or "the position chosen" in made["problem"]
    assert made["trusted"] == 0
    assert "labelled items differ from the others" in says(
        "correct", runs, "--people", people, status=1
    )


def test_every_item_is_in_the_file_with_the_reason_why_it_is_not_trusted(parts, tmp_path):
    runs, truth, _ = parts
    drawn = sample(0, range(0, 300, 2), 80)
    people = labels_in(tmp_path / "l.csv", [(f"q{n}", truth[n]) for n in drawn])
    out = tmp_path / "v.csv"
    [made] = trusted(runs, "--people", people, "--strata", "source", "--out", out)
    assert made["trusted"] == 150
    assert made["not_trusted"] == {"no label in y": 150}
    rows = read_csv(out)
    assert len(rows) == 300
    assert {(row["trusted"], row["reason"]) for row in rows} == {
        ("yes", ""), ("no", "no label in y")
    }  # fmt: skip
    assert {row["item"] for row in rows if row["trusted"] == "yes"} == {
        f"q{n}" for n in range(0, 300, 2)
    }


def test_labels_drawn_with_unequal_probabilities_are_weighed_or_refused(tmp_path):
    rng = np.random.default_rng(0)
    rows, labels = [], []
    for n in range(600):
        hard = n % 2
        truth = str(rng.choice(["A", "B"]))
        agrees = rng.random() < (0.6 if hard else 0.99)
        rows.append((f"q{n}", truth if agrees else "BA"["AB".index(truth)], ("easy", "hard")[hard]))
        probability = (0.6, 0.1)[hard]
        if rng.random() < probability:
            labels.append((f"q{n}", truth, probability))
    runs = imported(tmp_path, "j", ("item", "verdict", "source"), rows)
    words = (runs, "--people", labels_in(tmp_path / "l.csv", labels, "probability"), "--agree", 0.9)
    assert "with different probabilities" in says("trust", *words)
    assert "--future" in says("trust", *words)
    [future] = trusted(*words, "--future")
    assert (future["population"], future["trusted"]) == ("future items", 0)
    assert 0.65 < future["levels"][0]["agreement"] < 0.92  # 0.80, not the 0.94 of all labels
    [within] = trusted(*words, "--strata", "source")
    assert (within["population"], within["trusted"]) == ("these items", 0)


def test_equal_confidences_are_one_level(tmp_path):
    """2/3, 1/3 and 1 in any order: their sums differ in the last bit."""
    says_a = ((2, 1, 3), (1, 3, 2), (3, 2, 1), (2, 3, 1))
    rows = [
        (f"q{n}", judge, repeat, "AB"[repeat >= times])
        for n in range(120)
        for judge, times in zip(("ja", "jb", "jc"), says_a[n % 4], strict=True)
        for repeat in range(3)
        if n % 4 != 1  # judge a would say B
    ]
    runs = imported(tmp_path, "j", ("item", "judge", "repeat", "verdict"), rows)
    drawn = sample(0, [n for n in range(120) if n % 4 != 1], 60)
    people = labels_in(tmp_path / "l.csv", [(f"q{n}", "A") for n in drawn])
    [made] = trusted(*(runs / judge for judge in ("ja", "jb", "jc")), "--people", people)
    assert [level["confidence"] for level in made["levels"]] == [pytest.approx(2 / 3)]


@pytest.mark.parametrize("whole", [True, False])
def test_labels_of_whole_images_promise_for_items_to_come(tmp_path, whole):
    rows = [
        {
            "trial": {"benchmark": "judgments_pair", "item": f"q{n}", "cluster": f"image{n // 5}",
                      "recorded": n % 2, "extracted": True},
            "filtered_resps": ["AB"[n % 2]],
        }
        for n in range(300)
    ]  # fmt: skip
    write_lines(tmp_path / "j" / "samples_t.jsonl", rows)
    drawn = sample(0, range(300), 100)
    if whole:
        drawn = [5 * image + n for image in sample(0, range(60), 20) for n in range(5)]
    people = labels_in(tmp_path / "l.csv", [(f"q{n}", "AB"[n % 2]) for n in drawn])
    [made] = trusted(tmp_path / "j", "--people", people)
    assert made["population"] == ("future items" if whole else "these items")
    assert ("whole images" in made["remark"]) == whole
    assert made["trusted"] == 300
    said = says("trust", tmp_path / "j", "--people", people, status=0)
    assert ("on such items in future data" in said) == whole


def test_people_in_the_judgments_need_no_file(tmp_path):
    drawn = set(sample(0, range(200), 90))
    rows = [(f"q{n}", "AB"[n % 2], "AB"[n % 2] if n in drawn else "") for n in range(200)]
    [made] = trusted(imported(tmp_path, "j", ("item", "verdict", "human"), rows))
    assert (made["trusted"], made["levels"][0]["labelled"]) == (200, 90)
    none = two_tasks(tmp_path / "none")
    for command in ("trust", "correct"):
        assert says(command, none).startswith("error: these judgments have no labels of people;")


def test_orders_that_contradict_each_other_are_not_called_unreadable(tmp_path):
    """The judge says first, whatever is asked: it has no verdict on any item."""
    rows = [(n // 2, *("xy", "yx")[n % 2], "A", "xy"[n // 2 % 2]) for n in range(120)]
    file = write_csv(tmp_path / "j.csv", ("item", "model_a", "model_b", "verdict", "human"), rows)
    said = says("trust", file, status=0)
    assert "any of the 60 labelled items: its answers contradict each other" in said
    said = says("people", file, status=0)
    assert "60 items are left out (the judge contradicts itself" in said
    assert "readable" not in said


def test_a_bound_is_rounded_down_in_table_and_sentence(tmp_path):
    rows = [(n, "A", "AB"[n % 9 == 0]) for n in range(400)]
    file = write_csv(tmp_path / "j.csv", ("item", "verdict", "human"), rows)
    made = json_of("trust", file, "--agree", "0.95")
    exact = made["trust"][0]["levels"][0]["bound"]
    [row] = made["tables"][0]["rows"]
    shown = row["cells"]["bound"]["value"]
    assert shown == int(100 * exact) / 100 < exact
    assert f"an agreement of at least {shown:.0%}." in " ".join(made["says"])


def test_a_draw_is_stored_beside_its_sheet_and_known_again(parts, tmp_path):
    runs, truth, _ = parts
    sheet, again = tmp_path / "sheet.csv", tmp_path / "again.csv"
    said = says("trust", runs, "--draw", 100, "--out", sheet, status=0)
    assert "100 questions of 300, drawn at random (seed 0;" in said
    pairbench("trust", runs, "--draw", 100, "--out", again, status=0)
    assert again.read_text() == sheet.read_text()
    rows = read_csv(sheet)
    assert len({row["item"] for row in rows}) == 100
    assert {(row["prompt"], row["images"]) for row in rows} == {("", "")}  # none were recorded
    header = tuple(rows[0])

    def labelled(file, blank=0):
        filled = [{**row, "label": truth[int(row["item"][1:])]} for row in rows]
        filled[:blank] = rows[:blank]
        return write_csv(file, header, [tuple(row.values()) for row in filled])

    [made] = trusted(runs, "--people", labelled(sheet))
    assert made["drawn"]
    assert made["trusted"] == 300
    assert "(100 labels drawn at random;" in says("trust", runs, "--people", sheet, status=0)
    [fewer] = trusted(runs, "--people", labelled(sheet, blank=10))
    share, less = (x["levels"][0]["agreement"] for x in (made, fewer))
    assert share - 0.101 < less < share  # a drawn question without a label disagrees
    silent = "Without a label: 10 drawn questions, counted as disagreement."
    assert silent in says("trust", runs, "--people", sheet, status=0)
    other = next(f"q{n}" for n in range(300) if f"q{n}" not in {row["item"] for row in rows})
    with sheet.open("a") as lines:
        lines.write(f"judgments,{other},,A,,,,\n")
    assert "of questions that were not drawn" in says("trust", runs, "--people", sheet)


def test_a_name_that_no_folder_can_have_is_kept(tmp_path):
    rows = [(f"q{n}", judge, "AB"[n % 2], "A") for n in range(20) for judge in ("org/one", "two")]
    runs = imported(tmp_path, "j", ("item", "judge", "verdict", "human"), rows)
    assert "org/one" in says("score", "judgments", runs / "org_one", runs / "two", status=0)
    assert "org/one" in says("compare", *sorted(runs.iterdir()), status=0)


def test_a_judge_stands_beside_the_raters_of_a_file(export, tmp_path):
    runs, _, best = export
    rows = [
        (item, name if rater != "cleo" else TWO[name == "zeta"], rater)
        for item, name in labels_by_name(best)
        for rater in ("anna", "ben", "cleo")
    ]
    people = labels_in(tmp_path / "l.csv", rows, "rater")
    done = pairbench("people", runs, "--people", people, "--json", status=0)
    assert {"anna", "ben", "cleo", "alpha", "zeta"} <= {
        word.strip('",: ') for line in done.stdout.splitlines() for word in line.split()
    }
    wins = trusted(runs, "--people", people)[0]["levels"][0]["agreement"]
    wrong = sum(int(item[1:]) % 20 < 3 for item, _ in labels_by_name(best)) / 100
    assert wins == pytest.approx(1 / 3 * wrong + 2 / 3 * (1 - wrong))


def test_labels_of_pairs_under_no_condition_count_for_each_and_say_so(tmp_path):
    write_lines(tmp_path / "j" / "samples_t.jsonl", ratings(1, 0, rows=20))
    labels = {"identical": 10, "transformed": 9, "different": 1}
    rows = [(f"{row}, {pair}", x) for row in range(0, 20, 2) for pair, x in labels.items()]
    people = labels_in(tmp_path / "l.csv", rows)
    remark = "abels without a column `criterion` count for every criterion, inv, sens"
    [made] = trusted(tmp_path / "j", "--people", people)
    assert remark in made["remark"]
    every = json_of("correct", tmp_path / "j", "--people", people)["corrected"]
    assert all(remark in " ".join(row["remarks"]) for row in every)
    assert all(row["labels_saved"] is None or row["labels_saved"] > -10 for row in every)
    named = labels_in(tmp_path / "n.csv", [(*row, "inv") for row in rows], "condition")
    assert remark not in trusted(tmp_path / "j", "--people", named)[0]["remark"]


def test_the_sheet_says_what_was_asked(tmp_path):
    rows = [(f"q{n}", "Which is better?", f"{n}.png", "A") for n in range(40)]
    runs = imported(tmp_path, "j", ("item", "prompt", "image", "verdict"), rows)
    sheet = tmp_path / "sheet.csv"
    pairbench("trust", runs, "--draw", 10, "--out", sheet, status=0)
    drawn = read_csv(sheet)
    assert {row["prompt"] for row in drawn} == {"Which is better?"}
    assert all(row["images"] == f"{row['item'][1:]}.png" for row in drawn)


def test_answers_of_the_page_are_labels(tmp_path):
    """The last answer of a rater holds, one that was taken back does not, nor "both are wrong"."""
    runs = imported(tmp_path, "j", ("item", "verdict"), [(f"q{n}", "AB"[n % 2]) for n in range(80)])
    sheet = tmp_path / "sheet.csv"
    pairbench("trust", runs, "--draw", 40, "--out", sheet, status=0)
    drawn = [int(row["item"][1:]) for row in read_csv(sheet)]
    options = ["one", "two", "Both are wrong", "I cannot tell"]
    named = {"rater": "ann", "task": "judgments", "order": "fwd", "options": options}
    wrong = [{**named, "item": f"q{n}", "choice": "BA"[n % 2]} for n in drawn[:20]]
    undone = [{**named, "event": "undo", "item": f"q{n}"} for n in drawn[10:20]]
    right = [{**named, "item": f"q{n}", "choice": "AB"[n % 2]} for n in drawn]
    none = [{**named, "item": f"q{n}", "choice": "C"} for n in drawn[38:]]
    answers = sheet.with_suffix(".jsonl")
    for event in (*wrong, *undone, *right, *none):
        event.setdefault("event", "rating")
    write_lines(answers, [*wrong, *undone, *right, *none])
    [made] = trusted(runs, "--people", answers)
    assert made["drawn"]
    [level] = made["levels"]
    assert level["labelled"] == 40  # two without an answer count as disagreement
    assert level["agreement"] == pytest.approx(38 / 40)
    assert json_of("correct", runs, "--people", answers)["corrected"][0]["labelled"] == 38


def test_a_stratum_is_a_field_of_the_items(parts, tmp_path):
    """`kind` is a field of answers: as a stratum it would be one, and hide that labels are of x."""
    runs, truth, _ = parts
    people = labels_in(tmp_path / "l.csv", [("q0", truth[0]), ("q2", truth[2])])
    said = says("correct", runs, "--people", people, "--strata", "kind", status=1)
    assert "items have no field 'kind'" in said
    assert "source" in said


def test_items_on_which_judge_and_people_disagree_are_listed(export, tmp_path):
    _, rows, best = export
    header = ("item", "model_a", "model_b", "verdict", "judge", "human")
    file = write_csv(tmp_path / "judged.csv", header, [(*row, best[row[0]]) for row in rows])
    out, page = tmp_path / "differ.csv", tmp_path / "page.html"
    pairbench("people", file, "--out", out, status=0)
    listed = {row["item"]: (row["verdict"], row["people"]) for row in read_csv(out)}
    said = {item: (a, b)["AB".index(v)] for item, a, b, v, _ in rows}
    wrong = {x: (said[x], f"human: {best[x]}") for x in best if said[x] != best[x]}
    assert listed == wrong
    pairbench("report", file, "--images", "none", "--out", page, status=0)
    assert f"{len(wrong)} items on which gpt and people disagree" in page.read_text()
    pairbench("people", file, "--out", file, status=1)
