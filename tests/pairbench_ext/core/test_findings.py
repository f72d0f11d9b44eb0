"""A finding says the same as text, HTML, JSON and data frame."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairbench_ext.core.findings import (
    SCHEMA,
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Problem,
    Quantity,
)
from pairbench_ext.statistics.bootstrap import Interval

# Names from outside: long ones, markup, and what would steer a terminal.
NAMES = st.one_of(
    st.text(min_size=1, max_size=60),
    st.sampled_from(["gpt-4o", "a" * 90, "<b>x</b>", "\x1b[31mred", "$x_1$", "a b/c-d"]),
)
VALUES = st.one_of(st.none(), st.floats(-1, 1), st.just(float("nan")))


@st.composite
def quantities(draw):
    value = draw(VALUES)
    ends = sorted([draw(st.floats(-1, 1)), draw(st.floats(-1, 1))])
    return Quantity(
        value,
        draw(st.sampled_from([None, tuple(ends)])),
        n=draw(st.integers(0, 5000)),
        problem=draw(st.sampled_from(["", "position_bias"])),
    )


@st.composite
def findings(draw):
    units = st.sampled_from(["share", "number", "count", "points", "p"])
    columns = tuple(
        Measure(
            f"m{place}",
            draw(st.sampled_from(["Accuracy", "Kappa", "Unreadable replies"])),
            "What it is.",
            draw(units),
            scale=(-1, 1),
            reference=draw(st.sampled_from([None, 0.5])),
            reference_says="chance",
            main=place == 0,
        )
        for place in range(draw(st.integers(1, 8)))
    )
    ranked = draw(st.booleans())
    rows = tuple(
        FindingRow(
            (draw(NAMES),),
            {column.name: draw(quantities()) for column in columns},
            (place + 1, place + 2) if ranked else None,
            problems=tuple(
                draw(st.lists(st.just(Problem("p", "m0", "Bias", "It is.", "Vote.")), max_size=1))
            ),
        )
        for place in range(draw(st.integers(1, 4)))
    )
    table = FindingTable("t", draw(NAMES), ("Judge",), columns, rows, notes=(draw(NAMES),))
    return Finding("compare", ("It is " + draw(NAMES),), (table,))


@given(findings(), st.integers(30, 140), st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_line_is_longer_than_the_terminal(finding, width, everything):
    lines = finding.to_text(width, everything=everything).split("\n")
    assert max(map(len, lines)) <= width
    assert "\x1b" not in "".join(lines)


class Cells(HTMLParser):
    """The texts of the cells of a table with numbers, and every tag."""

    def __init__(self):
        super().__init__()
        self.values, self.tags, self.ids = [], set(), []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.ids += [attrs["id"]] if "id" in attrs else []
        if "data-value" in attrs:
            self.values.append((attrs["data-label"], attrs["data-value"], attrs["title"]))


def assert_alike(finding):
    """Text, HTML, JSON and data frames of a finding show the same numbers."""
    made = json.loads(json.dumps(finding.to_dict(), allow_nan=False))
    assert made["schema"] == SCHEMA
    assert conforms(made, SCHEMA_FILE, SCHEMA_FILE)
    html = Cells()
    html.feed(finding._repr_html_())
    assert not {"script", "link", "img"} & html.tags
    assert not html.ids
    shown = iter(html.values)
    text = " ".join(finding.to_text(400, everything=True).split())
    for table, of_json in zip(finding.tables, made["tables"], strict=True):
        assert len(of_json["rows"]) == len(table.rows)
        if table.empty or not table.rows:
            continue
        used, frame = table.used(), finding.to_frame(table.name)
        for place, row in enumerate(used.rows):
            for column in used.columns:
                cell = used.cell(row, column)
                assert_cell_alike(column, cell, of_json["rows"][place]["cells"], next(shown), text)
                of_frame = frame[column.name][place]
                assert pd.isna(of_frame) if cell.value is None else of_frame == cell.value
                if cell.ci95:
                    ends = [f"{column.name}_low", f"{column.name}_high"]
                    assert tuple(frame.loc[place, ends]) == cell.ci95
    # Unused columns, of which nothing is known, are nowhere.
    assert next(shown, None) is None


def assert_cell_alike(column, cell, of_json, of_html, text):
    known = of_json.get(column.name, {"value": None})
    assert known["value"] == cell.value
    assert tuple(known.get("ci95", ())) == (cell.ci95 or ())
    title, value, says = of_html
    assert (title, value) == (column.title, "" if cell.value is None else str(cell.value))
    if cell.value is not None:
        spelled = " ".join(column.spell(cell.value).split())
        assert spelled in text
        assert spelled in " ".join(says.split())
    if cell.ci95:
        assert column.spell_interval(cell.ci95) in says


@given(findings())
@settings(max_examples=40, deadline=None)
def test_all_forms_show_the_same_numbers(finding):
    assert_alike(finding)


def test_a_command_in_a_sentence_is_marked_as_code():
    page = Finding("card", ("Type `pairbench check <run>` to see them",))._repr_html_()
    assert "Type <code>pairbench check &lt;run&gt;</code> to see them" in page


def conforms(value, schema, root):
    """Whether a value is as a schema says: what our schema uses of JSON Schema."""
    if "$ref" in schema:
        return conforms(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "oneOf" in schema:
        return sum(conforms(value, one, root) for one in schema["oneOf"]) == 1
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    kinds = schema.get("type", ["object", "array", "string", "number", "boolean", "null"])
    types = {"object": dict, "array": list, "string": str, "number": (int, float),
             "integer": int, "boolean": bool, "null": type(None)}  # fmt: skip
    if not any(isinstance(value, types[k]) for k in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, list):
        enough = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        return enough and all(conforms(item, schema.get("items", {}), root) for item in value)
    if isinstance(value, dict):
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        if more is False and value.keys() - known.keys():
            return False
        of_others = {} if isinstance(more, bool) else more
        return set(schema.get("required", ())) <= value.keys() and all(
            conforms(item, known.get(name, of_others), root) for name, item in value.items()
        )
    return True


SCHEMA_FILE = json.loads((files("pairbench_ext.core") / "finding.schema.json").read_text())


@given(findings())
@settings(max_examples=20, deadline=None)
def test_the_json_is_as_the_published_schema_says(finding):
    made = json.loads(json.dumps(finding.to_dict(), allow_nan=False))
    assert conforms(made, SCHEMA_FILE, SCHEMA_FILE)
    made["tables"][0]["rows"][0]["cells"]["m0"]["ci95_low"] = 0.1  # another spelling
    assert not conforms(made, SCHEMA_FILE, SCHEMA_FILE)


def test_fields_of_a_command_overwrite_no_common_one_and_may_be_objects():
    problem = Problem("first", "position_bias", "Position bias", "It chooses the first answer.")
    fields = {"says": ["other"], "kind": "other", "found": [problem], "at": Path("a", "b")}
    fields["ends"] = {"ci95": Interval(0.25, math.nan)}
    made = Finding("gate", ("It passed.",), fields=fields).to_dict()
    assert (made["says"], made["kind"]) == (["It passed."], "gate")
    assert made["found"][0]["evidence"] == problem.evidence
    assert (made["at"], made["ends"]["ci95"]) == (str(Path("a", "b")), [0.25, None])


def two_judges(**changes):
    accuracy = Measure("accuracy", "Accuracy", "Share of items judged right.", "share", "higher",
                       (0, 1), 0.5, "chance", main=True)  # fmt: skip
    order = Measure("position_bias", "Position bias", unit="share", reference=0.5,
                    reference_says="no bias")  # fmt: skip
    more = [Measure(f"more_{n}", f"Another number {n}", unit="share") for n in range(6)]
    problem = Problem("first", "position_bias", "Position bias", "It chooses the first answer.")
    cells = {column.name: Quantity(0.25) for column in more}
    rows = (
        FindingRow(("good",), cells | {"accuracy": Quantity(0.8, (0.7, 0.9), 80)}, (1, 1), "best"),
        FindingRow(
            ("poor",),
            cells | {"accuracy": Quantity(0.5, (0.4, 0.6), 80),
                     "position_bias": Quantity(0.9, (0.8, 1), 80, problem="first")},
            (2, 2), problems=(problem,),
        ),
    )  # fmt: skip
    table = FindingTable("pairs", "Which is better?", ("Judge",), (accuracy, *more, order), rows)
    return Finding("compare", ("good is the best of 2 judges.",), (table,), **changes)


def test_what_has_no_room_is_named_and_a_problem_always_has_room():
    text = two_judges().to_text(80)
    assert "Position" in text
    assert "90%!" in text
    assert re.search(r"Alike for all: .*another number 5 25%\.", " ".join(text.split()))
    assert "......" not in text  # the bar goes first
    wide = two_judges().to_text(200)
    assert "lack of room" not in wide
    assert "=O=" in wide
    assert "! poor: Position bias. It chooses the first answer." in " ".join(text.split())


def six_judges():
    """Three groups of six judges, each with problems, and what was not tested."""
    [table] = two_judges().tables
    _, poor = table.rows
    rows = tuple(replace(poor, keys=(f"judge number {n} of six",), rank=(1, 6)) for n in range(6))
    tables = (replace(table, name=f"t{n}", rows=rows, notes=("Not tested: x",)) for n in range(3))
    return Finding("compare", ("The tasks are of several kinds.",), tuple(tables), notes=("CI.",))


def test_a_first_look_at_six_judges_in_three_groups_has_fifty_lines():
    text = six_judges().to_text(80, lines=50)
    assert len(text.splitlines()) <= 50
    told = " ".join(text.split())
    assert told.count("! Position bias: judge number 0 of six") == 3  # each group's, in one line
    assert "--all shows every table, and what was not tested." in told
    full = six_judges().to_text(80)
    assert full.count("It chooses the first answer.") == 18
    assert full.count("Not tested: x") == 3


def test_a_long_name_has_a_line_of_its_own_and_columns_stay():
    [table] = two_judges().tables
    long = "an-organisation/with-a-very-long-name-of-a-judge-and-a-checkpoint-12000"
    rows = (replace(table.rows[0], keys=(long,)), table.rows[1])
    text = Finding("compare", (), (replace(table, rows=rows),)).to_text(80)
    assert f"\n{long}\n1*" in text
    assert re.search(r"^2 +poor +50% 40-60%", text, re.MULTILINE)


def test_a_rank_says_its_spread_and_the_best_is_marked():
    assert re.search(r"^1\*\s+good\s+80% 70-90%", two_judges().to_text(200), re.MULTILINE)


def test_a_gate_is_true_only_where_it_passed():
    assert Finding("compare")
    assert Finding("gate", fields={"verdict": "passed"})
    assert not Finding("gate", fields={"verdict": "cannot tell"})


def test_a_table_is_asked_for_by_name():
    finding = two_judges()
    assert list(finding.to_frame("pairs")["judge"]) == ["good", "poor"]
    with pytest.raises(KeyError, match="no table 'ratings'; the tables are: pairs"):
        finding.to_frame("ratings")


def test_a_figure_has_a_point_for_each_judge():
    [axes] = two_judges().plot().axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["good", "poor"]
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in points] == [0.8, 0.5]
    with pytest.raises(ValueError, match="nothing to draw"):
        Finding("compare").plot()


def test_a_figure_names_what_differs_and_intervals_where_it_has_some():
    cells = {"change": Quantity(0.1)}
    change = Measure("change", "Change", unit="share")
    rows = (FindingRow(("task", "old"), cells), FindingRow(("task", "new"), cells))
    [axes] = (
        Finding("x", (), (FindingTable("t", "Title", ("Task", "Run"), (change,), rows),))
        .plot()
        .axes
    )
    assert [label.get_text() for label in axes.get_yticklabels()] == ["old", "new"]
    assert axes.get_title("left") == "Title: Change"
    assert two_judges().plot().axes[0].get_title("left") == "Which is better?: Accuracy, 95% CI"
