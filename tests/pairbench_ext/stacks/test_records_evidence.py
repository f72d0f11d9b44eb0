"""Files as teams keep them: read right, or asked about with commands that each do what they say."""

import csv
import json
import re
import shlex
from pathlib import Path
from statistics import correlation

import numpy as np
import pandas as pd
import pytest

from pairbench_ext.core.records import RecordError
from pairbench_ext.stacks.records.cells import place
from pairbench_ext.stacks.records.columns import columns_of
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.judgments import import_judgments, judgments
from tests.conftest import SHARED
from tests.files import json_of, judge_of, pairbench, write_lines

CASES = SHARED / "data/turn5/records"
given = pytest.mark.skipif(not CASES.is_dir(), reason=f"{CASES} is not here")
ITEMS = 60
TRUE = ["AB"[i * 7 % 5 % 2] for i in range(ITEMS)]
YES = [i * 11 % 7 < 4 for i in range(ITEMS)]


def other(place):
    return {"A": "B", "B": "A"}[place]


def judged(wrong):
    """What a judge says that is wrong in every so many items."""
    return [t if i % wrong else other(t) for i, t in enumerate(TRUE)]


def share(said, true=TRUE):
    return sum(a == b for a, b in zip(said, true, strict=True)) / ITEMS


def numbers(out):
    """Numbers of each judge and task."""
    runs = json.loads(pairbench("score", "judgments", out, "--json", status=0).stdout)["runs"]
    return {f"{run['file'].split('/')[-2]} {n}": run["numbers"] for n, run in enumerate(runs)}


def readings(file, out, *words):
    """The numbers that each reading of a file gives: of the file, or of each command proposed."""
    done = pairbench("import", "judgments", file, "--out", out, *words)
    if not done.exit_code:
        return 0, [numbers(out)]
    assert done.exit_code == 2, done.output
    commands = re.findall("^ {3}pairbench (.*)$", done.output, flags=re.M)
    assert 0 < len(commands) <= 4, done.output
    found = []
    for number, command in enumerate(commands):
        other_out = f"{out}_{number}"
        asked = [other_out if word == str(out) else word for word in shlex.split(command)]
        pairbench(*asked, status=0)
        found.append(numbers(other_out))
    return 2, found


def value(found, name):
    """A number of every judge, in their order."""
    known = [of[name] for _, of in sorted(found.items())]
    return [None if number is None else round(number, 3) for number in known]


@given
@pytest.mark.parametrize(
    ("file", "name", "right"),
    [
        ("01_correct_incorrect.csv", "accuracy", [0.75]),
        ("01b_correct_incorrect_sentence.csv", "accuracy", [0.75]),
        ("02_error_as_tie.csv", "coverage", [0.75]),
        ("03_two_verdicts.csv", "accuracy", [1.0]),
        ("04_pass_with_remarks.csv", "accuracy", [1.0]),
        ("04b_pass_fail.csv", "accuracy", [0.8]),
        ("04c_ones.csv", "accuracy", [0.8]),
        ("04d_good_bad.csv", "accuracy", [0.8]),
        ("06_criteria_wide.csv", "pearson", [0.877, 0.905, 0.863]),
        ("07a_tie_lean_few.json", "tie_rate", [0.017]),
        ("08_label_tool.json", "accuracy", [0.733]),
        ("10_events.jsonl", "coverage", [1.0]),
        ("12_scores_long.csv", "accuracy", [0.75]),
        ("13_one_hot.csv", "tie_rate", [0.3]),
        ("14_semicolon.csv", "pearson", [0.5]),
        ("17_names.csv", "position_consistency", [0.833]),
        ("18_think_json.csv", "accuracy", [1.0]),
        ("21_scientific.csv", "coverage", [1.0]),
        ("24_forward_reverse.json", "position_consistency", [0.8]),
        ("team.csv", "accuracy", [0.617, 0.897]),
        ("wide.csv", "accuracy", [0.927, 0.652]),
        ("yesno.csv", "accuracy", [0.933, 0.542, 0.821]),
    ],
)  # fmt: skip
def test_files_of_teams_are_right_or_asked_well(file, name, right, tmp_path):
    _, found = readings(CASES / file, tmp_path / "out")
    assert right in [value(each, name) for each in found if name in next(iter(each.values()))]


@given
def test_categories_of_a_panel(tmp_path):
    words = ("--people", CASES / "25_people.csv")
    _, [found] = readings(CASES / "25_panel_of_categories", tmp_path / "out", *words)
    assert value(found, "accuracy") == [0.85, 0.85, 0.8]


