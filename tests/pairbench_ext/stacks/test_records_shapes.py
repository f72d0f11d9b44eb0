"""`pairbench import judgments` of files as different repositories lay them out."""

import json
from itertools import product

import pandas as pd
import pytest

from pairbench_ext.core.foreign import UnreadableError
from pairbench_ext.stacks.records.sheets import headed
from tests.files import judge_of, pairbench

ITEMS = 12
FIRST = [i % 3 > 0 for i in range(ITEMS)]  # whether the judge says the first
TRUE = [i % 2 for i in range(ITEMS)]  # which one is better
ACCURACY = sum(first != bool(true) for first, true in zip(FIRST, TRUE, strict=True)) / ITEMS


def said(i, words="AB"):
    return words[not FIRST[i]]


def table(**columns):
    return [{"id": f"q{i}", **{n: of(i) for n, of in columns.items()}} for i in range(ITEMS)]


def human(i):
    return "AB"[TRUE[i]]


def as_json(rows):
    return lambda file: file.with_suffix(".json").write_text(json.dumps(rows))


def as_csv(rows):
    return lambda file: pd.DataFrame(rows).to_csv(file.with_suffix(".csv"), index=False)


def as_zipped_tsv(rows):
    return lambda file: pd.DataFrame(rows).to_csv(f"{file}.tsv.gz", sep="\t", index=False)


def as_parquet(rows):
    return lambda file: pd.DataFrame(rows).to_parquet(file.with_suffix(".parquet"))


NESTED = {
    "meta": {"judge": "gpt-4o", "date": "2025"},
    "comparisons": table(
        candidates=lambda i: {
            "a": {"model": "llava", "text": "It is a cat. " * 3},
            "b": {"model": "qwen", "text": f"A dog, {i}. " * 5},
        },
        judgement=lambda i: {"choice": said(i, "ab"), "explanation": "It says more of it."},
        human=lambda i: {"choice": human(i).lower()},
    ),
}
CONVERSATION = table(
    messages=lambda i: [
        {"role": "system", "content": "Answer [[A]] or [[B]]."},
        {"role": "user", "content": "Which one?"},
        {"role": "assistant", "content": f"It is [[{said(i)}]]."},
    ],
    label=human,
)
SHAPES = {
    "nested": as_json(NESTED),
    "pandas": lambda file: pd.DataFrame(table(verdict=said, human=human)).to_json(f"{file}.json"),
    "by item and rater": as_json(
        {f"q{i}": {"gpt": {"choice": said(i)}, "human": {"choice": human(i)}} for i in range(ITEMS)}
    ),
    "by id": as_json({row.pop("id"): row for row in table(winner=said, gold=human)}),
    "conversation": as_json(CONVERSATION),
    "names": as_zipped_tsv(
        table(
            model1=lambda _: "llava",
            model2=lambda _: "qwen",
            winner=lambda i: said(i, ["llava", "qwen"]),
            human_vote=lambda i: ["llava", "qwen"][TRUE[i]],
        )
    ),
    "lists of two": as_parquet(
        table(
            models=lambda _: ["llava", "qwen"],
            judge_winner=lambda i: said(i, ["llava", "qwen"]),
            human_ranking=lambda i: [TRUE[i], 1 - TRUE[i]],  # 0 is the rank of the better one
        )
    ),
    "scores": as_csv(table(score_a=lambda i: 6, score_b=lambda i: said(i, [4, 8]), human=human)),
    "how much": as_csv(table(choice=lambda i: said(i, ["A++", "B+"]), human=human)),
    "raters": as_csv(table(Verdict=said, **{f"Annotator {n}": human for n in (1, 2, 3)})),
}


def imported(folder, *words):
    done = pairbench("import", "judgments", folder, "--out", folder.parent / "out", *words)
    return done.exit_code, " ".join(done.output.split())


def numbers(folder):
    done = pairbench("score", "judgments", folder.parent / "out", "--json", status=0)
    return {judge_of(run): run["numbers"] for run in json.loads(done.stdout)["runs"]}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_judgments_in_other_shapes(shape, folder):
    SHAPES[shape](folder / "judge")
    code, printed = imported(folder)
    assert code == 0, printed
    [found] = numbers(folder).values()
    assert (found["judgments"], found["coverage"]) == (ITEMS, 1)
    assert found["accuracy"] == pytest.approx(ACCURACY)
    assert found["first_position_rate"] == sum(FIRST) / ITEMS


def orders(i):
    """A debate, as LLMBar records it: rounds in both orders, of which the last one decides."""
    given = {"completion": [f"Output ({said(i).lower()}) is better.", ""], "winner": said(i, "12")}
    turned = {"completion": ["Output (a) is better.", ""], "winner": "2"}
    decided = {"swap = True": turned, "swap = False": given}
    wrong = {"completion": ["Output (b) is better.", "stop"], "winner": "2"}
    return [["Let me think.", "stop"], {"swap = False": wrong, "swap = True": wrong}, decided]


