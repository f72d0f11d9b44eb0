"""Scores from files of plain rows and of logged samples."""

import json
import math
import re

import pytest
from PIL import Image

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs import scoring
from tests.lmms_eval_tasks.subtlebench.conftest import as_samples, invoke, lines_of, write

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] boom"
ROW = {"item": "a", "category": "state", "options": ["up", "down"], "truth": "B"}


def row(item, response, truth="B", **others):
    return {**ROW, "item": item, "truth": truth, "response": response, **others}


LINES = [
    row("a", "B", domain="industry", source="mvtec-ad", pair="p"),
    row("b", "The answer is A", domain="industrial", source="mvtec-ad", pair="p"),
    row("c", "down", category="quantity", source="UBC", domain="natural", options=["up", "down"]),
    row("d", "Difference in the cup.", category="attribute", truth="D", options=5),
    row("e", FAILED, category="attribute", truth="A", options=4),
]


def as_two_steps(lines):
    """The harness's own reply is that of both steps; the one to read is in the trial."""
    for number, line in enumerate(lines):
        trial = {key: value for key, value in line.items() if key != "response"}
        said = [("describe", "Answer: A"), ("choose", line["response"])]
        steps = [{"step": step, "response": reply} for step, reply in said]
        trial |= {"benchmark": "subtlebench", "strategy": "two_step", "exchanges": steps}
        replies = [["Answer: A", line["response"]]]
        yield {"doc_id": number, "filtered_resps": replies, "trial": trial}


FORMS = {
    "plain": list,
    "samples": as_samples,
    "two steps": as_two_steps,
}


def score_file(path, rule=None):
    return scoring.score_file(CHOICES, path, rule=rule)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_log_gives_the_same_numbers(form, tmp_path):
    scored = score_file(write(tmp_path / "1_samples_subtlebench.jsonl", form(LINES)))
    assert scored.name == "subtlebench"
    expected = {
        "accuracy": 2 / 5,
        "accuracy_state": 1 / 2,
        "accuracy_quantity": 1,
        "accuracy_attribute": 0,
        "accuracy_action": math.nan,
        "domain_industrial": 1 / 2,
        "domain_natural": 1,
        "coverage": 3 / 5,
        "random_guess": (1 / 2 * 3 + 1 / 5 + 1 / 4) / 5,
        "items": 5,
        "pairs": 4,
        "consistency": math.nan,
    }
    found = {name: scored.numbers[name] for name in expected}
    assert found == pytest.approx(expected, nan_ok=True)
    parts = scored.breakdowns()
    assert {name: share.value for name, share in parts["by_source"].items()} == {
        "": 0,
        "UBC": 1,
        "mvtec-ad": 1 / 2,
    }
    assert {name: share.n for name, share in parts["by_domain"].items()} == {
        "": 2,
        "aerial": 1,  # UBC, as Table 10 counts it
        "industrial": 2,
    }
    assert scored.failed == 1
    assert "cells" not in parts
    assert dict(scored.unusable) == {"no option named": 1, "the request failed": 1}


def rights(scored):
    return [choice.right for choice in scored.table.rows]


@pytest.mark.parametrize(
    ("steps", "failed"), [([("describe", "Answer: B")], 0), ([("describe", FAILED)], 1), ([], 0)]
)
def test_without_a_second_step_there_is_no_answer(steps, failed, tmp_path):
    rows = [{"step": step, "response": reply} for step, reply in steps]
    scored = score_file(write(tmp_path / "a.jsonl", [{**ROW, "exchanges": rows}]))
    assert (scored.numbers["coverage"], scored.numbers["answers"]) == (0, 1)
    assert scored.failed == failed


def test_an_option_with_the_text_of_the_right_one_is_right(tmp_path):
    options = ["a cup", "a cat", "a cup"]
    lines = [row("a", "C", truth="A", options=options), row("b", "B", truth="A", options=options)]
    assert rights(score_file(write(tmp_path / "a.jsonl", lines))) == [True, False]


