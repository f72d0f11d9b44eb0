"""`pairbench import judgments`: the same judgments, as different people write them down."""

import csv
import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairbench_ext.stacks.records.cells import READINGS
from tests.conftest import REPOSITORY
from tests.files import judge_of, pairbench, write_lines

TIE = -1
ITEMS = 24
# What a judge says of each item, by the order of the data, in both orders; and people's label.
SAID = {(i, order): (i * (7 + 4 * order) // 3) % 3 - 1 for i in range(ITEMS) for order in (0, 1)}
PEOPLE = [i % 3 - 1 for i in range(ITEMS)]
TWO = ("m-one", "m-two")


def shown(option, order):
    return option if option == TIE else option ^ order


def rows(**columns):
    """A row for each item and order; columns are functions of item, order and the place shown."""
    return [
        {name: of(i, order, shown(SAID[i, order], order)) for name, of in columns.items()}
        for i in range(ITEMS)
        for order in (0, 1)
    ]


def spelt(*words):
    """First, second and tie in somebody's words."""
    return lambda option: words[option] if option != TIE else words[2]


LETTERS, PLACES = spelt("A", "B", "tie"), spelt("leftvote", "rightvote", "bothbad_vote")
REPLIES = spelt("I prefer A. [[A]]", "B is better. [[B]]", "They are alike. [[C]]")
COLUMNS = spelt("model_a", "model_b", "tie (bothbad)")


def write_csv(path, table, delimiter=","):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(table)
    return path


def in_csv(folder):
    table = rows(
        question_id=lambda i, *_: f"q{i}",
        swapped=lambda _, order, __: bool(order),
        judge_verdict=lambda _, __, place: LETTERS(place),
        human_label=lambda i, *_: LETTERS(PEOPLE[i]),
    )
    return write_csv(folder / "judge.csv", table, ";")


def in_json_lines(folder):
    """The two systems change places, and nothing else says the order."""
    table = rows(
        qid=lambda i, *_: i,
        model_1=lambda _, order, __: TWO[order],
        model_2=lambda _, order, __: TWO[1 - order],
        judgment=lambda _, __, place: REPLIES(place),
        winner=lambda _, order, place: (*TWO, "tie")[2 if place == TIE else place ^ order],
        human_vote=lambda i, order, _: PLACES(shown(PEOPLE[i], order)),
    )
    text = "".join(json.dumps(row) + "\n" for row in table)
    (folder / "judge.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder / "judge.jsonl.gz"


def in_games(folder):
    """A list of games by item, as arena-hard has it."""
    table = [
        {
            "question_id": f"q{i}",
            "judge": "gpt-4o",
            "games": [
                {"judgment": REPLIES(place), "score": spelt("A>>B", "B>A", "A=B")(place)}
                for place in (shown(SAID[i, order], order) for order in (0, 1))
            ],
            "gold": LETTERS(PEOPLE[i]),
        }
        for i in range(ITEMS)
    ]
    (folder / "judge.json").write_text(json.dumps({"results": table}))
    return folder / "judge.json"


def in_parquet(folder):
    """Two games in a row, whose winners are columns of the data."""
    import pandas as pd

    table = [
        {
            "question_id": i,
            "model_a": TWO[0],
            "model_b": TWO[1],
            "g1_winner": COLUMNS(SAID[i, 0]),
            "g2_winner": COLUMNS(SAID[i, 1]),
            "majority_label": COLUMNS(PEOPLE[i]),
        }
        for i in range(ITEMS)
    ]
    pd.DataFrame(table).to_parquet(folder / "judge.parquet")
    return folder / "judge.parquet"


def in_spreadsheet(folder):
    """Three raters, of whom one disagrees; numbers for words."""
    import pandas as pd

    table = rows(
        item=lambda i, *_: i,
        order=lambda _, order, __: "BA" if order else "AB",
        verdict=lambda _, __, place: spelt("response 1", "response 2", "equal")(place),
        rater_1=lambda i, *_: LETTERS(PEOPLE[i]),
        rater_2=lambda i, *_: LETTERS(PEOPLE[i]),
        rater_3=lambda *_: "A",
    )
    pd.DataFrame(table).to_excel(folder / "judge.xlsx", index=False)
    return folder / "judge.xlsx"


def in_scores(folder):
    """Two scores in columns of one object."""
    table = rows(
        id=lambda i, *_: f"i{i}",
        flipped=lambda _, order, __: order,
        score_a=lambda _, __, place: spelt(8.5, 2.0, 3.0)(place),
        score_b=lambda *_: 3.0,
        human=lambda i, *_: LETTERS(PEOPLE[i]),
    )
    columns = {name: [row[name] for row in table] for name in table[0]}
    (folder / "judge.json").write_text(json.dumps(columns))
    return folder / "judge.json"


WRITERS = (in_csv, in_json_lines, in_games, in_parquet, in_spreadsheet, in_scores)

# An order and no reply: the values could be places that were shown, or options of the data.
ASKED = {in_csv: "verdict=judge_verdict", in_spreadsheet: "verdict=verdict"}


def scored(out, *options):
    """Numbers of each judge."""
    done = pairbench("score", "judgments", out, "--json", *options, status=0)
    return {judge_of(run): run["numbers"] for run in json.loads(done.stdout)["runs"]}


def imported(out, *words):
    return pairbench("import", "judgments", *words, "--out", out, status=0).output


@pytest.mark.parametrize("write", WRITERS)
def test_however_judgments_are_written_their_numbers_are_the_same(write, tmp_path):
    words = ("--save-columns", tmp_path / "c.toml")
    if write in ASKED:
        done = pairbench(
            "import", "judgments", write(tmp_path), "--out", tmp_path / "out", status=2
        )
        assert "winner=" in done.output
        words += ("--columns", ASKED[write])
    assert "read as" in imported(tmp_path / "out", write(tmp_path), *words)
    [numbers] = scored(tmp_path / "out").values()
    judged = [(SAID[key], PEOPLE[key[0]]) for key in SAID]
    decided = [a == b for a, b in judged if b != TIE]
    places = [shown(SAID[key], key[1]) for key in SAID if SAID[key] != TIE]
    same = [SAID[i, 0] == SAID[i, 1] for i in range(ITEMS)]
    expected = {
        "accuracy": sum(a == b for a, b in judged) / len(judged),
        "accuracy_without_ties": sum(decided) / len(decided),
        "tie_rate": sum(a == TIE for a, _ in judged) / len(judged),
        "first_position_rate": places.count(0) / len(places),
        "position_consistency": sum(same) / len(same),
        "coverage": 1,
        "judgments": 2 * ITEMS,
    }
    assert {name: numbers[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert numbers["as_recorded"] in (None, 1)
    imported(tmp_path / "again", tmp_path / write(tmp_path).name, "--columns", tmp_path / "c.toml")
    assert list(scored(tmp_path / "again").values()) == [numbers]


def import_lines(folder, header, line):
    """Import a CSV of eight lines, in which values follow from the line's number."""
    values = [{"i": i, "bit": i % 2, "ab": "ab"[i % 2], "AB": "AB"[i % 2]} for i in range(8)]
    (folder / "file.csv").write_text("\n".join([header, *(line.format(**of) for of in values)]))
    return pairbench("import", "judgments", folder / "file.csv", "--out", folder / "out")


@pytest.mark.parametrize(
    ("header", "lines", "asked"),
    [
        ("id,label", "{i},{bit}", "this file may not hold judgments of a judge"),
        ("id,response_a_text,preference", "{i},x,{bit}", "--values 0=first"),
        ("id,model,verdict", "{i},{ab},{ab}", "judge=model"),
        ("id,alpha_score,beta_score", "{i},{bit},3", "verdict=alpha_score+beta_score"),
        ("id,colour", "{i},red", "no column seems to hold what the judge said"),
    ],
)
def test_what_two_readings_fit_is_asked(header, lines, asked, tmp_path):
    done = import_lines(tmp_path, header, lines)
    assert done.exit_code == 2
    assert asked in done.output
    assert not list(tmp_path.rglob("*.jsonl"))


def test_rows_that_cannot_be_read_are_counted_and_named(tmp_path):
    lines = [f"i{i},{'AB'[i % 2]},=1+1\x1b[31m" for i in range(8)]
    lines[3] += ",one cell too many"
    lines[5] = "i5,error,x"
    lines[6] = ",A,no item"
    (tmp_path / "file.csv").write_text("\n".join(["id,winner,note", *lines, lines[0]]))
    said = imported(tmp_path / "out", tmp_path / "file.csv", "--columns", "kind=pair")
    assert f"1 row left out, 4 values for 3 columns: {tmp_path}/file.csv, line 5" in said
    assert f"1 row left out, no id: {tmp_path}/file.csv, line 8" in said
    assert "such as 'error': " in said
    assert "1 row left out, because earlier rows hold the same judgments" in said
    [numbers] = scored(tmp_path / "out").values()
    assert (numbers["judgments"], numbers["coverage"]) == (6, 5 / 6)


def test_rows_that_contradict_each_other_are_both_named(tmp_path):
    (tmp_path / "file.csv").write_text("id,winner\n1,tie\n2,A\n3,tie\n2,B\n")
    done = pairbench("import", "judgments", tmp_path / "file.csv", "--out", tmp_path / "out")
    assert done.exit_code
    assert "file.csv, line 5 and " in done.output
    assert "file.csv, line 3: the judgment of file of item '2' differs" in done.output
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_a_report_of_a_file_that_is_clear(tmp_path):
    done = pairbench("report", in_games(tmp_path), "--out", tmp_path / "page.html", status=0)
    assert "A>>B = first" in done.output
    assert "judge.json" not in {file.name for file in tmp_path.rglob("samples_*")}
    assert "gpt-4o" in (tmp_path / "page.html").read_text()


CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
    | st.sampled_from(["A", "[[B]]", "tie", "A>B", "4/5", "yes", "B>A>C", "model_a", "[8, 9]"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "winner", "a"]), inner, max_size=3)
    ),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(CELLS, min_size=1, max_size=6),
    name=st.sampled_from(["winner", "judgment", "human_ranking", "models", "votes", "messages"]),
    nested=st.booleans(),
)
def test_any_cell_is_read_or_is_not(cells, name, nested, tmp_path_factory):
    for reading in READINGS.values():
        for cell in cells:
            reading(cell)
    folder = tmp_path_factory.mktemp("cells")
    file = write_lines(
        folder / "f.jsonl",
        [{"id": i, name: {"a": x, "role": x} if nested else x} for i, x in enumerate(cells)],
    )
    done = pairbench("import", "judgments", file, "--out", folder / "out")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output


@pytest.mark.parametrize(
    ("header", "line", "printed"),
    [
        ("item,judge,rater_1,rater_2", "{i},{AB},{AB},{AB}", "`judge` is read as the verdict"),
        ("image,gpt_eval,mos", "{i}.png,Score: {i}/10,{i}", "`gpt_eval` is read as what"),
        ("id,verdict,human_verdict,spare", "{i},{AB},{AB},x", "not used: `spare`"),
    ],
)
def test_what_is_used_and_what_is_not_is_printed(header, line, printed, tmp_path):
    done = import_lines(tmp_path, header, line)
    assert done.exit_code == 0, done.output
    assert printed in done.output
    assert "read as what people said" in done.output


def test_the_page_shows_what_a_command_asks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "coded.csv").write_text("item,winner\n1,0\n2,1\n3,0\n")
    asked = pairbench("score", "coded.csv", status=2).stderr
    page = (REPOSITORY / "docs/your_records.md").read_text("utf-8")
    begins = page.index("error: the file can be read in 3 ways")
    for line in page[begins : page.index("\n```", begins)].splitlines():
        assert all(part in asked for part in line.split("..."))