ORDERS = {
    "debate": as_json(
        table(
            input=lambda i: f"Question {i}",
            output_1=lambda _: "some words " * 5,
            output_2=lambda i: f"other words {i} " * 5,
            label=lambda i: TRUE[i] + 1,
            results=lambda i: orders(i)[i % 2 * 2 :],  # some are decided at once
        )
    ),
    "columns": as_csv(table(verdict_ab=said, verdict_ba=lambda _: "A", gold=human)),
}


@pytest.mark.parametrize("shape", ORDERS)
def test_both_orders_in_one_row(shape, folder):
    ORDERS[shape](folder / "judge")
    code, printed = imported(folder)
    if shape == "columns":
        assert code == 2
        assert "winner=verdict_ab+verdict_ba" in printed
        code, printed = imported(folder, "--columns", "verdict=verdict_ab+verdict_ba")
    assert code == 0, printed
    [found] = numbers(folder).values()
    assert (found["judgments"], found["coverage"]) == (2 * ITEMS, 1)
    # In the other order the first one is always chosen: the second one of the data.
    right = ACCURACY * ITEMS + sum(TRUE)
    assert found["accuracy"] == pytest.approx(right / (2 * ITEMS))
    assert found["position_consistency"] == pytest.approx(1 - sum(FIRST) / ITEMS)
    assert found["read_otherwise"] in (None, 0)


@pytest.mark.parametrize("parts", [[*"ABB"], "['A', 'B', 'B']"])
def test_votes_in_a_cell_are_repeats(parts, folder):
    as_json(table(votes=lambda _: parts, label=human))(folder / "judge")
    code, printed = imported(folder)
    assert code == 0, printed
    [found] = numbers(folder).values()
    assert found["judgments"] == 3 * ITEMS
    assert found["first_position_rate"] == pytest.approx(1 / 3)


def test_a_tie_is_halfway_between_one_and_two(folder):
    rows = table(
        generator_1=lambda _: "davinci",
        generator_2=lambda _: "gpt4",
        preference=lambda i: [1.0, 1.5, 2.0][i % 3],
    )
    as_json([{"session_id": row.pop("id"), **row} for row in rows])(folder / "judge")
    code, printed = imported(folder)
    assert code == 0, printed
    assert "`session_id` is read as the item: q0, q1, q2, ..." in printed
    [found] = numbers(folder).values()
    assert (found["tie_rate"], found["first_position_rate"]) == (1 / 3, 1 / 2)  # of the others


def test_a_value_that_is_there_twice_is_one(folder):
    rows = table(parsed=lambda i: {"score": str(i % 5)}, score=lambda i: str(i % 5))
    as_json(rows)(folder / "judge")
    assert imported(folder)[0] == 0
    assert numbers(folder)["judge"]["judgments"] == ITEMS


def test_all_sheets_are_read(folder):
    with pd.ExcelWriter(folder / "judge.xlsx") as file:
        for half in (0, 1):
            rows = pd.DataFrame(table(verdict=said, human=human)[half::2])
            rows.to_excel(file, sheet_name=f"part {half}", index=False)
    code, printed = imported(folder)
    assert code == 0, printed
    assert numbers(folder)["judge"]["judgments"] == ITEMS


def test_lists_are_columns_or_a_row_of_lists(folder):
    columns = {"id": [*range(ITEMS)], "winner": [*map(said, range(ITEMS))]}
    as_json(columns)(folder / "judge")
    assert imported(folder)[0] == 0
    assert numbers(folder)["judge"]["judgments"] == ITEMS
    as_json({**columns, "gold": ["A"]})(folder / "judge")
    assert (
        "the columns have different lengths, {'id': 12, 'winner': 12, 'gold': 1}"
        in imported(folder)[1]
    )
    (folder / "judge.json").unlink()
    for i in range(ITEMS):  # a file for each row
        row = {"id": i, "winner": said(i), "image": ["1.png", "2.png"], "text": ["one", "two"]}
        as_json(row)(folder / f"{i}")
    assert imported(folder, "--overwrite")[0] == 0
    assert [found["judgments"] for found in numbers(folder).values()] == [ITEMS, ITEMS]