def controlled():
    for size in (40, 5):
        for hue in (0.1, 0.25):
            for number in range(2):
                reply = "B" if size == 40 or number else "A"
                cell = {"size": size, "hue": hue}
                yield row(f"{size} {hue} {number}", reply, category="attribute", cell=cell)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"item": "a"}], r"line 1: no field 'category', only"),
        ([row("a", "A", category="size")], r"line 1: field 'category' must be .*, not 'size'"),
        ([row("a", "A", options=27)], "field 'options' .*not 27"),
        ([row("a", "A", truth="C")], r"line 1: truth 'C' is none of \['A', 'B'\]"),
        ([row("a", "A"), row("a", "B")], r"a\.jsonl: item 'a', .* occurs twice"),
        ([row("a", "A"), row("a", "A", domain="x", order="rev")], "described in two"),
        ([row("a", "A", cell={"x": [1]})], r"cell"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_what_is_missing_or_wrong_is_named(lines, message, tmp_path):
    with pytest.raises(RecordError, match=message):
        score_file(write(tmp_path / "a.jsonl", lines))


def test_the_command_prints_the_papers_tables(tmp_path):
    done = invoke(write(tmp_path / "mine.jsonl", LINES))
    assert done.exit_code == 0, done.output
    lines = lines_of(done.output)
    types = ["AT", "ST", "EM", "TM", "SP", "EX", "QN", "QL", "VP", "AC", "AVG"]
    assert ["task", *types] in lines
    printed = {
        "Random": [35.9, 50.0, 50.0, 50.0, 36.6, 23.2, 48.9, 50.0, 42.1, 50.0, 43.3],
        "Human": [92.0, 93.0, 93.0, 93.0, 95.0, 97.0, 97.0, 99.0, 98.0, 98.0, 95.5],
    }
    assert {line[0]: line[-11:] for line in lines if "(paper)" in line} == {
        who: [f"{value / 100:.3f}" for value in values] for who, values in printed.items()
    }
    of_run = ["0.000", "0.500", *"-" * 4, "1.000", *"-" * 3, "0.400"]
    assert ["mine", *of_run] in lines  # beside the paper
    assert ["task", "AT", "ST", "QN", "AVG", "95%", "interval"] in lines  # what was measured
    assert ["mine", "industrial", "0.500", "-", "2"] in lines
    for said in (r"no option named +1 ", r"the request failed +1 ", r"all +2 "):
        assert re.search(said, done.output)
    assert "mine: 1 request failed; it counts as unusable replies" in done.output
    assert "both orders\n" not in done.output
    assert "…" not in done.output


def test_scenes_are_not_compared_with_the_paper(tmp_path):
    lines = [{**line, "source": "synthetic", "domain": "synthetic"} for line in controlled()]
    done = invoke(write(tmp_path / "scenes.jsonl", lines))
    assert ["scenes", "size=5", "0.500", "0.500"] in lines_of(done.output)
    assert "(paper)" not in done.output


def test_the_command_prints_json_with_null_for_undefined(tmp_path):
    (tmp_path / "x").mkdir()
    paths = [write(tmp_path / "a.jsonl", LINES), write(tmp_path / "x" / "a.jsonl", controlled())]
    done = invoke(*paths, "--json", "--rule", "authors")
    document = json.loads(done.output, parse_constant=lambda name: pytest.fail(name))
    assert (document["benchmark"], document["rule"]) == ("subtlebench", "authors")
    first, second = document["runs"]
    assert (first["file"], first["failed"]) == (str(paths[0]), 1)
    assert "cells" not in first
    assert first["numbers"]["consistency"] is None
    assert first["by_source"]["UBC"] == {
        "value": 0,
        "interval": {"low": None, "high": None},
        "n": 1,
    }
    assert second["name"] != first["name"]
    assert second["cells"]["size=40"]["hue=0.1"]["value"] == 1
    assert {cell["n"] for line in second["cells"].values() for cell in line.values()} == {2}
    assert document["table_2"]["Human Eval (paper)"]["AVG"] == 0.955


def test_the_command_draws(tmp_path):
    paths = [write(tmp_path / "a.jsonl", LINES), write(tmp_path / "b.jsonl", controlled())]
    done = invoke(*paths, "--plot", tmp_path / "picture.png")
    assert done.exit_code == 0, done.output
    with Image.open(tmp_path / "picture.png") as picture:
        assert min(picture.size) > 100