def table(folder, rows, delimiter=","):
    with (folder / "file.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return folder / "file.csv"


GOOD, FAIR = judged(5), judged(3)
NAMES = {"A": "sd", "B": "flux"}
SIDES = {"A": "linkes Bild", "B": "rechtes Bild"}
KINDS = {"A": "object", "B": "relation"}
PASSED = {"A": "Pass", "B": "Fail"}
GIVEN = {"A": True, "B": False}
NUMBERED = {"A": "1 = Model A", "B": "2 = Model B"}
YESNO = {"A": "yes", "B": "no"}
SI = {"A": "sì", "B": "no"}
LINKS = {"A": "links", "B": "rechts"}
GRADES = ("{} is much better", "{} is slightly better")


def long_form(i):
    said = {"gpt-4o": GOOD[i], "llama-3": FAIR[i], "human_1": TRUE[i], "human_2": TRUE[i]}
    return [{"item_id": i, "rater": who, "choice": what} for who, what in said.items()]


def two_orders(first, second):
    def rows(i):
        places = {first: GOOD[i], second: other(GOOD[i])}
        return [{"id": i, "order": o, "winner": p, "human": TRUE[i]} for o, p in places.items()]

    return rows


SAFE = {"A": "safe", "B": "unsafe"}
LAYOUTS = {
    "judges with names like verdicts": (
        lambda i: [{"item": i, "judge": who, "repeat": 0, "verdict": what, "human": TRUE[i]}
                   for who, what in (("a", GOOD[i]), ("b", FAIR[i]), ("c", TRUE[i]))],
        [share(GOOD), share(FAIR), 1.0],
    ),
    "first names beside a model": (
        lambda i: [{"item": i, "rater": who, "verdict": what} for who, what in
                   (("Anna", TRUE[i]), ("Ben", TRUE[i]), ("gpt-4o", GOOD[i]))],
        [share(GOOD)],
    ),
    "runs in columns, and an item of an unknown name": (
        lambda i: [{"stimulus": f"x{i}y", "answer_run1": GOOD[i], "answer_run2": FAIR[i]}
                   | {"expected": TRUE[i]}],
        [(share(GOOD) + share(FAIR)) / 2],
    ),
    "a column for each judge": (
        lambda i: [{"pair": i, "vote_gpt4": GOOD[i], "vote_gemini": FAIR[i], "label": TRUE[i]}],
        [share(FAIR), share(GOOD)],
    ),
    "people among the raters": (long_form, [share(GOOD), share(FAIR)]),
    "majority of annotators": (
        lambda i: [
            {"id": i, "judge": GOOD[i], "majority": TRUE[i], "annotator_1": TRUE[i]}
            | {"annotator_2": TRUE[i], "annotator_3": other(TRUE[i])}
        ],
        [share(GOOD)],
    ),
    "rounds 1 and 2": (two_orders(1, 2), [share(GOOD)]),
    "orders AB and BA": (two_orders("AB", "BA"), [share(GOOD)]),
    "yes or no, with noise": (
        lambda i: [{"task_id": i, "grader": "gpt", "passed": YES[i] ^ (not i % 4)}
                   | {"confidence": i / 100, "latency_ms": 300 + i, "expected_pass": YES[i]}],
        [0.75],
    ),
    "names beside numbers": (
        lambda i: [{"id": i, "model_1": "sd", "model_2": "flux", "judge_pick": NAMES[GOOD[i]]}
                   | {"human_idx": int(TRUE[i] == "B")}],
        [share(GOOD)],
    ),
    "words that nobody knows": (
        lambda i: [{"id": i, "system_one": "sd", "system_two": "flux"}
                   | {name: {"A": "haut", "B": "bas"}[said[i]]
                      for name, said in (("decision", GOOD), ("expert", TRUE))}],
        [share(GOOD)],
    ),
    "a preference beside a prediction": (
        lambda i: [{"uid": i, "preference": TRUE[i], "prediction": GOOD[i]}],
        [share(GOOD)],
    ),
    "German, with the names of people": (
        lambda i: [{"Lfd. Nr.": i, "Bewerter": who, "Bevorzugt": SIDES[what]} for who, what in
                   (("Frau Ay", TRUE[i]), ("Herr Ott", TRUE[i]), ("ChatGPT", GOOD[i]))],
        [share(GOOD)],
    ),
    "codes of coders": (
        lambda i: [{"doc": i, "coder": who, "code": KINDS[what]} for who, what in
                   (("R1", TRUE[i]), ("R2", TRUE[i]), ("gpt-4o-mini", GOOD[i]))],
        [share(GOOD)],
    ),
    "experts, models, and raters of whom a name says little": (
        lambda i: [{"question_id": i, "model_a": "x", "model_b": "y", "winner": what, "judge": who}
                   for who, what in (("expert_1", TRUE[i]), ("author_2", TRUE[i]),
                                     ("gpt4_pair", GOOD[i]))],
        [share(GOOD)],
    ),
    "numbered raters without a word for people": (
        lambda i: [{"clip": i, "model_vote": GOOD[i]} | {f"vote_r{n}": TRUE[i] for n in (1, 2, 3)}],
        [share(GOOD)],
    ),
    "the text of an answer, by a weak name": (
        lambda i: [{"question_id": i, "prompt": f"Is thing {i} in it?", "label": YESNO[TRUE[i]],
                    "text": f"{YESNO[GOOD[i]].title()}, so much can be said of it."}],
        [share(GOOD)],
    ),
    "remarks behind values": (
        lambda i: [{"Ticket": f"V-{i}"} | {f"{who} Review": PASSED[what] + (": no dog" * (i % 2))
                   for who, what in (("AI", GOOD[i]), ("Human", TRUE[i]))}],
        [share(GOOD)],
    ),
    "what is right beside what a person says": (
        lambda i: [{"qid": i, "gold": YESNO[TRUE[i]], "human": YESNO[FAIR[i]]}
                   | {"llava_pred": YESNO[GOOD[i]]}],
        [share(GOOD)],
    ),
    "annotations with numbers of their own": (
        lambda i: [{"annotation_id": 2 * i + who, "annotator": who, "id": i}
                   | {"gpt4_choice": GOOD[i], "preference": TRUE[i]} for who in (0, 1)],
        [share(GOOD)],
    ),
    "a truth that names one of two systems": (
        lambda i: [{"question": i, "judge": "gpt", "choice": GOOD[i], "left": "sdxl-1.0"}
                   | {"right": "flux", "gold": {"A": "sdxl-1.0", "B": "flux"}[TRUE[i]]}],
        [share(GOOD)],
    ),
    "what an annotator said, under that name": (
        lambda i: [{"item": i, "predicted": SAFE[GOOD[i]], "annotator": SAFE[TRUE[i]]}],
        [share(GOOD)],
    ),
    "winners by name, of a judge and of people": (
        lambda i: [{"qid": i, "model_a": "m1", "model_b": "m2", "judge": "gpt-4"}
                   | {"winner_judge": {"A": "m1", "B": "m2"}[GOOD[i]]}
                   | {"winner_human": {"A": "m1", "B": "m2"}[TRUE[i]]}],
        [share(GOOD)],
    ),
    "what was judged, in free words, and how many people did": (
        lambda i: [{"question_id": i, "model_answer": f"a cat and {i % 4}", "n_raters": i % 3}
                   | {"gpt_eval": PASSED[GOOD[i]], "human_eval": PASSED[TRUE[i]]}],
        [share(GOOD)],
    ),
    "a judge named in Spanish": (
        lambda i: [{"id": i, "human": YESNO[TRUE[i]], "Juez": YESNO[GOOD[i]]}],
        [share(GOOD)],
    ),
    "grades of a preference": (
        lambda i: [{"example": i} | {f"{who}_judgment": GRADES[i % 2].format(what)
                   for who, what in (("model", GOOD[i]), ("expert", TRUE[i]))}],
        [share(GOOD)],
    ),
    "a value beside the answer that was asked for": (
        lambda i: [{"id": f"r{i}", "inputs.question": f"What is {i}?"}
                   | {"outputs.answer": f"It is {i}.", "reference.answer": i}
                   | {"feedback.correctness": "AB".index(GOOD[i])}
                   | {"feedback.human_correctness": "AB".index(TRUE[i])}],
        [share(GOOD)],
    ),
    "truth among what was given to a judge": (
        lambda i: [{"inputs.example.id": i, "inputs.example.has_error": GIVEN[TRUE[i]]}
                   | {"scores.ErrorScorer.has_error": GIVEN[GOOD[i]]}],
        [share(GOOD)],
    ),
    "numbers before words": (
        lambda i: [{"id": i, "judge": NUMBERED[GOOD[i]], "human": NUMBERED[TRUE[i]]}],
        [share(GOOD)],
    ),
    "numbers of runs, of one judge": (
        lambda i: [{"id": i, "judge_vote_run1": GOOD[i], "judge_vote_run2": FAIR[i]}
                   | {"human_vote": TRUE[i]}],
        [(share(GOOD) + share(FAIR)) / 2],
    ),
    "the number of the best of three": (
        lambda i: [{"prompt": f"p {i}", "img1": f"{i}_1.png", "img2": f"{i}_2.png"}
                   | {"img3": f"{i}_3.png", "best_by_judge": "_AB".index(GOOD[i]) + 1}
                   | {"best_by_human": "_AB".index(TRUE[i]) + 1}],
        [share(GOOD)],
    ),
    "a column for each criterion, and people among the raters": (
        lambda i: [{"item": i, "rater": "expert", "accuracy": YESNO[TRUE[i]], "clarity": "yes"},
                   {"item": i, "rater": "gpt-4o", "accuracy": YESNO[GOOD[i]]}
                   | {"clarity": YESNO[FAIR[i]]}],
        [share(GOOD), share(FAIR, ["A"] * ITEMS)],
    ),
    "users who vote, beside a column of a model": (
        lambda i: [{"question_id": i, "judge": f"arena_user_{i % 9}", "model_a": "x"}
                   | {"model_b": "y", "winner": f"model_{TRUE[i].lower()}"}
                   | {"gpt4_winner": f"model_{GOOD[i].lower()}"}],
        [share(GOOD)],
    ),
    "what was settled between coders": (
        lambda i: [{"doc": i, "coder_AB": KINDS[FAIR[i]], "coder_XY": KINDS[TRUE[i]]}
                   | {"adjudicated": KINDS[TRUE[i]], "gpt_code": KINDS[GOOD[i]]}],
        [share(GOOD)],
    ),
    "seven grades of a preference": (
        lambda i: [{"id": i, "system_a": "base", "system_b": "tuned"}
                   | {f"{who}_preference": (i % 3 + 1) * {"A": -1, "B": 1}[what]
                      for who, what in (("judge", GOOD[i]), ("human", TRUE[i]))}],
        [share(GOOD)],
    ),
    "merged cells": (
        lambda i: [{"Image": f"{i}.png" * (n < 1), "Expected": YESNO[TRUE[i]] * (n < 1)}
                   | {"Judge": who, "Answer": YESNO[what]}
                   for n, (who, what) in enumerate((("GPT-4o", GOOD[i]), ("LLaVA", FAIR[i])))],
        [share(GOOD), share(FAIR)],
    ),
    "both systems in one cell, as they were shown": (
        lambda i: [{"pair_id": i, "shown_order": shown, "judge_winner": NAMES[GOOD[i]]}
                   | {"gold_winner": NAMES[TRUE[i]]} for shown in ("sd,flux", "flux,sd")],
        [share(GOOD)],
    ),
    "a word and its denial": (
        lambda i: [{"id": i} | {f"{who}_verdict": {"A": "acceptable", "B": "not acceptable"}[what]
                                for who, what in (("llm", GOOD[i]), ("human", TRUE[i]))}],
        [share(GOOD)],
    ),
    "categories of a model, by a name that a system may have": (
        lambda i: [{"Defect": f"D-{i}", "Severity (model)": {"A": "S1", "B": "S2"}[GOOD[i]]}
                   | {"Severity (engineer)": {"A": "S1", "B": "S2"}[TRUE[i]]}],
        [share(GOOD)],
    ),
    "a judge and reviewers in Italian": (
        lambda i: [{"Immagine": f"{i}.png", "Giudizio modello": SI[GOOD[i]]}
                   | {f"Revisore {n}": SI[TRUE[i]] for n in (1, 2, 3)}],
        [share(GOOD)],
    ),
    "an order in German": (
        lambda i: [{"nr": i, "reihenfolge": order, "urteil": said, "mensch": LINKS[TRUE[i]]}
                   for order, said in (("ab", LINKS[GOOD[i]]), ("ba", LINKS[other(GOOD[i])]))],
        [share(GOOD)],
    ),
    "the index of the best of three": (
        lambda i: [{"id": i, "option1": f"x {i}", "option2": f"y {i}", "option3": f"z {i}"}
                   | {"gpt_index": "AB".index(GOOD[i]), "human_index": "AB".index(TRUE[i])}],
        [share(GOOD)],
    ),
    "a judge's and people's column for each system": (
        lambda i: [{"case": i, "sysA_llm": PASSED[GOOD[i]], "sysA_human": PASSED[TRUE[i]]}
                   | {"sysB_llm": PASSED[FAIR[i]], "sysB_human": PASSED[TRUE[i]]}],
        [(share(GOOD) + share(FAIR)) / 2],
    ),
    "rows that are alike but for the verdict": (
        lambda i: [{"qid": i, "verdict": said[i], "human": TRUE[i]} for said in (GOOD, FAIR)],
        [(share(GOOD) + share(FAIR)) / 2],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_right_or_asked_well(name, tmp_path):
    rows, right = LAYOUTS[name]
    file = table(tmp_path, [row for i in range(ITEMS) for row in rows(i)])
    code, found = readings(file, tmp_path / "out")
    known = [each for each in found if all("accuracy" in of for of in each.values())]
    accuracies = [value(each, "accuracy") for each in known]
    expected = [round(number, 3) for number in right]
    assert expected in accuracies
    assert code == 2 or accuracies == [expected]


def scored(*files):
    """What `score` prints of files as they lie, by judge and number."""
    return {judge_of(run): run["numbers"] for run in json_of("score", *files)["runs"]}


def test_titles_and_names_in_two_rows(tmp_path):
    lines = ["Review of March,,,,", ",gpt-4o,,human,", "id,AB,BA,label,remark"]
    lines += [f"p{i},{GOOD[i]},{other(GOOD[i])},{TRUE[i]}," for i in range(ITEMS)]
    (tmp_path / "sheet.csv").write_text("\n".join(lines))
    assert scored(tmp_path / "sheet.csv")["gpt-4o"]["accuracy"] == share(GOOD)
    titles = ["Review of March,,,,", "Owner: Dana,,Status: final,,", ",,,,", *lines[1:]]
    (tmp_path / "sheet.csv").write_text("\n".join(titles))
    assert scored(tmp_path / "sheet.csv")["gpt-4o"]["accuracy"] == share(GOOD)


def test_grades_with_a_number_beside_the_word_are_ratings(tmp_path):
    words = ("Poor", "Fair", "Good")
    rows = [
        {"id": i, "AI rating": f"{a + 1} - {words[a]}", "Human rating": f"{words[b]} ({b + 1})"}
        for i, (a, b) in enumerate([(i % 3, i // 2 % 3) for i in range(ITEMS)])
    ]
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "pearson") == [0.5]
    assert value(found, "judgments") == [ITEMS]


def test_totals_and_notes_below_a_table_are_no_judgments(tmp_path):
    lines = [f"S{i},{i % 5 + 1},{(i + i // 20) % 5 + 1}" for i in range(ITEMS)]
    foot = ["Average,3.0,3.2", ",,", "Notes: experts were blind,,"]
    file = tmp_path / "file.csv"
    file.write_text("\n".join(["Sample,Judge score,Expert score", *lines, *foot]))
    done = pairbench("import", "judgments", file, "--out", tmp_path / "out", status=0).output
    assert "1 row left out, a total or mean of other rows, such as Average, 3.0, 3.2" in done
    assert "1 row left out, a total or a note below the table, such as Notes" in done
    [found] = numbers(tmp_path / "out").values()
    assert found["judgments"] == ITEMS
    # Nor are subtotals between the rows, and notes that begin with any word.
    parts = [line for n in range(3) for line in (*lines[20 * n : 20 * n + 20], "Subtotal,,3.1")]
    parts += [",,", "Scale from 1 to 5,,"]
    file.write_text("\n".join(["Sample,Judge score,Expert score", *parts]))
    pairbench("import", "judgments", file, "--out", tmp_path / "parts", status=0)
    assert [of["judgments"] for of in numbers(tmp_path / "parts").values()] == [ITEMS]
    # A criterion of that name is none.
    long = [f"{name},S{i},{i % 5 + 1},{(i + i // 20) % 5 + 1}" for name in ("clarity", "accuracy")
            for i in range(ITEMS)]  # fmt: skip
    file.write_text("\n".join(["criterion,sample,judge score,human score", *long]))
    pairbench("import", "judgments", file, "--out", tmp_path / "long", status=0)
    assert [of["judgments"] for of in numbers(tmp_path / "long").values()] == [ITEMS, ITEMS]


PARTS = [("charts", "photos", "maps")[i // 20] for i in range(ITEMS)]
RATED = [(i % 5 + 1, (i + i // 20) % 5 + 1) for i in range(ITEMS)]


def with_totals(name, of):
    """Rows with one of totals below each part: `name` fills its cells, `of` makes its numbers."""
    for part in dict.fromkeys(PARTS):
        own = [x for x, p in zip(enumerate(RATED), PARTS, strict=True) if p == part]
        yield from ([part, f"S{i}", *x] for i, x in own)
        yield [*name(part), *(of([x[n] for _, x in own]) for n in (0, 1))]


def tenths(numbers):
    return round(sum(numbers) / len(numbers), 1)


@pytest.mark.parametrize(
    ("kind", "name", "of"),
    [
        *((kind, lambda part: [part, "Average"], tenths)
          for kind in ("csv", "xlsx", "jsonl", "parquet")),
        ("csv", lambda part: ["Mean", part], lambda x: sum(x) / len(x)),
        ("csv", lambda part: [part, "Total"], sum),
        ("csv", lambda part: ["Subtotal", part], sum),
        ("csv", lambda part: [part, "Durchschnitt"], lambda x: f"{sum(x) / len(x):.2f}"),
        ("csv", lambda part: [part, "Average"], lambda x: round(sum(x) / len(x))),
    ],
)  # fmt: skip
def test_totals_among_the_rows_are_no_judgments(tmp_path, kind, name, of):
    names = ["category", "item", "judge score", "human score"]
    frame, file = pd.DataFrame(with_totals(name, of), columns=names), tmp_path / f"file.{kind}"
    if kind == "jsonl":
        frame.to_json(file, orient="records", lines=True)
    elif kind == "parquet":
        frame.astype(dict.fromkeys(names[2:], float)).to_parquet(file)
    else:
        (frame.to_csv if kind == "csv" else frame.to_excel)(file, index=False)
    done = pairbench("import", "judgments", file, "--out", tmp_path / "out", status=0).output
    assert "3 rows left out, a total or mean of other rows, such as" in done
    [found] = numbers(tmp_path / "out").values()
    assert found["judgments"] == ITEMS


def test_totals_among_rows_in_memory_are_no_judgments():
    names = ["category", "item", "judge score", "human score"]
    rows = [*with_totals(lambda part: [part, "Average"], lambda x: sum(x) / len(x))]
    rows.append(["Mean", "", 3, 4])  # at the foot
    said: list[str] = []
    frame = pd.DataFrame(rows, columns=names).assign(embedding=[np.arange(3)] * len(rows))
    [judge] = judgments(frame, remarks=said)
    assert judge.runs["judgments"].numbers["judgments"] == ITEMS
    assert "4 rows left out, a total or mean of other rows, such as charts, Average" in said[-1]


@pytest.mark.parametrize(
    ("names", "row"),
    [
        (["item", "judge score", "human score"], lambda i: [["Mean", "Sum", "Total"][i % 3]]),
        (["item", "judge score", "human score"], lambda i: [["S", "Mean", "Sum", "Total"][i % 4]]),
        (["item", "judge score", "human score"], lambda i: [f"Average of {i}"]),
        (["item", "judge score", "human score"], lambda i: ["Mean" if i == 7 else f"S{i}"]),
    ],
)
def test_items_with_names_of_totals_are_judgments(tmp_path, names, row):
    rows = [[*row(i), *x] for i, x in enumerate(RATED[:12])]
    file = tmp_path / "file.csv"
    pd.DataFrame(rows, columns=names).drop_duplicates("item").to_csv(file, index=False)
    done = pairbench("import", "judgments", file, "--out", tmp_path / "out", status=0).output
    assert "left out" not in done
    said = "kept as judgments, although their item has the name of a total or mean: Mean"
    assert (said in done) == ("Mean" in {item for [item, *_] in rows})


def test_a_criterion_or_a_grade_that_is_called_a_total_is_a_judgment(tmp_path):
    long = [(f"S{i}", name, value, value) for i, (x, y) in enumerate(RATED)
            for name, value in (("clarity", x), ("depth", y), ("total", x + y))]  # fmt: skip
    graded = [(f"S{i}", ["poor", "average", "good"][x % 3], x % 3 + 2)
              for i, (x, _) in enumerate(RATED)]  # fmt: skip
    for rows, names in ((long, "item criterion judge_score human_score"),
                        (graded, "item judge_rating human_rating")):  # fmt: skip
        file = tmp_path / f"{len(rows)}.csv"
        pd.DataFrame(rows, columns=names.split()).to_csv(file, index=False)
        done = pairbench("import", "judgments", file, "--out", tmp_path / file.stem, status=0)
        assert "left out" not in done.output


def test_a_column_for_each_of_three_systems(tmp_path):
    ratings = [(i % 5 + 1, i // 5 % 5 + 1, i // 25 + 1) for i in range(ITEMS)]
    others = [(6 - x, y, z) for x, y, z in ratings]
    rows = [
        {"item": i, "rater": who, **dict(zip(("model_x", "model_y", "model_z"), of, strict=True))}
        for who, every in (("gpt-4o", ratings), ("human", others))
        for i, of in enumerate(every)
    ]
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "judgments") == [3 * ITEMS]  # not a judge, nor a criterion, for each
    both = ([x for of in every for x in of] for every in (ratings, others))
    assert value(found, "pearson") == [round(correlation(*both), 3)]


def test_confidence_and_strength_are_logged_with_each_judgment(tmp_path):
    rows = [
        {"id": i, "gpt_verdict": "A>>B" if i % 2 else "B>A", "gpt_confidence": 0.5}
        | {"qwen_verdict": "A>B", "qwen_confidence": i / ITEMS, "human": TRUE[i]}
        for i in range(ITEMS)
    ]
    words = ("import", "judgments", table(tmp_path, rows), "--out", tmp_path / "out")
    pairbench(*words, status=0)
    logged = {}
    for name in ("gpt_verdict", "qwen_verdict"):
        [file] = (tmp_path / "out" / name).glob("*.jsonl")
        trials = (json.loads(line)["trial"] for line in file.read_text().splitlines()[:2])
        logged[name] = [(trial["strength"], trial["confidence"]) for trial in trials]
    assert logged == {"gpt_verdict": [(1, 0.5), (2, 0.5)], "qwen_verdict": [(1, 0), (1, 1 / ITEMS)]}


def test_a_sheet_for_each_criterion(tmp_path):
    ratings = {"Fluency": [i % 5 for i in range(ITEMS)], "Grounding": [i % 4 for i in range(ITEMS)]}
    with pd.ExcelWriter(tmp_path / "file.xlsx") as book:
        for name, said in ratings.items():
            of = {"Image": range(ITEMS), "GPT-4o": said, "Human": [*said[1:], 0]}
            pd.DataFrame(of).to_excel(book, sheet_name=name, index=False)
    _, [found] = readings(tmp_path / "file.xlsx", tmp_path / "out")
    right = [round(correlation(said, [*said[1:], 0]), 3) for said in ratings.values()]
    assert sorted(value(found, "pearson")) == sorted(right)


def test_objects_by_judge_are_no_orders(tmp_path):
    rows = [
        {"item": i, "human": {"winner": TRUE[i], "annotators": 3}}
        | {"judgments": {"gpt-4o": {"winner": GOOD[i]}, "qwen2.5-vl": {"winner": FAIR[i]}}}
        for i in range(ITEMS)
    ]
    (tmp_path / "file.json").write_text(json.dumps({"study": 4, "items": rows}))
    accuracies = {name: of["accuracy"] for name, of in scored(tmp_path / "file.json").items()}
    assert accuracies == {"gpt-4o": share(GOOD), "qwen2.5-vl": share(FAIR)}


def test_a_number_of_a_list_of_candidates_is_a_choice(tmp_path):
    rows = [
        {"id": i, "candidates": [f"a {i}", f"b {i}", f"c {i}"]}
        | {"judge_best": "AB".index(GOOD[i]), "human_best": "AB".index(TRUE[i])}
        for i in range(ITEMS)
    ]
    write_lines(tmp_path / "file.jsonl", rows)
    [found] = scored(tmp_path / "file.jsonl").values()
    assert found["accuracy"] == share(GOOD)


def test_a_probability_beside_a_truth_of_0_and_1_is_no_second_criterion(tmp_path):
    rows = [
        {"id": i, "p_toxicity": round(i * 37 % 60 / 60, 2), "is_toxicity": i % 2}
        for i in range(ITEMS)
    ]
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    pearson = correlation([row["p_toxicity"] for row in rows], [row["is_toxicity"] for row in rows])
    assert code == 2
    made = {round(of.get("pearson") or 0, 3) for each in found for of in each.values()}
    assert round(pearson, 3) in made


def test_sheets_with_other_columns_of_the_same_items_are_joined(tmp_path):
    judge = pd.DataFrame({"sample_id": range(ITEMS), "score": [i % 5 for i in range(ITEMS)]})
    raters = {f"rater_{n}": [(i + n) // 2 % 5 for i in range(ITEMS)] for n in (1, 2)}
    with pd.ExcelWriter(tmp_path / "file.xlsx") as book:
        judge.to_excel(book, sheet_name="LLM judge", index=False)
        people = pd.DataFrame({"sample_id": range(ITEMS), **raters})
        people.to_excel(book, sheet_name="Human ratings", index=False)
    _, [found] = readings(tmp_path / "file.xlsx", tmp_path / "out")
    means = [(a + b) / 2 for a, b in zip(*raters.values(), strict=True)]
    assert value(found, "pearson") == [round(correlation(judge["score"], means), 3)]


def test_columns_of_ranks_are_a_ranking(tmp_path):
    rows = [{"item": i} for i in range(ITEMS)]
    for i, row in enumerate(rows):
        for who, turn in (("judge", 1), ("human", 1 + i % 2)):
            row |= {f"{who}_rank_{name}": (i + n * turn) % 3 + 1 for n, name in enumerate("XYZ")}
    file = table(tmp_path, rows)
    done = pairbench("import", "judgments", file, "--out", tmp_path / "out", status=0)
    assert "a ranking, 60 judgments" in done.output
    assert "`judge_rank_X`, `judge_rank_Y`, `judge_rank_Z` are read as one" in done.output


def test_a_file_of_people_beside_files_of_judges(tmp_path):
    files = {"gpt-4o": GOOD, "claude": FAIR, "human": TRUE}
    for name, said in files.items():
        lines = [f"{i},{KINDS[said[i]] if i % 9 else 'none'}" for i in range(ITEMS)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["img_id,label", *lines]))
    found = scored(*(tmp_path / f"{name}.csv" for name in files))
    same = {n: sum(x[i] == TRUE[i] or not i % 9 for i in range(ITEMS)) for n, x in files.items()}
    accuracies = {name: of["accuracy"] for name, of in found.items()}
    assert accuracies == {name: same[name] / ITEMS for name in ("gpt-4o", "claude")}


def test_files_of_other_kinds_are_read_each_by_itself(tmp_path):
    said = [(i % 5, (i + i // 40) % 5) for i in range(ITEMS)]
    rated = [{"item": i, "judge": "gpt", "score": a, "human": b} for i, (a, b) in enumerate(said)]
    passed = [
        {"item": i, "judge": "qwen", "verdict": YESNO[GOOD[i]], "human": YESNO[TRUE[i]]}
        for i in range(ITEMS)
    ]
    found = scored(table(tmp_path, rated).rename(tmp_path / "ratings.csv"), table(tmp_path, passed))
    assert found["gpt"]["pearson"] == pytest.approx(correlation(*zip(*said, strict=True)))
    assert found["qwen"]["accuracy"] == share(GOOD)


def test_files_of_the_same_columns_and_other_kinds_are_read_each_by_itself(tmp_path):
    pairs = [{"item": i, "verdict": GOOD[i], "human": TRUE[i]} for i in range(ITEMS)]
    checks = [{"item": i, **{name: YESNO[row[name]] for name in ("verdict", "human")}}
              for i, row in enumerate(pairs)]  # fmt: skip
    compared = table(tmp_path, pairs).rename(tmp_path / "gpt.csv")
    found = scored(compared, table(tmp_path, checks).rename(tmp_path / "qwen.csv"))
    assert {name: of["accuracy"] for name, of in found.items()} == {
        "gpt": share(GOOD), "qwen": share(GOOD),
    }  # fmt: skip
    assert "position_consistency" not in found["qwen"]
    # One that is unclear by itself is asked about by itself.
    codes = [{"item": i, **{name: "AB".index(row[name]) for name in ("verdict", "human")}}
             for i, row in enumerate(pairs)]  # fmt: skip
    unclear = table(tmp_path, codes).rename(tmp_path / "codes.csv")
    done = pairbench("score", compared, unclear, status=2)
    assert f"{unclear} cannot be read together with the other files. By itself:" in done.output
    commands = re.findall("^ {3}pairbench (.*)$", done.output, flags=re.M)
    [first] = [shlex.split(c) for c in commands if "0=first" in c]
    assert str(compared) not in first
    said = pairbench(*first, "--json", status=0).stdout
    assert json.loads(said)["runs"][0]["numbers"]["accuracy"] == share(GOOD)


def test_a_file_without_judgments_beside_others_is_said(tmp_path):
    rows = [{"item": i, "verdict": GOOD[i], "human": TRUE[i]} for i in range(ITEMS)]
    judged_file = table(tmp_path, rows).rename(tmp_path / "judge.csv")
    prompts = table(tmp_path, [{"item": i, "prompt": "Which one is better?"} for i in range(ITEMS)])
    done = pairbench("score", judged_file, prompts, status=2)
    assert (
        f"{prompts} cannot be read together with the other files. By itself: no co" in done.output
    )


def test_two_kinds_in_one_file_are_two_groups(tmp_path):
    rows = [
        {"id": i, "judge_preference": GOOD[i], "judge_score": i % 5 + 1}
        | {"human_preference": TRUE[i], "human_score": (i + i % 2) % 5 + 1}
        for i in range(ITEMS)
    ]
    pair, rating = (run["numbers"] for run in json_of("score", table(tmp_path, rows))["runs"])
    assert pair["accuracy"] == share(GOOD)
    assert rating["judgments"] == ITEMS


def test_annotations_in_a_list_are_no_orders(tmp_path):
    people = [[{"annotator": who, "label": true} for who in ("a1", "a2")] for true in TRUE]
    rows = [{"id": i, "gpt4_label": GOOD[i], "annotations": people[i]} for i in range(ITEMS)]
    found = scored(write_lines(tmp_path / "file.jsonl", rows))["file"]
    assert (found["judgments"], found["accuracy"]) == (ITEMS, share(GOOD))


def test_turns_are_criteria(tmp_path):
    rows = [{"question_id": i, "judge": "gpt-4", "turn": turn, "score": (i * turn) % 9 + 1}
            for i in range(ITEMS) for turn in (1, 2)]  # fmt: skip
    assert "criteria 1, 2" in pairbench("score", table(tmp_path, rows), status=0).output


def test_whether_an_answer_was_right_may_be_no_judgment(tmp_path):
    rows = [{"id": i, "p_yes": i / ITEMS, "is_correct": YES[i]} for i in range(ITEMS)]
    done = pairbench("score", table(tmp_path, rows), status=2)
    assert "this file may not hold judgments of a judge" in done.output


def test_judges_without_labels_are_not_ranked(tmp_path):
    rows = [{"id": i, "gpt-4o": GOOD[i], "claude": FAIR[i]} for i in range(ITEMS)]
    done = pairbench("compare", table(tmp_path, rows), status=0)
    assert "are compared by their agreement" in " ".join(done.output.split())
    assert "Rank " not in done.output


def test_a_form_has_a_row_for_each_rater(tmp_path):
    raters = {"ann@x.org": TRUE, "ben@x.org": TRUE, "GPT-4o": GOOD}
    rows = [{"Timestamp": "2026", "Rater": who} | {f"{i}: which?": f"Image {x}"
            for i, x in enumerate(said)} for who, said in raters.items()]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert found["GPT-4o 0"]["accuracy"] == share(GOOD)


def test_ratings_of_an_unknown_name_that_go_with_the_judge_are_asked(tmp_path):
    rows = [{"id": i, "judge_score": i % 5 + 1, "evaluado": (i + i % 2) % 5 + 1, "size": i % 4 + 1}
            for i in range(ITEMS)]  # fmt: skip
    done = pairbench("score", table(tmp_path, rows), status=2)
    assert "people=evaluado" in done.output
    assert "size" not in done.output.replace("`size`", "")


def test_rankings_of_names(tmp_path):
    said = {"judge_ranking": ["flux", "sd", "dalle"], "human_ranking": "sd > flux > dalle"}
    rows = [{"id": i, **said}
            for i in range(9)]  # fmt: skip
    found = scored(write_lines(tmp_path / "file.jsonl", rows))
    assert found["file"]["levenshtein"] == pytest.approx(2 / 3)


def test_a_reply_of_which_nothing_is_read_stops(tmp_path):
    rows = [{"id": i, "raw_output": f"It is a {i}th long text of a cat."} for i in range(9)]
    done = pairbench("score", table(tmp_path, rows), "--columns", "reply=raw_output")
    assert done.exit_code in (1, 2)


def test_a_verdict_that_looks_like_a_list_is_one_judgment(tmp_path):
    odd = str([[k] * 3 for k in range(1, 11)])
    rows = [
        {"id": i, "response": f"scores = {odd}" if i < 2 else "[[A>B]]",
         "model_vote": odd if i < 2 else "[[A>B]]", "human_vote": "leftvote"}
        for i in range(20)
    ]  # fmt: skip
    _, [found] = readings(write_lines(tmp_path / "file.jsonl", rows), tmp_path / "out")
    assert value(found, "judgments") == [20]
    assert value(found, "accuracy") == [0.9]


def test_an_answer_of_yes_or_no_is_not_turned_by_an_order(tmp_path):
    rows = [
        {"id": i, "swapped": order, "passed": YES[i], "human": YES[i]}
        for i in range(ITEMS)
        for order in (0, 1)
    ]
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [1.0]
    assert value(found, "same_again") == [1.0]


@pytest.mark.parametrize(("name", "reverse"), [("order", "BA"), ("swapped", 1), ("order", "AB")])
def test_a_file_of_one_order_is_read_in_this_order(name, reverse, tmp_path):
    people = ["AB"[i % 3 == 0] for i in range(60)]
    shown = people if reverse == "AB" else ["BA"[w == "B"] for w in people]
    rows = [{"id": i, name: reverse, "verdict": shown[i], "human": people[i]} for i in range(60)]
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [1.0]


def test_too_few_values_that_are_understood_stop(tmp_path):
    rows = [{"id": i, "winner": "A" if i % 5 else "leftish", "human": "A"} for i in range(40)]
    file = table(tmp_path, rows)
    done = pairbench("import", "judgments", file, "--out", tmp_path / "o", status=2)
    assert "`winner`: 80% of the recorded values are understood" in done.output
    assert "'leftish' (8 times)" in done.output
    first, *_, accepted = re.findall("^ {3}pairbench (.*)$", done.output, flags=re.M)
    pairbench(*shlex.split(accepted), status=0)
    assert value(numbers(tmp_path / "o"), "coverage") == [0.8]
    assert "leftish=first" in first
    pairbench(*shlex.split(first), "--overwrite", status=0)
    assert value(numbers(tmp_path / "o"), "coverage") == [1.0]


@pytest.mark.parametrize("values", ["0=frist,1=second", "0=first,1=no"])
def test_meanings_are_checked(values, tmp_path):
    file = table(tmp_path, [{"id": i, "winner": i % 2} for i in range(8)])
    done = pairbench("import", "judgments", file, "--out", tmp_path / "o", "--values", values)
    assert done.exit_code == 1
    assert "--values" in done.output


COMMANDS = ("score", "compare", "card", "people", "panel", "trust", "correct")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_file(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": i, "gpt_a": GOOD[i], "llava_a": FAIR[i], "human": TRUE[i]} for i in range(ITEMS)]
    table(tmp_path, rows)
    done = pairbench(command, "file.csv", "--columns", "verdict=gpt_a+llava_a", status=0)
    assert "2 judges (gpt_a, llava_a)" in done.output
    assert [path.name for path in Path.cwd().iterdir()] == ["file.csv"]


@pytest.mark.parametrize("command", ["trust", "correct"])
def test_options_take_the_name_of_a_column_for_the_field_that_it_is_read_as(command, tmp_path):
    rows = [{"id": i, "topic": f"t{i % 3}", "gpt": YES[i], "human": YES[i]} for i in range(ITEMS)]
    words = ("--columns", "verdict=gpt,people=human,kind=yesno,source=topic", "--by", "topic")
    done = pairbench(command, table(tmp_path, rows), *words, status=0)
    assert all(f"t{part}" in done.stdout for part in range(3))


def test_drift_takes_one_judge_of_each_file(tmp_path):
    rows = [{"id": i, "gpt": YES[i], "llava": i % 3 > 0, "human": YES[i]} for i in range(ITEMS)]
    for name in ("old", "new", "later"):
        table(tmp_path, rows).rename(tmp_path / f"{name}.csv")
    runs = [tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "later.csv"]
    words = ("--columns", "verdict=gpt+llava,people=human,kind=yesno")
    said = pairbench("drift", *runs, *words, status=1).stderr
    assert "old.csv holds 2 judges, gpt, llava; name the one to compare: --judge gpt" in said
    done = pairbench("drift", *runs, *words, "--judge", "llava", status=0)
    assert "0 of 60 verdicts changed" in done.stdout


SAYS = {
    "yesno": (lambda i: YES[i] if i % 4 else not YES[i], lambda i: YES[i]),
    "category": (lambda i: "red" if i % 4 else "blue", lambda i: ("red", "blue", "grey")[i % 3]),
    "rating": (lambda i: 3 + (i % 30 == 0), lambda i: i % 5 + 1),
    "ranking": (lambda i: "A > B > C" if i % 4 else "B > A > C", lambda _: "A > B > C"),
}


@pytest.mark.parametrize(
    ("kind", "command", "expected", "never"),
    [
        ("yesno", "score", "a judge that always gives the same answer", "place"),
        ("yesno", "card", "Yes bias", "Position"),
        ("category", "score", "a judge that always gives the same answer", "place"),
        ("category", "people", "blue 0.25 (0.33), grey 0.00 (0.33), red", " 0 0."),
        ("rating", "card", "It gives a rating other than 3 in 2 of 60 cases", "the pairs of"),
        ("rating", "compare", "Tells nothing apart", "Follows the condition"),
        ("ranking", "people", "`pairbench score` compares rankings", "hold no judgments"),
        ("ranking", "panel", "rankings and texts cannot be combined", "were asked"),
        (
            "ranking",
            "trust",
            "judgments: agreement with people cannot be promised for rankings",
            "/tmp/",
        ),
    ],
)
def test_what_is_said_fits_the_kind(kind, command, expected, never, tmp_path):
    judge, human = SAYS[kind]
    rows = [{"id": i, "gpt": judge(i), "llava": human(i), "gold": human(i)} for i in range(ITEMS)]
    wanted = f"verdict=gpt{'' if command == 'card' else '+llava'},people=gold,kind={kind}"
    said = pairbench(command, table(tmp_path, rows), "--columns", wanted).output
    assert expected in " ".join(said.split())
    assert never not in said


def test_yes_bias_is_one_number(tmp_path):
    """The share of yes beside people's, in every command that shows it."""
    rows = [{"id": i, "gpt": i % 10 < 7, "human": i % 10 < 4} for i in range(ITEMS)]
    words = (table(tmp_path, rows), "--columns", "verdict=gpt,people=human,kind=yesno", "--json")
    [run] = json.loads(pairbench("score", *words, status=0).stdout)["runs"]
    [row] = json.loads(pairbench("card", *words, status=0).stdout)["tables"][0]["rows"]
    cell = row["cells"]["yes_bias"]
    assert cell["value"] == pytest.approx(run["numbers"]["yes_bias"]) == pytest.approx(0.3)
    ends = [run["numbers"][f"yes_bias_ci95_{end}"] for end in ("low", "high")]
    assert cell["ci95"] == pytest.approx(ends)
    assert cell["problem"] == "says_yes"


def test_a_yes_bias_that_errors_hide_is_named_by_their_shares(tmp_path):
    """Yes is right in 70%: wrong in 20% of these and in half of the others, yes is as frequent."""
    said = [*[i >= 28 for i in range(140)], *[i >= 30 for i in range(60)]]
    rows = [{"id": i, "gpt": yes, "human": i < 140} for i, yes in enumerate(said)]
    words = ("--columns", "verdict=gpt,people=human,kind=yesno", "--json")
    made = json.loads(pairbench("card", table(tmp_path, rows), *words, status=0).stdout)
    [row] = made["tables"][0]["rows"]
    assert "problem" not in row["cells"]["yes_bias"]  # its interval includes no bias
    [problem] = [x for x in row["problems"] if x["title"] == "Yes bias"]
    assert "Accuracy: 80% where yes is right, 50% where no is right" in str(problem)


def test_guesses_that_no_one_need_call_a_tie_are_right_in_half_of_the_items(tmp_path):
    said = ["tie" if i % 9 == 0 else "AB"[i % 2] for i in range(ITEMS)]
    rows = [{"id": i, "gpt": said[i], "llava": TRUE[i], "human": TRUE[i]} for i in range(ITEMS)]
    words = ("--columns", "verdict=gpt+llava,people=human,kind=pair", "--json")
    found = json.loads(pairbench("compare", table(tmp_path, rows), *words, status=0).stdout)
    assert found["tables"][0]["columns"][0]["reference"] == 0.5


def test_columns_with_names_of_people_are_raters(tmp_path):
    told = [judged(wrong) for wrong in (3, 5, 7, 9)]
    names = ["item", "judge_x", "human_anna", "human_ben", "human_cleo"]
    rows = [dict(zip(names, (i, *of), strict=True)) for i, of in enumerate(zip(*told, strict=True))]
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    most = [max("AB", key=of.count) for of in zip(*told[1:], strict=True)]
    assert value(found, "accuracy") == [round(share(told[0], most), 3)]
    # Named alone, a name that nobody knows beside them is asked about.
    bare = [{n.removeprefix("human_"): x for n, x in row.items()} for row in rows]
    code, asked = readings(table(tmp_path, bare), tmp_path / "bare")
    assert code == 2
    assert value(asked[0], "accuracy") == value(found, "accuracy")


def test_a_probability_beside_a_verdict_is_not_another_one(tmp_path):
    rows = [{"item": i, "judge_is_error": yes, "judge_p_error": 0.6 * yes + i % 4 / 10,
             "human_label": YES[i]} for i, yes in enumerate(YES[1:] + YES[:1])]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(YES[1:] + YES[:1], YES), 3)]


def test_a_judge_whose_name_is_a_letter_is_a_judge(tmp_path):
    rows = [{"item": i, "judge": judge, "score": (i * k) % 5 + 1, "human": i % 5 + 1}
            for i in range(ITEMS) for k, judge in ((3, "y"), (7, "n"))
            if k == 3 or i % 3]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "judgments") == [ITEMS * 2 // 3, ITEMS]


def test_judges_beside_a_column_of_people_are_no_people(tmp_path):
    rows = [
        {"item": i, "judge": judge, "verdict": TRUE[i], "human": TRUE[i]}
        for i in range(ITEMS)
        for judge in ("o1", "gpt-4o", "lazy")
    ]
    done = pairbench("score", table(tmp_path, rows), status=0)
    assert "3 judges (o1, gpt-4o, lazy), 60 items, people: human" in " ".join(done.stderr.split())


def test_a_question_repeats_the_command_that_was_typed(tmp_path):
    file = table(tmp_path, [{"id": i, "winner": i % 2} for i in range(8)])
    done = pairbench("card", file, "-v", status=2)
    command = f"pairbench card {file} -v --columns verdict=winner,people=,kind=pair --values "
    assert f"{command}0=first,1=second" in done.output


def test_labels_that_a_judge_never_says_are_not_scored(tmp_path):
    rows = [{"item": i, "verdict": "red" if i % 2 else "blue", "human": "up"} for i in range(40)]
    rows[3]["human"] = "sideways"
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert code == 2
    assert all(value(each, "accuracy") == [None] for each in found)


def test_a_number_of_the_row_is_not_the_number_of_the_answer(tmp_path):
    rows = [
        {"image": f"{n}.png", "trial": n, "vlm_response": x, "ground_truth": "same"}
        for n, x in enumerate(["same", "different"] * 20, start=1)
    ]
    file = tmp_path / "trials.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    given = columns_of(["verdict=vlm_response,people=ground_truth,kind=category"])
    lines = import_judgments([file], tmp_path / "out", given).lines
    assert not [line for line in lines if "number of the answer" in line]


def test_the_chinese_word_for_a_win_says_which_of_two():
    assert [place(cell) for cell in ("A胜", "B胜", "平局")] == [0, 1, -1]


def test_numbered_annotators_and_the_french_truth_are_people():
    assert [factors(name).person for name in ("ann_1", "Vérité terrain", "model")] == [
        True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["judge_reply", "judge_verdict"])
def test_missing_values_and_the_end_of_a_file_are_looked_at(tmp_path, name):
    words = [f"I choose {place}." if name == "judge_reply" else place for place in GOOD]
    rows = [{"item": i, name: text, "human": TRUE[i % ITEMS]}
            for i, text in enumerate([*words, *[""] * 12, *["a dog"] * 15])]  # fmt: skip
    done = pairbench("score", table(tmp_path, rows), "--accept").output
    said = re.search(r"(\d+)% of (?:the replies|75 recorded)", done)
    assert said
    assert int(said[1]) == 80
    assert "12 more are missing" in done or "12 are missing" in done


def test_rows_that_describe_columns_are_left_out(tmp_path):
    """A survey's export has the questions and its own ids below the names."""
    names = ["item", "judge_choice", "human_choice"]
    texts = ["Item shown", "Which image did the model choose?", "Which image is better for you?"]
    ids = [json.dumps({"ImportId": name}) for name in names]
    said = [(f"p{i}", GOOD[i], TRUE[i]) for i in range(ITEMS)]
    rows = [dict(zip(names, row, strict=True)) for row in (texts, ids, *said)]
    done = pairbench("score", table(tmp_path, rows), "--json", status=0)
    assert json.loads(done.stdout)["runs"][0]["numbers"]["judgments"] == ITEMS
    assert "2 rows left out, the row describes the columns" in done.output


def test_a_row_for_each_rater_and_a_column_for_each_item(tmp_path):
    said = {"GPT-5": range(ITEMS), "Expert 1": range(1, ITEMS + 1), "Expert 2": range(2, ITEMS + 2)}
    rows = [{"rater": who, **{f"img{i}": x % 5 + 1 for i, x in enumerate(of)}}
            for who, of in said.items()]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    judge, *people = ([x % 5 + 1 for x in of] for of in said.values())
    mean = [sum(both) / 2 for both in zip(*people, strict=True)]
    assert value(found, "pearson") == [round(correlation(judge, mean), 3)]


def test_who_annotated_is_not_what_was_said(tmp_path):
    rows = [{"id": i, "label": [KINDS[TRUE[i]]], "llm_label": KINDS[GOOD[i]], "annotator_id": 3}
            for i in range(ITEMS)]  # fmt: skip
    _, [found] = readings(write_lines(tmp_path / "file.jsonl", rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD), 3)]


def test_grades_in_letters_are_asked_about(tmp_path):
    marks = [("ABCDF"[i % 5], "ABCDF"[(i + i // 20) % 5]) for i in range(ITEMS)]
    rows = [{"id": i, "ai_grade": a, "teacher_grade": b} for i, (a, b) in enumerate(marks)]
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert code == 2
    points = zip(*(["FDCBA".index(mark) for mark in both] for both in marks), strict=True)
    assert value(found[0], "pearson") == [round(correlation(*points), 3)]


def test_a_preference_beside_judges_may_be_peoples(tmp_path):
    rows = [{"id": i, "gpt_pref": GOOD[i], "claude_pref": FAIR[i], "preferred_response": TRUE[i]}
            for i in range(ITEMS)]  # fmt: skip
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert code == 2
    assert value(found[0], "accuracy") == [round(share(of), 3) for of in (FAIR, GOOD)]


def test_what_raters_settled_on_may_be_no_judgment(tmp_path):
    rows = [{"id": i, "reviewer_1": KINDS[GOOD[i]], "reviewer_2": KINDS[FAIR[i]],
             "final": KINDS[TRUE[i]]} for i in range(ITEMS)]  # fmt: skip
    done = pairbench("score", table(tmp_path, rows), status=2)
    assert "this file may not hold judgments of a judge" in done.output


@pytest.mark.parametrize("names", [("gpt-5", "p1", "p2"), ("", "", "")])
def test_raters_beside_who_is_a_person(tmp_path, names):
    """With names of their own, or with none: then each row is another person's."""
    of = (lambda i: i % 5, lambda i: (i + i // 20) % 5, lambda i: (i + i // 30) % 5)
    rows = [{"doc": i, "who": "human" if k else "model", "name": names[k], "score": of[k](i) + 1}
            for i in range(ITEMS) for k in range(3)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    judge = [of[0](i) for i in range(ITEMS)]
    people = [(of[1](i) + of[2](i)) / 2 for i in range(ITEMS)]
    assert value(found, "pearson") == [round(correlation(judge, people), 3)]


def test_a_prediction_beside_what_is_actual_is_asked_about(tmp_path):
    rows = [{"file": f"{i}.png", "predicted": KINDS[GOOD[i]], "score": i % 7 / 7,
             "actual": KINDS[TRUE[i]]} for i in range(ITEMS)]  # fmt: skip
    _, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert [round(share(GOOD), 3)] in [
        value(of, "accuracy") for of in found if "accuracy" in next(iter(of.values()))
    ]


def cells(people="human_choice", judge="judge_choice", **more):
    """Rows of a judge's verdicts beside people's, with more cells made of the row's number."""
    return [{"id": f"p{i}", judge: GOOD_AB[i], people: TRUE[i],
             **{n: of(i) for n, of in more.items()}} for i in range(ITEMS)]  # fmt: skip


def votes(first, second, tie=""):
    """Rows with the number of people who voted for each, instead of what they chose."""
    counted = [{first: 2 + (t == "A"), second: 2 + (t == "B")} for t in TRUE]
    if tie:
        counted = [{first: int(t == "A"), second: int(t == "B"), tie: 0} for t in TRUE]
    return [{"id": f"p{i}", "gpt_choice": GOOD_AB[i], **counted[i]} for i in range(ITEMS)]


GOOD_AB = judged(5)


@pytest.mark.parametrize(
    ("rows", "asked"),
    [
        (votes("crowd_votes_left", "crowd_votes_right"), 0),
        (votes("winner_model_a", "winner_model_b", "winner_tie"), 2),
        (cells("annot_level", "model_level"), 0),
        (cells("sme_choice", "choice"), 0),
        (cells("type", "llm_vote", tstamp=lambda i: 17e8 + i), 2),
        (cells(topic=lambda i: "xy"[i % 2], id=lambda i: None), 0),
    ],
)
def test_what_people_said_in_columns_of_any_name(rows, asked, tmp_path):
    """In votes, levels, types; and a part of the data is no item."""
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert code == asked
    assert [round(share(GOOD_AB), 3)] in [
        value(of, "accuracy") for of in found if "accuracy" in next(iter(of.values()))
    ]


def test_lists_of_what_people_said(tmp_path):
    """Ratings of several experts in a list, and claims that a judge and a person looked at."""
    near = [1 + i % 5 for i in range(ITEMS)]
    experts = [[{"depth": near[i], "tone": 1 + i % 3}, {"depth": near[i - 1], "tone": 1 + i % 3}]
               for i in range(ITEMS)]  # fmt: skip
    gpt = [{"depth": 1 + (i + i // 20) % 5, "tone": 1 + i % 4 % 3} for i in range(ITEMS)]
    rows = [{"id": i, "expert_annotations": experts[i], "gpt4_annotations": gpt[i]}
            for i in range(ITEMS)]  # fmt: skip
    _, [found] = readings(write_lines(tmp_path / "experts.jsonl", rows), tmp_path / "out")
    right = [correlation([of[c] for of in gpt], [of[0][c] + of[1][c] for of in experts])
             for c in ("depth", "tone")]  # fmt: skip
    assert value(found, "pearson") == [round(number, 3) for number in right]
    claims = [{"atom": f"claim {i}", "is_supported": YES[i] == bool(i % 5),
               "human_label": "S" if YES[i] else "NS"} for i in range(ITEMS)]  # fmt: skip
    lists = [{"topic": f"t{i}", "decisions": claims[i : i + 3]} for i in range(0, ITEMS, 3)]
    _, found = readings(write_lines(tmp_path / "claims.jsonl", lists), tmp_path / "claims")
    assert [0.8] in [value(of, "accuracy") for of in found if "accuracy" in next(iter(of.values()))]


def test_an_item_that_stands_below_another_name(tmp_path):
    """A request has an id of its own in each order; what it is about stands in `metadata`."""
    said = [{"original": t, "swapped": other(t) if i % 5 else t} for i, t in enumerate(TRUE)]
    rows = [{"custom_id": f"p{i}-{order}", "judge_verdict": said[i][order],
             "metadata": {"pair": f"p{i}", "order": order, "human_choice": TRUE[i]}}
            for i in range(ITEMS) for order in ("original", "swapped")]  # fmt: skip
    _, [found] = readings(write_lines(tmp_path / "batch.jsonl", rows), tmp_path / "out")
    assert value(found, "position_consistency") == [0.8]


def test_a_sheet_of_judges_beside_one_of_people_and_one_of_text(tmp_path):
    pytest.importorskip("openpyxl")
    wrong = {"gpt-5": judged(5), "gemini-3": judged(3)}
    models = [{"Aufgabe": f"A{i}", "Modell": model, "Urteil": said[i]}
              for model, said in wrong.items() for i in range(ITEMS)]  # fmt: skip
    people = [{"Aufgabe": f"A{i}", "Urteil": TRUE[i]} for i in range(ITEMS)]
    file = tmp_path / "book.xlsx"
    with pd.ExcelWriter(file) as book:
        sheets = {"Info": pd.DataFrame({"How": ["this was made"]}), "LLM": pd.DataFrame(models),
                  "Mensch": pd.DataFrame(people)}  # fmt: skip
        for name, sheet in sheets.items():
            sheet.to_excel(book, sheet_name=name, index=False)
    _, [found] = readings(file, tmp_path / "out")
    assert value(found, "accuracy") == [round(share(judged(n)), 3) for n in (3, 5)]


def test_a_text_with_tabs_in_utf_16_is_a_table(tmp_path):
    file = tmp_path / "export.txt"
    pd.DataFrame(cells()).to_csv(file, sep="\t", index=False, encoding="utf-16")
    assert readings(file, tmp_path / "out")[0] == 0
    note = file.rename(tmp_path / "note.md")
    assert "its name ends in none of .jsonl" in pairbench("score", note, status=1).output


@pytest.mark.parametrize("named", [["ann1", "ann2", "llava_score"], ["p", "q", "r"]])
def test_a_column_that_tells_the_rows_of_an_item_apart_names_raters(named, tmp_path):
    """Its own name says nothing; if its values say no more, it is asked, with repeats last."""
    rows = [{"image_id": i, "who": named[k], "stars": 1 + (i + i // 20 * k) % 5}
            for i in range(ITEMS) for k in range(3)]  # fmt: skip
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert (code, len(found[0])) == ((2, 3) if "p" in named else (0, 1))
    if not code:
        people = [i % 5 + (i + i // 20) % 5 for i in range(ITEMS)]
        said = [(i + i // 20 * 2) % 5 for i in range(ITEMS)]
        assert value(found[0], "pearson") == [round(correlation(said, people), 3)]


def test_a_judge_is_not_what_it_said():
    rows = [{"id": i, "gpt": "left" if t == "A" else "right", "human": t}
            for i, t in enumerate(TRUE)]  # fmt: skip
    with pytest.raises(RecordError, match="did you mean verdict=gpt"):
        judgments(rows, judge="gpt")
    assert [judge.name for judge in judgments(rows)] == ["gpt"]


def near(places, turn):
    """Ratings from 1 to 5 that are another's in most items."""
    return [1 + (place + (i % turn == 0)) % 5 for i, place in enumerate(places)]


PLACES = [i * 7 % 11 % 5 for i in range(ITEMS)]


def under_one_key():
    """Of a dump: criteria, then who, then a list each."""
    of = {"coherence": PLACES, "relevance": PLACES[::-1]}
    scores = {c: {"judge": near(said, 3), "human": near(said, 7)} for c, said in of.items()}
    return {"judge_model": "gpt-5", "scores": scores}


def of_structs():
    """Each item has other annotators, one or two."""
    people = near(PLACES, 7)
    return [{"uid": i, "judge": {"name": "gpt-5", "score": score},
             "annotators": [{"id": k, "score": people[i]} for k in range(1 + i % 2)]}
            for i, score in enumerate(near(PLACES, 3))]  # fmt: skip


def of_a_crowd():
    """Each row is of one of three workers, with a number of its own."""
    judge, people = near(PLACES, 3), near(PLACES, 7)
    return [{"HITId": f"{i}x{k}", "WorkerId": f"w{(i + k) % 7}", "Input.image_url": f"a/{i}.png",
             "Input.gpt4v_rating": judge[i], "Answer.rating": people[i]}
            for i in range(ITEMS) for k in range(3)]  # fmt: skip


def under_answers():
    """Scores of judges with names and of people, under the answers of models."""
    judge, people = near(PLACES, 3), near(PLACES, 7)
    of = [{"model": f"m{i % 2}", "judge_scores": {"gpt-5": judge[i], "claude": people[i]},
           "human_scores": [people[i], people[i]]} for i in range(ITEMS)]  # fmt: skip
    return [{"qid": i, "responses": of[i : i + 2]} for i in range(0, ITEMS, 2)]


@pytest.mark.parametrize("made", [under_one_key, of_structs, of_a_crowd, under_answers])
def test_ratings_that_are_nested_or_repeated_with_each_person(made, tmp_path):
    file = tmp_path / "file.json"
    file.write_text(json.dumps(made()))
    _, [found] = readings(file, tmp_path / "out")
    assert round(correlation(near(PLACES, 3), near(PLACES, 7)), 3) in value(found, "pearson")


@pytest.mark.parametrize("names", [("Rater A", "Rater B", "Rater C"), ("oracle_choice",)])
def test_raters_with_letters_and_the_truth_of_an_oracle(names, tmp_path):
    rows = [{"id": i, "gpt_choice": GOOD_AB[i], **dict.fromkeys(names, t)}
            for i, t in enumerate(TRUE)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD_AB), 3)]


def test_attempts_with_a_truth_each_are_items(tmp_path):
    rows = [{"problem": i // 3, "attempt": i % 3, "judge_says": KINDS[GOOD_AB[i]],
             "human_says": KINDS[t]} for i, t in enumerate(TRUE)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD_AB), 3)]


def test_a_cell_of_names_that_spans_two_rows(tmp_path):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (["Sentence", "Fluency", None, "Depth", None], [None, *["Judge", "Human"] * 2]):
        book.active.append(row)
    two = zip(
        *(near(said, turn) for said in (PLACES, PLACES[::-1]) for turn in (3, 7)), strict=True
    )
    for i, cells_of in enumerate(two):
        book.active.append([i, *cells_of])
    book.save(tmp_path / "book.xlsx")
    _, [found] = readings(tmp_path / "book.xlsx", tmp_path / "out")
    assert round(correlation(near(PLACES, 3), near(PLACES, 7)), 3) in value(found, "pearson")


def test_a_column_of_people_that_is_not_understood_is_asked_about(tmp_path):
    rows = [{"id": i, "judge_score": 1 + i % 5, "expert_verdicts": f"q{i} x|r2"}
            for i in range(ITEMS)]  # fmt: skip
    done = pairbench("score", table(tmp_path, rows), status=2)
    assert "`expert_verdicts`" in done.output
    assert "called after people, and is not understood" in " ".join(done.output.split())
    [command] = re.findall("^ {3}pairbench (.*)$", done.output, flags=re.M)
    pairbench(*shlex.split(command), status=0)


def test_a_verdict_beside_the_same_one_swapped_is_of_both_orders(tmp_path):
    turned = [other(said) if i % 4 else said for i, said in enumerate(GOOD_AB)]
    rows = [{"id": i, "llm_choice": GOOD_AB[i], "llm_choice_swapped": turned[i], "human": t}
            for i, t in enumerate(TRUE)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "position_consistency") == [0.75]


YES_NO = {"A": "yes", "B": "no"}


def test_what_stands_beside_an_answer_and_a_mean_opinion_is_neither(tmp_path):
    rows = [{"id": i, "gpt_answer": YES_NO[said], "gpt_p_yes": 0.8 * (said == "A") + i % 7 / 70,
             "crowd_answer": YES_NO[t], "crowd_answer_std": i % 3}
            for i, (said, t) in enumerate(zip(GOOD_AB, TRUE, strict=True))]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD_AB), 3)]


@pytest.mark.parametrize(
    "of",
    [
        lambda said, t, i: {"raw": f"word {i}", "parsed": said, "key": t, "correct": said == t},
        lambda said, t, i: {"bot_rating": "👍👎"["AB".index(said)],
                            "human_rating": "👍👎"["AB".index(t)]},
        lambda said, t, i: {"model_stars": 1 + "AB".index(said), "helpful_votes": i % 9,
                            "user_stars": 1 + "AB".index(t)},
    ],
)  # fmt: skip
def test_what_is_said_beside_numbers_and_outcomes(of, tmp_path):
    """An outcome that says if two columns are equal is no verdict, nor are votes of others."""
    rows = [{"id": i, "judge": "o3", **of(said, t, i)}
            for i, (said, t) in enumerate(zip(GOOD_AB, TRUE, strict=True))]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    [numbers_of] = found.values()
    places = [["AB".index(x) for x in places] for places in (GOOD_AB, TRUE)]
    right = [share(GOOD_AB), correlation(*places)]
    assert any(abs(numbers_of.get(n, 0) - x) < 1e-6
               for n, x in zip(("accuracy", "pearson"), right, strict=True))  # fmt: skip


def test_lists_of_judges_and_a_column_of_people_and_models(tmp_path):
    """Two judges in a list are no two orders; who judged is told by words in any language."""
    rows = [{"id": i, "response_a": f"a {i}", "response_b": f"b {i}", "human": t,
             "judgements": [{"judge": "x-1", "choice": GOOD_AB[i]}, {"judge": "x-2", "choice": t}]}
            for i, t in enumerate(TRUE)]  # fmt: skip
    _, [found] = readings(write_lines(tmp_path / "lists.jsonl", rows), tmp_path / "lists")
    assert value(found, "accuracy") == [round(share(GOOD_AB), 3), 1.0]
    said = {"gpt-5": near(PLACES, 3), "Petra": near(PLACES, 7), "Jonas": near(PLACES, 5)}
    rows = [{"Text": i, "Rolle": "KI" if who == "gpt-5" else "Mensch", "Wer": who, "Punkte": of[i]}
            for i in range(ITEMS) for who, of in said.items()]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "rows")
    people = [a + b for a, b in zip(said["Petra"], said["Jonas"], strict=True)]
    assert value(found, "pearson") == [round(correlation(said["gpt-5"], people), 3)]


@pytest.mark.parametrize(("words", "asked"), [(("direct", "inversé"), 0), (("links", "recht"), 2)])
def test_orders_in_other_words(words, asked, tmp_path):
    said = [[t, other(t) if i % 5 else t] for i, t in enumerate(TRUE)]
    rows = [{"Paire": f"p{i}", "Ordre": words[k], "Choix du juge": said[i][k], "human": TRUE[i]}
            for i in range(ITEMS) for k in (0, 1)]  # fmt: skip
    code, found = readings(table(tmp_path, rows), tmp_path / "out")
    assert code == asked
    assert [0.9] in [value(of, "accuracy") for of in found]


def test_versions_are_systems(tmp_path):
    two = zip(near(PLACES, 3), near(PLACES, 7), strict=True)
    rows = [{"prompt_id": i // 3, "version": f"v{i % 3}", "auto_score": said, "manual_score": right}
            for i, (said, right) in enumerate(two)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "pearson") == [round(correlation(near(PLACES, 3), near(PLACES, 7)), 3)]


def beside_documents(i, said, truth):
    """Documents with scores and ratings, which are no judgments beside one."""
    docs = [{"title": k, "score": 0.1 * k, "user_rating": k} for k in range(1, 2 + i % 3)]
    return {"verdict": said, "human": truth, "docs": docs}


def without_votes(_, said, truth):
    """Of people who did not vote there is no label."""
    votes = [3 * (said == truth == place) for place in "AB"]
    return {"llm_choice": said, "human_votes_a": votes[0], "human_votes_b": votes[1]}


@pytest.mark.parametrize(
    ("of", "right"), [(beside_documents, share(GOOD_AB)), (without_votes, 1.0)]
)
def test_lists_and_counts_that_say_nothing(of, right, tmp_path):
    rows = [{"id": i, **of(i, GOOD_AB[i], t)} for i, t in enumerate(TRUE)]
    _, [found] = readings(write_lines(tmp_path / "file.jsonl", rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(right, 3)]


@pytest.mark.parametrize(
    "columns",
    [
        lambda i, k: {"writer": ("human", "gpt-4")[k], "score": 1 + (i + k) % 5},
        lambda i, k: {"caption_by": ("expert", "llava")[k], "clip_score": 1 + (i + k) % 5},
    ],
)
def test_authors_of_texts_are_no_judges(columns, tmp_path):
    rows = [{"item": i, **columns(i, k)} for i in range(ITEMS) for k in (0, 1)]
    done = pairbench("score", table(tmp_path, rows), status=2)
    assert "system=" in done.output
    assert "people: human" not in done.output


def test_a_reversed_rating_is_no_other_order(tmp_path):
    rows = [{"id": i, "gpt4_score": 1 + p, "gpt4_score_reversed": 5 - p, "human": 1 + p}
            for i, p in enumerate(PLACES)]  # fmt: skip
    assert pairbench("score", table(tmp_path, rows)).exit_code == 2


def test_names_of_people_are_no_meanings_of_two(tmp_path):
    rows = [{"id": i, "gpt4_verdict": t, "editor": ("Emu", "Kim", "Lee")[i % 3]}
            for i, t in enumerate(TRUE)]  # fmt: skip
    done = pairbench("score", table(tmp_path, rows), status=2)
    assert "Emu=first" not in done.output
    assert "verdict=gpt4_verdict,people=" in done.output


def test_raters_with_names_in_a_list(tmp_path):
    two = zip(near(PLACES, 3), near(PLACES, 7), strict=True)
    rows = [{"id": i, "judge_score": a, "human_ratings": [{"rater": "r1", "score": b}] * 2}
            for i, (a, b) in enumerate(two)]  # fmt: skip
    _, [found] = readings(write_lines(tmp_path / "file.jsonl", rows), tmp_path / "out")
    assert value(found, "pearson") == [round(correlation(near(PLACES, 3), near(PLACES, 7)), 3)]


def test_a_winner_by_scores_is_the_verdict_and_a_text_may_hold_json(tmp_path):
    rows = [{"id": i, "score_a": 5 + (x == "A"), "score_b": 5 + (x == "B"), "winner": x, "human": t}
            for i, (x, t) in enumerate(zip(GOOD, TRUE, strict=True))]  # fmt: skip
    for file in (table(tmp_path, rows), write_lines(tmp_path / "rows.txt", rows)):
        _, [found] = readings(file, tmp_path / f"{file.stem}_of_{file.suffix[1:]}")
        assert value(found, "accuracy") == [round(share(GOOD), 3)]


def test_replies_beside_a_list_of_values_are_kept(tmp_path):
    rows = [{"id": i, "judge_reply": f"Better: [[{x}]]", "judge_verdict": [x, x], "human": t}
            for i, (x, t) in enumerate(zip(GOOD, TRUE, strict=True))]  # fmt: skip
    columns = "verdict=judge_verdict,reply=judge_reply,people=human,kind=pair"
    file = write_lines(tmp_path / "lists.jsonl", rows)
    _, [found] = readings(file, tmp_path / "out", "--columns", columns)
    assert value(found, "accuracy") == [round(share(GOOD), 3)]


def test_names_of_people_are_no_labels_beside_labels(tmp_path):
    rows = [{"id": i, "gpt4_verdict": GOOD[i], "sme": ["kim", "lee"][i % 2], "human": TRUE[i]}
            for i in range(ITEMS)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD), 3)]


@pytest.mark.parametrize("of_person", ["human_annotator", "human_confidence"])
def test_who_labelled_and_how_surely_are_no_labels(of_person, tmp_path):
    rows = [{"id": i, "gpt4_verdict": GOOD[i], "human_label": TRUE[i], of_person: "12"[i % 2]}
            for i in range(ITEMS)]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD), 3)]


def test_a_judge_and_the_same_swapped_are_both_orders(tmp_path):
    rows = [{"id": i, "gpt4": x, "gpt4_swapped": other(x), "human": t}
            for i, (x, t) in enumerate(zip(GOOD, TRUE, strict=True))]  # fmt: skip
    _, [found] = readings(table(tmp_path, rows), tmp_path / "out")
    assert value(found, "accuracy") == [round(share(GOOD), 3)]
    assert value(found, "position_consistency") == [1]


def test_claims_with_labels_count_beside_a_score_without_one(tmp_path):
    rows = [{"id": i, "overall_score": 3, "claims": [{"judge_label": x, "human_label": t}] * 2}
            for i, (x, t) in enumerate(zip(GOOD, TRUE, strict=True))]  # fmt: skip
    _, found = readings(write_lines(tmp_path / "file.jsonl", rows), tmp_path / "out")
    assert any(value(each, "accuracy") == [round(share(GOOD), 3)] for each in found)