def test_half_a_download_is_one_sentence(folder):
    as_zipped_tsv(table(winner=said, human=human))(folder / "judge")
    file = folder / "judge.tsv.gz"
    data = bytearray(file.read_bytes())
    for damaged in (data[: len(data) // 2], data[:40] + b"\xff" * 20 + data[60:]):
        file.write_bytes(damaged)
        code, printed = imported(folder)
        assert code == 1
        assert printed.startswith(f"error: {file}: cannot be read: ")


def test_a_column_that_is_there_twice_is_not_lost(folder):
    lines = [f"q{i},{said(i)},{human(i)}" for i in range(ITEMS)]
    (folder / "judge.csv").write_text("\n".join(["id,winner,winner", *lines]))
    code, printed = imported(folder)
    assert code == 2
    assert "verdict=winner+winner.2" in printed


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ({"label": human}, "this file may not hold judgments of a judge"),
        ({"winner_idx": lambda i: said(i, [0, 1])}, "--values 0="),
        ({"a_wins": lambda i: [0, 0.5, 1][i % 3]}, "--values 0="),
        ({"preference": lambda i: 1 + i / 20}, "kind=rating"),
        ({"ranking": lambda i: [1, 2, 5, 3]}, "no column seems to hold what the judge said"),
        ({"early_vote": said, "late_vote": human}, "verdict=early_vote+late_vote"),
    ],
)
def test_what_could_mean_two_things_is_asked(columns, asked, folder):
    as_json(table(text_a=lambda _: "words " * 9, text_b=lambda _: "more " * 9, **columns))(
        folder / "judge"
    )
    code, printed = imported(folder)
    assert code == 2
    assert asked in printed


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("--columns", "kind=pairs"), "kind=pairs: write one of pair, rating, yesno, choice"),
        (
            ("--columns", "winer=verdict"),
            "write ROLE=COLUMN; the role is one of kind, each, files, scale",
        ),
        (
            ("--columns", "verdict=nope"),
            "no column has the name 'nope', given for verdict; the columns are id, verdict",
        ),
        (("--values", "A"), "--values A: write VALUE=MEANING"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(words, printed, folder):
    as_csv(table(verdict=said, human=human))(folder / "judge")
    code, output = imported(folder, *words)
    assert code == 1
    assert printed in output


def test_rows_under_their_judge_or_model_are_asked_for(folder):
    rows = {row.pop("id"): row for row in table(verdict=said, human=human)}
    as_json({"gpt": rows, "claude": rows})(folder / "judge")
    code, printed = imported(folder)
    assert code == 2
    assert "judge=group" in printed
    assert "source=group" in printed
    assert imported(folder, "--columns", "judge=group")[0] == 0
    assert {name: found["judgments"] for name, found in numbers(folder).items()} == {
        "gpt": ITEMS,
        "claude": ITEMS,
    }


def test_what_stands_for_no_value_is_unusable(folder):
    """Even in more than a fifth of the rows, a column of verdicts is one."""
    as_csv(table(judge_verdict=lambda i: ["N/A", said(i), "error"][i % 3], gold=human))(
        folder / "judge"
    )
    code, printed = imported(folder)
    assert code == 0, printed
    assert "8 rows counted as unreadable, because the value is not understood" in printed
    assert numbers(folder)["judge"]["coverage"] == pytest.approx(1 / 3)


def test_a_row_of_a_table_that_cannot_be_read_is_passed_on():
    problem = UnreadableError("a cell of more than 16,000,000 characters")
    rows = [["item", "judge", "human"], ["x", "1", "2"], problem, ["y", "2", "2"]]
    assert [row for _, row in headed(enumerate(rows))[1]] == rows[1:]


@pytest.mark.parametrize(
    ("name", "read"), [*product(["verdict", "judge_reply"], [0, ITEMS]), ("response", ITEMS)]
)
def test_replies_none_of_which_can_be_read_are_counted(folder, name, read):
    """Of one judge, or of all; people's labels tell what was asked."""
    rows = [
        {"item": i, "judge": judge, name: said(i) if known else f"Sorry, no image {i} here"}
        | {"human": human(i)}
        for judge, known in (("gpt-4o", 0), ("qwen", read))
        for i in range(ITEMS)
    ]
    pd.DataFrame(rows).to_csv(folder / "judge.csv", index=False)
    code, printed = imported(folder)
    assert code == 0, printed
    assert f"{read / ITEMS / 2:.0%} of the replies can be read" in printed
    coverage = {judge: found["coverage"] for judge, found in numbers(folder).items()}
    assert coverage == {"gpt-4o": 0, "qwen": read / ITEMS}


def test_the_kind_of_unread_replies_that_nothing_tells_is_asked(folder):
    rows = [{"item": i, "judge": "gpt-4o", "reply": f"No image {i}."} for i in range(ITEMS)]
    pd.DataFrame(rows).to_csv(folder / "judge.csv", index=False)
    code, printed = imported(folder)
    assert code == 2
    assert "kind=rating" in printed
    assert imported(folder, "--columns", "reply=reply,judge=judge,kind=rating")[0] == 0


def test_distances_of_rankings(folder):
    as_csv(table(ranking=lambda i: ["BACD", "ABCD"][i % 2], gold_ranking=lambda _: "ABCD"))(
        folder / "judge"
    )
    assert imported(folder)[0] == 0
    assert numbers(folder)["judge"]["levenshtein"] == (2 / 4 + 0) / 2
